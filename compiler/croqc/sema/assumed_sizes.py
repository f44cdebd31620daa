"""Indices that stay inside their data for some sizes only: `parallel b by 8, t by 128` reaches element 1023 of any N.

`note_reach` records, while types are found, what an index provably reaches; `check_assumed_sizes` tells it where no
condition, assertion or jump may keep the index inside. Must not look at tiles (see `copy_checks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder, ReachedIndex
from croqc.sema.model import SymbolKind
from croqc.sema.nesting import Around, statements
from croqc.sema.shapes import Item
from croqc.sema.shared_elements import chooses
from croqc.sema.symbolic import Int, Part
from croqc.sema.walk import Walk
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind

_CHOICES = ("&&", "||")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def note_reach(walk: Walk, node: ast.Chain, item: Item, extent: Int) -> None:
    """Record an index of an element that reaches past a size for some values of it, and for others does not."""
    if extent.const is not None or item.value is None or not item.value.names() & walk.ranges.limits.keys():
        return  # what no index is part of is checked when the function is entered (3.9)
    top = walk.ranges.greatest(item.value)
    if top is None or walk.ranges.is_positive(extent - top) or walk.ranges.is_natural(top - extent):
        return
    known = top.const is not None or _whole_tiles(top, extent) is not None or _of_another(walk.b, top)
    if known and _is_size(walk.b, extent):
        walk.b.reached.append(ReachedIndex(node, item.node, item.value, top, extent))


def _is_size(builder: Builder, extent: Int) -> bool:
    names = extent.names()
    if len(names) != 1 or extent != Int.of(next(iter(names))):
        return False
    return any(one.kind is SymbolKind.DIMENSION and one.atom in names for one in builder.symbols)


def _of_another(builder: Builder, top: Int) -> bool:
    """Whether an index goes up to the end of another size: `foreach k in N` along the `M` of a `[M, N]`."""
    return _is_size(builder, top + Int.of(1))


def _whole_tiles(top: Int, extent: Int) -> int | None:
    """The tile, if an index goes through the tiles that cover an extent, the last one whole."""
    for monomial, factor in top.terms:
        part = monomial[0] if len(monomial) == 1 else ""
        if isinstance(part, Part) and part.op == "cdiv" and part.b.const == factor and part.a == extent:
            return factor if top == Int(((monomial, factor),)) - Int.of(1) else None
    return None


def check_assumed_sizes(builder: Builder) -> None:
    """One note for each condition on a size, at the first index that needs it."""
    if not builder.reached:
        return
    body = builder.function.body
    promised = {name for node in nodes_of_kind(body, ast.Assert) for name in _names(builder, node.cond)}
    jumps = [around for node, around in statements(body) if isinstance(node, ast.Jump | ast.Return)]
    places = {chain: pair for pair in statements(body) for chain in nodes_of_kind(pair[0], ast.Chain)}  # innermost last
    kinds = {symbol.atom: symbol.kind for symbol in builder.symbols if symbol.atom}
    told: dict[tuple[Int, int | None, int | None, Int | None], list[ReachedIndex]] = {}
    for found in builder.reached:
        stmt, around = places.get(found.node, (None, Around()))
        if stmt is None or found.extent.names() & promised or chooses(stmt):
            continue
        if all(_is_of_others(builder, kinds, guard) for one in (around, *jumps) for guard in _tests(one)):
            least = None if found.top.const is None else found.top.const + 1
            other = found.top + Int.of(1) if _of_another(builder, found.top) else None
            told.setdefault((found.extent, _whole_tiles(found.top, found.extent), least, other), []).append(found)
    for (extent, tile, least, other), uses in told.items():
        alike = len({one.value for one in uses}) == 1
        spans = tuple(one.index.span for one in uses) if alike else ()
        place, beside = uses[0].index.span, None if other is None else str(other)
        builder.report(rules.ASSUMED_SIZE, place, extent=str(extent), tile=tile, least=least, other=beside, uses=spans)


def _tests(around: Around) -> Iterator[ast.Node]:
    """The conditions around a statement; roles are of threads alone."""
    return (one.cond for one in around.chain if isinstance(one, ast.If | ast.While))


def _is_of_others(builder: Builder, kinds: Mapping[str, SymbolKind], cond: ast.Node) -> bool:
    """Whether a condition compares indices and sizes alone, an index in each comparison.

    Such a one has narrowed what it speaks of, or left it in doubt; one of sizes alone may promise anything.
    """
    match cond:
        case ast.Paren(inner=inner):
            return _is_of_others(builder, kinds, inner)
        case ast.Binary(op=op) if op in _CHOICES:
            return all(_is_of_others(builder, kinds, side) for side in (cond.left, cond.right))
        case ast.Binary(op=op) if op in _COMPARISONS:
            known = {kinds.get(name) for name in _names(builder, cond)}
            indices = {SymbolKind.PARALLEL, SymbolKind.LOOP}
            return bool(known & indices) and known <= {*indices, SymbolKind.DIMENSION}
    return False


def _names(builder: Builder, cond: ast.Node) -> set[str]:
    """The symbols that the names of a condition stand for; one without a value stands for itself."""
    found: set[str] = set()
    for name in nodes_of_kind(cond, ast.Name):
        value = builder.values.get(name)
        found |= {name.id} if value is None else value.names()
    return found
