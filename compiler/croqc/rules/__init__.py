"""One file per diagnostic: metadata, check or words, fixes. Must not analyse what `sema` or `flow` already know."""
