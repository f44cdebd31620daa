"""Where a name comes from and where it is used (LSP `definition`, `declaration`, `typeDefinition`, `references`).

All places are of the document itself and absolute. Must not know LSP types.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of, walk
from croqc.text.span import Span
from croqls.ide.names import Named, NameKind, Use, named_at, places_of
from croqls.ide.snapshot import Snapshot


def definitions_at(snapshot: Snapshot, offset: int) -> tuple[Span, ...]:
    """What the name at a place stands for: of several definitions of a macro the one in force there."""
    named = named_at(snapshot, offset)
    if named is None:
        return ()
    places = _declared(snapshot, named)
    if named.kind is NameKind.MACRO and places:
        live = [macro.span for macro in snapshot.report.tree.pre.macros if macro.name == named.name and macro.span]
        before = [span for span in live or places if span.start <= named.span.start]
        return (before[-1],) if before else places[:1]
    return places


def declarations_at(snapshot: Snapshot, offset: int) -> tuple[Span, ...]:
    """As `definitions_at`, with every definition of a macro, in force or not."""
    named = named_at(snapshot, offset)
    return _declared(snapshot, named) if named is not None else ()


def type_definitions_at(snapshot: Snapshot, offset: int) -> tuple[Span, ...]:
    """What gives a name its type: the buffer behind a future, a view or an operand, the extents behind an index."""
    named = named_at(snapshot, offset)
    if named is None or named.symbol is None or named.function is None or named.function.analysis is None:
        return ()
    model = named.function.analysis.model
    found = dict.fromkeys(one for one in _behind(model, named.symbol) if one is not named.symbol)
    spans = (one.name_span for one in found if one.name_span.length and one.kind is not SymbolKind.ANONYMOUS)
    return tuple(span.shift(named.function.base) for span in spans)


def references_at(snapshot: Snapshot, offset: int, declaration: bool) -> tuple[Span, ...]:
    """Every place of the name; with `declaration` those that declare it too."""
    named = named_at(snapshot, offset)
    if named is None:
        return ()
    places = places_of(snapshot, named)
    return tuple(dict.fromkeys(place.span for place in places if declaration or place.use is not Use.DECLARE))


def _declared(snapshot: Snapshot, named: Named) -> tuple[Span, ...]:
    return tuple(place.span for place in places_of(snapshot, named) if place.use is Use.DECLARE)


def _behind(model: Model, symbol: Symbol) -> Iterator[Symbol]:
    decl = symbol.decl
    if symbol.kind is SymbolKind.FUTURE:
        yield from _filled(model, symbol)
    elif symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP):
        bounds = decl.bounds if isinstance(decl, ast.Axis) else (decl.extent,) if isinstance(decl, ast.Binding) else ()
        for bound in bounds:
            yield from (model.uses[node] for node in walk(bound) if isinstance(node, ast.Name) and node in model.uses)
    else:
        yield from (model.views[node].base for node in walk(decl) if node in model.views)


def _filled(model: Model, future: Symbol) -> Iterator[Symbol]:
    """The buffers that copies named by the future fill."""
    for copy, info in model.copies.items():
        if copy.target is not None and model.uses.get(copy.target) is future:
            yield info.dest.base
            if info.dest.base.kind is SymbolKind.ANONYMOUS:
                yield info.source.base
    for node in nodes_of(model.function):
        if isinstance(node, ast.Mma) and node.target is not None and model.uses.get(node.target) is future:
            yield from (model.uses[one] for one in walk(node.acc) if isinstance(one, ast.Name) and one in model.uses)
