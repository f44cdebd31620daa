"""The statements of a program that wait, trigger and touch, and what they are for. Must not know runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from croqc.flow.arrivals import Arrivals, Slot
from croqc.flow.facts import may_run
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.ops_multiplies import Multiply, Name
from croqc.flow.program import Event, Loop, Op
from croqc.flow.regions import Operand, each_of
from croqc.flow.run import Setting


class Sites:
    """Of one kernel; what is asked for is worked out once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.ops = setting.program.ops

    @property
    def arrivals(self) -> Mapping[Slot, Arrivals]:
        return self.setting.arrivals

    @cached_property
    def reach(self) -> Mapping[int, frozenset[int]]:
        """For each step, by identity, the paths whose regions let them run it."""
        everyone = frozenset(range(len(self.setting.paths)))
        alike = not any(path.apart for path in self.setting.paths)
        return {id(op): everyone if alike and op.role is None else self._entering(op) for op in self.ops}

    def _entering(self, op: Op) -> frozenset[int]:
        return frozenset(number for number, path in enumerate(self.setting.paths) if may_run(path, op))

    def triggers(self, event: Event) -> list[Trigger]:
        return self._triggers.get(event.number, [])

    def waits(self, event: Event) -> list[WaitEvent]:
        return self._waits.get(event.number, [])

    @cached_property
    def _triggers(self) -> dict[int, list[Trigger]]:
        found: dict[int, list[Trigger]] = {}
        for op in self.ops:
            if isinstance(op, Trigger):
                for number in sorted({ref.event.number for ref in op.refs}):
                    found.setdefault(number, []).append(op)
        return found

    @cached_property
    def _waits(self) -> dict[int, list[WaitEvent]]:
        found: dict[int, list[WaitEvent]] = {}
        for op in self.ops:
            if isinstance(op, WaitEvent):
                found.setdefault(op.ref.event.number, []).append(op)
        return found

    def is_steady(self, op: Trigger) -> bool:
        """Whether a trigger is more than a credit at start."""
        return not all(ref.span in self.setting.bootstraps for ref in op.refs)

    def works(self, loop: Loop, role: object) -> bool:
        """Whether the body of a loop waits or touches buffers in that role."""
        return any(
            loop in op.loops and op.role is role and isinstance(op, WaitEvent | Copy | Multiply | Touch)
            for op in self.ops
        )

    def is_grant(self, op: Trigger) -> bool:
        """Whether a trigger stands by itself, as credits at start do, wherever that is."""
        return not self.is_steady(op) or not op.loops or not self.works(op.loops[-1], op.role)

    # --- data events ------------------------------------------------------------------------------

    @cached_property
    def data(self) -> frozenset[int]:
        """The events whose triggerer writes what its waiter reads, both in roles and in the loops around the two, and
        not the other way round."""
        return frozenset(event.number for event in self.setting.program.events if self._is_data(event))

    def _is_data(self, event: Event) -> bool:
        for trigger in self.triggers(event):
            for wait in self.waits(event):
                if trigger.role is None or wait.role is None or trigger.role is wait.role:
                    continue
                (gives, own), (writes, takes) = self._touched_around(trigger), self._touched_around(wait)
                if (gives & takes) - (writes & own):
                    return True
        return False

    def _touched_around(self, site: Op) -> tuple[set[int], set[int]]:
        """The stages that a role writes and reads in the loop around a step; all of them where there is none. What it
        does behind the loop, as storing the result, says nothing of the ring."""
        return self._touched[site.role, site.loops[-1] if site.loops else None]

    @cached_property
    def _touched(self) -> dict[tuple[object, Loop | None], tuple[set[int], set[int]]]:
        """The stages that each role writes and reads: in each loop, and everywhere."""
        found: defaultdict[tuple[object, Loop | None], tuple[set[int], set[int]]] = defaultdict(lambda: (set(), set()))
        for op in self.ops:
            for loop in (None, *op.loops):
                writes, reads = found[op.role, loop]
                writes |= {operand.stage.first for operand in written_by(op) if operand.stage is not None}
                reads |= {operand.stage.first for operand in read_by(op) if operand.stage is not None}
        return found

    def is_granted(self, event: Event) -> bool:
        """Whether an event has credits at start: it gives back space, and what is left of it at the end is normal."""
        return event.ready or not all(map(self.is_steady, self.triggers(event)))


def written_by(op: Op) -> tuple[Operand, ...]:
    if isinstance(op, Touch):
        return each_of(op.writes)
    if isinstance(op, Copy):
        return () if op.dest.operand is None else tuple(op.dest.operand.each())
    return ()


def read_by(op: Op) -> tuple[Operand, ...]:
    if isinstance(op, Touch):
        return each_of(op.reads)
    if isinstance(op, Multiply):
        return each_of(op.operands)
    if isinstance(op, Name):
        return tuple(op.operand.each())
    return tuple(op.source.each()) if isinstance(op, Copy) and op.source is not None else ()
