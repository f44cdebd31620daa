"""The kinds of what is offered (LSP, `CodeActionKind`): the server names them before anything is. Must not offer."""

REWRITE = "refactor.rewrite"
MIGRATE = "source.migrate"
