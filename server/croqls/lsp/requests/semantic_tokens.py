"""`textDocument/semanticTokens/full`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqls.ide.semantic import MODIFIERS, TokenType, semantic_tokens
from croqls.lsp.convert import position
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_TYPES = [kind.value for kind in TokenType]
LEGEND = lsp.SemanticTokensLegend(token_types=_TYPES, token_modifiers=list(MODIFIERS))


def semantic_tokens_full(server: CroqtileServer, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    """Five numbers a token: line and column as differences, length, type, modifiers (LSP 3.17)."""
    snapshot = server.documents.get(params.text_document.uri)
    data: list[int] = []
    if snapshot is None:
        return lsp.SemanticTokens(data=data)
    encoding, line, column = server.documents.encoding, 0, 0
    for token in semantic_tokens(snapshot):
        start = position(snapshot.source, token.span.start, encoding)
        end = position(snapshot.source, token.span.end, encoding)
        skipped = start.line - line
        kind = _TYPES.index(token.type.value)
        step = start.character if skipped else start.character - column
        data += [skipped, step, end.character - start.character, kind, token.modifiers]
        line, column = start.line, start.character
    return lsp.SemanticTokens(data=data)


ENTRIES = (
    Entry(
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
        semantic_tokens_full,
        lsp.SemanticTokensRegistrationOptions(legend=LEGEND, full=True),
    ),
)
