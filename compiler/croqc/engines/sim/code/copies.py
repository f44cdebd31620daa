"""Copies as statements: who executes them, where they go, when they land (reference, 5.1, 5.3, 5.4; 3.7)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import prod
from typing import Any

from croqc.engines.sim.code.assign import selected
from croqc.engines.sim.code.compiler import Code, Compiler
from croqc.engines.sim.code.declare import shared
from croqc.engines.sim.code.events import slots_fn
from croqc.engines.sim.code.refs import as_view, own_threads, view_fn
from croqc.engines.sim.code.sync import meet, shares, step, unit_together
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.movement import Box, move
from croqc.engines.sim.machine.scheduler import Block, Operation
from croqc.engines.sim.machine.views import OutOfRangeError, View, whole
from croqc.engines.sim.state import Frame, FutureState, Transfer
from croqc.sema.collectives import unit_of
from croqc.sema.model import CopyInfo, Unit
from croqc.sema.nesting import Around
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.text.span import Span

BoxFn = Callable[[Frame], Box]


def _copy(c: Compiler, node: ast.Copy) -> Code:
    info = c.model.copies.get(node)
    if info is None:
        raise SimError("this copy is not understood", node.span, unsupported=True)
    source, box = view_fn(c, info.source, node.source.span), _box(c, node, info)
    dest = _destination(c, node, info, box)
    issue = _issue(c, node, info)
    unit = unit_of(c.model, node, Around())
    cooperative = info.unit is Unit.BLOCK and Storage.LOCAL not in (info.source_storage, info.dest_storage)
    name = None if node.target is None else c.name_slot(node.target)
    span = node.span

    def run(frame: Frame) -> Generator[Any, None, None]:
        yield from step(frame, span)
        if unit is not None:
            yield from unit_together(frame, span, unit)
        together = cooperative and shares(frame)
        if together:
            yield from meet(frame, span)
        leads = not together or (frame.path is not None and frame.path.position == frame.meeting.leader)
        origin = source(frame)
        target = dest(frame, origin)
        future = FutureState(target)
        if leads:
            yield from issue(frame, origin, target, box(frame), future)
        if name is not None:
            frame.vars[name] = future
        if together:
            yield from meet(frame, span)

    return Code(run, True)


def _box(c: Compiler, node: ast.Copy, info: CopyInfo) -> BoxFn:
    fills = info.dest_storage is Storage.SHARED and info.source_storage is not Storage.SHARED
    zero = info.zero_fill or node.source_zfill or (node.engine == "tma" and fills)
    if isinstance(node.config, ast.TransConfig):
        order = node.config.order
        return lambda frame: Box(zero, order)
    if isinstance(node.config, ast.PadConfig):
        low, value = c.exprs(node.config.low), c.expr(node.config.value)
        if any(not _is_zero(item) for item in node.config.mid):
            raise SimError("padding between elements is not simulated", node.config.span, unsupported=True)
        return lambda frame: Box(False, None, tuple(int(item(frame)) for item in low), value(frame))
    box = Box(zero)
    return lambda frame: box


def _is_zero(node: ast.Expr) -> bool:
    return isinstance(node, ast.IntLit) and node.value == 0


# --- destinations ------------------------------------------------------------------------------


def _destination(c: Compiler, node: ast.Copy, info: CopyInfo, box: BoxFn) -> Callable[[Frame, View], View]:
    if isinstance(node.dest, ast.StorageDest):
        return _anonymous(c, node, node.dest.storage, _created_shape(c, node))
    if isinstance(node.dest, ast.Select):
        choice, span = selected(c, node.dest), node.dest.span
        return lambda frame, origin: as_view(frame, choice(frame), 0, span, True)
    view = view_fn(c, info.dest, node.dest.span, every=True)
    return lambda frame, origin: view(frame)


def _created_shape(c: Compiler, node: ast.Copy) -> Callable[[Frame, View], tuple[int, ...]]:
    """The shape of a destination that the compiler allocates (5.1)."""
    if isinstance(node.config, ast.TransConfig):
        order = node.config.order
        return lambda frame, origin: tuple(origin.shape[d] for d in order)
    if isinstance(node.config, ast.PadConfig):
        lists = [c.exprs(part) for part in (node.config.low, node.config.high, node.config.mid)]

        def padded(frame: Frame, origin: View) -> tuple[int, ...]:
            extra = [sum(int(part[d](frame)) for part in lists) for d in range(len(origin.shape))]
            return tuple(extent + more for extent, more in zip(origin.shape, extra, strict=True))

        return padded
    return lambda frame, origin: origin.shape


def _anonymous(
    c: Compiler, node: ast.Copy, storage: str, shape: Callable[[Frame, View], tuple[int, ...]]
) -> Callable[[Frame, View], View]:
    """`=> shared`: the buffer that the handle names already, else this statement's own (3.7)."""
    name = None if node.target is None else c.name_slot(node.target)
    label = "the copied data" if node.target is None else node.target.id

    def run(frame: Frame, origin: View) -> View:
        size, kind = shape(frame, origin), origin.buffer.dtype
        held = None if name is None else frame.vars[name]
        if isinstance(held, FutureState) and held.view is not None and held.view.shape == size:
            return held.view
        if storage == "local" and frame.path is not None:
            threads, position = frame.path.threads, frame.path.position
            buffer = shared(frame, (node, position), lambda: Buffer(label, kind, size, (), threads))
            return whole(buffer, 0, own_threads(frame, buffer, True))
        if frame.block is None:
            buffer = Buffer(label, kind, size)
            buffer.poison()
            return whole(buffer)
        return whole(_unused(frame, node, lambda: Buffer(label, kind, size)))

    return run


