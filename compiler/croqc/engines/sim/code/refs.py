"""Data references as closures: views of buffers, and elements read and written (reference, 3.5 and 2.6).

Must not copy blocks of data (see `copies`) and must not order anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import Compiler, Fn
from croqc.engines.sim.code.exprs import bound_of, derived, pick, shape_of
from croqc.engines.sim.code.values import Value, cast, single
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine import views
from croqc.engines.sim.machine.dtypes import Array, is_float
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
            index = part(frame)
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
        except (OutOfRangeError, ValueError, ZeroDivisionError) as error:
            raise SimError(str(error), op.span) from error

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
    return lambda frame, view: views.reshaped(view, [whole_number(size, op.span) for size in sizes(frame)])


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


# --- elements ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """An element, for each thread: `address` into `buffer.flat`."""

    buffer: Buffer
    address: Value


def place_fn(c: Compiler, node: ast.Node, every: bool = False) -> Callable[[Frame], Place]:
    """Where an element reference points. Raises SimError where it is out of range."""
    info = c.model.views.get(node)
    if info is None or info.element is None:
        raise SimError("this element is not understood", node.span, unsupported=True)
    view, indices, span = view_fn(c, info, node.span, every), c.exprs(info.element), node.span

    def run(frame: Frame) -> Place:
        where = view(frame)
        values = flatten([index(frame) for index in indices])
        try:
            return Place(where.buffer, where.element(values, frame.mask))
        except (OutOfRangeError, ValueError) as error:
            raise SimError(str(error), span) from error

    return run


def load(place: Place, frame: Frame, exact: bool) -> Value:
    """The element's value; in the exact run floats become f64."""
    flat = place.buffer.flat
    value = flat[place.address] if frame.mask is None else flat.take(place.address, mode="clip")
    if exact and is_float(flat.dtype):
        return value.astype(np.float64)
    return value


def store(place: Place, value: Value, frame: Frame) -> None:
    """Writes for the active threads; of several that write one element, the last one's value stays."""
    flat, address = place.buffer.flat, place.address
    value = cast(value, flat.dtype)
    mask = frame.mask
    if isinstance(address, int) and isinstance(value, np.ndarray) and value.ndim:
        address = np.full(value.shape, address, np.int64)
    if mask is None:
        flat[address] = value
    elif isinstance(address, int):
        if mask.any():
            flat[address] = value
    else:
        lanes = np.broadcast_shapes(address.shape, mask.shape)
        mask = np.broadcast_to(mask, lanes)
        value = np.broadcast_to(value, lanes)[mask] if isinstance(value, np.ndarray) and value.ndim else value
        flat[np.broadcast_to(address, lanes)[mask]] = value


def chain(c: Compiler, node: ast.Chain) -> Fn:
    """A reference as a value: an element, a view, a shape, one of its extents, a pick of a tuple."""
    info = c.model.views.get(node)
    if info is not None:
        if info.element is None:
            return view_fn(c, info, node.span)
        place, exact = place_fn(c, node), c.exact
        return lambda frame: load(place(frame), frame, exact)
    return _suffixes(c, node)


def _suffixes(c: Compiler, node: ast.Chain) -> Fn:
    """Suffixes that make no view: `.span`, `.span(d)`, `.data`, picks, derivations and array subscripts."""
    value = c.expr(node.base)
    for suffix in node.suffixes:
        value = _suffix(c, value, suffix)
    if isinstance(node.suffixes[0], ast.Pick) and len(node.suffixes) == 1:
        return _picked(value, bound_of(c, node.base))
    return value


def _picked(value: Fn, bound: Fn) -> Fn:
    """`x(k)` of a bounded integer: value k, or the bound less |k| (3.4)."""

    def run(frame: Frame) -> Value:
        found, limit = value(frame), bound(frame)
        return found + limit if isinstance(found, int) and isinstance(limit, int) and found < 0 else found

    return run


def _suffix(c: Compiler, value: Fn, suffix: ast.Suffix) -> Fn:
    if isinstance(suffix, ast.Pick):
        return _pick_fn(c, value, suffix.arg, suffix.span)
    if isinstance(suffix, ast.Index):
        return _index_fn(c, value, suffix)
    if suffix.name == "span":
        shape: Fn = lambda frame: shape_of(value(frame))  # noqa: E731
        return _pick_fn(c, shape, suffix.args[0], suffix.span) if suffix.args else shape
    if suffix.name == "data":
        return value
    raise SimError(f"'.{suffix.name}' is not understood here", suffix.span, unsupported=True)


def _pick_fn(c: Compiler, value: Fn, arg: ast.Expr, span: Span) -> Fn:
    index = c.expr(arg)

    def run(frame: Frame) -> Value:
        base, at = value(frame), index(frame)
        return pick(base, at, span) if isinstance(base, tuple) else at

    return run


def _index_fn(c: Compiler, value: Fn, suffix: ast.Index) -> Fn:
    shaped = derived(c, lambda frame: shape_of(value(frame)), suffix.args)
    index = c.expr(suffix.args[0])

    def run(frame: Frame) -> Value:
        base: Any = value(frame)
        if isinstance(base, tuple):
            return shaped(frame)
        if isinstance(base, list):
            return base[int(index(frame))]
        return as_view(frame, base, index(frame), suffix.span)

    return run


REFERENCES: dict[type, Callable[[Compiler, Any], Fn]] = {ast.Chain: chain}
