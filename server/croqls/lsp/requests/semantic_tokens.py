"""`textDocument/semanticTokens/full`, `full/delta` and `range`."""

from __future__ import annotations

from lsprotocol import types as lsp

from croqc.text.span import Span
from croqls.ide.semantic import MODIFIERS, TokenType, semantic_tokens
from croqls.ide.snapshot import Snapshot
from croqls.ide.token_delta import difference
from croqls.lsp.convert import offset_of, position
from croqls.lsp.documents import key_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_TYPES = [kind.value for kind in TokenType]
LEGEND = lsp.SemanticTokensLegend(token_types=_TYPES, token_modifiers=list(MODIFIERS))


def semantic_tokens_full(server: CroqtileServer, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return lsp.SemanticTokens(data=[])
    return _kept(server, params.text_document.uri, _data(server, snapshot))


def semantic_tokens_delta(
    server: CroqtileServer, params: lsp.SemanticTokensDeltaParams
) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
    """What changed since the answer that the client names; all tokens if that one is not known."""
    uri = params.text_document.uri
    snapshot, known = server.documents.get(uri), server.tokens.get(key_of(uri))
    if snapshot is None:
        return lsp.SemanticTokens(data=[])
    answer = _kept(server, uri, _data(server, snapshot))
    if known is None or known.result_id != params.previous_result_id:
        return answer
    found = difference(known.data, answer.data)
    edits = [] if found is None else [lsp.SemanticTokensEdit(found.start, found.delete, list(found.data))]
    return lsp.SemanticTokensDelta(edits=edits, result_id=answer.result_id)


def semantic_tokens_range(server: CroqtileServer, params: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return lsp.SemanticTokens(data=[])
    encoding = server.documents.encoding
    start = offset_of(snapshot.source, params.range.start, encoding)
    end = offset_of(snapshot.source, params.range.end, encoding)
    return lsp.SemanticTokens(data=_data(server, snapshot, Span(start, end)))


def _kept(server: CroqtileServer, uri: str, data: list[int]) -> lsp.SemanticTokens:
    """The answer with a number of its own, remembered as the newest of the document."""
    server.tokens_sent += 1
    answer = lsp.SemanticTokens(data=data, result_id=str(server.tokens_sent))
    server.tokens[key_of(uri)] = answer
    return answer


def _data(server: CroqtileServer, snapshot: Snapshot, within: Span | None = None) -> list[int]:
    """Five numbers a token: line and column as differences, length, type, modifiers (LSP 3.17)."""
    data: list[int] = []
    encoding, line, column = server.documents.encoding, 0, 0
    for token in semantic_tokens(snapshot):
        if within is not None and (token.span.end <= within.start or within.end <= token.span.start):
            continue
        start = position(snapshot.source, token.span.start, encoding)
        end = position(snapshot.source, token.span.end, encoding)
        skipped = start.line - line
        kind = _TYPES.index(token.type.value)
        step = start.character if skipped else start.character - column
        data += [skipped, step, end.character - start.character, kind, token.modifiers]
        line, column = start.line, start.character
    return data


_OPTIONS = lsp.SemanticTokensRegistrationOptions(
    legend=LEGEND, full=lsp.SemanticTokensFullDelta(delta=True), range=True
)
ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens_full, _OPTIONS),
    Entry(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, semantic_tokens_delta, _OPTIONS),
    Entry(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens_range, _OPTIONS),
)
