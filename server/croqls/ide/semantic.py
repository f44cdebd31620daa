"""Semantic tokens (LSP `textDocument/semanticTokens`): what a grammar without types cannot tell.

Must not know LSP types; the legend's order is the order of the enums.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cache
from itertools import zip_longest

from croqc.sema.model import Symbol, SymbolKind
from croqc.service.check import FunctionReport
from croqc.syntax.keywords import KEYWORDS, Highlight
from croqc.syntax.tokens import Kind
from croqc.text.record import record
from croqc.text.span import Span
from croqls.ide.names import calls
from croqls.ide.roles import Role, Roles, roles_at, roles_of
from croqls.ide.snapshot import Snapshot, is_warpgroup


class TokenType(Enum):
    """Standard types where LSP has one, else our own (`future`, `buffer`, `dimension`, `index`, `fragment`)."""

    KEYWORD = "keyword"
    TYPE = "type"
    MODIFIER = "modifier"
    FUNCTION = "function"
    METHOD = "method"
    MACRO = "macro"
    NUMBER = "number"
    STRING = "string"
    COMMENT = "comment"
    PARAMETER = "parameter"
    VARIABLE = "variable"
    EVENT = "event"
    FUTURE = "future"
    BUFFER = "buffer"
    FRAGMENT = "fragment"
    DIMENSION = "dimension"
    INDEX = "index"


@record
class SemanticToken:
    """An absolute span on one line; `declares` for the place that introduces a name, `roles` of its region."""

    span: Span
    type: TokenType
    declares: bool = False
    roles: Roles = ()

    @property
    def modifiers(self) -> int:
        """A bit for each of MODIFIERS that holds."""
        return int(self.declares) | _bits(self.roles)


@cache
def _bits(roles: Roles) -> int:
    return sum(2 << number for number, role in enumerate(Role) if role in roles)


_LONG = (TokenType.COMMENT, TokenType.STRING, TokenType.MACRO)  # the kinds that may go over a line end
MODIFIERS = ("declaration", *(role.value for role in Role))
_HIGHLIGHTS = {
    Highlight.REGION: TokenType.KEYWORD,
    Highlight.CONTROL: TokenType.KEYWORD,
    Highlight.LEVEL: TokenType.KEYWORD,
    Highlight.STORAGE: TokenType.MODIFIER,
    Highlight.TYPE: TokenType.TYPE,
    Highlight.OPERATION: TokenType.FUNCTION,
    Highlight.BUILTIN: TokenType.FUNCTION,
    Highlight.CONSTANT: TokenType.KEYWORD,
}
_SYMBOLS = {
    SymbolKind.PARAM: TokenType.PARAMETER,
    SymbolKind.DIMENSION: TokenType.DIMENSION,
    SymbolKind.VARIABLE: TokenType.VARIABLE,
    SymbolKind.BUFFER: TokenType.BUFFER,
    SymbolKind.EVENT: TokenType.EVENT,
    SymbolKind.FUTURE: TokenType.FUTURE,
    SymbolKind.FRAGMENT: TokenType.FRAGMENT,
    SymbolKind.PARALLEL: TokenType.INDEX,
    SymbolKind.LOOP: TokenType.INDEX,
}
_WORDS = {text: _HIGHLIGHTS[word.highlight] for text, word in KEYWORDS.items() if word.highlight in _HIGHLIGHTS}
_KINDS = {Kind.INT: TokenType.NUMBER, Kind.REAL: TokenType.NUMBER, Kind.STRING: TokenType.STRING}


def semantic_tokens(snapshot: Snapshot, within: Span | None = None) -> tuple[SemanticToken, ...]:
    """All tokens of the document, or those that touch a stretch of it, in order."""
    found: list[SemanticToken] = []
    for report in snapshot.report.functions:
        if within is None or within.touches(report.base) or report.spans(within):
            found += tokens_of(snapshot, report)
    return tuple(item for item in found if within is None or _meet(item.span, within))


def tokens_of(snapshot: Snapshot, report: FunctionReport) -> tuple[SemanticToken, ...]:
    """The tokens of one function in order, none over a line end, none overlapping."""
    return tuple(_one_line_each(snapshot, sorted(_function(report), key=_place)))


def _place(token: SemanticToken) -> tuple[int, int]:
    return token.span.start, token.span.end


def _meet(span: Span, within: Span) -> bool:
    return span.start < within.end and within.start < span.end


def _function(report: FunctionReport) -> Iterator[SemanticToken]:
    text, base = report.parsed.source, report.base
    symbols, functions = _symbols(report), _functions(report)
    regions = roles_of(report.analysis.model) if report.analysis is not None else ()
    for span, _ in text.macro_uses:
        yield SemanticToken(span.shift(base), TokenType.MACRO, roles=roles_at(regions, span.start))
    for dead in text.dead:
        yield SemanticToken(dead.shift(base), TokenType.COMMENT)
    for token, after in zip_longest(text.tokens, text.tokens[2:]):
        if token.kind is Kind.OP or token.macro is not None:
            continue
        declares, end = False, token.end
        if token.kind is not Kind.WORD:
            kind = TokenType.METHOD if token.kind is Kind.DOTTED else _KINDS.get(token.kind)
        else:  # only words are names
            own = token.start, end
            symbol = symbols.get(own)
            kind = _SYMBOLS.get(symbol.kind) if symbol is not None else _WORDS.get(token.text)
            kind = kind or (TokenType.FUNCTION if own in functions else None)
            declares = functions.get(own, symbol is not None and _ends(symbol.name_span) == own)
            end = after.end if after and is_warpgroup(token, after) else end
        if kind is not None:
            yield SemanticToken(Span(base + token.start, base + end), kind, declares, roles_at(regions, token.start))


Ends = tuple[int, int]


def _ends(span: Span) -> Ends:
    """A span as a key that is looked up fast."""
    return span.start, span.end


def _functions(report: FunctionReport) -> dict[Ends, bool]:
    """Where names of functions stand, and whether that declares them."""
    tree = report.parsed.tree
    if tree is None:
        return {}
    return {_ends(tree.name.span): True} | {_ends(call.callee_span): False for call in calls(report)}


def _symbols(report: FunctionReport) -> dict[Ends, Symbol]:
    if report.analysis is None:
        return {}
    return {_ends(name.span): symbol for name, symbol in report.analysis.model.uses.items() if name.macro is None}


def _one_line_each(snapshot: Snapshot, tokens: list[SemanticToken]) -> Iterator[SemanticToken]:
    source, end = snapshot.source, 0
    for token in tokens:
        start, stop = token.span.start, token.span.end
        if start >= end and token.type not in _LONG:
            yield token
            end = stop
            continue
        start = max(start, end)
        while start < stop:
            line = source.line_of(start)
            line_end = source.line_starts[line] + len(source.line_text(line))
            if start < min(line_end, stop):
                yield SemanticToken(Span(start, min(line_end, stop)), token.type, token.declares, token.roles)
            starts = source.line_starts
            start = starts[line + 1] if line + 1 < len(starts) else stop
        end = max(end, stop)
