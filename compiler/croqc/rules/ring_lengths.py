"""How long the arrays of a ring are, as declared, and which of them is shorter than all others. Must not word."""

from __future__ import annotations

from croqc.refactor.base import Code
from croqc.rules.credit_sites import Site
from croqc.rules.credit_words import fix
from croqc.sema.model import Symbol
from croqc.sema.types import Data, Event
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit

_AGREEING = 2  # other arrays of the ring that say how long it is


def extent_node(code: Code, array: Symbol) -> ast.Expr | None:
    """The length in the declaration of an array, if the text shows it."""
    node = array.decl
    written = isinstance(node, ast.EventName | ast.BufferName) and code.of(node).startswith(array.name)
    return node.array[0] if isinstance(node, ast.EventName | ast.BufferName) and written and node.array else None


def short_of_ring(code: Code, site: Site) -> tuple[int, int, tuple[Fix, ...]] | None:
    """The length of an event's array and the greater one that all other arrays in its role have, with the fix."""
    own = _length(site.event)
    if site.region is None or own is None:
        return None
    used = {code.model.uses.get(name) for name in nodes_of_kind(site.region, ast.Name)} - {None, site.event}
    others = {one: length for one in used if one is not None and (length := _length(one)) is not None}
    lengths = set(others.values())
    if len(others) < _AGREEING or len(lengths) != 1 or (wanted := lengths.pop()) <= own:
        return None
    place = extent_node(code, site.event)
    texts = {code.of(node) for one in others if (node := extent_node(code, one)) is not None}
    if place is None or len(texts) != 1:
        return own, wanted, ()
    text = texts.pop()
    title = f"Declare '{site.event.name}[{text}]', as long as the others"
    return own, wanted, fix(title, (Edit(place.span, text),), safe=True)


def _length(symbol: Symbol) -> int | None:
    """Of an array of one dimension of events or buffers."""
    array = symbol.type.array if isinstance(symbol.type, Data | Event) else ()
    return array[0] if len(array) == 1 else None
