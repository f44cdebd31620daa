"""From text to typed trees: preprocessor, tokens, grammar, recovery, printer. Must not know types or targets."""
