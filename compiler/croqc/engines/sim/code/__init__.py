"""Translation of statements and expressions into closures over a `Frame`. Must not schedule."""
