"""Register tiles as data: `frag`, `apply`, reductions, copies (reference, 6.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from croqc.engines.sim.code.accumulator import Accumulator, tile_of
from croqc.engines.sim.code.compiler import Code, Compiler, sequence
from croqc.engines.sim.code.declare import extents
from croqc.engines.sim.code.tensor import static_shape
from croqc.engines.sim.code.values import Value, cast
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import convert
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.state import Frame
from croqc.sema.types import Fragment
from croqc.syntax import ast
from croqc.text.span import Span


def _frag_decl(c: Compiler, node: ast.FragDecl) -> Code:
    return sequence([_declare(c, node, name) for name in node.names])


def _declare(c: Compiler, node: ast.FragDecl, name: ast.BufferName) -> Code:
    symbol = c.symbol(name.name)
    slot, elem = c.slot(symbol), node.elem
    if elem is None:
        elem = symbol.type.elem if isinstance(symbol.type, Fragment) and symbol.type.elem is not None else "f32"
    kind = c.held_type(elem)
    shape = None if node.shape is None else extents(c, node.shape)
    fill = None if name.fill is None else c.expr(name.fill)
    array = extents(c, name.array)
    known = static_shape(c, name.name)

    def make(frame: Frame) -> Accumulator:
        start = 0 if fill is None else fill(frame)
        tile = Accumulator(kind, start)
        if shape is None and known is not None:
            tile.tile(*known)
        if shape is not None:
            tile.buffer = Buffer(symbol.name, kind, shape(frame))
            tile.buffer.poison() if fill is None else tile.buffer.flat.fill(cast(start, kind))
        return tile

    def nested(frame: Frame, sizes: tuple[int, ...]) -> Value:
        return [nested(frame, sizes[1:]) for _ in range(sizes[0])] if sizes else make(frame)

    def run(frame: Frame) -> None:
        frame.vars[slot] = nested(frame, array(frame))

    return Code(run)


def _apply(c: Compiler, node: ast.Apply) -> Code:
    """The body once, for all elements at a time: its lanes are the elements of the tile."""
    tile, body, span = c.expr(node.frag), c.body(node.body), node.span
    slots = [c.name_slot(name) for name in node.names]
    if body.steps:
        raise SimError("this body of 'apply' is not simulated", span, unsupported=True)

    def run(frame: Frame) -> None:
        if frame.block is not None:
            frame.block.scheduler.drain(frame.path)
        shape = tile_of(frame, tile(frame), span).shape
        lanes, mask = frame.lanes, frame.mask
        for slot, index in zip(slots, np.indices(shape).reshape(len(shape), -1), strict=True):
            frame.vars[slot] = index
        frame.lanes, frame.mask = int(np.prod(shape)), None
        body.run(frame)
        frame.lanes, frame.mask = lanes, mask

    return Code(run)


def _frag_op(c: Compiler, node: ast.FragOp) -> Code:
    args, span = c.exprs(node.args), node.span
    if node.op == "all_reduce_sum":
        return Code(lambda frame: None)
    if node.op == "copy":
        return Code(_reducing(args, span, lambda values: values))
    function = {"reduce_sum": np.add.reduce, "reduce_max": np.maximum.reduce}[node.op]
    return Code(_reducing(args, span, lambda values: function(values, axis=node.dim or 0)))


def _reducing(args: list[Any], span: Span, function: Callable[[Any], Any]) -> Callable[[Frame], None]:
    def run(frame: Frame) -> None:
        dest, source = (tile_of(frame, arg(frame), span) for arg in args)
        result = function(source.values())
        dest.values()[...] = convert(result, dest.dtype).reshape(dest.shape)

    return run


FRAGMENTS: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.FragDecl: _frag_decl,
    ast.Apply: _apply,
    ast.FragOp: _frag_op,
}
