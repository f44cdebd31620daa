"""Steps, barriers of a block, named barriers and `sync` (reference, 4.7 and 7.7). Must not know events."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import Code, Compiler
from croqc.engines.sim.code.values import Value, lone, single
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.barrier import NamedBarrier
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.scheduler import Block
from croqc.engines.sim.state import BlockState, Frame, Meeting, PathState
from croqc.sema.model import THREADS, Unit
from croqc.syntax import ast
from croqc.text.span import Span

Stepping = Generator[Block | None, None, None]
JOIN = "the end of the block's paths"
BARRIER, GRID = "the barrier of the block", "the barrier of the grid"


def device(frame: Frame, span: Span) -> tuple[BlockState, PathState]:
    """The block and path of a frame; a SimError on the host."""
    if frame.block is None or frame.path is None:
        raise SimError("this stands outside every parallel block", span)
    return frame.block, frame.path


def step(frame: Frame, span: Span) -> Stepping:
    """Lets the scheduler choose who goes on. On the host it counts a step only."""
    if frame.path is None:
        frame.run.budget.place = span
        frame.run.budget.spend()
        return
    frame.path.task.place = span
    yield None


@dataclass(frozen=True, slots=True)
class Parted:
    """What a path waits for in vain: a barrier, and its threads that do not come there."""

    about: str
    threads: tuple[int, ...]


def together(frame: Frame, span: Span, about: str, within: Array | None = None, size: int = 0) -> Stepping:
    """A barrier needs every thread of the path that has not left the kernel (4.4), or of those `within`; with a `size`
    it is for each unit of so many threads of which one has come. Else it never opens."""
    _, path = device(frame, span)
    if frame.mask is None:
        return
    absent = ~frame.mask
    for left in (frame.left, path.left):
        if left is not None:
            absent = absent & ~left
    if within is not None:
        absent = absent & within
    if size:
        units = path.threads // size
        absent = absent & np.isin(units, units[frame.mask])
    if absent.any():
        path.task.place = span
        yield Block(lambda: False, span, Parted(about, tuple(path.threads[absent].tolist())))


def unit_together(frame: Frame, span: Span, unit: Unit) -> Stepping:
    """What a unit does together, in a region its part of the unit."""
    if unit is Unit.BLOCK:
        yield from together(frame, span, BARRIER, frame.region)
    else:
        yield from together(frame, span, f"the barrier of the {unit.value}", frame.region, THREADS[unit])


def wait_at(frame: Frame, meeting: Meeting, span: Span, about: str) -> Stepping:
    """Arrives at a barrier of paths and waits until all parties have come."""
    _, path = device(frame, span)
    generation = meeting.generation
    path.task.place = span
    meeting.arrive()
    if meeting.generation == generation:
        yield Block(lambda: meeting.generation != generation, span, about)


def shares(frame: Frame) -> bool:
    """Whether the frame belongs to one of several paths of its block."""
    return frame.path is not None and frame.path.position >= 0 and frame.meeting.parties > 1


def joined(frame: Frame, span: Span) -> Stepping:
    """The block's own flow waits until the paths of the `parallel`s behind it have ended."""
    block, path = device(frame, span)
    path.task.place = span
    paths = block.paths.values()
    if not all(each.task.done for each in paths):
        yield Block(lambda: all(each.task.done for each in paths), span, JOIN)


def meet(frame: Frame, span: Span) -> Stepping:
    """The barrier of all paths of the block."""
    _, path = device(frame, span)
    yield from together(frame, span, BARRIER)
    if shares(frame):
        yield from wait_at(frame, frame.meeting, span, BARRIER)
    elif path.position < 0:
        yield from joined(frame, span)


def _sync(c: Compiler, node: ast.Sync) -> Code:
    if node.kind == "fence" or node.kind in ("local", "global"):
        return Code(lambda frame: None)
    span, level = node.span, node.level
    if node.kind == "barrier" and level == "thread":
        return Code(lambda frame: None)
    if node.kind == "barrier" and level in ("group", "group-4"):
        unit = Unit(level)
        about, size = f"the barrier of the {unit.value}", THREADS[unit]
        return Code(lambda frame: together(frame, span, about, None, size), True)

    def run(frame: Frame) -> Stepping:
        block, _ = device(frame, span)
        yield from step(frame, span)
        if node.kind == "barrier" and block.grid is not None:
            yield from together(frame, span, GRID)
            block.grid.parties = len(block.peers) * (frame.meeting.parties if shares(frame) else 1)
            yield from wait_at(frame, block.grid, span, GRID)
        else:
            yield from meet(frame, span)

    return Code(run, True)


def named_barrier(c: Compiler, node: ast.Call) -> Code:
    """`__bar_sync(id, n)` and `__bar_arrive(id, n)`: n threads in all."""
    number, count = c.expr(node.args[0]), c.expr(node.args[1])
    span, waits = node.span, node.callee == "__bar_sync"

    def run(frame: Frame) -> Stepping:
        block, path = device(frame, span)
        yield from step(frame, span)
        name = _same(number(frame), span)
        yield from together(frame, span, f"named barrier {name}", None, THREADS[Unit.GROUP])
        barrier = block.named.setdefault(name, NamedBarrier(_same(count(frame), span)))
        generation = barrier.generation
        barrier.arrive(len(path.threads) if frame.mask is None else int(frame.mask.sum()))
        if waits and barrier.generation == generation:
            about = f"named barrier {name}"
            yield Block(lambda: barrier.generation != generation, span, about)

    return Code(run, True)


def _same(value: Value, span: Span) -> int:
    """An integer that all threads of the path have alike. Raises SimError."""
    one = single(lone(value))
    if one is None:
        raise SimError("the barrier differs from thread to thread", span)
    return int(one)


SYNC: dict[type, Callable[[Compiler, Any], Code]] = {ast.Sync: _sync}
