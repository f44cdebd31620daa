"""Semantic tokens (LSP `textDocument/semanticTokens`): what a grammar without types cannot tell.

Must not know LSP types; the legend's order is the order of the enums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest

from croqc.sema.model import Symbol, SymbolKind
from croqc.service.check import FunctionReport
from croqc.syntax.keywords import KEYWORDS, Highlight
from croqc.syntax.tokens import Kind, Token
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


@dataclass(frozen=True, slots=True)
class SemanticToken:
    """An absolute span on one line; `declares` for the place that introduces a name, `roles` of its region."""

    span: Span
    type: TokenType
    declares: bool = False
    roles: Roles = ()

    @property
    def modifiers(self) -> int:
        """A bit for each of MODIFIERS that holds."""
        return int(self.declares) | sum(2 << number for number, role in enumerate(Role) if role in self.roles)


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
_KINDS = {Kind.INT: TokenType.NUMBER, Kind.REAL: TokenType.NUMBER, Kind.STRING: TokenType.STRING}


def semantic_tokens(snapshot: Snapshot) -> tuple[SemanticToken, ...]:
    """All tokens of the document in order, none over a line end, none overlapping."""
    found = [token for report in snapshot.report.functions for token in _function(report)]
    return tuple(_one_line_each(snapshot, sorted(found, key=lambda item: item.span)))


def _function(report: FunctionReport) -> Iterator[SemanticToken]:
    text = report.parsed.source
    symbols, functions = _symbols(report), _functions(report)
    regions = roles_of(report.analysis.model) if report.analysis is not None else ()
    for span, _ in text.macro_uses:
        yield SemanticToken(span.shift(report.base), TokenType.MACRO, roles=roles_at(regions, span.start))
    for dead in text.dead:
        yield SemanticToken(dead.shift(report.base), TokenType.COMMENT)
    for token, after in zip_longest(text.tokens, text.tokens[2:]):
        kind = None if token.macro else _type(token, symbols)
        if kind is None and token.macro is None and token.span in functions:
            kind = TokenType.FUNCTION
        if kind is not None:
            symbol = symbols.get(token.span)
            declares = functions.get(token.span, symbol is not None and symbol.name_span == token.span)
            span = token.span.cover(after.span) if after and is_warpgroup(token, after) else token.span
            yield SemanticToken(span.shift(report.base), kind, declares, roles_at(regions, token.start))


def _functions(report: FunctionReport) -> dict[Span, bool]:
    """Where names of functions stand, and whether that declares them."""
    tree = report.parsed.tree
    if tree is None:
        return {}
    return {tree.name.span: True} | {call.callee_span: False for call in calls(report)}


def _symbols(report: FunctionReport) -> dict[Span, Symbol]:
    if report.analysis is None:
        return {}
    return {name.span: symbol for name, symbol in report.analysis.model.uses.items() if name.macro is None}


def _type(token: Token, symbols: dict[Span, Symbol]) -> TokenType | None:
    if token.kind is Kind.DOTTED:
        return TokenType.METHOD
    if token.kind is not Kind.WORD:
        return _KINDS.get(token.kind)
    symbol = symbols.get(token.span)
    if symbol is not None:
        return _SYMBOLS.get(symbol.kind)
    word = KEYWORDS.get(token.text)
    return _HIGHLIGHTS.get(word.highlight) if word else None


def _one_line_each(snapshot: Snapshot, tokens: list[SemanticToken]) -> Iterator[SemanticToken]:
    source, end = snapshot.source, 0
    for token in tokens:
        start, stop = max(token.span.start, end), token.span.end
        if start == token.span.start and token.type not in _LONG:
            yield token
            start = stop
        while start < stop:
            line = source.line_of(start)
            line_end = source.line_starts[line] + len(source.line_text(line))
            if start < min(line_end, stop):
                yield SemanticToken(Span(start, min(line_end, stop)), token.type, token.declares, token.roles)
            starts = source.line_starts
            start = starts[line + 1] if line + 1 < len(starts) else stop
        end = max(end, stop)
