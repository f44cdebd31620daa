"""Where a symbol can be seen: the stretch of its function from where it is declared to the end of its scope (3.1).

Relative to the function. Must not resolve names (see `croqc.sema.scopes`) or know LSP types.
"""

from __future__ import annotations

from itertools import pairwise

from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.syntax import ast
from croqc.syntax.visit import covering
from croqc.text.span import Span

_HEADERS = ast.Parallel | ast.With | ast.Foreach | ast.Apply  # their names and bodies are one scope
_BODIES = ast.If | ast.While | ast.InThreads  # each of their blocks is one
_OUTER = (SymbolKind.PARAM, SymbolKind.DIMENSION)


def region_of(model: Model, symbol: Symbol) -> Span:
    """Where the symbol is visible, but for inner names that hide it."""
    function = model.function
    if symbol.kind in _OUTER:
        return function.span
    end = function.body.span.end
    above = covering(function, symbol.name_span)
    for outer, inner in pairwise(above):
        if isinstance(outer, _BODIES) and isinstance(inner, ast.Block):
            end = inner.span.end
        elif isinstance(outer, _HEADERS):
            end = outer.span.end
    return Span(symbol.name_span.end, end)


def visible_at(model: Model, place: int) -> tuple[Symbol, ...]:
    """The symbols that a name written at the place can mean, the innermost and latest first, one a name."""
    seen: dict[str, Symbol] = {}
    around = [one for one in model.symbols if one.name and one.kind is not SymbolKind.ANONYMOUS]
    inside = [one for one in around if region_of(model, one).touches(place) and one.name_span.end < place]
    for symbol in sorted(inside, key=lambda one: (one.scope, one.name_span.start), reverse=True):
        seen.setdefault(symbol.name, symbol)
    return tuple(seen.values())
