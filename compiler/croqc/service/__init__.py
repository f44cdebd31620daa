"""One use case a file, for the command line and the language server alike. Must not print or speak LSP."""
