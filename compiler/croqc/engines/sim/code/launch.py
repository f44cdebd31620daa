"""Kernels: the blocks of a launch, the paths of a block (reference, 4.1 to 4.3; credit-flow, section 1).

Blocks run one after the other in an order drawn from the seed; the blocks of a cluster, and all blocks of a
cooperative launch, run together. Must not decide which paths there are: that is `flow.paths`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np

from croqc.engines.sim.code.carried import carrying, changed, read_by_block, taken_back
from croqc.engines.sim.code.compiler import LEAVE, Code, Compiler, as_steps
from croqc.engines.sim.code.refs import flatten
from croqc.engines.sim.code.sync import JOIN, device, joined
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.scheduler import LAGS, Block, Scheduler, Steps, Task
from croqc.engines.sim.machine.views import View
from croqc.engines.sim.plan import Plan, Start
from croqc.engines.sim.spread import run_groups
from croqc.engines.sim.state import BlockState, Frame, FutureState, Meeting, PathState, Value, note
from croqc.sema.level_chains import level_chains
from croqc.sema.masks import UNIT_THREADS
from croqc.sema.model import Kernel, Level
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span

Coordinates = tuple[int, ...]
MAX_BLOCKS = 1 << 20
"""A launch of more blocks is not run: every block takes some time, and so many of them hours."""


_MEET = (
    "paths waited for each other where the block reads a variable that they change; on a card they need not, "
    "so that races between what they do before and behind were not looked for"
)


class StuckError(Exception):
    """No path of a block can go on; `tasks` are the ones that stand still."""

    def __init__(self, tasks: tuple[Task, ...], kernel: Kernel) -> None:
        super().__init__("no path can go on")
        self.tasks = tasks
        self.kernel = kernel


def parallel(c: Compiler, node: ast.Parallel) -> Code:
    for kernel in c.model.kernels:
        if kernel.node is node:
            return Code(_launch(c, kernel))
    axes = [axis for axis in node.axes if c.model.levels.get(axis, Level.THREAD) in UNIT_THREADS]
    body = c.body(node.body)  # blocks inside a cluster have got their indices at the launch
    return _inner(c, node, axes, as_steps(body)) if axes else body


# --- axes --------------------------------------------------------------------------------------


class AxisCode:
    """An axis: its extents at run time, and how its names get their values."""

    def __init__(self, c: Compiler, axis: ast.Axis) -> None:
        self.level = c.model.levels.get(axis, Level.THREAD)
        self.bounds = c.exprs(axis.bounds)
        self.names = [c.name_slot(name) for name in axis.names]
        self.whole = None if axis.tuple_name is None else c.name_slot(axis.tuple_name)
        self.span = axis.span
        self.known: dict[tuple[int, tuple[int, ...]], tuple[Array, list[Value]]] = {}  # with the threads they are of

    def extents(self, frame: Frame) -> tuple[int, ...]:
        sizes = tuple(int(size) for size in flatten([bound(frame) for bound in self.bounds]))
        if any(size < 1 for size in sizes):
            raise SimError(f"the bounds of a parallel must be at least 1, they are {list(sizes)}", self.span)
        return sizes

    def assign(self, frame: Frame, sizes: Sequence[int], values: Sequence[Value]) -> None:
        for slot, size, value in zip(self.names, sizes, values, strict=False):
            frame.vars[slot], frame.bounds[slot] = value, size
        if self.whole is not None:
            frame.vars[self.whole], frame.bounds[self.whole] = tuple(values), tuple(sizes)

    def place(self, frame: Frame, threads: Array) -> bool:
        """Gives the names their values in the threads of a path; whether they differ from thread to thread."""
        sizes = self.extents(frame)
        known = self.known.get((id(threads), sizes))
        if known is None:
            known = self.known[id(threads), sizes] = threads, _values(threads, sizes, UNIT_THREADS[self.level])
        values = known[1]
        self.assign(frame, sizes, values)
        return any(not isinstance(value, int) for value in values)


def _values(threads: Array, sizes: Sequence[int], unit: int) -> list[Value]:
    """The indices of a level in each thread, `(t // unit) % bound` (4.1); one integer where all agree."""
    values: list[Value] = []
    for size in reversed(sizes):
        each = (threads // unit) % size
        unit *= size
        each.flags.writeable = False
        values.append(int(each[0]) if (each == each[0]).all() else each)
    return values[::-1]


# --- a launch ----------------------------------------------------------------------------------


def _launch(c: Compiler, kernel: Kernel) -> Callable[[Frame], None]:
    node = kernel.node
    outer = [AxisCode(c, axis) for axis in _grid(c, kernel)]
    inner = [axis for axis in node.axes if c.model.levels.get(axis) in UNIT_THREADS]
    body = as_steps(c.body(node.body))
    code = as_steps(_inner(c, node, inner, body)) if inner else body
    plan, count = c.plan_of(node), _block_size(c, node)
    cooperative = any(axis.cooperative for axis in node.axes)
    independent = not any(isinstance(each, ast.Call) and each.kind == "atomic" for each in walk(node))

    def run(frame: Frame) -> None:
        if plan.not_followed is not None:
            raise SimError(plan.not_followed[1], plan.not_followed[0], unsupported=True)
        extents = [axis.extents(frame) for axis in outer]
        threads = plan.threads if plan.threads is not None else np.arange(count(frame), dtype=np.int64)
        groups = Groups(outer, extents, cooperative)
        _allowed(prod(prod(sizes) for sizes in extents), node.span)
        launch = Launch(outer, extents, code, plan, threads, cooperative)
        order = array("I", range(len(groups)))
        if not frame.run.ordered:
            Random(f"{frame.run.seed}/{node.span.start}").shuffle(order)
        buffers = [] if frame.run.workers == 1 else _host_buffers(frame)
        run_groups(frame.run, len(order), lambda index: launch.run(frame, groups[order[index]]), buffers, independent)

    return run


def _grid(c: Compiler, kernel: Kernel) -> list[ast.Axis]:
    """The axes that number the blocks: the outermost ones, and those of a `parallel` of blocks in a cluster.

    Raises SimError for what has no single grid, or clusters whose size is known at the launch alone.
    """
    nested = [each for each in walk(kernel.node.body) if isinstance(each, ast.Parallel) and _has_blocks(c, each)]
    if len(nested) > 1:
        raise SimError("several grids in one launch are not simulated", nested[1].span, unsupported=True)
    axes = [axis for each in (kernel.node, *nested) for axis in each.axes]
    grid = [axis for axis in axes if c.model.levels.get(axis, Level.THREAD) not in UNIT_THREADS]
    if any(extent.const is None for extent in kernel.cluster):
        axis = next(axis for axis in grid if c.model.levels.get(axis) is Level.CLUSTER)
        message = "a cluster whose size is known at the launch alone is not simulated; write its size as a number"
        raise SimError(message, axis.span, unsupported=True)
    return grid


def _has_blocks(c: Compiler, node: ast.Parallel) -> bool:
    return any(c.model.levels.get(axis, Level.THREAD) not in UNIT_THREADS for axis in node.axes)


def _block_size(c: Compiler, node: ast.Parallel) -> Callable[[Frame], int]:
    """The threads of a block whose bounds are known at the launch alone: the widest level decides (4.1).

    The count raises SimError where levels beside each other come to unlike numbers.
    """
    chains = [[AxisCode(c, axis) for axis in chain] for chain in level_chains(node)]
    places = [chain[-1].span for chain in level_chains(node)]

    def count(frame: Frame) -> int:
        counts = [_threads(codes, frame) for codes in chains]
        for number, span in zip(counts, places, strict=True):
            if number != counts[0]:
                reason = f"{number} threads here, {counts[0]} in the first 'parallel' of this block"
                raise SimError(f"{reason}: all inner levels of a kernel share one block size", span)
        return counts[0] if counts else 1

    return count


def _threads(codes: Sequence[AxisCode], frame: Frame) -> int:
    """Those of levels inside each other."""
    sizes: dict[Level, int] = {}
    for code in codes:
        if code.level in UNIT_THREADS:
            sizes[code.level] = sizes.get(code.level, 1) * prod(code.extents(frame))
    return max((size * UNIT_THREADS[level] for level, size in sizes.items()), default=1)


def _host_buffers(frame: Frame) -> list[Buffer]:
    """The memory that outlives a block: what the host's variables name."""
    found: dict[int, Buffer] = {}
    for value in frame.vars:
        view = value.view if isinstance(value, FutureState) else value
        buffer = view.buffer if isinstance(view, View) else view
        if isinstance(buffer, Buffer):
            found[id(buffer)] = buffer
    return list(found.values())


