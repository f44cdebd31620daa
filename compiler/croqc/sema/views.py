"""View operations: the shape each one makes, and the checks of 3.5. Suffixes come grouped from `chains`."""

from __future__ import annotations

from collections.abc import Callable

from croqc.sema import rulenames as rules
from croqc.sema.access import (
    check_count,
    check_index,
    check_integers,
    countable,
    is_wild,
    items_of,
    reaches,
)
from croqc.sema.model import ViewKind, ViewOp
from croqc.sema.shapes import Item, known, product
from croqc.sema.symbolic import Int, same
from croqc.sema.types import Data
from croqc.sema.walk import Walk
from croqc.syntax import ast
from croqc.text.record import record

_ONE = Int.of(1)


@record
class Step:
    """One operation with the suffixes that belong to it: `at` also holds the arguments of `.from`."""

    op: ast.Member
    step: ast.Member | None
    at: ast.Member | None
    name: str  # of the data, for messages
    earlier: tuple[ViewOp, ...]

    def record(self, kind: ViewKind, shape: tuple[Int, ...]) -> ViewOp:
        last = self.at or self.step or self.op
        at = self.at.args if self.at else ()
        step = self.step.args if self.step else ()
        return ViewOp(kind, self.op.args, self.op.strides, step, at, shape, self.op.span.cover(last.span))


Result = tuple[ViewOp, Data] | None


def apply(walk: Walk, step: Step, data: Data) -> Result:
    """The operation and the data after it; None if it cannot be understood (already reported)."""
    return _OPERATIONS[step.op.name](walk, step, data)


def _counted(walk: Walk, part: ast.Member, data: Data, nodes: tuple[ast.Expr, ...]) -> list[Item] | None:
    items = items_of(walk, nodes)
    check_integers(walk, items)
    rank = len(data.shape)
    return items if check_count(walk, part, part.name, rank, items, countable(items)) else None


def _after(data: Data, shape: tuple[Int, ...], contiguous: bool | None) -> Data:
    return Data(data.elem, shape, data.storage, (), contiguous)


def _wrong(walk: Walk, node: ast.Node) -> Int:
    """The extent behind a reported mistake: unknown, so that nothing else is said because of it."""
    return known(walk, node, None)


# --- chunks --------------------------------------------------------------------------------------


def _chunkat(walk: Walk, step: Step, data: Data) -> Result:
    items = _counted(walk, step.op, data, step.op.args)
    if items is None:
        return None
    shape = []
    for dim, (item, extent) in enumerate(zip(items, data.shape, strict=True)):
        factor = item.bound
        if factor is None:
            if item.value is not None:
                walk.not_understood(item.node, "a chunk number without a bound")
            shape.append(known(walk, item.node, None))
            continue
        shape.append(_chunk(walk, item.node, extent, factor, dim))
        if not is_wild(item.node):
            check_index(walk, item, factor, "tile", dim, step.name)
    dims = tuple(shape)
    return step.record(ViewKind.CHUNKAT, dims), _after(data, dims, _window(data, dims))


def _chunk(walk: Walk, node: ast.Node, extent: Int, factor: Int, dim: int) -> Int:
    """The extent of a chunk: `S / f`, rounded down, with the checks V03, V04, V08."""
    size, count = extent.const, factor.const
    if count == 0:
        walk.b.report(rules.ZERO_TILE, node.span, op="chunkat")
        return _wrong(walk, node)
    if size is not None and count is not None:
        if count > size:
            walk.b.report(rules.TOO_MANY_CHUNKS, node.span, f=count, s=size, d=dim)
            return _wrong(walk, node)
        if size % count:
            walk.b.report(rules.CHUNK_REMAINDER, node.span, r=size % count, s=size, f=count, d=dim)
    return known(walk, node, extent.floordiv(factor))


