"""Explores every interleaving of a small instance. Deliberately simple: states, successors, a set of states seen.

Must not use `croqc.flow`. Barriers behave as the hardware's: one parity bit, undefined beyond a generation's count.
A race is a state in which two conflicting accesses could both happen next, or one could while the other goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from croqc.sema.model import Model
from tests.truth import unroll_statements as _registered  # noqa: F401
from tests.truth.evaluate import UnsupportedError
from tests.truth.ops import HIDDEN, Instance, Kind, Op, Slot
from tests.truth.program import Program, Sizes
from tests.truth.tables import ARRIVALS, COMPLETED, COUNTER, FIELD, OPEN, PCS, PENDING, Step, Tables
from tests.truth.unroll import count_arrivals, unroll

STATES = 40_000
HARD = frozenset({"deadlock", "race", "overrun", "surplus", "unwritten"})
"""Faults that show in some schedule. "mixup" and "parity" are side conditions of credit-flow, section 2; "twice" and
"unwaited" are against the rules of futures; "left": credits that nobody took."""


@dataclass(frozen=True, slots=True)
class Explored:
    """`faults` found in `states` states; `complete`: every state was seen, or a hard fault ended the search."""

    faults: frozenset[str]
    states: int
    complete: bool
    sizes: Sizes = field(default_factory=dict)
    detail: str = ""

    @property
    def hard(self) -> bool:
        return bool(self.faults & HARD)


class Explorer:
    """One instance. A state is one number (see `tables`): most steps only add to it."""

    def __init__(self, instance: Instance) -> None:
        self.tables = Tables(instance)
        self.faults: set[str] = set(instance.formal)
        self.hard = False
        self.detail = ""

    def fault(self, kind: str, detail: str) -> None:
        self.faults.add(kind)
        self.hard = self.hard or kind in HARD
        self.detail = self.detail or f"{kind}: {detail}"

    # --- exploration -----------------------------------------------------------------------------

    def explore(self, limit: int) -> tuple[int, bool]:
        if self.tables.parity:
            self.fault("parity", "an order's parity is not that of the path's own count")
        seen, stack = {self.tables.start}, [self.tables.start]
        while stack:
            if len(seen) > limit:
                return len(seen), False
            for after in self.successors(stack.pop()):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
            if self.hard:
                return len(seen), True
        return len(seen), True

    def successors(self, state: int) -> list[int]:
        tables = self.tables
        heads, rest = [], state
        for steps in tables.steps:
            at = rest & PCS
            rest >>= COUNTER
            if at < len(steps):
                step = steps[at]
                if step.eager and state & step.mask not in step.blocked:
                    return [self._hurried(state, steps, at)]
                heads.append(step)
        found, flying = [], state & tables.landing if heads else state >> tables.flying << tables.flying
        while flying:
            found.append(self._landed(state, flying & -flying))
            flying &= flying - 1
        for step in heads:
            if step.touches:
                self._check_access(state, step)
            if state & step.mask not in step.blocked:
                found.append(self._arrive(state, step) if step.arrives else (state & ~step.clears) + step.move)
        if not found:
            self._stand(state, heads, found)
        elif len(heads) == len(tables.paths) and all(step.op.kind is Kind.BARRIER for step in heads):
            found.append(state + sum(step.move for step in heads))
        return found

    def _stand(self, state: int, heads: list[Step], found: list[int]) -> None:
        """No path can go on by itself, and nothing is in flight: all meet at a barrier, are at their end, or hang."""
        tables = self.tables
        if not heads:
            self._check_left(state)
        elif len(heads) == len(tables.paths) and all(step.op.kind is Kind.BARRIER for step in heads):
            found.append(state + sum(step.move for step in heads))
        else:
            self.fault("deadlock", "; ".join(f"{tables.names[step.path]} at {step.op.place}" for step in heads))

    def _hurried(self, state: int, steps: list[Step], at: int) -> int:
        """The state behind all steps of a path that can be made at once."""
        while at < len(steps) and steps[at].eager and state & steps[at].mask not in steps[at].blocked:
            step, at = steps[at], at + 1
            if step.touches:
                self._check_access(state, step)
            state = self._arrive(state, step) if step.arrives else (state & ~step.clears) + step.move
        return state

    def _arrive(self, state: int, step: Step) -> int:
        """An arrival: one pending less, and more outstanding copies for those of its own that are in flight."""
        now = state >> step.shift & FIELD
        if not now >> PENDING & ARRIVALS:
            self.fault("surplus", f"{self.tables.names[step.path]} arrives beyond the count at {step.op.place}")
            return state + step.move
        if step.own != now >> COMPLETED and self.tables.counts[step.slot] > 1:
            what = f"arrival {step.own} of {self.tables.names[step.path]} in generation {now >> COMPLETED}"
            self.fault("mixup", f"{what} at {step.op.place}")
        after = state + step.move - (1 << step.shift + PENDING)
        for bit in step.each:
            if bit & state:
                after += 1 << step.shift
        return after if after >> step.shift & OPEN else self._complete(state, after, step.slot)

    def _landed(self, state: int, flight: int) -> int:
        after = state - flight
        bound = self.tables.binding.get(flight)
        if bound is None or state >> COUNTER * bound[0] & PCS <= bound[1]:
            return after
        shift = self.tables.shift(bound[2])
        after -= 1 << shift
        return after if after >> shift & OPEN else self._complete(state, after, bound[2])

    def _complete(self, state: int, after: int, slot: int) -> int:
        """The next generation of a slot, in which nothing is missing any more. `state`: before that."""
        tables, shift = self.tables, self.tables.shift(slot)
        after += (1 << shift + COMPLETED) + (tables.counts[slot] << shift + PENDING)
        completed = after >> shift + COMPLETED & (FIELD >> COMPLETED)
        for path, done in tables.done[slot]:
            at = state >> COUNTER * path & PCS
            if completed - done[at] >= 2:
                waiting = tables.paths[path][tables.waits[path][slot][done[at]]]
                self.fault("overrun", f"{tables.names[path]} has not waited at {waiting.place}")
        return after

    # --- faults ----------------------------------------------------------------------------------

    def _check_left(self, state: int) -> None:
        """Generations that nobody waited for, on slots whose credits nobody gave beforehand."""
        tables = self.tables
        for slot in range(len(tables.slots)):
            completed = state >> tables.shift(slot) + COMPLETED & (FIELD >> COMPLETED)
            taken = min((len(waits[slot]) for waits in tables.waits if slot in waits), default=0)
            hidden = tables.slots[slot][0] == HIDDEN
            if slot not in tables.granted and completed > taken and not hidden:
                self.fault("left", f"{completed} generations, {taken} waits on slot {tables.slots[slot]}")

    def _check_access(self, state: int, step: Step) -> None:
        for other, shift, heads, opened in step.meets:
            at = state >> shift & PCS
            if at in heads or at in opened:
                self._tell_race(step, other, at, at in heads)
        if step.meets_flights & state:
            bit = step.meets_flights & state
            self._tell(step, f"copy of {self.tables.flights[bit & -bit].place}")
        for cell in step.cells:
            for shift, index, flight in cell:
                if state >> shift & PCS > index and not flight & state:
                    break
            else:
                self.fault("unwritten", f"{self.tables.names[step.path]} at {step.op.place}")
                return

    def _tell_race(self, step: Step, other: int, at: int, head: bool) -> None:
        tables = self.tables
        name = tables.names[other]
        if head:
            self._tell(step, f"{name} at {tables.paths[other][at].place}")
        else:
            opened = next(op for op in tables.open[other][at] if tables.conflict(step.op, op))
            self._tell(step, f"multiply of {name} at {opened.place}")

    def _tell(self, step: Step, other: str) -> None:
        self.fault("race", f"{self.tables.names[step.path]} at {step.op.place}, {other}")


def _unrolled(model: Model, sizes: Sizes) -> Iterator[tuple[Sizes, Instance]]:
    """The first and, if it is another one, the last block."""
    first = unroll(model, sizes)
    yield sizes, first
    if not first.alone:
        yield sizes, unroll(model, sizes, last=True)


def explore_program(program: Program, model: Model, limit: int = STATES) -> Explored | None:
    """The first hard fault in any of the program's instances, smallest first; None where data decides."""
    try:
        instances = [pair for sizes in program.sizes for pair in _unrolled(model, sizes)]
    except UnsupportedError:
        return None
    counts = count_arrivals([instance for _, instance in instances])
    faults: set[str] = set()
    states, complete, detail = 0, True, ""
    seen: list[dict[str, list[Op]]] = []
    for sizes, instance in sorted(instances, key=lambda item: sum(map(len, item[1].paths.values()))):
        if instance.paths in seen:
            continue
        seen.append(instance.paths)
        instance.counts = counts
        explorer = Explorer(instance)
        count, whole = explorer.explore(limit)
        states, complete = states + count, complete and whole
        faults |= explorer.faults
        detail = detail or explorer.detail
        if explorer.faults & HARD:
            return Explored(frozenset(faults), states, True, sizes, explorer.detail)
    return Explored(frozenset(faults), states, complete, detail=detail)


__all__ = ["HARD", "Explored", "Slot", "explore_program"]
