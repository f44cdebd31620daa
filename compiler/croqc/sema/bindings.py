"""Indices: what `parallel`, `with` and `foreach` bind, and the ranges that loops give them (3.4, 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.sema import rulenames as rules
from croqc.sema import shapes
from croqc.sema.convert import is_integer
from croqc.sema.describe import describe
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    Bounded,
    BoundedTuple,
    Data,
    Fragment,
    Future,
    ShapeType,
    Unknown,
    bound_of,
)
from croqc.sema.walk import Value, Walk
from croqc.syntax import ast

_ZERO = Int.of(0)
_ONE = Int.of(1)


def bind_index(walk: Walk, name: ast.Name, kind: SymbolKind, bound: Int, decl: ast.Node) -> Symbol:
    """Declare one bounded integer, which takes every value below its bound."""
    symbol = walk.scopes.declare(name, kind, Bounded(bound), decl)
    value = walk.set_atom(symbol)
    walk.ranges.add_index(symbol.atom, _ZERO, bound - _ONE)
    walk.b.intervals[symbol.atom] = walk.ranges.intervals[symbol.atom]
    walk.b.types[name] = symbol.type
    walk.b.values[name] = value
    return symbol


def bind_tuple(
    walk: Walk, name: ast.Name, kind: SymbolKind, bounds: tuple[Int, ...], parts: Sequence[Symbol], decl: ast.Node
) -> Symbol:
    """Declare a bounded tuple; with `parts` its items are the values of those indices."""
    symbol = walk.scopes.declare(name, kind, BoundedTuple(bounds), decl)
    walk.b.types[name] = symbol.type
    if parts and len(parts) == len(bounds):
        walk.elements[symbol] = tuple(walk.current[part] for part in parts)
        walk.parts[symbol] = tuple(parts)
        return symbol
    items = []
    for dim, bound in enumerate(bounds):
        atom = walk.scopes.atom(name.id if len(bounds) == 1 else f"{name.id}({dim})")
        walk.ranges.add_index(atom, _ZERO, bound - _ONE)
        walk.b.intervals[atom] = walk.ranges.intervals[atom]
        items.append(Int.of(atom))
        if len(bounds) == 1:
            symbol.atom = atom
    walk.elements[symbol] = tuple(items)
    return symbol


# --- parallel ------------------------------------------------------------------------------------


def bind_axis(walk: Walk, axis: ast.Axis) -> None:
    """The indices of one axis. Counts that differ are reported with the levels."""
    items = [item for node in axis.bounds for item in shapes.flatten(walk, (node,))]
    bounds = [shapes.known(walk, item.node, item.value) for item in items]
    parts = []
    for place, name in enumerate(axis.names):
        bound = bounds[place] if place < len(bounds) else shapes.known(walk, name, None, f"#{name.id}")
        parts.append(bind_index(walk, name, SymbolKind.PARALLEL, bound, axis))
    if axis.tuple_name is not None:
        bind_tuple(walk, axis.tuple_name, SymbolKind.PARALLEL, tuple(bounds), parts, axis)


# --- with and foreach ----------------------------------------------------------------------------


def bind(walk: Walk, binding: ast.Binding) -> list[Symbol]:
    """The indices of one binding (table of 3.4): braces give integers, a bracketed extent a tuple."""
    bounds, listed = _bounds(walk, binding)
    names = binding.names
    parts: list[Symbol] = []
    if binding.braced:
        if bounds is not None and len(bounds) != len(names):
            place = names[0].span.cover(names[-1].span) if names else binding.span
            walk.b.report(rules.BINDING_COUNT, place, a=len(names), b=len(bounds))
        for dim, name in enumerate(names):
            known = bounds is not None and dim < len(bounds)
            bound = bounds[dim] if bounds is not None and known else _unknown(walk, name)
            parts.append(bind_index(walk, name, SymbolKind.LOOP, bound, binding))
        if binding.tuple_name is not None:
            every = bounds or tuple(_unknown(walk, name) for name in names)
            parts.append(bind_tuple(walk, binding.tuple_name, SymbolKind.LOOP, every, parts, binding))
        return parts
    for name in names:
        if bounds is None:
            parts.append(walk.scopes.unknown(name, SymbolKind.LOOP, binding))
        elif listed:
            parts.append(bind_tuple(walk, name, SymbolKind.LOOP, bounds, (), binding))
        else:
            parts.append(bind_index(walk, name, SymbolKind.LOOP, bounds[0], binding))
    return parts


def _unknown(walk: Walk, name: ast.Name) -> Int:
    return shapes.known(walk, name, None, f"#{name.id}")


def _bounds(walk: Walk, binding: ast.Binding) -> tuple[tuple[Int, ...] | None, bool]:
    """The bounds that an extent gives, and whether it is a list; None if nothing is known of it."""
    node = binding.extent
    if isinstance(node, ast.ShapeLit):
        items = shapes.flatten(walk, node.items)
        shapes.check_members(walk, items, "shape", may_change=True)
        dims = tuple(shapes.known(walk, item.node, item.value) for item in items)
        walk.note(node, Value(ShapeType(dims)))
        _check_extents(walk, binding, dims, [item.node for item in items])
        return dims, True
    value = walk.expr(node)
    entries = shapes.entries(value)
    if entries is not None:
        dims = tuple(shapes.known(walk, node, entry) for entry in entries)
        _check_extents(walk, binding, dims, [node] * len(dims))
        return dims, True
    if is_integer(value.type):
        dims = (shapes.known(walk, node, value.int),)
        _check_extents(walk, binding, dims, [node])
        return dims, False
    if not isinstance(value.type, Unknown):
        walk.b.report(rules.SHAPE_MEMBER, node.span, t=describe(value.type), mutable=False, what="shape")
    return None, False


def _check_extents(walk: Walk, binding: ast.Binding, dims: Sequence[Int], nodes: Sequence[ast.Node]) -> None:
    """A loop has at least one iteration where that is known (L22)."""
    name = binding.names[0].id if binding.names else ""
    for dim, node in zip(dims, nodes, strict=True):
        if dim.const is not None and dim.const < 1:
            walk.b.report(rules.ZERO_LOOP, node.span, name=name, v=dim.const)


# --- ranges --------------------------------------------------------------------------------------


def enter_range(walk: Walk, loop: ast.Range) -> Symbol | None:
    """Make an index run; the symbol that was idle before, to be stopped again behind the loop (4.5)."""
    low, high = (None if node is None else _offset(walk, loop, node) for node in (loop.lo, loop.hi))
    step = None if loop.step is None else walk.expr(loop.step).int
    if step is not None and step.const is not None and step.const < 1:
        walk.b.report(rules.LOOP_RANGE, (loop.step or loop).span, what="step", name=loop.name.id)
    symbol = walk.scopes.use(loop.name)
    if symbol is None or isinstance(symbol.type, Unknown):
        if loop.local is not None:
            walk.scopes.unknown(loop.local, SymbolKind.LOOP, loop)
        return None
    if symbol.kind is not SymbolKind.LOOP or not isinstance(symbol.type, Bounded | BoundedTuple):
        walk.b.report(rules.LOOP_VARIABLE, loop.name.span, name=loop.name.id, t=_what(symbol))
        return None
    was_idle = symbol if symbol in walk.idle else None
    walk.idle.discard(symbol)
    if loop.sliced and isinstance(symbol.type, BoundedTuple) and len(symbol.type.bounds) > 1:
        walk.b.report(rules.LOOP_RANGE, loop.span, what="tuple", name=loop.name.id)
    _run(walk, symbol, loop, low, high, step)
    walk.b.types[loop.name] = symbol.type
    _expose(walk, loop, symbol)
    return was_idle


def _what(symbol: Symbol) -> str:
    return symbol.kind.value if symbol.kind is SymbolKind.PARALLEL else describe(symbol.type)


def _offset(walk: Walk, loop: ast.Range, node: ast.Expr) -> Int | None:
    value = walk.expr(node)
    if not is_integer(value.type) and not isinstance(value.type, Unknown):
        walk.b.report(rules.LOOP_RANGE, node.span, what="offset", name=loop.name.id)
    return value.int


def _run(walk: Walk, symbol: Symbol, loop: ast.Range, low: Int | None, high: Int | None, step: Int | None) -> None:
    """The values an index takes in a loop: `lo` up to below `#i + hi`, by `step`."""
    if isinstance(symbol.type, Bounded):
        pairs = [(walk.current.get(symbol), symbol.type.bound)]
    elif isinstance(symbol.type, BoundedTuple):
        pairs = list(zip(walk.elements.get(symbol, ()), symbol.type.bounds, strict=False))
    else:
        return
    for value, bound in pairs:
        if value is None or len(value.names()) != 1:
            continue
        atom = next(iter(value.names()))
        first = low if low is not None else _ZERO
        last = bound - _ONE + (high if high is not None else _ZERO)
        sure = (loop.lo is None or low is not None) and (loop.hi is None or high is not None)
        if loop.step is not None:
            last, sure = _stepped(first, last, step, sure)
        walk.ranges.add_index(atom, first, last, sure)


def _stepped(first: Int, last: Int, step: Int | None, sure: bool) -> tuple[Int, bool]:
    """The last value that a step really reaches, if all is constant."""
    a, b, by = first.const, last.const, None if step is None else step.const
    if by == 1:
        return last, sure
    if a is None or b is None or by is None or by < 1 or b < a:
        return last, False
    return Int.of(a + (b - a) // by * by), sure


def _expose(walk: Walk, loop: ast.Range, symbol: Symbol) -> None:
    """`foreach n = i`: the local name has the value and the bound of the index."""
    if loop.local is None:
        return
    local = walk.scopes.declare(loop.local, SymbolKind.LOOP, symbol.type, loop)
    local.atom = symbol.atom
    if symbol in walk.current:
        walk.current[local] = walk.current[symbol]
    if symbol in walk.elements:
        walk.elements[local] = walk.elements[symbol]


def alias(walk: Walk, pair: tuple[ast.Name, ast.Name], symbols: Sequence[Symbol]) -> None:
    """`where a <-> b`: two indices of one `with` move together."""
    first, second = (walk.scopes.use(name) for name in pair)
    if first is None or second is None:
        return
    for name, symbol in zip(pair, (first, second), strict=True):
        if symbol not in symbols or bound_of(symbol.type) is None:
            walk.b.report(rules.LOOP_VARIABLE, name.span, name=name.id, t=_what(symbol))
            return
    value = walk.symbol_value(first).int
    if value is not None:
        walk.current[second] = value
        walk.elements[second] = (value,)
    second.atom = first.atom


def bind_apply(walk: Walk, node: ast.Apply) -> None:
    """`apply {i, j} in x.span`: indices over the elements of a fragment."""
    value = walk.expr(node.frag)
    match value.type:
        case Fragment(shape=shape) if shape is not None:
            dims: tuple[Int, ...] = shape
        case Data(shape=shape) | Future(data=Data(shape=shape)):
            dims = shape
        case _:
            dims = ()
    if dims and len(dims) != len(node.names):
        walk.b.report(rules.BINDING_COUNT, node.span, a=len(node.names), b=len(dims))
    for place, name in enumerate(node.names):
        bound = dims[place] if place < len(dims) else _unknown(walk, name)
        bind_index(walk, name, SymbolKind.LOOP, bound, node)
