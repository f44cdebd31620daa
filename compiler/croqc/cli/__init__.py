"""The command `croq`: one file a subcommand. Must not hold what the language server needs, too (see `service`)."""
