"""A failed instance under examination: its run, and runs under other suppositions. Must not know single rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from croqc.flow.arrivals import Arrivals, Slot, slot_arrivals
from croqc.flow.explain import Told, iteration_text
from croqc.flow.instances import Plan, refs_of
from croqc.flow.machine import ExhaustedError, Machine, Setting, Supposed
from croqc.flow.ops_data import Copy, Multiply, Name, Touch
from croqc.flow.ops_events import Trigger, WaitEvent
from croqc.flow.program import Event, Loop, Op, Program
from croqc.flow.regions import Operand
from croqc.flow.report import FlowFinding, Step
from croqc.flow.state import EventSlot, PathState, Place
from croqc.sema.model import Model
from croqc.text.diagnostics import Related
from croqc.text.span import Span


class Case:
    """`machine`: the finished run of `sizes`."""

    def __init__(
        self, model: Model, setting: Setting, plan: Plan, sizes: Mapping[int, int], machine: Machine, budget: int
    ) -> None:
        self.model = model
        self.setting = setting
        self.plan = plan
        self.sizes = sizes
        self.machine = machine
        self.budget = budget
        self.spent = 0

    @property
    def program(self) -> Program:
        return self.setting.program

    @cached_property
    def arrivals(self) -> Mapping[Slot, Arrivals]:
        return slot_arrivals(self.model, self.setting.paths)

    # --- suppositions -----------------------------------------------------------------------------

    def again(self, supposed: Supposed | None = None, record: bool = False) -> Machine | None:
        """The same instance under another supposition; None where the effort is used up."""
        if self.spent > self.budget:
            return None
        machine = Machine(self.setting, self.sizes, self.budget, supposed, record)
        machine.leaps = dict(self.plan.leaping)
        try:
            machine.run()
        except ExhaustedError:
            self.spent += machine.steps
            return None
        self.spent += machine.steps
        return machine

    def is_clean(self, supposed: Supposed) -> bool:
        machine = self.again(supposed)
        return machine is not None and not machine.faults and not machine.stuck() and machine.undecided is None

    def runs_through(self, supposed: Supposed) -> bool:
        machine = self.again(supposed)
        return machine is not None and not machine.stuck() and machine.undecided is None

    # --- words ------------------------------------------------------------------------------------

    def name(self, number: int) -> str:
        return self.machine.paths[number].name

    def named_sizes(self) -> dict[str, int]:
        """The instance by the names of its sizes; block indices are left out."""
        return {
            size.name: self.sizes[size.var] for size in self.plan.sizes if size.var in self.sizes and size.bound is None
        }

    def related(self, text: str, place: Place, slot: int | None = None) -> Related:
        where = iteration_text(place.op, place.env, slot)
        return Related(f"{text} ({where})" if where else text, place.op.span)

    def finding(self, rule: str, span: Span, related: Iterable[Related] = (), **args: object) -> FlowFinding:
        """A finding with the run that shows it."""
        return FlowFinding(rule, span, args, tuple(related), self.named_sizes(), self._steps)

    @cached_property
    def _steps(self) -> tuple[Step, ...]:
        machine = self.again(record=True)
        if machine is None:
            return ()
        told = Told(machine)
        return (*told.steps, *told.standing(machine.stuck()))

    # --- the program's statements -----------------------------------------------------------------

    @cached_property
    def reach(self) -> Mapping[int, frozenset[int]]:
        """For each step, by identity, the paths whose regions let them run it."""
        found: dict[int, frozenset[int]] = {}
        everyone = frozenset(range(len(self.setting.paths)))
        for op in self.program.ops:
            if op.role is None:
                found[id(op)] = everyone
            else:
                found[id(op)] = frozenset(
                    number for number, path in enumerate(self.setting.paths) if path.regions.get(op.role) is not False
                )
        return found

    def triggers(self, event: Event) -> list[Trigger]:
        return [op for op in self.program.ops if isinstance(op, Trigger) and any(ref.event is event for ref in op.refs)]

    def waits(self, event: Event) -> list[WaitEvent]:
        return [op for op in self.program.ops if isinstance(op, WaitEvent) and op.ref.event is event]

    def is_steady(self, op: Trigger) -> bool:
        """Whether a trigger is more than a credit at start."""
        return not all(ref.span in self.setting.bootstraps for ref in op.refs)

    def works(self, loop: Loop, role: object) -> bool:
        """Whether the body of a loop waits or touches buffers in that role."""
        return any(
            loop in op.loops and op.role is role and isinstance(op, WaitEvent | Copy | Multiply | Touch)
            for op in self.program.ops
        )

    def is_grant(self, op: Trigger) -> bool:
        """Whether a trigger stands by itself, as credits at start do, wherever that is."""
        return not self.is_steady(op) or not op.loops or not self.works(op.loops[-1], op.role)

    def counts_of(self, slot: EventSlot) -> Arrivals | None:
        return self.arrivals.get((slot.event.symbol, slot.index))

    def turns(self, number: int, loop: Loop) -> int:
        return self.machine.turns.get((number, loop), 0)

    def path(self, number: int) -> PathState:
        return self.machine.paths[number]


def operands_of(op: Op) -> tuple[Operand, ...]:
    """The stage references of a step."""
    if isinstance(op, Touch):
        return (*op.reads, *op.writes)
    if isinstance(op, Multiply):
        return op.operands
    if isinstance(op, Name):
        return (op.operand,)
    if isinstance(op, Copy):
        chosen = op.dest.options or ((op.dest.operand,) if op.dest.operand is not None else ())
        return (*chosen, op.source) if op.source is not None else tuple(chosen)
    return ()


__all__ = ["Case", "operands_of", "refs_of"]
