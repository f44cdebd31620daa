"""Which sizes to try: enough that every loop takes every number of turns that matters (credit-flow, section 5).

Instances that no step can tell apart are tried once. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import lcm
from typing import TypeVar

from croqc.flow.candidates import MOST_PERIOD, MOST_VALUES, least_of, leaves_out, values_of
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, Value, closure, course
from croqc.flow.likeness import Likeness
from croqc.flow.ops_control import Branch, Set
from croqc.flow.ops_data import Copy, Rotate
from croqc.flow.ops_events import EventRef, Trigger, WaitEvent
from croqc.flow.program import Loop, Op, Program, Size
from croqc.flow.signature import Signature

_T = TypeVar("_T")
_MOST_COMBINATIONS = 6000
_MOST_AXES = 6
_OUTER = 3
_MOST_STEERED = 64
_LAST_VALUES = 8
_NODES = 16  # nodes of expressions that are evaluated in the time of one abstract step


@dataclass(slots=True, eq=False)
class Plan:
    """How loops repeat, and what to try. `period` of the ring; `bounds`: constants that variables are compared with.

    `turns`: the largest number of turns to try for each loop whose number is free; `lifts`: False where some value
    does not repeat, so that no finite set of sizes says all.
    """

    period: int
    bounds: Mapping[int, int]
    sizes: tuple[Size, ...]
    loops: tuple[Loop, ...]
    turns: Mapping[Loop, int]
    periods: Mapping[int, int]
    lifts: bool
    complete: bool  # no size was left out that could make a difference
    leaping: Mapping[Loop, tuple[int, int]]
    instances: list[dict[int, int]] = field(default_factory=list)
    steps: int = 0  # abstract steps that it took to choose the instances


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
    periods, bounds, lifts = _courses(program, moving)
    period = lcm(*periods.values(), *_ring_lengths(program, moving))
    if period > MOST_PERIOD:
        period, lifts = MOST_PERIOD, False
    free = tuple(loop for loop in program.loops if _is_free(loop, sizes))
    around = {outer for loop in program.loops for outer in loop.outer}
    steering = _steering(program, around)
    turns: dict[Loop, int] = {}
    for loop in free:
        own, bound = periods.get(loop.var, 1), bounds.get(loop.var, 0)
        if loop in around:
            inside = min(steering.get(loop, 0) * (3 * period + 2), _MOST_STEERED)
            turns[loop] = max(_OUTER, own + 2 if own > 1 else 0, bound + own + 1, inside)
        else:
            turns[loop] = max(3 * period + 2, bound + period + 2)
    inner = max((count for loop, count in turns.items() if loop not in around), default=0)
    turns |= {
        loop: inner for loop in turns if loop not in around
    }  # roles that share a size go on as far as the longest
    least = {size.var: least_of(program, size) for size in relevant if size.bound is None}
    turns = {loop: count + _already(program, loop, least) for loop, count in turns.items()}
    leaping = _leaps(program, period, bounds) if lifts else {}
    found = Plan(period, bounds, tuple(relevant), free, turns, periods, lifts, True, leaping)
    found.instances = list(_instances(program, found, turns, budget))
    found.lifts = found.lifts and found.complete and not _decided_by_sizes(program, sizes)
    found.lifts = found.lifts and all(_keeps_distance(program, found, *each) for each in _crossings(program, around))
    return found


def _already(program: Program, loop: Loop, least: Mapping[int, int]) -> int:
    """How many turns a loop makes for the smallest sizes, beyond the one that is the least of most loops."""
    env: Env = [0] * program.variables
    for var, value in least.items():
        env[var] = value
    try:
        return max(len(range(closure(loop.low)(env), closure(loop.high)(env), max(closure(loop.step)(env), 1))) - 1, 0)
    except (UndecidedError, OverflowError):
        return 0


def _crossings(program: Program, around: set[Loop]) -> Iterator[tuple[Loop, Expr]]:
    """What conditions compare the index of an inner loop with, where that is no constant."""
    for op in program.ops:
        if not isinstance(op, Branch):
            continue
        for loop in op.loops:
            if loop in around:
                continue
            for part in op.expr.walk():
                if part.op in COMPARE and not course(part, loop.var).plain:
                    yield from ((loop, arg) for arg in part.args if loop.var not in arg.variables())


def _steering(program: Program, around: set[Loop]) -> dict[Loop, int]:
    """The outer loops whose index says how often an inner one does something, and after how many turns it does so
    once more."""
    found: dict[Loop, int] = {}
    deciding = [(loop.outer, expr) for loop in program.loops for expr in (loop.low, loop.high)]
    deciding += [(loop.outer, limit) for loop, limit in _crossings(program, around)]
    for outer, expr in deciding:
        for loop in outer:
            if loop.var in expr.variables() and (part := course(expr, loop.var)).period is None:
                found[loop] = max(found.get(loop, 1), part.scale)
    return found


def _extents(loop: Loop) -> set[int]:
    """The variables that say how often a loop runs."""
    return set(loop.low.variables() | loop.high.variables() | loop.step.variables())


def _decided_by_sizes(program: Program, sizes: Mapping[int, Size]) -> bool:
    """Whether a comparison of sizes alone decides something: it may turn beyond whatever is tried.

    Not so for one size that no loop depends on: both sides of each constant are tried with every number of turns.
    """
    if any(sizes[var].bound is not None for loop in program.loops for var in _extents(loop) & sizes.keys()):
        return True  # how often a loop runs depends on the block
    driving = {var for loop in program.loops for var in _extents(loop)}
    fixed = {loop.var for loop in program.loops if not _extents(loop)}
    for part in (part for op in program.ops for expr in op.exprs() for part in expr.walk() if part.op in COMPARE):
        used = part.variables()
        if used & fixed and used & sizes.keys():
            return True  # how many of a fixed number of turns do something depends on sizes
        if not used or not used <= sizes.keys():
            continue
        alone = next(iter(used))
        if len(used) > 1 or alone in driving or sizes[alone].bound is not None or not course(part, alone).plain:
            return True
    return False


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


def longest(program: Program, found: Plan, far: bool, budget: int) -> dict[int, int] | None:
    """Sizes with which loops make more turns than are tried, to see whether the joint state comes again: two more
    of the outer ones or, with `far`, twice as many of all. What it took is added to the plan's steps."""
    around = {outer for loop in program.loops for outer in loop.outer}
    more = {loop: 2 * turns + 2 if far else turns + 2 * (loop in around) for loop, turns in found.turns.items()}
    sizes = list(_instances(program, found, more, budget, largest=True))
    return sizes[-1] if sizes else None


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