def _allowed(blocks: int, span: Span) -> None:
    if blocks > MAX_BLOCKS:
        message = f"this launch has {blocks} blocks, a run takes up to {MAX_BLOCKS}; use smaller sizes"
        raise SimError(message, span, unsupported=True)


class Groups:
    """The coordinates of the blocks that run together: those of one cluster, or all of a cooperative launch.

    By number, in the order of the coordinates, and made when they are asked for.
    """

    def __init__(self, outer: Sequence[AxisCode], extents: Sequence[tuple[int, ...]], cooperative: bool) -> None:
        self.sizes = [size for sizes in extents for size in sizes]
        inside = [
            cooperative or axis.level is Level.CLUSTER
            for axis, sizes in zip(outer, extents, strict=True)
            for _ in sizes
        ]
        self.apart = [axis for axis, together in enumerate(inside) if not together]
        self.together = [axis for axis, together in enumerate(inside) if together]

    def __len__(self) -> int:
        return prod(self.sizes[axis] for axis in self.apart)

    def __getitem__(self, number: int) -> list[Coordinates]:
        block = [0] * len(self.sizes)
        for axis in reversed(self.apart):
            number, block[axis] = divmod(number, self.sizes[axis])
        found = []
        for at in product(*(range(self.sizes[axis]) for axis in self.together)):
            for axis, index in zip(self.together, at, strict=True):
                block[axis] = index
            found.append(tuple(block))
        return found


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel with its extents: what is the same for all of its blocks."""

    outer: Sequence[AxisCode]
    extents: Sequence[tuple[int, ...]]
    code: Callable[[Frame], Any]
    plan: Plan
    threads: Array
    cooperative: bool

    def run(self, frame: Frame, group: Sequence[Coordinates]) -> None:
        """Runs blocks together to their end. Their schedule depends on the seed and the coordinates alone.

        Raises StuckError where no path can go on.
        """
        run = frame.run
        chance = None if run.ordered else Random(f"{run.seed}/{self.plan.kernel.node.span.start}/{group[0]}")
        scheduler = Scheduler(run.budget, chance)
        if chance is not None:
            scheduler.lag = chance.choice(LAGS)
        grid = Meeting() if self.cooperative else None
        peers: list[BlockState] = []
        for coordinates in group:
            block = BlockState(run, scheduler, grid=grid, peers=peers)
            peers.append(block)
            self._start(frame.fork(), block, coordinates)
        stuck = scheduler.run()
        if stuck:
            raise StuckError(stuck, self.plan.kernel)
        if scheduler.flying:
            note(run, "copies or multiplies that nothing waits for were in flight when a block ended")
        scheduler.settle()

    def _start(self, flow: Frame, block: BlockState, coordinates: Coordinates) -> None:
        flow.block = block
        rest = iter(coordinates)
        for axis, sizes in zip(self.outer, self.extents, strict=True):
            axis.assign(flow, sizes, [next(rest) for _ in sizes])
        task = Task(self.plan.block_name, self.code(flow))
        flow.path = task.owner = PathState(self.plan.block_name, self.threads, -1, task)
        block.scheduler.add(task)


# --- inner parallels ---------------------------------------------------------------------------


def _inner(c: Compiler, node: ast.Parallel, axes: Sequence[ast.Axis], body: Callable[[Frame], Any]) -> Code:
    codes = [AxisCode(c, axis) for axis in axes]
    plan = c.plan_of(node)
    starts, joins = [(number, plan.starts[number]) for number in plan.of(node)], plan.joins(node)
    undivided = len(plan.starts) <= 1
    before = {number: plan.before(number, node) for number, start in starts if start.path.met}
    own = changed(c.model, plan.kernel, node)
    slots, back = [c.slot(symbol) for symbol in own], [c.slot(s) for s in read_by_block(c.model, plan.kernel, own)]
    span = node.span

    def run(frame: Frame) -> Any:
        block, path = device(frame, span)
        if path.position >= 0 or undivided:
            return (yield from _enter(frame, codes, body))
        block.own.forks += 1
        numbers = tuple(number for number, _ in starts)
        meeting = block.meetings.setdefault(numbers, Meeting(len(starts), numbers[0]))
        given = {number: _come(block, jobs) for number, jobs in before.items()}
        for number, start in starts:
            child = frame.fork()
            child.meeting = meeting
            child.path = _path(block, number, start)
            _give(child, node, carrying(block, child.path, child, slots, _enter(child, codes, body)), given.get(number))
        if joins or back:
            if not joins:  # the block's own flow is one here, where on a card each thread goes on with what it has made
                note(frame.run, _MEET)
            yield from joined(frame, span)
        taken_back(frame, len(starts), back)
        return None

    return Code(run, True)


def _enter(frame: Frame, axes: Sequence[AxisCode], body: Callable[[Frame], Any]) -> Steps:
    """Runs a body for the threads of the frame's path, with the indices of the axes."""
    assert frame.path is not None
    lanes, mask = frame.lanes, frame.mask
    spread = [axis.place(frame, frame.path.threads) or axis.level is Level.THREAD for axis in axes]
    if any(spread):
        frame.lanes = len(frame.path.threads)
    signal = yield from body(frame)
    frame.lanes, frame.mask = lanes, frame.active(mask) if lanes else mask
    return signal if signal == LEAVE else None


