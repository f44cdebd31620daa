"""How far a verdict without a fault reaches, and why no further (credit-flow, section 5). Must not run anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from croqc.flow.beyond import Counted
from croqc.flow.clusters import spans_cluster
from croqc.flow.exprs import Env, UndecidedError, closure
from croqc.flow.instances import Plan
from croqc.flow.limit import Limit
from croqc.flow.negative import may_differ_below_zero
from croqc.flow.ops_control import Bar
from croqc.flow.ops_data import Copy
from croqc.flow.ops_futures import Rotate
from croqc.flow.ops_multiplies import Multiply
from croqc.flow.program import Loop, turns_of
from croqc.flow.report import FlowFinding, Strength
from croqc.flow.run import Setting
from croqc.flow.settled import unsettled
from croqc.flow.tried import tried_at
from croqc.sema.model import Kernel
from croqc.text.span import Span

_ALIKE = Limit("one block of the cluster was run, and the others are taken to do alike")
_NO_TURN = Limit("where a loop makes no turn a transfer is never waited for, and no such size is taken to be meant")
_BY_FAR = Limit("to run all sizes that matter takes far more than the budget")
_NO_RETURN = Limit("the longest runs came to no state a second time, so more turns may do something else")


@dataclass(slots=True)
class Outcome:
    """What the instances came to. `done`: those that came to their end without a fault; `undecided`: why one could not
    be followed; `exhausted`: at which the budget ended."""

    findings: list[FlowFinding] = field(default_factory=list)
    warnings: list[FlowFinding] = field(default_factory=list)
    done: list[Mapping[int, int]] = field(default_factory=list)
    undecided: tuple[Span, str] | None = None
    exhausted: Mapping[int, int] | None = None
    early: bool = False  # the budget would not have sufficed for all instances by far: it was not spent
    repeats: bool = True
    doubt: str = ""  # which reads cannot be answered for
    idle: bool = False  # a transfer that is only left over where a loop makes no turn was passed over
    below: bool = False  # parameters below zero were found to do no harm
    counted: Counted | None = None  # why only such sizes were looked at, if so
    guarded: bool = False  # a read that may not happen makes a difference, so that nothing is said


@dataclass(frozen=True, slots=True)
class Reach:
    """As of `KernelFlow`."""

    strength: Strength
    tried: str = ""
    reason: str = ""
    place: Span | None = None


FAILS: Final = Reach(Strength.FAILS)


def reach_of(kernel: Kernel, setting: Setting, found: Plan, outcome: Outcome, budget: int) -> Reach:
    """The reach of a verdict without a fault."""
    if outcome.undecided is not None:
        place, reason = outcome.undecided
        return Reach(Strength.UNKNOWN, "", reason, place)
    limit = _why_checked(kernel, setting, found, outcome, budget)
    if limit is None:
        if outcome.counted is None or not found.sizes:
            return Reach(Strength.PROVED)
        return Reach(Strength.PROVED, outcome.counted.told, outcome.counted.limit.reason, outcome.counted.limit.place)
    tried = tried_at(setting.program, found.sizes, outcome.done)
    if not outcome.done:
        tried = f"for the first {budget:,} steps"
    return Reach(Strength.CHECKED, tried, limit.reason, limit.place)


def _why_checked(kernel: Kernel, setting: Setting, found: Plan, outcome: Outcome, budget: int) -> Limit | None:
    """Why it is not proved."""
    if spans_cluster(setting.program, kernel):
        return _ALIKE
    if setting.program.endless is not None and not is_plain(setting):
        return Limit("whether this loop ends is not known", setting.program.endless)
    if outcome.doubt:
        return Limit(outcome.doubt)
    if outcome.exhausted is not None:
        return _BY_FAR if outcome.early else Limit(_spent(found, outcome.exhausted, budget))
    if outcome.idle:
        return _NO_TURN
    if not outcome.repeats:
        return found.limit or _NO_RETURN
    return _limit(setting, found, outcome)


def _spent(found: Plan, sizes: Mapping[int, int], budget: int) -> str:
    named = ", ".join(
        f"{size.name} = {sizes[size.var]}" for size in found.sizes if size.bound is None and size.var in sizes
    )
    return (
        f"the run at {named} spent the budget of {budget:,} steps"
        if named
        else f"the run took more than {budget:,} steps"
    )


def _limit(setting: Setting, found: Plan, outcome: Outcome) -> Limit | None:
    """Why the instances do not say all: some number of turns, up to the period of the ring, does not occur, or sizes
    decide otherwise beyond what was tried."""
    done = outcome.done
    if not found.sizes and done:
        return None  # there is but one instance, and it was run whole
    if found.limit is not None:
        return found.limit
    if not is_plain(setting):
        limit = unsettled(setting.program, found.period, found.sizes, found.among_others(done))
        if limit is not None:
            return limit
    below = None if outcome.below else may_differ_below_zero(setting.program)
    if below is not None:
        return below
    if not found.loops:
        return None if found.instances or is_plain(setting) else Limit("no size was tried")
    turns: dict[Loop, set[int]] = {loop: set() for loop in found.loops}
    for loop in found.loops:
        counter = Turns(setting, loop)
        for sizes in done:
            count = counter.of(sizes)
            if count is None:
                return Limit("how often this loop runs follows the loops around it", loop.span)
            turns[loop].add(count)
    around = {outer for loop in found.loops for outer in loop.outer}
    for loop in found.loops:
        period = found.periods.get(loop.var, 1) if loop in around else found.period
        rests = {count % period for count in turns[loop] if count >= period}
        if len(rests) < period and not (found.complete and _is_straight(found, loop)):
            return Limit(f"of the numbers of turns that differ by a ring of {period}, not all were tried", loop.span)
    return None


def _is_straight(found: Plan, loop: Loop) -> bool:
    """Whether the number of turns grows in a straight line with one size: all of its steps were tried."""
    used = loop.low.variables() | loop.high.variables()
    free = [size for size in found.sizes if size.var in used]
    if len(free) != 1 or free[0].bound is not None or loop.step.const is None:
        return False
    products = [each for expr in (loop.low, loop.high) for each in expr.walk() if each.op == "*"]
    return all(any(arg.const is not None for arg in each.args) for each in products)


class Turns:
    """How many turns a loop makes in an instance."""

    def __init__(self, setting: Setting, loop: Loop) -> None:
        self.variables = setting.program.variables
        self.ends = closure(loop.low), closure(loop.high), closure(loop.step)

    def of(self, sizes: Mapping[int, int]) -> int | None:
        env: Env = [0] * self.variables
        for var, value in sizes.items():
            env[var] = value
        low, high, step = self.ends
        try:
            return turns_of(low(env), high(env), step(env))
        except UndecidedError:
            return None


def is_plain(setting: Setting) -> bool:
    """One path on which nothing is asynchronous: there is nothing that could go wrong in an order."""
    if len(setting.paths) > 1 or setting.program.events:
        return False
    return not any(
        (isinstance(op, Copy) and op.asynchronous)
        or (isinstance(op, Multiply) and (not op.ends or op.handle >= 0))
        or isinstance(op, Rotate | Bar)
        for op in setting.program.ops
    )
