"""The Croqtile language server: editor features (`ide`) and their transport (`lsp`)."""