def _chunk_at(walk: Walk, step: Step, data: Data) -> Result:
    factors = _counted(walk, step.op, data, step.op.args)
    places = _counted(walk, step.at, data, step.at.args) if step.at else []
    if factors is None or places is None:
        return None
    shape = []
    for dim, (item, extent) in enumerate(zip(factors, data.shape, strict=True)):
        factor = _ONE if is_wild(item.node) else known(walk, item.node, item.value)
        shape.append(_chunk(walk, item.node, extent, factor, dim))
        if places and factor.const != 0:
            check_index(walk, places[dim], factor, "tile", dim, step.name)
    dims = tuple(shape)
    return step.record(ViewKind.CHUNK, dims), _after(data, dims, _window(data, dims))


# --- tiles and windows ---------------------------------------------------------------------------


def _sizes(walk: Walk, step: Step, data: Data, most: bool) -> tuple[Int, ...] | None:
    """The extents written; `_` is the incoming one. `most`: none may exceed the incoming one (V05)."""
    items = _counted(walk, step.op, data, step.op.args)
    if items is None:
        return None
    sizes = []
    for dim, (item, extent) in enumerate(zip(items, data.shape, strict=True)):
        size = extent if is_wild(item.node) else known(walk, item.node, item.value)
        if size.const is not None and size.const < 1:
            walk.b.report(rules.ZERO_TILE, item.node.span, op=step.op.name)
            size = _wrong(walk, item.node)
        elif most and walk.ranges.is_positive(size - extent):
            walk.b.report(rules.TILE_TOO_LARGE, item.node.span, e=str(size), s=str(extent), d=dim, op=step.op.name)
            size = _wrong(walk, item.node)
        sizes.append(size)
    return tuple(sizes)


def _zero_steps(walk: Walk, part: ast.Member | None, nodes: tuple[ast.Expr, ...], what: str) -> None:
    """Steps and strides of 0 are allowed with a note (V14)."""
    if part is None:
        return
    for item in items_of(walk, nodes):
        if item.value is not None and item.value.const == 0 and not is_wild(item.node):
            walk.b.report(rules.ZERO_STEP, item.node.span, what=what)


def _subspan(walk: Walk, step: Step, data: Data) -> Result:
    sizes = _sizes(walk, step, data, most=True)
    steps = _counted(walk, step.step, data, step.step.args) if step.step else []
    places = _counted(walk, step.at, data, step.at.args) if step.at else []
    if sizes is None or steps is None or places is None:
        return None
    _zero_steps(walk, step.step, step.step.args if step.step else (), "step")
    _zero_steps(walk, step.op, step.op.strides, "stride")
    for dim, item in enumerate(places):
        if steps:
            _check_origin(walk, item, steps[dim].value, data.shape[dim], dim, step.name)
        else:
            check_index(walk, item, data.shape[dim].cdiv(sizes[dim]), "tile", dim, step.name)
    contiguous = None if step.op.strides else _window(data, sizes)
    return step.record(ViewKind.SUBSPAN, sizes), _after(data, sizes, contiguous)


def _check_origin(walk: Walk, item: Item, by: Int | None, extent: Int, dim: int, name: str) -> None:
    """With a step, tile i starts at `i * step`, which lies inside the extent (V06)."""
    if item.value is None or by is None:
        return
    if reaches(walk, item.value * by, extent) is not None:
        tiles = extent.cdiv(by) if by.const != 0 else _ONE
        check_index(walk, item, tiles, "tile", dim, name)


def _modspan(walk: Walk, step: Step, data: Data) -> Result:
    sizes = _sizes(walk, step, data, most=True)
    places = _counted(walk, step.at, data, step.at.args) if step.at else []
    if sizes is None or places is None:
        return None
    for dim, item in enumerate(places):
        check_index(walk, item, data.shape[dim].cdiv(sizes[dim]), "tile", dim, step.name)
    rests = [extent.mod(size) for extent, size in zip(data.shape, sizes, strict=True)]
    dims = tuple(_ONE if rest.const == 0 else known(walk, step.op, rest) for rest in rests)
    contiguous = None if step.op.strides else _window(data, dims)
    return step.record(ViewKind.MODSPAN, dims), _after(data, dims, contiguous)


