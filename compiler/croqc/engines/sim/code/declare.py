"""Buffers and what lives with them: declarations, futures without a transfer, swap and rotate (3.6, 5.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.engines.sim.code.compiler import Code, Compiler, Fn, sequence
from croqc.engines.sim.code.refs import flatten
from croqc.engines.sim.code.values import cast
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array, dtype_of
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.state import Frame, FutureState
from croqc.syntax import ast


def extents(c: Compiler, nodes: tuple[ast.Expr, ...]) -> Callable[[Frame], tuple[int, ...]]:
    parts = c.exprs(nodes)
    return lambda frame: tuple(int(item) for item in flatten([part(frame) for part in parts]))


def _buffer_decl(c: Compiler, node: ast.BufferDecl) -> Code:
    return sequence([_declare(c, node, name) for name in node.names])


def _declare(c: Compiler, node: ast.BufferDecl, name: ast.BufferName) -> Code:
    if node.shape is None:
        raise SimError("a buffer with the shape [auto] is not simulated", node.span, unsupported=True)
    slot, kind = c.name_slot(name.name), dtype_of(node.elem)
    shape, array = extents(c, node.shape), extents(c, name.array)
    fill: Fn | None = None if name.fill is None else c.expr(name.fill)
    storage, text, span = node.storage, name.name.id, name.span

    def run(frame: Frame) -> None:
        size = shape(frame)
        if any(extent < 1 for extent in size):
            raise SimError(f"the extents of '{text}' must be at least 1, they are {list(size)}", span)

        def make(threads: Array | None = None) -> Buffer:
            return Buffer(text, kind, size, array(frame), threads)

        frame.vars[slot] = buffer = _allocate(frame, name, storage, make)
        if fill is not None:
            buffer.flat[...] = cast(fill(frame), kind)

    return Code(run)


def _allocate(frame: Frame, key: object, storage: str | None, make: Callable[..., Buffer]) -> Buffer:
    """Shared memory once a block, local data once a thread and declaration; host data starts as zeros."""
    if storage == "local" and frame.path is not None:
        buffer = make(frame.path.threads)
        buffer.poison()
        return buffer
    if frame.block is not None:
        return shared(frame, key, make)
    buffer = make()
    if storage is not None:
        buffer.poison()
    return buffer


def shared(frame: Frame, key: object, make: Callable[[], Buffer]) -> Buffer:
    """The block's buffer of one declaration; poisoned when the block first meets it."""
    assert frame.block is not None
    buffer = frame.block.memory.get(key)
    if buffer is None:
        buffer = frame.block.memory[key] = make()
        buffer.poison()
    return buffer


def _any_future(c: Compiler, node: ast.AnyFuture) -> Code:
    """A placeholder. Its name keeps the buffer that it had, so that a loop's buffers stay distinct."""
    slot = c.name_slot(node.target)

    def run(frame: Frame) -> None:
        old = frame.vars[slot]
        frame.vars[slot] = FutureState(old.view if isinstance(old, FutureState) else None)

    return Code(run)


def _rotate(c: Compiler, node: ast.Rotate) -> Code:
    """`rotate(a, b, c)`: a gets b's transfer, b gets c's, c gets a's former one; `swap` is the case of two."""
    slots = [c.name_slot(name) for name in node.names]
    targets = slots[-1:] + slots[:-1]

    def run(frame: Frame) -> None:
        values = [frame.vars[slot] for slot in slots]
        for target, value in zip(targets, values, strict=True):
            frame.vars[target] = value

    return Code(run)


def _map_buffer(c: Compiler, node: ast.MapBuffer) -> Code:
    raise SimError("'.map' is not simulated", node.span, unsupported=True)


DECLARATIONS: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.BufferDecl: _buffer_decl,
    ast.AnyFuture: _any_future,
    ast.Rotate: _rotate,
    ast.MapBuffer: _map_buffer,
}