Ends = list[tuple[PathState, object, int]]  # paths, what they run, and how often they have to have ended it


def _come(block: BlockState, jobs: Sequence[tuple[int, ast.Parallel]]) -> Ends:
    """What has been given to others that a path waits for."""
    others = [(block.paths[number], node) for number, node in jobs if number in block.paths]
    return [(path, node, path.given[node]) for path, node in others if node in path.given]


def _give(frame: Frame, node: ast.Parallel, steps: Steps, before: Ends | None) -> None:
    """Gives a path the body of an inner parallel to run, behind what it still has to do, and what `before` names."""
    assert frame.block is not None and frame.path is not None
    path = frame.path
    path.jobs.append(steps if before is None else _in_order(path, node, steps, before))
    if path.task.done:
        path.task = Task(path.name, _work(path), path)
        frame.block.scheduler.add(path.task)


def _in_order(path: PathState, node: ast.Parallel, steps: Steps, before: Ends) -> Steps:
    """A body, counted, behind what `before` names."""
    path.given[node] = path.given.get(node, 0) + 1

    def job() -> Steps:
        if not _have_ended(before):
            path.task.place = node.span
            yield Block(lambda: _have_ended(before), node.span, JOIN)
        signal = yield from steps
        path.ended[node] = path.ended.get(node, 0) + 1
        return signal

    return job()


def _have_ended(before: Ends) -> bool:
    return all(path.ended.get(node, 0) >= count for path, node, count in before)


def _path(block: BlockState, position: int, start: Start) -> PathState:
    """The path of that name: the same one each time the parallel is entered."""
    if position not in block.paths:
        task = Task(start.name, _work_of(()), done=True)
        block.paths[position] = PathState(start.name, start.threads, position, task)
    return block.paths[position]


def _work_of(jobs: Sequence[Steps]) -> Steps:
    for job in jobs:
        yield from job


def _work(path: PathState) -> Steps:
    """What the path still has to do: nothing behind a `yield`, which leaves the kernel (reference, 4.5)."""
    while path.jobs and not path.has_left:
        path.has_left = (yield from path.jobs.popleft()) == LEAVE


LAUNCHES: dict[type, Callable[[Compiler, Any], Code]] = {ast.Parallel: parallel}
