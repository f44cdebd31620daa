"""Offers the rewrites of the compiler as code actions. Must not rewrite by itself, nor know LSP types."""
