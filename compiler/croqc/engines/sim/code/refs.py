"""Data references as closures: the views of buffers that they name (reference, 3.5 and 2.6). Must not copy data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from croqc.engines.sim.code.compiler import Compiler
from croqc.engines.sim.code.exprs import bound_of
from croqc.engines.sim.code.values import Value, lone, single
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine import views
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.views import OutOfRangeError, View
from croqc.engines.sim.state import Frame, FutureState
from croqc.sema import model as sema
from croqc.syntax import ast
from croqc.text.span import Span

ViewFn = Callable[[Frame], View]


@lru_cache(maxsize=64)
def _numbers(count: int) -> Array:
    numbers: Array = np.arange(count, dtype=np.int64)
    numbers.flags.writeable = False
    return numbers


def own_threads(frame: Frame, buffer: Buffer, every: bool) -> Value:
    """Which parts of a thread-private buffer are meant: one a lane, or outside lanes the first or (`every`) all."""
    if buffer.threads is None or frame.path is None:
        return None
    mine = frame.path.threads
    if frame.lanes or every:
        return _numbers(len(mine)) if buffer.threads is mine else np.searchsorted(buffer.threads, mine)
    return 0 if buffer.threads is mine else int(np.searchsorted(buffer.threads, mine[0]))


def whole_number(value: Value, span: Span) -> int:
    """An extent: an integer that is the same for all threads."""
    one = single(value)
    if one is None:
        raise SimError("an extent differs from thread to thread", span)
    return int(one)


def flatten(values: Sequence[Value]) -> list[Value]:
    """Values with tuples among them spread out."""
    if not any(isinstance(value, tuple) for value in values):
        return list(values)
    return [item for value in values for item in (value if isinstance(value, tuple) else (value,))]


def view_fn(c: Compiler, info: sema.View, span: Span, every: bool = False) -> ViewFn:
    """The view that a reference names. `every`: outside lanes, all threads' copies of local data, not one's."""
    base = _base(c, info, span, every)
    for op in info.ops:
        base = _apply(c, op, base)
    return base


def data(c: Compiler, node: ast.Node, every: bool = False) -> ViewFn:
    """The view that an operand node names: a reference, a name, a future."""
    while isinstance(node, ast.Paren):
        node = node.inner
    info = c.model.views.get(node)
    if info is not None:
        return view_fn(c, info, node.span, every)
    value, span = c.expr(node), node.span
    return lambda frame: as_view(frame, value(frame), 0, span, every)


def as_view(frame: Frame, value: Value, slot: Value, span: Span, every: bool = False) -> View:
    """A buffer, view or future as a view of its slot."""
    if isinstance(value, Buffer):
        if not isinstance(slot, int):
            slot = int(one) if (one := single(slot)) is not None else slot
        return views.whole(value, slot, own_threads(frame, value, every))
    if isinstance(value, FutureState):
        if value.view is None:
            raise SimError("no copy has been assigned to this future yet", span)
        return value.view
    if isinstance(value, View):
        return value
    tile = getattr(value, "buffer", None)
    if isinstance(tile, Buffer):
        return views.whole(tile)
    raise SimError("this is not data", span)


def _base(c: Compiler, info: sema.View, span: Span, every: bool) -> ViewFn:
    slot, name = c.slot(info.base), info.base.name
    index = _slot_index(c, info.slots, span)

    def run(frame: Frame) -> View:
        value = frame.vars[slot]
        if value is None:
            raise SimError(f"'{name}' has no data here", span)
        if index is None:
            return as_view(frame, value, 0, span, every)
        return as_view(frame, value, index(frame, value.array, name), span, every)

    return run


def _slot_index(c: Compiler, slots: tuple[ast.Expr, ...], span: Span) -> Callable[..., Value] | None:
    if not slots:
        return None
    parts = c.exprs(slots)

    def run(frame: Frame, array: tuple[int, ...], name: str) -> Value:
        number: Value = 0
        for part, extent in zip(parts, array, strict=True):
            index = lone(part(frame))
            if not isinstance(index, int):
                index = int(one) if (one := single(index)) is not None else index
            low, high = (index, index) if isinstance(index, int) else (int(index.min()), int(index.max()))
            if low < 0 or high >= extent:
                raise SimError(f"index {low if low < 0 else high} of '{name}' is out of range: {extent} slots", span)
            number = number * extent + index
        return number

    return run


# --- view operations ---------------------------------------------------------------------------


def _apply(c: Compiler, op: sema.ViewOp, base: ViewFn) -> ViewFn:
    step = _STEPS[op.kind](c, op)

    def run(frame: Frame) -> View:
        try:
            return step(frame, base(frame))
        except OutOfRangeError as error:
            raise SimError(str(error), op.span) from error
        except (ValueError, ZeroDivisionError) as error:
            raise SimError("the arguments of this view do not fit the data", op.span) from error

    return run


def _is_whole(node: ast.Expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "_"


def _chunkat(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    parts = [None if _is_whole(arg) else (c.expr(arg), bound_of(c, arg)) for arg in op.args]

    def run(frame: Frame, view: View) -> View:
        indices: list[Value] = []
        bounds: list[int] = []
        for part in parts:
            index: Value = 0 if part is None else part[0](frame)
            bound: Value = 1 if part is None else part[1](frame)
            indices += index if isinstance(index, tuple) else (index,)
            bounds += bound if isinstance(bound, tuple) else (1 if bound is None else int(bound),)
        return _chunks(view, bounds, indices)

    return run


def _chunks(view: View, factors: Sequence[int], indices: Sequence[Value]) -> View:
    extents = [extent // factor for extent, factor in zip(view.shape, factors, strict=True)]
    origins = [index * extent for index, extent in zip(indices, extents, strict=True)]
    return views.cut(view, extents, origins)


def _chunk(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    factors, at = _list(c, op.args, op.span), _list(c, op.at, op.span)

    def run(frame: Frame, view: View) -> View:
        sizes = [1 if size is None else whole_number(size, op.span) for size in factors(frame)]
        return _chunks(view, sizes, [0 if index is None else index for index in at(frame)])

    return run


def _list(c: Compiler, nodes: tuple[ast.Expr, ...], span: Span) -> Callable[[Frame], list[Value]]:
    """Values of a list with tuples spread out; None stands for `_`."""
    parts = [None if _is_whole(node) else c.expr(node) for node in nodes]
    return lambda frame: flatten([None if part is None else part(frame) for part in parts])


def _subspan(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    sizes, steps, at = (_list(c, nodes, op.span) for nodes in (op.args, op.step, op.at))
    if op.strides:
        raise SimError("subspan with strides is not simulated", op.span, unsupported=True)

    def run(frame: Frame, view: View) -> View:
        extents = [_extent(size, full, op.span) for size, full in zip(sizes(frame), view.shape, strict=True)]
        stride = [whole_number(step, op.span) for step in steps(frame)] if op.step else extents
        indices = [0 if index is None else index for index in at(frame)] if op.at else [0] * len(extents)
        return views.cut(view, extents, [i * s for i, s in zip(indices, stride, strict=True)])

    return run


def _extent(size: Value, full: int, span: Span) -> int:
    return full if size is None else whole_number(size, span)


def _modspan(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    sizes, at = _list(c, op.args, op.span), _list(c, op.at, op.span)

    def run(frame: Frame, view: View) -> View:
        tiles = [_extent(size, full, op.span) for size, full in zip(sizes(frame), view.shape, strict=True)]
        extents = [full % tile or 1 for full, tile in zip(view.shape, tiles, strict=True)]
        if op.at:
            origins = [(index or 0) * tile for index, tile in zip(at(frame), tiles, strict=True)]
        else:
            origins = [full // tile * tile for full, tile in zip(view.shape, tiles, strict=True)]
        return views.cut(view, extents, origins)

    return run


def _window(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    sizes, strides, at = (_list(c, nodes, op.span) for nodes in (op.args, op.strides, op.at))

    def run(frame: Frame, view: View) -> View:
        extents = [_extent(size, full, op.span) for size, full in zip(sizes(frame), view.shape, strict=True)]
        origins = [0 if origin is None else origin for origin in at(frame)] if op.at else [0] * len(extents)
        if op.strides:
            return views.strided(view, extents, origins, [whole_number(each, op.span) for each in strides(frame)])
        return views.cut(view, extents, origins)

    return run


def _span_as(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    sizes = _list(c, op.args, op.span)

    def run(frame: Frame, view: View) -> View:
        return views.reshaped(view, [whole_number(size, op.span) for size in sizes(frame)], frame.mask)

    return run


def _squeeze(c: Compiler, op: sema.ViewOp) -> Callable[[Frame, View], View]:
    return lambda frame, view: views.squeezed(view)


_STEPS: dict[sema.ViewKind, Callable[[Compiler, sema.ViewOp], Callable[[Frame, View], View]]] = {
    sema.ViewKind.CHUNKAT: _chunkat,
    sema.ViewKind.CHUNK: _chunk,
    sema.ViewKind.SUBSPAN: _subspan,
    sema.ViewKind.MODSPAN: _modspan,
    sema.ViewKind.WINDOW: _window,
    sema.ViewKind.SPAN_AS: _span_as,
    sema.ViewKind.SQUEEZE: _squeeze,
}
