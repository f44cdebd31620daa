"""Editor features as pure functions of a Snapshot. Must not know LSP types, files or the clock."""
