"""Offers the refactorings of `croqc.refactor` at a place of a document. Must not know LSP types."""
