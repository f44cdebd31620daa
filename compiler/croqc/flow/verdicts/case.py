"""A failed instance under examination: its run, and runs under other suppositions. Must not know single rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from croqc.flow.arrivals import Arrivals
from croqc.flow.explain import Told, iteration_text
from croqc.flow.instances import Plan
from croqc.flow.leaps import run
from croqc.flow.machine import Machine, Supposed
from croqc.flow.program import Loop, Op, Program
from croqc.flow.report import FlowFinding, Step
from croqc.flow.run import ExhaustedError, Setting
from croqc.flow.slot_names import shape_of
from croqc.flow.state import Access, EventSlot, PathState, Place
from croqc.flow.verdicts.sites import Sites
from croqc.text.diagnostics import Related
from croqc.text.span import Span

_STORY = 50_000  # steps of a run that is written down; a longer one is no story any more


class Case:
    """`machine`: the finished run of `sizes`."""

    def __init__(
        self, setting: Setting, sites: Sites, plan: Plan, sizes: Mapping[int, int], machine: Machine, budget: int
    ) -> None:
        self.setting = setting
        self.sites = sites
        self.plan = plan
        self.sizes = sizes
        self.machine = machine
        self.budget = budget
        self.spent = 0

    @property
    def program(self) -> Program:
        return self.setting.program

    # --- suppositions -----------------------------------------------------------------------------

    def again(self, supposed: Supposed | None = None, record: bool = False) -> Machine | None:
        """The same instance under another supposition; None where the effort is used up.

        All of them together draw on one budget; only the story of a finding has its own, which is small.
        """
        left = _STORY if record else self.budget - self.spent
        if left < 0:
            return None
        machine = Machine(self.setting, self.sizes, left, supposed, record)
        try:
            run(machine)
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
        return machine is not None and not machine.stuck() and machine.undecided is None and not machine.broken_off

    # --- words ------------------------------------------------------------------------------------

    def name(self, number: int, op: Op) -> str:
        """What a path is called where a step of it stands."""
        paths = self.setting.paths
        return paths[number].name_in(op.top) if number < len(paths) else self.machine.paths[number].name

    def who(self, at: Place | Access) -> str:
        return self.name(at.path, at.op)

    def named_sizes(self) -> dict[str, int]:
        """The instance by the names of its sizes; block indices are left out."""
        return {
            size.name: self.sizes[size.var] for size in self.plan.sizes if size.var in self.sizes and size.bound is None
        }

    def related(self, text: str, place: Place, slot: int | None = None) -> Related:
        where = iteration_text(place.op, place.env, slot)
        return Related(f"{text} ({where})" if where else text, place.op.span)

    def finding(self, rule: str, span: Span, related: Iterable[Related] = (), **args: object) -> FlowFinding:
        """A finding with the run that shows it. `block` is added where conditions ask for its index: "b = 7"."""
        asked = [size for size in self.plan.sizes if size.var in self.plan.parting and size.var in self.sizes]
        if asked:
            args["block"] = ", ".join(f"{size.name} = {self.sizes[size.var]}" for size in asked)
        if args.get("slot") is not None and len(shape := self._shape(args)) > 1:
            args["shape"] = shape
        return FlowFinding(rule, span, args, tuple(related), self.named_sizes(), self._steps)

    def _shape(self, args: Mapping[str, object]) -> tuple[int, ...]:
        """The extents of the array whose slot a finding names."""
        program = self.program
        rings = (*program.stages,) if "buffer" in args else (*program.events,)
        name = args.get("buffer") or args.get("event")
        return next((shape_of(ring) for ring in rings if ring.symbol.name == name), ())

    @cached_property
    def _steps(self) -> tuple[Step, ...]:
        machine = self.again(record=True)
        if machine is None:
            return ()
        told = Told(machine)
        return (*told.steps, *told.standing(machine.stuck()))

    def counts_of(self, slot: EventSlot) -> Arrivals | None:
        return self.sites.arrivals.get((slot.event.symbol, slot.index))

    def turns(self, number: int, loop: Loop) -> int:
        return self.machine.paths[number].turns.get(loop, 0)

    def path(self, number: int) -> PathState:
        return self.machine.paths[number]
