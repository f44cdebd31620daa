"""`textDocument/semanticTokens/full`, `full/delta` and `range`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from lsprotocol import types as lsp

from croqc.text.source import Encoding, Source
from croqc.text.span import Span
from croqls.ide.semantic import MODIFIERS, SemanticToken, TokenType, semantic_tokens, tokens_of
from croqls.ide.snapshot import Snapshot
from croqls.ide.token_delta import difference
from croqls.lsp.convert import offset_of
from croqls.lsp.documents import key_of
from croqls.lsp.encoded import Encoded, Part
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_TYPES = [kind.value for kind in TokenType]
_NUMBERS = {kind: number for number, kind in enumerate(TokenType)}
LEGEND = lsp.SemanticTokensLegend(token_types=_TYPES, token_modifiers=list(MODIFIERS))


async def semantic_tokens_full(server: CroqtileServer, params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
    snapshot = server.documents.get(params.text_document.uri)
    if snapshot is None:
        return lsp.SemanticTokens(data=[])
    return _kept(server, params.text_document.uri, await _data(server, snapshot))


async def semantic_tokens_delta(
    server: CroqtileServer, params: lsp.SemanticTokensDeltaParams
) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
    """What changed since the answer that the client names; all tokens if that one is not known."""
    uri = params.text_document.uri
    snapshot = server.documents.get(uri)
    if snapshot is None:
        return lsp.SemanticTokens(data=[])
    data = await _data(server, snapshot)
    known = server.tokens.get(key_of(uri))
    answer = _kept(server, uri, data)
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
    tokens = semantic_tokens(snapshot, Span(start, max(start, end)))
    return lsp.SemanticTokens(data=encoded(snapshot.source, tokens, 0, encoding).data)


def _kept(server: CroqtileServer, uri: str, data: list[int]) -> lsp.SemanticTokens:
    """The answer with a number of its own, remembered as the newest of the document."""
    server.tokens_sent += 1
    answer = lsp.SemanticTokens(data=data, result_id=str(server.tokens_sent))
    server.tokens[key_of(uri)] = answer
    return answer


async def _data(server: CroqtileServer, snapshot: Snapshot) -> list[int]:
    """Those of all functions of a long text take half a second where none is known."""
    key = key_of(snapshot.uri)
    known, lent = server.encoded.get(key, {}), snapshot.is_lent
    work = partial(_counted, snapshot, known, server.documents.encoding)
    data, new = await server.reading.beside(snapshot, work)
    if not lent:  # else some are those of another version
        server.encoded[key] = new
    return data


def _counted(snapshot: Snapshot, known: Encoded, encoding: Encoding) -> tuple[list[int], Encoded]:
    """Five numbers a token: line and column as differences, length, type, modifiers (LSP 3.17); and what to keep.

    Those of a function that did not change are known; only where it stands is told anew. With a glance a function is
    known by its text.
    """
    source, new = snapshot.source, Encoded()
    written = {part.text: part for part in known.values()} if snapshot.is_lent else {}
    data: list[int] = []
    line = column = 0
    for report in snapshot.report.functions:
        top = source.line_of(report.base)
        alone = report.analysis if source.line_starts[top] == report.base else None  # in the line that it starts in
        text = report.parsed.source.text
        part = (known.get(alone) or written.get(text)) if alone else None
        if part is None:
            part = encoded(source, tokens_of(snapshot, report), top, encoding, text)
        if alone is not None:
            new[alone] = part
        if part.data:
            down, right, *rest = part.data
            step = right if top + down > line else right - column
            data += [top + down - line, step, *rest]
            line, column = top + part.line, part.column
    return data, new


def encoded(source: Source, tokens: Iterable[SemanticToken], top: int, encoding: Encoding, text: str = "") -> Part:
    """The numbers of tokens below a line, the first one's line and column counted from the start of that line."""
    plain, starts = source.text.isascii(), source.line_starts
    data: list[int] = []
    row, line, column = top, top, 0
    for token in tokens:
        start, end = token.span.start, token.span.end
        while row + 1 < len(starts) and starts[row + 1] <= start:
            row += 1
        at, length = start - starts[row], end - start
        if not plain:
            at = source.position(start, encoding).column
            length = source.position(end, encoding).column - at
        kind = _NUMBERS[token.type]
        data += [row - line, at if row > line or not data else at - column, length, kind, token.modifiers]
        line, column = row, at
    return Part(data, line - top, column, text)


_OPTIONS = lsp.SemanticTokensRegistrationOptions(
    legend=LEGEND, full=lsp.SemanticTokensFullDelta(delta=True), range=True
)
ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, semantic_tokens_full, _OPTIONS),
    Entry(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, semantic_tokens_delta, _OPTIONS),
    Entry(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, semantic_tokens_range, _OPTIONS),
)
