"""Which sizes to try: enough that every loop takes every number of turns that matters (credit-flow, section 5).

Instances that no step can tell apart are tried once. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm

from croqc.flow.candidates import MOST_PERIOD, least_of
from croqc.flow.combine import Wanted, combine
from croqc.flow.counters import counted, counters_of, counting_loops, counts_in_fixed, follows_sizes, moved_in
from croqc.flow.courses import course
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, closure
from croqc.flow.limit import Limit
from croqc.flow.ops_control import Branch, Set
from croqc.flow.ops_data import Copy
from croqc.flow.ops_events import EventRef, Trigger, WaitEvent
from croqc.flow.ops_futures import Rotate
from croqc.flow.program import Loop, Op, Program, Size, turns_of
from croqc.flow.signature import Kind, spell
from croqc.text.span import Span

_OUTER = 3
_MOST_STEERED = 64


@dataclass(slots=True, eq=False)
class Plan:
    """How loops repeat, and what to try. `period` of the ring; `bounds`: constants that variables are compared with.

    `turns`: the largest number of turns to try for each loop whose number is free; `limit`: set where no finite set of
    sizes says all. `kinds`: of the instances; those of one kind differ in numbers of turns alone. `parting`: the
    indices of the block that conditions ask for; `lone`: as of `Combined`.
    """

    period: int
    bounds: Mapping[int, int]
    sizes: tuple[Size, ...]
    loops: tuple[Loop, ...]
    turns: Mapping[Loop, int]
    periods: Mapping[int, int]
    limit: Limit | None
    complete: bool  # no size was left out that could make a difference
    instances: list[dict[int, int]] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    parting: frozenset[int] = frozenset()
    lone: Sequence[Mapping[int, int]] = ()
    steps: int = 0  # abstract steps that it took to choose the instances

    def among_others(self, done: Sequence[Mapping[int, int]]) -> list[Mapping[int, int]]:
        """The instances whose values were tried with those of other sizes."""
        return [sizes for sizes in done if not any(lone.items() <= sizes.items() for lone in self.lone)]

    @property
    def last(self) -> frozenset[int]:
        """The numbers of the instances that are the largest of their kind."""
        return frozenset({kind: number for number, kind in enumerate(self.kinds)}.values())


def refs_of(op: Op) -> Sequence[EventRef]:
    if isinstance(op, WaitEvent):
        return (op.ref,)
    if isinstance(op, Copy):
        return () if op.event is None else (op.event,)
    return op.refs if isinstance(op, Trigger) else ()


def plan(program: Program, budget: int = 1 << 30) -> Plan:
    """The instances in increasing size. `budget`: abstract steps that choosing them may take."""
    sizes = {size.var: size for size in program.sizes}
    deciding = [expr for op in program.ops for expr in op.exprs()]
    relevant = _relevant(program, deciding, sizes)
    moving = {loop.var for loop in program.loops} | {op.var for op in program.ops if isinstance(op, Set)}
    periods, bounds, limit = _courses(program, moving)
    period = lcm(*periods.values(), *_ring_lengths(program, moving))
    if period > MOST_PERIOD:
        period, limit = MOST_PERIOD, Limit(f"the ring comes again after more than {MOST_PERIOD:,} turns only")
    free = tuple(loop for loop in program.loops if _is_free(loop, sizes))
    around = {outer for loop in program.loops for outer in loop.outer}
    steering = _steering(program, around)
    turns: dict[Loop, int] = {}
    for loop in free:
        own, bound = periods.get(loop.var, 1), max(bounds.get(loop.var, 0), counted(program, loop, bounds, periods))
        if loop in around:
            steered = max(steering.get(loop, 0), counts_in_fixed(program, loop, free))
            inside = min(steered * (3 * period + 2), _MOST_STEERED)
            counted_again = max((periods.get(var, 1) for var in moved_in(program, loop)), default=1)
            own = max(own, min(counted_again, _MOST_STEERED))
            turns[loop] = max(_OUTER, own + 2 if own > 1 else 0, bound + own + 1, inside)
        else:
            turns[loop] = max(3 * period + 2, bound + period + 2)
    turns = _as_far_as_the_longest(turns, around)
    least = {size.var: least_of(program, size) for size in relevant if size.bound is None}
    turns = {loop: count + _already(program, loop, least) for loop, count in turns.items()}
    counting = counting_loops(program, sizes)
    most = max((bounds.get(var, 0) for var in counters_of(program)), default=0)
    far = max(3 * period + 2, most + period + 2)
    held = {var for loop in counting for var in _extents(loop)}
    turns |= {loop: max(turns[loop], far) for loop in turns.keys() - around if _extents(loop) & held}
    tried = turns | dict.fromkeys(counting, far)
    combined = combine(program, Wanted(tuple(relevant), (*free, *counting), period, tried), budget)
    found = Plan(period, bounds, tuple(relevant), free, turns, periods, limit, combined.complete)
    found.instances, found.kinds, found.steps = combined.instances, combined.kinds, combined.steps
    found.parting, found.lone = combined.parting, combined.lone
    found.limit = limit or _limit(program, found, sizes, around)
    return found


def _as_far_as_the_longest(turns: Mapping[Loop, int], around: Collection[Loop]) -> dict[Loop, int]:
    """Roles that share a size go on as far as the longest: inner loops all do, outer ones that run equally often."""
    inner = max((count for loop, count in turns.items() if loop not in around), default=0)
    outer: dict[str, int] = {}
    for loop in turns.keys() & around:
        outer[spell(loop.high)] = max(outer.get(spell(loop.high), 0), turns[loop])
    return {loop: outer[spell(loop.high)] if loop in around else inner for loop in turns}


def _limit(program: Program, found: Plan, sizes: Mapping[int, Size], around: set[Loop]) -> Limit | None:
    """What no finite set of sizes settles, of what can be told before anything runs."""
    if not found.complete:
        return Limit("more sizes may come out otherwise than are tried")
    decided = _decided_by_sizes(program, sizes) or follows_sizes(program, sizes)
    if decided is not None:
        return decided
    for op, loop, limit in _crossings(program, around):
        if not _keeps_distance(program, found, loop, limit):
            return moving_limit(loop, op.span)
    return None


def moving_limit(loop: Loop, place: Span) -> Limit:
    """For an index that is compared with what follows the sizes otherwise than the end of its loop does."""
    return Limit(f"in how many of its last turns '{loop.name}' meets this condition follows the sizes", place)


def _already(program: Program, loop: Loop, least: Mapping[int, int]) -> int:
    """How many turns a loop makes for the smallest sizes, beyond the one that is the least of most loops."""
    env: Env = [0] * program.variables
    for var, value in least.items():
        env[var] = value
    try:
        return max(turns_of(closure(loop.low)(env), closure(loop.high)(env), closure(loop.step)(env)) - 1, 0)
    except (UndecidedError, OverflowError):
        return 0


def _crossings(program: Program, around: set[Loop]) -> Iterator[tuple[Op, Loop, Expr]]:
    """What conditions compare the index of an inner loop with, where that is no constant."""
    for op in program.ops:
        if not isinstance(op, Branch):
            continue
        for loop in op.loops:
            if loop in around:
                continue
            for part in op.expr.walk():
                if part.op in COMPARE and not course(part, loop.var).plain:
                    yield from ((op, loop, arg) for arg in part.args if loop.var not in arg.variables())


def _steering(program: Program, around: set[Loop]) -> dict[Loop, int]:
    """The outer loops whose index says how often an inner one does something, and after how many turns it does so
    once more."""
    found: dict[Loop, int] = {}
    deciding = [(loop.outer, expr) for loop in program.loops for expr in (loop.low, loop.high)]
    deciding += [(loop.outer, limit) for _, loop, limit in _crossings(program, around)]
    for outer, expr in deciding:
        for loop in outer:
            if loop.var in expr.variables() and (part := course(expr, loop.var)).period is None:
                found[loop] = max(found.get(loop, 1), part.scale)
    return found


def _extents(loop: Loop) -> set[int]:
    """The variables that say how often a loop runs."""
    return set(loop.low.variables() | loop.high.variables() | loop.step.variables())


def _decided_by_sizes(program: Program, sizes: Mapping[int, Size]) -> Limit | None:
    """Where a comparison of sizes alone decides something: it may turn beyond whatever is tried.

    Not so for one size, or the index of the block, that no loop depends on: both sides of each constant are tried with
    every number of turns.
    """
    for loop in program.loops:
        if any(sizes[var].bound is not None for var in _extents(loop) & sizes.keys()):
            return Limit("how often this loop runs depends on the block", loop.span)
    driving = {var for loop in program.loops for var in _extents(loop)}
    fixed = {loop.var for loop in program.loops if not _extents(loop)}
    for op, part in compared(program):
        used = part.variables()
        if not used & sizes.keys():
            continue
        names = " and ".join(f"'{program.names[var]}'" for var in sorted(used & sizes.keys()))
        if used & fixed:
            return Limit(f"in how many of a fixed number of turns this holds follows {names}", op.span)
        if not used <= sizes.keys():
            continue
        alone = next(iter(used))
        if len(used) > 1 or alone in driving or not course(part, alone).plain:
            return Limit(f"a condition on {names} decides here; it may turn at sizes that were not tried", op.span)
    return None


def compared(program: Program) -> Iterator[tuple[Op, Expr]]:
    """Every comparison, with the step that it decides."""
    for op in program.ops:
        yield from ((op, part) for expr in op.exprs() for part in expr.walk() if part.op in COMPARE)


def _keeps_distance(program: Program, found: Plan, loop: Loop, limit: Expr) -> bool:
    """Whether a limit lies at a fixed distance from the end of the loop, whatever the sizes."""
    distances = set()
    high, low = closure(loop.high), closure(limit)
    for sizes in found.instances:
        env: Env = [0] * program.variables
        for var, value in sizes.items():
            env[var] = value
        try:
            distances.add(high(env) - low(env))
        except UndecidedError:
            return False
    return len(distances) < 2


def longest(program: Program, found: Plan, kind: Kind, far: bool, budget: int) -> dict[int, int] | None:
    """Sizes of a kind with which loops make more turns than are tried, to see whether the joint state comes again: two
    more of the outer ones or, with `far`, twice as many of all. What it took is added to the plan's steps."""
    around = {outer for loop in program.loops for outer in loop.outer}
    more = {loop: 2 * turns + 2 if far else turns + 2 * (loop in around) for loop, turns in found.turns.items()}
    combined = combine(program, Wanted(found.sizes, found.loops, found.period, more), budget, largest=True)
    found.steps += combined.steps
    alike = [sizes for sizes, own in zip(combined.instances, combined.kinds, strict=True) if own == kind]
    return alike[-1] if alike else None


