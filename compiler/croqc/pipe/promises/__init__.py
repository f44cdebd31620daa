"""What each pass promises of the IR behind it, as rules that `verify` checks. Must not change a kernel."""
