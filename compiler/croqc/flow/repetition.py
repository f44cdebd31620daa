"""Whether a run repeats: then what holds for some turns of a loop holds for any number (credit-flow, section 5).

At the end of each turn the joint state is written down so that only what can decide later steps is left: positions,
indices modulo their periods, counters relative to their waiters, and the order of epochs instead of their values.
Two equal states mean that everything between them goes on for ever. Must not judge.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from croqc.flow.counters import headings
from croqc.flow.exprs import UndecidedError, closure
from croqc.flow.instances import Plan, refs_of
from croqc.flow.joint_state import JointState, State
from croqc.flow.machine import Machine
from croqc.flow.ops_control import Fork
from croqc.flow.program import Loop, Program, turns_of
from croqc.flow.state import PathState


class Repetition(JointState):
    """Watches one run. `open`: loops, by path, of which no two equal states were seen yet."""

    def __init__(self, machine: Machine, plan: Plan, loops: tuple[Loop, ...]) -> None:
        super().__init__(machine)
        self.plan = plan
        entries = {op.entry for op in machine.program.ops if isinstance(op, Fork) and op.loops}
        self.watched: set[Loop | int] = {*loops, *entries}
        self.seen: dict[tuple[int, Loop | int], set[State]] = {}
        self.repeated: set[tuple[int, Loop | int]] = set()
        self.turned: set[tuple[int, Loop | int]] = set()
        self.headings = headings(machine.program)
        self.moduli = moduli(machine.program, plan, self.headings)
        machine.watch = self.watch

    def watch(self, path: PathState, loop: Loop | int) -> None:
        """The end of a turn, or the entry of a path into what the block gives it in a loop."""
        key = (path.number, loop)
        if loop not in self.watched or key in self.repeated:
            return
        self.turned.add(key)
        states = self.seen.setdefault(key, set())
        state = self.state()
        if state in states:
            self.repeated.add(key)
            states.clear()
        else:
            states.add(state)
        self.spend()

    @property
    def complete(self) -> bool:
        return all(self._left_early(*key) for key in self.turned - self.repeated)

    def _left_early(self, number: int, loop: Loop | int) -> bool:
        """A loop that is never gone through to its end makes no more turns for larger sizes either."""
        if isinstance(loop, int) or loop.outer:
            return False
        env = self.machine.paths[number].env
        try:
            planned = turns_of(closure(loop.low)(env), closure(loop.high)(env), closure(loop.step)(env))
        except UndecidedError:
            return False
        return self.machine.paths[number].turns.get(loop, 0) < planned

    def reduced(self, number: int, value: int) -> object:
        """An index by its rest; before it has passed all constants that it is compared with, as it is."""
        modulus = self.moduli.get(number)
        if modulus is None:
            return value
        bound = self.plan.bounds.get(number, 0)
        return value % modulus, max(value, -bound) if self.headings.get(number, 1) < 0 else min(value, bound)


def moduli(program: Program, plan: Plan, counters: Collection[int]) -> Mapping[int, int]:
    """By which number the value of each index and counter can be reduced. Loops of a fixed number of turns stay."""
    found: dict[int, int] = {}
    ordered = any(ref.ordered or ref.phase is not None for op in program.ops for ref in refs_of(op))
    for loop in program.loops:
        if loop in plan.turns:
            found[loop.var] = plan.periods.get(loop.var, 1) * (2 if ordered else 1)
            found[loop.limit] = 1
    return found | {var: plan.periods.get(var, 1) * (2 if ordered else 1) for var in counters}
