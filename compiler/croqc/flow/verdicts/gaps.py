"""Parts of a slot that are read and not written by then, in the reader's terms (credit-flow, section 4).

Must not run anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from croqc.flow.coverage import Gap, coverage_of
from croqc.flow.elements import Box
from croqc.flow.explain import iteration_text, rows_of, stage_slot
from croqc.flow.ops_data import Copy
from croqc.flow.report import FlowFinding
from croqc.flow.state import Place
from croqc.flow.verdicts.case import Case
from croqc.text.diagnostics import Related

_MOST_WRITES = 4
_MOST_PARTS = 3  # of one write that are named


def judge_gaps(case: Case) -> FlowFinding | None:
    """`unwritten-read` for a part that a copy takes out to global memory."""
    gap = next((each for each in coverage_of(case.machine).gaps() if each.certain), None)
    return None if gap is None else _told(case, gap)


def doubt(case: Case) -> str:
    """What is left of a verdict where something reads a part that nothing has written; empty if nothing does."""
    gap = next(coverage_of(case.machine).gaps(), None)
    if gap is None:
        return ""
    be, they = ("is", "it") if _single(gap) else ("are", "they")
    return f"all but {_whose(case, gap)}, which {be} {f'read before {they} {be}' if gap.late else 'never'} written"


def _whose(case: Case, gap: Gap) -> str:
    """ "rows 0 to 7 of 'a_s', slot 0"."""
    name, slot, _ = stage_slot(case.program, gap.access.slot)
    whole = rows_of(case.program, gap.access.slot)
    if whole is not None:
        slot = None
    return f"{_in_whole(gap.box, gap.shape, whole)} of '{name}'{'' if slot is None else f', slot {slot}'}"


def _in_whole(box: Box, shape: tuple[int, ...], whole: tuple[int, int] | None) -> str:
    """A part of a slot in words; where the slot is some rows of a buffer, `whole` says which, as one of that."""
    if whole is None:
        return part_text(box, shape)
    first, rows = whole
    (low, behind), *rest = box
    return part_text(((first + low, first + behind), *rest), (rows, *shape[1:]))


def part_text(box: Box, shape: tuple[int, ...]) -> str:
    """ "rows 0 to 7", "columns 8 to 15 of row 3"; with more dimensions, or one, in elements."""
    if len(shape) == 2:
        words = [
            _range("row" if axis == 0 else "column", *box[axis]) for axis in (1, 0) if box[axis] != (0, shape[axis])
        ]
        return " of ".join(words) if words else "all rows"
    if len(shape) == 1:
        return _range("element", *box[0])
    return f"elements [{', '.join(f'{lo}:{hi}' for lo, hi in box)}]"


def _range(unit: str, low: int, behind: int) -> str:
    return f"{unit} {low}" if behind - low == 1 else f"{unit}s {low} to {behind - 1}"


def _single(gap: Gap) -> bool:
    return " to " not in part_text(gap.box, gap.shape) and len(gap.shape) < 3


def _told(case: Case, gap: Gap) -> FlowFinding:
    access = gap.access
    name, slot, _ = stage_slot(case.program, access.slot)
    source = access.op.source if isinstance(access.op, Copy) else None
    told = case.finding(
        "unwritten-read",
        access.op.span if source is None else source.span,
        _written(case, gap),
        buffer=name,
        slot=slot,
        part=_whose(case, gap),
        single=_single(gap),
        late=gap.late,
        event=_event(case, gap),
        path=case.who(access),
        iteration=iteration_text(access.op, access.env),
    )
    shown = {size.name: gap.sizes[size.var] for size in case.plan.sizes if size.bound is None and size.var in gap.sizes}
    return replace(told, sizes=shown)


def _written(case: Case, gap: Gap) -> Iterator[Related]:
    """What is written instead, one place a statement."""
    told: set[int] = set()
    for access, boxes in gap.writes:
        if id(access.op) not in told and len(told) < _MOST_WRITES:
            told.add(id(access.op))
            _, slot, _ = stage_slot(case.program, access.slot)
            whole = rows_of(case.program, access.slot)
            parts = [_in_whole(box, gap.shape, whole) for box in boxes[:_MOST_PARTS]]
            what = " and ".join(parts) if len(boxes) <= _MOST_PARTS else f"{parts[0]} and more"
            text = f"{case.who(access)} writes {what} here"
            yield case.related(text, Place(access.path, access.op, access.env), None if whole else slot)


def _event(case: Case, gap: Gap) -> str:
    """The event that tells the reader that the slot is filled, if it is only one: the copy has to come before that."""
    roles = {access.op.role for access, _ in gap.writes}
    reader = gap.access.op.role
    events = [
        event.symbol.name
        for event in case.program.events
        if any(wait.role is reader for wait in case.sites.waits(event))
        and any(trigger.role in roles and trigger.role is not reader for trigger in case.sites.triggers(event))
    ]
    return events[0] if len(events) == 1 else ""
