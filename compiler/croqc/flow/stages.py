"""How the slots of a stage buffer are filled and read in turn, round by round. Must not analyse.

Reads the run that the analysis recorded; for hovers on buffers and futures (credit-flow, section 7).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from croqc.flow.moments import ARRIVING
from croqc.flow.report import KernelFlow, Step

_FILLS = ("copy", "write")
_READS = ("multiply", "read")


@dataclass(frozen=True, slots=True)
class Use:
    """A path's turn on a slot: the event it waited for before ("empty[0]") and the one it triggered behind."""

    path: str
    waited: str
    triggered: str


@dataclass(frozen=True, slots=True)
class StageRow:
    """One filling of a slot, the `generation`-th of that slot from 0, and who reads it."""

    iteration: tuple[tuple[str, int], ...]
    slot: int | None
    generation: int
    filled: Use
    read: tuple[Use, ...]
    shape: tuple[int, ...] = ()  # of the array that the slot is of


def stage_rows(flow: KernelFlow, buffer: str, limit: int) -> tuple[StageRow, ...]:
    """The first fillings of a buffer, in the order of the run."""
    steps = flow.steps
    rows: list[StageRow] = []
    newest: dict[int | None, int] = {}
    counts: dict[int | None, int] = {}
    for number, step in enumerate(steps):
        if step.buffer != buffer:
            continue
        slot = step.slot
        last = newest.get(slot)
        if step.op in _FILLS:
            if last is not None and rows[last].iteration == step.iteration and rows[last].filled.path == step.path:
                continue  # the tile comes in parts
            if len(rows) == limit:
                break
            newest[slot], counts[slot] = len(rows), counts.get(slot, -1) + 1
            rows.append(StageRow(step.iteration, slot, counts[slot], _use(steps, number), (), step.shape))
        elif step.op in _READS and last is not None:
            row = rows[last]
            if all(use.path != step.path for use in row.read):
                read = (*row.read, _use(steps, number))
                rows[last] = replace(row, read=read)
    return tuple(rows)


def _use(steps: Sequence[Step], number: int) -> Use:
    path = steps[number].path
    before = next((s for s in reversed(steps[:number]) if s.path == path and s.op == "wait"), None)
    behind = next((s for s in steps[number + 1 :] if s.path == path and (s.op in ARRIVING or s.op == "wait")), None)
    triggered = behind if behind is not None and behind.op in ARRIVING else None
    return Use(path, _named(before), _named(triggered))


def _named(step: Step | None) -> str:
    if step is None:
        return ""
    return step.event + step.subscripts
