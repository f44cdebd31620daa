"""Source text, spans, edits and diagnostics. Must not know the language."""
