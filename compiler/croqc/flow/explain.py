"""A recorded run as steps and edges, and places in the reader's own names ("kk = 4, slot = 0"). Must not judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from croqc.flow.exprs import Env, closure
from croqc.flow.machine import Machine
from croqc.flow.ops_data import Copy
from croqc.flow.ops_events import WaitEvent
from croqc.flow.program import Loop, Op, Program
from croqc.flow.regions import Operand
from croqc.flow.report import Slot, Step
from croqc.flow.slot_names import shape_of
from croqc.flow.state import EventSlot, PathState
from croqc.sema.slot_text import subscripts

LONGEST = 600
_MOST_SLOTS = 64  # of one access that are told


def iteration(op: Op, env: Env) -> tuple[tuple[str, int], ...]:
    """The loops around a step and their indices at that moment."""
    return tuple((loop.name, _shown(loop, env)) for loop in op.loops if isinstance(env[loop.var], int))


def _shown(loop: Loop, env: Env) -> int:
    return int(env[loop.var] if loop.shown is None else closure(loop.shown)(env))


def iteration_text(op: Op, env: Env, slot: int | None = None) -> str:
    """ "kk = 4, slot = 0", or nothing."""
    parts = [f"{name} = {value}" for name, value in iteration(op, env)]
    if slot is not None:
        parts.append(f"slot = {slot}")
    return ", ".join(parts)


def slot_text(slot: EventSlot) -> str:
    """ "full[2]", or "done" for an event that is no array."""
    name = slot.event.symbol.name
    return name + subscripts(slot.index, shape_of(slot.event)) if slot.event.slots > 1 else name


def stage_slot(program: Program, number: int) -> tuple[str, int | None, int | None]:
    """The buffer of a slot number, the slot within it (None if it has only one), and its bytes if they are known."""
    for stage in program.stages:
        if stage.first <= number < stage.first + stage.slots:
            return stage.symbol.name, number - stage.first if stage.slots > 1 else None, stage.slot_bytes
    return "", None, None


def rows_of(program: Program, number: int) -> tuple[int, int] | None:
    """The first row of a slot of a buffer that is no array, and how many rows all of its slots have; else None."""
    for stage in program.stages:
        if stage.first <= number < stage.first + stage.slots and stage.slots > 1 and stage.rows is not None:
            return (number - stage.first) * stage.rows, stage.slots * stage.rows
    return None


class Told:
    """The steps of a recorded run; `edges` lead from what completes a generation to who waited for it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.program = machine.program
        self.steps: list[Step] = []
        self.edges: list[tuple[int, int]] = []
        self._bytes: dict[EventSlot, int] = {}
        self._slots: dict[int, tuple[str, int | None, int | None]] = {}
        for number, word, op, env, about in (machine.record or [])[:LONGEST]:
            self._tell(machine.paths[number], word, op, env, about)

    def _tell(self, path: PathState, word: str, op: Op, env: Env, about: Mapping[str, Any]) -> None:
        slot = about.get("slot")
        if isinstance(slot, EventSlot):
            self.steps.append(self._at_event(path, word, op, env, slot, about))
        else:
            self.steps.append(self._at_buffer(path, word, op, env, about))

    def _at_event(
        self, path: PathState, word: str, op: Op, env: Env, slot: EventSlot, about: Mapping[str, Any]
    ) -> Step:
        number, generation = len(self.steps), about["generation"]
        size = self._bytes.get(slot, 0)
        buffer = ""
        if word == "wait":
            for source in self.machine.grouped.get((slot, generation), ()):
                if source < LONGEST:
                    self.edges.append((source, number))
        elif word == "land":
            transfer = about["transfer"]
            size -= transfer.op.bytes or 0
            self._bytes[slot] = size
            buffer = self._slot(transfer.slots[0])[0] if transfer.slots else ""
        elif "expected" in about:
            size += about["expected"]
            self._bytes[slot] = size
        return Step(
            number,
            path.name,
            word,
            op.span,
            iteration(op, env),
            event=slot.event.symbol.name,
            slot=slot.index,
            generation=generation,
            parity=generation & 1,
            pending=about.get("pending"),
            bytes=size,
            buffer=buffer,
            shape=shape_of(slot.event),
        )

    def _at_buffer(self, path: PathState, word: str, op: Op, env: Env, about: Mapping[str, Any]) -> Step:
        operand, slots, read = about.get("operand"), about.get("slots") or (), about.get("read") or ()
        fills = self._named(slots) if word in ("copy", "write") else ()
        reads = self._named(read if word == "copy" else slots) if word in ("copy", "read", "multiply") else ()
        leaves = isinstance(op, Copy) and op.source is not None and op.dest.operand is None
        name, slot, size = operand.name if isinstance(operand, Operand) else "", None, None
        if slots:
            name, slot, size = self._slot(slots[0])
            if isinstance(op, Copy) and (op.bytes is not None or not _is_whole(operand)):
                size = op.bytes
        elif leaves and reads:
            name, slot = reads[0] if len(reads) == 1 else (reads[0][0], None)
        shape = () if slot is None else self._shape([*slots, *read][0])
        return Step(
            len(self.steps),
            path.name,
            word,
            op.span,
            iteration(op, env),
            slot=slot,
            bytes=size,
            buffer=name,
            shape=shape,
            leaves=leaves and not slots,
            fills=fills,
            reads=reads,
        )

    def _named(self, numbers: Sequence[int]) -> tuple[Slot, ...]:
        return tuple(dict.fromkeys(self._slot(number)[:2] for number in numbers[:_MOST_SLOTS]))

    def _shape(self, number: int) -> tuple[int, ...]:
        stages = self.program.stages
        return next((shape_of(one) for one in stages if one.first <= number < one.first + one.slots), ())

    def _slot(self, number: int) -> tuple[str, int | None, int | None]:
        """As `stage_slot`, looked up once."""
        found = self._slots.get(number)
        if found is None:
            found = self._slots[number] = stage_slot(self.program, number)
        return found

    def standing(self, paths: Iterable[PathState]) -> tuple[Step, ...]:
        """The waits at which paths stand, as steps behind the others."""
        found: list[Step] = []
        for path in paths:
            if path.blocked is None:
                continue
            op = path.blocked[0]
            at = len(self.steps) + len(found)
            where = iteration(op, path.env)
            waiting = waited_slot(path)
            if waiting is None:
                found.append(Step(at, path.name, op.WORD, op.span, where))
                continue
            slot, k = waiting
            found.append(
                Step(
                    at,
                    path.name,
                    "wait",
                    op.span,
                    where,
                    event=slot.event.symbol.name,
                    slot=slot.index,
                    generation=k,
                    parity=k & 1,
                    pending=slot.pending,
                    bytes=0,
                    shape=shape_of(slot.event),
                )
            )
        return tuple(found)


def _is_whole(operand: object) -> bool:
    return isinstance(operand, Operand) and operand.whole


def waited_slot(path: PathState) -> tuple[EventSlot, int] | None:
    """The event slot that a path stands at, and the generation that it needs."""
    op = path.blocked[0] if path.blocked is not None else None
    if not isinstance(op, WaitEvent):
        return None
    slots, _ = op.ref.slots(path)
    rest = slots[path.passed.get(op, 0) :]
    return (rest[0], path.waits.get(rest[0], 0)) if rest else None