def _courses(program: Program, moving: set[int]) -> tuple[dict[int, int], dict[int, int], bool]:
    """The period of each moving variable, the largest constant it is compared with, and whether all repeat."""
    periods: dict[int, int] = {}
    bounds: dict[int, int] = {}
    lifts = True
    indices = {loop.var for loop in program.loops}  # other variables count as they are in the joint state
    seen: set[int] = set()
    for op in program.ops:
        ordered = {id(ref.index): ref for ref in refs_of(op) if ref.ordered}
        for expr in op.exprs():
            if id(expr) in seen:
                continue
            seen.add(id(expr))
            for number in expr.variables() & moving:
                part = course(expr, number)
                grows = part.period is None
                length = part.scale * (ordered[id(expr)].event.slots if id(expr) in ordered else 1)
                periods[number] = lcm(periods.get(number, 1), length if grows else part.period or 1)
                bounds[number] = max(bounds.get(number, 0), *part.bounds, 0)
                if grows and id(expr) not in ordered and number in indices:
                    lifts = lifts and (isinstance(op, Set) or _bounded(op, number))
    return periods, bounds, lifts


def _bounded(op: Op, number: int) -> bool:
    """An index that grows with a loop of a constant number of turns stays within it."""
    return any(loop.var == number and loop.low.const is not None and loop.high.const is not None for loop in op.loops)


def _ring_lengths(program: Program, moving: set[int]) -> Iterator[int]:
    """The lengths of the arrays that are indexed by something that moves."""
    for op in program.ops:
        for ref in refs_of(op):
            if ref.index is not None and ref.index.variables() & moving:
                yield ref.event.slots
        if isinstance(op, Rotate):
            yield len(op.handles)
    yield 1


def _leaps(program: Program, period: int, bounds: Mapping[int, int]) -> dict[Loop, tuple[int, int]]:
    """Loops of a large fixed number of turns: the index from which some rounds of the ring are left out, and by how
    much it is moved on. All such loops leave out the same."""
    long: dict[Loop, tuple[int, int]] = {}
    for loop in program.loops:
        low, high = loop.low.const, loop.high.const
        first = 5 * period + 4 + bounds.get(loop.var, 0)
        if low is not None and high is not None and loop.step.const == 1 and high - low > first + 4 * period + 4:
            long[loop] = (low + first, high - low - first - 3 * period - 2)
    if not long:
        return {}
    amount = min(rest for _, rest in long.values()) // period * period
    return {loop: (start, amount) for loop, (start, _) in long.items()}


def _is_free(loop: Loop, sizes: Mapping[int, Size]) -> bool:
    return bool((loop.low.variables() | loop.high.variables() | loop.step.variables()) & sizes.keys())


