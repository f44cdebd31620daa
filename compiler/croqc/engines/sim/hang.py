"""Why a simulation is stuck, from its tasks. Must not word it (see `engines.hang`)."""

from __future__ import annotations

from croqc.engines.hang import Debtor, HungPath, Progress, debtors
from croqc.engines.sim.code.events import Awaited
from croqc.engines.sim.code.launch import StuckError
from croqc.engines.sim.code.sync import JOIN, Parted
from croqc.engines.sim.machine.barrier import MBarrier
from croqc.engines.sim.machine.scheduler import Task
from croqc.sema.model import Kernel, Model
from croqc.sema.types import Event


def explain(model: Model, stuck: StuckError) -> tuple[HungPath, ...]:
    """The paths that stand still, in the order of the block's paths; those that only wait for others' end left out."""
    waiting = [task for task in stuck.tasks if task.block is not None and task.block.about != JOIN]
    return tuple(_entry(model, stuck.kernel, task, stuck.tasks) for task in waiting)


def _entry(model: Model, kernel: Kernel, task: Task, tasks: tuple[Task, ...]) -> HungPath:
    assert task.block is not None
    about = task.block.about
    if isinstance(about, Parted):
        return HungPath(task.name, task.block.span, about.about, None, 0, (), None, about.threads)
    if not isinstance(about, Awaited):
        return HungPath(task.name, task.block.span, str(about), None, 0, _absent(tasks))
    standing = {each.name: each.block.span for each in tasks if each.block is not None}
    owed = () if about.symbol is None else debtors(model, kernel, about.symbol, standing)
    progress = None if about.barrier is None else _progress(about.barrier, about.generation)
    return HungPath(
        task.name, task.block.span, about.event, about.slot, about.generation, owed, progress, (), _shape(about)
    )


def _shape(about: Awaited) -> tuple[int, ...]:
    """The extents of the event's array."""
    kind = None if about.symbol is None else about.symbol.type
    return kind.array if isinstance(kind, Event) else ()


def _progress(barrier: MBarrier, generation: int) -> Progress:
    passed = barrier.completed > generation
    return Progress(barrier.completed, barrier.count, barrier.before if passed else barrier.arrived)


def _absent(tasks: tuple[Task, ...]) -> tuple[Debtor, ...]:
    """Who has not come to a barrier: the paths that wait for something else."""
    found = []
    for task in tasks:
        if task.block is not None and isinstance(task.block.about, Awaited):
            found.append(Debtor(task.name, task.block.span, task.block.span))
    return tuple(found)