def _window_at(walk: Walk, step: Step, data: Data) -> Result:
    sizes = _sizes(walk, step, data, most=False)
    origins = _counted(walk, step.at, data, step.at.args) if step.at else []
    if sizes is None or origins is None:
        return None
    _zero_steps(walk, step.op, step.op.strides, "stride")
    if not step.op.strides:
        for dim, (item, extent) in enumerate(zip(origins, data.shape, strict=False)):
            start = None if item.value is None else reaches(walk, item.value, extent)
            if start is not None:
                walk.b.report(rules.WINDOW_START, item.node.span, offset=str(start), extent=str(extent), d=dim)
    contiguous = _strided(walk, step, sizes) if step.op.strides else _window(data, sizes)
    return step.record(ViewKind.WINDOW, sizes), _after(data, sizes, contiguous)


def _strided(walk: Walk, step: Step, sizes: tuple[Int, ...]) -> bool | None:
    """Whether explicit strides are those of a dense array."""
    strides = [item.value for item in items_of(walk, step.op.strides)]
    if len(strides) != len(sizes):
        return None
    dense, verdict = _ONE, True
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        equal = None if stride is None else same(stride, dense)
        if equal is False:
            return False
        verdict = verdict and equal is True
        dense = dense * size
    return True if verdict else None


def _window(data: Data, shape: tuple[Int, ...]) -> bool | None:
    """Contiguity of a box of dense data: full rows behind one partial dimension, extent 1 before it."""
    if all(same(a, b) for a, b in zip(shape, data.shape, strict=True)):
        return data.contiguous
    if data.contiguous is not True:
        return None
    dim = len(shape) - 1
    while dim > 0 and same(shape[dim], data.shape[dim]):
        dim -= 1
    leading = [extent.const for extent in shape[:dim]]
    if all(extent == 1 for extent in leading):
        return True
    partial = same(shape[dim], data.shape[dim]) is False
    return False if partial and any(extent is not None and extent > 1 for extent in leading) else None


# --- reshapes ------------------------------------------------------------------------------------


def _span_as(walk: Walk, step: Step, data: Data) -> Result:
    items = items_of(walk, step.op.args)
    check_integers(walk, items)
    dims = tuple(known(walk, item.node, item.value) for item in items)
    have, want = product(data.shape), product(dims)
    equal = None if have is None or want is None else same(have, want)
    if equal is not True:
        rule = rules.RESHAPE_COUNT if equal is False else rules.RESHAPE_UNPROVEN
        if equal is False or countable(items):
            walk.b.report(rule, step.op.span, a=str(have), b=str(want))
    if data.contiguous is not True:
        walk.b.report(rules.RESHAPE_GAPS, step.op.span, proved=data.contiguous is False)
    return step.record(ViewKind.SPAN_AS, dims), _after(data, dims, True)


_SQUEEZABLE = (ViewKind.SUBSPAN, ViewKind.SPAN_AS, ViewKind.WINDOW, ViewKind.SQUEEZE)


def _sqz(walk: Walk, step: Step, data: Data) -> Result:
    if not any(op.kind in _SQUEEZABLE for op in step.earlier):
        walk.b.report(rules.SQUEEZE_PLACE, step.op.span)
    dims = tuple(extent for extent in data.shape if extent.const != 1) or (_ONE,)
    return step.record(ViewKind.SQUEEZE, dims), _after(data, dims, data.contiguous)


_OPERATIONS: dict[str, Callable[[Walk, Step, Data], Result]] = {
    "chunkat": _chunkat,
    "chunk": _chunk_at,
    "subspan": _subspan,
    "modspan": _modspan,
    "view": _window_at,
    "span_as": _span_as,
    "sqz": _sqz,
}
