"""What runs in processes of its own, so that the loop never waits: texts in, plain values out. Must not know LSP."""