def _instances(
    program: Program, found: Plan, turns: Mapping[Loop, int], budget: int, largest: bool = False
) -> Iterator[dict[int, int]]:
    """In increasing size. `largest`: the last ones are enough. What is too much for the budget is thinned out."""
    driven: set[Loop] = set()
    columns: dict[int, list[int]] = {}
    for size in found.sizes:
        if size.bound is None:
            own = [loop for loop in found.loops if size.var in loop.low.variables() | loop.high.variables()]
            drives = not own or any(loop not in driven for loop in own)
            driven |= set(own)
            columns[size.var] = values_of(program, found.loops, found.period, size, turns, drives)
            cut = leaves_out(program, found.loops, found.period, size, turns)
            found.complete = found.complete and not cut and len(columns[size.var]) < MOST_VALUES
            if largest:
                columns[size.var] = sorted({columns[size.var][0], *columns[size.var][-_LAST_VALUES:]})
    signature = Signature(program, {size.var for size in found.sizes})
    cost = 1 + signature.nodes(turns) // _NODES
    groups = signature.groups(found.sizes)
    share = budget // (2 * max(len(groups), 1))
    likeness = Likeness(program)
    parts = [_group(signature, group, columns, turns, share, found, likeness) for group in groups]
    keyed: dict[tuple[object, ...], dict[int, int]] = {}
    most = min(_MOST_COMBINATIONS, max(budget // (2 * cost), 1))
    found.complete = found.complete and _count(parts) <= most
    found.steps += cost * (sum(len(part) for part in parts) + min(_count(parts), most))
    for chosen in _chosen(parts, most):
        sizes = {var: value for part in chosen for var, value in part.items()}
        key = signature.of(sizes, turns)
        if key is not None:
            keyed.setdefault(key, sizes)
    order = sorted(keyed.items(), key=lambda item: (sum(_numbers(item[0])), sorted(item[1].items())))
    yield from (instance for _, instance in order)


def _chosen(parts: Sequence[Sequence[dict[int, int]]], most: int) -> Iterable[tuple[dict[int, int], ...]]:
    """One of each part, in all ways; where these are too many, each value of a part once, and some ways of a few."""
    if _count(parts) <= most:
        return product(*parts)
    length = max(len(part) for part in parts)
    along = [tuple(part[min(place, len(part) - 1)] for part in parts) for place in range(min(length, most))]
    return [*along, *islice(product(*_thinned(parts, max(most - len(along), 1))), max(most - len(along), 0))]


def _thinned(columns: Iterable[Sequence[_T]], most: int) -> list[Sequence[_T]]:
    """Every other one of the longest column, its ends among them, until the ways to combine them are few enough."""
    own = list(columns)
    while _count(own) > most:
        place = max(range(len(own)), key=lambda place: len(own[place]))
        longest = own[place]
        if len(longest) < 2:
            break
        own[place] = [*longest[:-1:2], longest[-1]] if len(longest) > 2 else longest[:1]
    return own


def _group(
    signature: Signature,
    group: Sequence[Size],
    columns: Mapping[int, list[int]],
    turns: Mapping[Loop, int],
    budget: int,
    plan: Plan,
    likeness: Likeness,
) -> list[dict[int, int]]:
    """What to try for sizes that occur together, one for each way in which they can be told apart."""
    free = [size for size in group if size.bound is None]
    blocks = [size for size in group if size.bound is not None]
    tried = [columns[size.var] for size in free]
    own = _thinned(tried, _MOST_COMBINATIONS // 4)  # such sizes are not lifted unless all rests occur
    if any(len(left) == 1 < len(column) for left, column in zip(own, tried, strict=True)):
        plan.complete = False
    ways = 2 ** min(len(blocks), _MOST_AXES)
    part = signature.within({size.var for size in group})
    cost = 1 + part.nodes(turns) // _NODES
    most = max(budget // cost, 1)
    if _count(own) * ways > most:
        plan.complete = False
        own = _thinned(own, max(most // ways, 1))
    plan.steps += _count(own) * ways * cost
    places = [(size.var, closure(size.bound)) for size in blocks if size.bound is not None]
    found: dict[tuple[object, ...], dict[int, int]] = {}
    ways_of = [likeness.of(size, column) for size, column in zip(free, own, strict=True)]
    met: set[tuple[object, ...]] = set()
    for values, way in zip(product(*own), product(*ways_of), strict=True):
        if way in met:
            continue
        met.add(way)
        sizes = {size.var: value for size, value in zip(free, values, strict=True)}
        for instance in _with_blocks(places, sizes, signature.width):
            key = part.of(instance, turns)
            if key is not None:
                found.setdefault(key, instance)
    return list(found.values())


def _numbers(key: Iterable[object]) -> Iterator[int]:
    return (each for each in key if isinstance(each, int))


def _count(columns: Sequence[Sequence[object]]) -> int:
    total = 1
    for column in columns:
        total *= max(len(column), 1)
    return total


def _with_blocks(blocks: Sequence[tuple[int, Value]], sizes: dict[int, int], width: int) -> Iterator[dict[int, int]]:
    """The first and the last block, along each axis."""
    if not blocks:
        yield sizes
        return
    env: Env = [0] * width
    for var, value in sizes.items():
        env[var] = value
    choices = []
    for _, bound in blocks:
        try:
            last = bound(env) - 1
        except UndecidedError:
            return
        choices.append(sorted({0, max(last, 0)}))
    for places in product(*choices[:_MOST_AXES]):
        yield sizes | {var: place for (var, _), place in zip(blocks, places, strict=False)}