def _relevant(program: Program, deciding: Iterable[Expr], sizes: Mapping[int, Size]) -> list[Size]:
    """The sizes that some step depends on, those that bound them, and those that assertions hold against them."""
    used: set[int] = set()
    asserted = [expr.variables() for expr in program.asserts]
    stack = [number for expr in deciding for number in expr.variables()]
    while stack:
        number = stack.pop()
        if number in sizes and number not in used:
            used.add(number)
            bound = sizes[number].bound
            if bound is not None:
                stack += bound.variables()
            stack += [other for together in asserted if number in together for other in together]
    return [size for size in program.sizes if size.var in used]


def _courses(program: Program, moving: set[int]) -> tuple[dict[int, int], dict[int, int], Limit | None]:
    """The period of each moving variable, the largest constant it is compared with, and what does not repeat."""
    periods: dict[int, int] = {}
    bounds: dict[int, int] = {}
    limit: Limit | None = None
    indices = {loop.var for loop in program.loops}  # other variables count as they are in the joint state
    seen: set[int] = set()
    for op in program.ops:
        ordered = {id(ref.index): ref for ref in refs_of(op) if ref.ordered}
        for expr in op.exprs():
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            for number in expr.variables() & moving:
                own = isinstance(op, Set) and op.var == number and expr.op == "cut"  # it is whole in the joint state
                part = course(expr.args[0] if own else expr, number)
                grows = part.period is None
                length = part.scale * (ordered[id(expr)].event.slots if id(expr) in ordered else 1)
                periods[number] = lcm(periods.get(number, 1), length if grows else part.period or 1)
                bounds[number] = max(bounds.get(number, 0), *part.bounds, 0)
                unbound = not isinstance(op, Set) and not _bounded(op, number)
                if limit is None and grows and unbound and id(expr) not in ordered and number in indices:
                    limit = Limit(f"what is meant here grows with '{program.names[number]}' for ever", op.span)
    return periods, bounds, limit


def _bounded(op: Op, number: int) -> bool:
    """An index that grows with a loop of a constant number of turns stays within it."""
    return any(
        loop.var == number and _ends_at_constants(loop.low) and _ends_at_constants(loop.high) for loop in op.loops
    )


def _ends_at_constants(expr: Expr) -> bool:
    """Whether a value is one of some constants: `ti == 0 ? 2 : 0`."""
    return expr.const is not None or (expr.op == "?:" and all(map(_ends_at_constants, expr.args[1:])))


def _ring_lengths(program: Program, moving: set[int]) -> Iterator[int]:
    """The lengths of the arrays that are indexed by something that moves."""
    for op in program.ops:
        for ref in refs_of(op):
            if ref.index is not None and ref.index.variables() & moving:
                yield ref.event.slots
        if isinstance(op, Rotate):
            yield len(op.handles)
    yield 1


def _is_free(loop: Loop, sizes: Mapping[int, Size]) -> bool:
    return bool((loop.low.variables() | loop.high.variables() | loop.step.variables()) & sizes.keys())