def _unused(frame: Frame, node: ast.Copy, make: Callable[[], Buffer]) -> Buffer:
    """The statement's buffer, or a further one where another handle has got it by a swap."""
    held = [value.view.buffer for value in frame.vars if isinstance(value, FutureState) and value.view is not None]
    count = 0
    while True:
        buffer = shared(frame, (node, count), make)
        if not any(other is buffer for other in held):
            return buffer
        count += 1


# --- execution ---------------------------------------------------------------------------------


def _issue(c: Compiler, node: ast.Copy, info: CopyInfo) -> Callable[..., Generator[Any, None, None]]:
    bound = None if node.event is None else slots_fn(c, node.event)
    after = None if node.after is None else c.expr(node.after)
    swizzle, span = info.swizzle, node.span
    in_flight = node.is_async or node.event is not None or node.old_async
    everywhere = info.dest_storage is Storage.SHARED and any(item.name == "multicast" for item in node.modifiers)

    def run(frame: Frame, source: View, dest: View, box: Box, future: FutureState) -> Generator[Any, None, None]:
        mask = frame.mask
        dests = (yield from _in_all_blocks(frame, dest, span)) if everywhere else [dest]

        def land() -> None:
            for each in dests:
                try:
                    move(source, each, box, mask)
                except OutOfRangeError as error:
                    raise SimError(str(error), span) from error
                each.buffer.filled[each.slot] = swizzle

        previous = None if after is None else _pending(after(frame))
        if frame.block is None or not in_flight:
            if previous is not None and not previous.done:
                yield Block(lambda: previous.done, span, "an earlier copy")
            land()
            return
        transfer = future.transfer = Transfer(prod(source.shape) * source.buffer.itemsize, everywhere)
        _fly(frame, land, transfer, previous)
        if bound is not None and frame.path is not None:
            for slot in bound(frame):
                frame.path.bound.setdefault(slot.barrier, []).append(transfer)

    return run


def _in_all_blocks(frame: Frame, view: View, span: Span) -> Generator[Any, None, list[View]]:
    """The same place in the shared memory of every block of the cluster, once all of them have it."""
    block = frame.block
    if block is None:
        return [view]
    key = next((key for key, buffer in block.memory.items() if buffer is view.buffer), None)
    if key is None:
        raise SimError("this destination of a multicast copy is not simulated", span, unsupported=True)
    if not all(key in peer.memory for peer in block.peers):
        yield Block(lambda: all(key in peer.memory for peer in block.peers), span, "the cluster's other blocks")
    buffers = [peer.memory[key] for peer in block.peers]
    return [View(buffer, view.offset, view.shape, view.strides, view.valid, view.slot) for buffer in buffers]


def _pending(future: Any) -> Operation | None:
    if not isinstance(future, FutureState):
        return None
    return future.transfer.operation if future.transfer is not None else future.operation


def _fly(frame: Frame, land: Callable[[], None], transfer: Transfer, previous: Operation | None) -> None:
    def finish() -> None:
        land()
        transfer.land()

    assert frame.block is not None
    transfer.operation = Operation(finish, None, previous)
    frame.block.scheduler.issue(transfer.operation)


COPIES: dict[type, Callable[[Compiler, Any], Code]] = {ast.Copy: _copy}
