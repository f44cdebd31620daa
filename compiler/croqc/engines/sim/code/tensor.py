"""`mma`: accumulators, operands, multiplies, stores (reference, chapter 6; credit-flow, section 3).

A multiply whose operands are read from shared memory by hardware is put in flight and reads them when it lands,
at the latest where credit-flow ends the read. Must not compute: that is `machine.tensor`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from croqc.engines.sim.code.accumulator import Accumulator, settle
from croqc.engines.sim.code.compiler import Code, Compiler
from croqc.engines.sim.code.refs import data
from croqc.engines.sim.code.sync import step
from croqc.engines.sim.code.values import Value, cast, lone
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array, convert
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.scheduler import Operation
from croqc.engines.sim.machine.swizzle import permutation
from croqc.engines.sim.machine.tensor import Precision, dense_rows, kept_places, multiply, operand, precision, scaled
from croqc.engines.sim.machine.views import OutOfRangeError, View
from croqc.engines.sim.state import Frame, FutureState, note
from croqc.sema.model import MmaInfo, OperandKind
from croqc.sema.roots import base_name
from croqc.sema.swizzles import written_swizzle
from croqc.sema.types import Fragment
from croqc.syntax import ast
from croqc.text.span import Span


@dataclass(slots=True, eq=False)
class Operand:
    """What `mma.load` made: values in registers, or the view that a descriptor points to, with its layout."""

    values: Array | None
    view: View | None = None
    swizzle: int | None = None


def read_tile(view: View, swizzle: int | None, span: Span) -> Array:
    """The elements of a tile as a reader with this layout sees them (None: the layout of the contents)."""
    filled = view.buffer.filled.get(view.slot, swizzle)
    try:
        if swizzle is None or filled is None or filled == swizzle or len(view.buffer.shape) != 2:
            return view.window(view.shape)
        return _permuted(view, filled, swizzle).window(view.shape)
    except (OutOfRangeError, AttributeError) as error:
        raise SimError(f"the tile of '{view.buffer.name}' reaches outside the buffer", span) from error


def _permuted(view: View, filled: int, swizzle: int) -> View:
    """A view of a copy of the slot, its elements where a reader with another swizzle finds them."""
    buffer = view.buffer
    rows, columns = buffer.shape
    order = permutation(rows, columns * buffer.itemsize, filled, swizzle, buffer.itemsize)
    start = view.slot * buffer.slot_size
    seen = Buffer.holding(buffer.name, buffer.flat[start : start + buffer.slot_size][order])
    return View(seen, view.offset - start, view.shape, view.strides, view.valid)


def _operand(c: Compiler, node: ast.Expr) -> Callable[[Frame], Operand]:
    span = node.span
    named = isinstance(node, ast.Name) and isinstance(c.model.types.get(node), Fragment)
    view = None if named else data(c, node)
    value = c.expr(node) if isinstance(node, ast.Name) else None

    def run(frame: Frame) -> Operand:
        found = value(frame) if value is not None else None
        if isinstance(found, Operand):
            return found
        if isinstance(found, Accumulator):
            settle(frame, found)
            if found.buffer is not None:
                return Operand(found.buffer.values())
        if view is None:
            raise SimError("nothing was loaded into this operand", span)
        where = view(frame)
        return Operand(None, where)

    return run


def acc_fn(c: Compiler, node: ast.Expr) -> Callable[[Frame], Accumulator]:
    """The accumulator that a name, or one of an array of them, stands for."""
    value, span = c.expr(node), node.span

    def run(frame: Frame) -> Accumulator:
        found = value(frame)
        if not isinstance(found, Accumulator):
            raise SimError("this is no accumulator", span)
        return found

    return run


# --- fill, load, commit ------------------------------------------------------------------------


def _fill(c: Compiler, node: ast.MmaFill) -> Code:
    value, span = c.expr(node.value), node.span
    if not node.declares:
        acc = acc_fn(c, node.acc)

        def refill(frame: Frame) -> None:
            found = acc(frame)
            settle(frame, found)
            found.value, found.sums = value(frame), None
            if found.buffer is not None:
                found.buffer.flat[...] = cast(found.value, found.kind)

        return Code(refill)
    name, indices = (node.acc.base, node.acc.suffixes) if isinstance(node.acc, ast.Chain) else (node.acc, ())
    if not isinstance(name, ast.Name):
        raise SimError("this accumulator is not understood", span, unsupported=True)
    slot, elem = c.name_slot(name), node.elem or _inferred(c, name)
    kind = c.held_type(elem)
    counts = [c.expr(each.args[0]) for each in indices if isinstance(each, ast.Index)]
    shape = static_shape(c, node.acc)

    def made(start: Value) -> Accumulator:
        acc = Accumulator(kind, start)
        if shape is not None:
            acc.tile(*shape)
        return acc

    def run(frame: Frame) -> None:
        start = value(frame)
        frame.vars[slot] = [made(start) for _ in range(int(counts[0](frame)))] if counts else made(start)

    return Code(run)


def _inferred(c: Compiler, name: ast.Name) -> str:
    found = c.symbol(name).type
    return found.elem if isinstance(found, Fragment) and found.elem is not None else "f32"


def _load(c: Compiler, node: ast.MmaLoad) -> Code:
    view, span = data(c, node.source), node.span
    slot = c.name_slot(node.target) if isinstance(node.target, ast.Name) else None
    if slot is None:
        raise SimError("this operand is not understood", span, unsupported=True)
    width = written_swizzle(node.swizzle)
    alias = c.model.loads.get(node) is OperandKind.SHARED

    def run(frame: Frame) -> Generator[Any, None, None]:
        yield from step(frame, span)
        where = view(frame)
        frame.vars[slot] = (
            Operand(None, where, width) if alias else Operand(np.array(read_tile(where, width, span)), None)
        )

    return Code(run, True)


def _commit(c: Compiler, node: ast.MmaCommit) -> Code:
    keep, span = node.keep or 0, node.span

    def run(frame: Frame) -> Generator[Any, None, None]:
        yield from step(frame, span)
        if frame.block is not None and not keep:
            frame.block.scheduler.drain(frame.path)

    return Code(run, True)


# --- multiply ----------------------------------------------------------------------------------


def _mma(c: Compiler, node: ast.Mma) -> Code:
    info = c.model.multiplies.get(node)
    if info is None:
        raise SimError("this multiply is not understood", node.span, unsupported=True)
    if node.form == "sp" and len(node.extra) != 1:
        raise SimError("sparse multiplies without metadata are not simulated", node.span, unsupported=True)
    acc, a, b = acc_fn(c, node.acc), _operand(c, node.a), _operand(c, node.b)
    compute, span = _compute(c, node, info), node.span
    later = info.instruction.is_async and OperandKind.SHARED in (info.a, info.b)
    later = later and node.form != "scale" and not (c.model.ends_at_statement and node.form != "async")
    target = None if node.target is None else c.name_slot(node.target)

    def run(frame: Frame) -> Generator[Any, None, None]:
        yield from step(frame, span)
        into, left, right = acc(frame), a(frame), b(frame)
        work = compute(frame, into, left, right)
        operation = Operation(work, frame.path, None, into)
        if not later or frame.block is None:
            settle(frame, into)
            operation.finish()
        else:
            frame.block.scheduler.issue(operation)
        if target is not None:
            frame.vars[target] = FutureState(None, None, operation)

    return Code(run, True)


def _tile(source: Operand, transpose: bool, how: Precision, span: Span) -> Array:
    if source.values is not None:
        tile = source.values
    else:
        assert source.view is not None
        tile = read_tile(source.view, source.swizzle, span)
    if tile.ndim > 2:
        tile = tile.reshape([extent for extent in tile.shape if extent != 1])
    wide = operand(tile, how)
    return wide.T if transpose else wide


def _compute(c: Compiler, node: ast.Mma, info: MmaInfo) -> Callable[..., Callable[[], None]]:
    turn_a, turn_b, span = node.layout_a == "col", node.layout_b == "row", node.span
    scales = [data(c, node.extra[0]), c.expr(node.extra[1])] if node.form == "scale" else None
    name = base_name(node.acc)
    sums = name is not None and c.symbol(name) in c.scaled
    positions = _operand(c, node.extra[0]) if node.form == "sp" else None

    def prepare(frame: Frame, into: Accumulator, left: Operand, right: Operand) -> Callable[[], None]:
        kept = None if positions is None else positions(frame)
        how = precision(info.elem_a, into.kind, info.k_step, c.exact)
        rows, factor = (None, 0) if scales is None else (_column(scales[0](frame)), scales[1](frame))

        def work() -> None:
            a, b = _tile(left, turn_a, how, span), _tile(right, turn_b, how, span)
            if kept is not None:
                a = _unpacked(frame, a, kept, span)
            tile = into.tile(a.shape[0], b.shape[1])
            if rows is None and not sums:
                multiply(tile, a, b, how)
                return
            part = into.sums if rows is None and into.sums is not None else np.zeros(tile.shape, how.compute)
            multiply(part, a, b, how)
            if rows is None:
                into.sums = part
            else:
                scaled(tile, part, rows, factor)

        return work

    return prepare


def _unpacked(frame: Frame, packed: Array, kept: Operand, span: Span) -> Array:
    """The dense rows of a sparse operand (6.7). Raises SimError where the metadata is of another size."""
    tile = kept.values if kept.values is not None else None if kept.view is None else read_tile(kept.view, None, span)
    if tile is None:
        raise SimError("nothing was loaded into the metadata", span)
    codes = np.ascontiguousarray(tile).view(np.uint8).reshape(-1)
    if codes.size * 4 != packed.size:
        raise SimError(f"the metadata has {codes.size} bytes, {packed.size // 4} are needed", span)
    places = kept_places(codes.reshape(len(packed), -1))
    if (places[..., 0] >= places[..., 1]).any():
        note(frame.run, "sparse metadata that does not name two ascending places of four: undefined on the hardware")
    return dense_rows(packed, places)


def _column(view: View) -> Array:
    return view.window(view.shape).reshape(-1)


def _scale(c: Compiler, node: ast.MmaScale) -> Code:
    acc, rows, factor, span = acc_fn(c, node.acc), data(c, node.scale_a), c.expr(node.scale_b), node.span

    def run(frame: Frame) -> Generator[Any, None, None]:
        yield from step(frame, span)
        into = acc(frame)
        settle(frame, into)
        if into.sums is None or into.buffer is None:
            raise SimError("no multiply to scale", span)
        scaled(into.buffer.values(), into.sums, _column(rows(frame)), factor(frame))
        into.sums = None

    return Code(run, True)


# --- store -------------------------------------------------------------------------------------


def _store(c: Compiler, node: ast.MmaStore) -> Code:
    acc, view, limits, span = acc_fn(c, node.acc), data(c, node.dest), c.exprs(node.limits), node.span

    def run(frame: Frame) -> Generator[Any, None, None]:
        yield from step(frame, span)
        into, where = acc(frame), view(frame)
        settle(frame, into)
        if into.buffer is None:
            raise SimError("the accumulator was never multiplied into", span)
        values = into.buffer.values()
        if into.sums is not None:
            values = values + convert(into.sums, values.dtype)
        keep = [max(int(lone(limit(frame))), 0) for limit in limits]
        values = values[tuple(slice(0, limit) for limit in keep)] if keep else values
        _write(where, values.T if node.form == "transp" else values, span)

    return Code(run, True)


def static_shape(c: Compiler, node: ast.Expr) -> tuple[int, ...] | None:
    """The shape that the multiplies of the text give a tile, even if none of them runs: a loop without a turn."""
    base = node.base if isinstance(node, ast.Chain) else node
    symbol = c.model.uses.get(base) if isinstance(base, ast.Name) else None
    if symbol is None or not isinstance(symbol.type, Fragment) or symbol.type.shape is None:
        return None
    extents = [extent.const for extent in symbol.type.shape]
    return tuple(extent for extent in extents if extent is not None) if None not in extents else None


def _write(where: View, values: Array, span: Span) -> None:
    if len(where.shape) != 2:
        where = _rank_two(where, span)
    extents = tuple(min(a, b) for a, b in zip(values.shape, where.valid, strict=True))
    try:
        if 0 not in extents:
            where.window(extents)[...] = convert(values[: extents[0], : extents[1]], where.buffer.dtype)
    except (OutOfRangeError, TypeError) as error:
        raise SimError(f"the store leaves '{where.buffer.name}'", span) from error


def _rank_two(where: View, span: Span) -> View:
    keep = [d for d, extent in enumerate(where.shape) if extent != 1]
    if len(keep) != 2:
        raise SimError("an accumulator is stored to a view of rank 2", span)
    shape, strides, valid = ([part[d] for d in keep] for part in (where.shape, where.strides, where.valid))
    return View(where.buffer, where.offset, tuple(shape), tuple(strides), tuple(valid), where.slot)


TENSOR: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.MmaFill: _fill,
    ast.MmaLoad: _load,
    ast.MmaCommit: _commit,
    ast.Mma: _mma,
    ast.MmaScale: _scale,
    ast.MmaStore: _store,
}
