"""The statements of a program that wait, trigger and touch, and what they are for. Must not know runs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from croqc.flow.arrivals import Arrivals, Slot
from croqc.flow.machine import Setting
from croqc.flow.ops_data import Copy, Multiply, Name, Touch
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.program import Event, Loop, Op
from croqc.flow.regions import Operand


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
        return {id(op): everyone if op.role is None else self._entering(op) for op in self.ops}

    def _entering(self, op: Op) -> frozenset[int]:
        assert op.role is not None
        paths = enumerate(self.setting.paths)
        return frozenset(number for number, path in paths if path.regions.get(op.role) is not False)

    def triggers(self, event: Event) -> list[Trigger]:
        return [op for op in self.ops if isinstance(op, Trigger) and any(ref.event is event for ref in op.refs)]

    def waits(self, event: Event) -> list[WaitEvent]:
        return [op for op in self.ops if isinstance(op, WaitEvent) and op.ref.event is event]

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
        """The events whose triggerer writes what its waiter reads, both in roles, and not the other way round."""
        return frozenset(event.number for event in self.setting.program.events if self._is_data(event))

    def _is_data(self, event: Event) -> bool:
        for trigger in self.triggers(event):
            for wait in self.waits(event):
                if trigger.role is None or wait.role is None or trigger.role is wait.role:
                    continue
                handed = self._touched(trigger.role, True) & self._touched(wait.role, False)
                back = self._touched(wait.role, True) & self._touched(trigger.role, False)
                if handed - back:
                    return True
        return False

    def _touched(self, role: object, writes: bool) -> set[int]:
        """The stages that a role writes or reads."""
        found: set[int] = set()
        for op in self.ops:
            if op.role is role:
                chosen = written_by(op) if writes else read_by(op)
                found |= {operand.stage.first for operand in chosen if operand.stage is not None}
        return found


def written_by(op: Op) -> tuple[Operand, ...]:
    if isinstance(op, Touch):
        return op.writes
    if isinstance(op, Copy):
        return op.dest.options or ((op.dest.operand,) if op.dest.operand is not None else ())
    return ()


def read_by(op: Op) -> tuple[Operand, ...]:
    if isinstance(op, Touch):
        return op.reads
    if isinstance(op, Multiply):
        return op.operands
    if isinstance(op, Name):
        return (op.operand,)
    return (op.source,) if isinstance(op, Copy) and op.source is not None else ()
