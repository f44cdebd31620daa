"""At which sizes the conditions on one size come out otherwise: the rests of a modulus among them. Must not run.

The values of a size are looked through as far as its conditions go on changing, within limits. One value is chosen for
each way in which they come out together, with each number of turns of the loops that the size drives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm

from croqc.flow.candidates import admits, least_of
from croqc.flow.courses import course
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, Value, closure
from croqc.flow.program import Loop, Program, Size, turns_of
from croqc.flow.signature import NODES, spell

_MOST_VALUES = 1 << 13  # that are looked through
_MOST_CHOSEN = 96
_MOST_WAYS = 8  # of a value that is no condition; one that takes more is as good as the size itself
_FARTHER = 4  # times the constant that a condition holds a value against


@dataclass(slots=True)
class Turning:
    """`values`: the chosen sizes, with the numbers of turns of the loops that they drive; `steps` that it took."""

    values: dict[int, Mapping[Loop, int]] = field(default_factory=dict)
    steps: int = 0


def turning(
    program: Program, driven: Sequence[Loop], period: int, size: Size, turns: Mapping[Loop, int], budget: int
) -> Turning:
    """`driven`: loops whose number of turns depends on the size; `period` of the ring; `turns`: of each loop those that
    are tried anyway. `budget`: abstract steps."""
    parts = list(_deciding(program, size.var, _finest(driven, size.var)))
    found = Turning()
    if not parts:
        return found
    loops = [loop for loop in driven if (loop.low.variables() | loop.high.variables()) <= {size.var}]
    nodes = sum(part.size for part in parts) + sum(loop.low.size + loop.high.size for loop in loops)
    reach = _reach(parts, loops, period, size.var, turns)
    count = min(reach, _MOST_VALUES, budget * NODES // nodes)
    least = least_of(program, size)
    if size.bound is not None and size.bound.const is not None:
        count = min(count, size.bound.const - least)
    env: Env = [0] * program.variables
    for other in program.sizes:
        env[other.var] = 0 if other.bound is not None else least_of(program, other)
    look = _Look(parts, loops, env, size.var)
    seen = [each for value in admits(program, size, range(least, least + count)) if (each := look.at(value))]
    met = {value for part in parts for value in _meeting(part, env, size.var, least)} if size.bound is None else set()
    seen += [
        each for value in admits(program, size, sorted(met)) if value >= least + count and (each := look.at(value))
    ]
    found.steps = (count + 64 * len(parts)) * nodes // NODES
    found.values = _choose(seen, parts, period, turns)
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """How the parts come out at a value, and the turns of the loops."""

    value: int
    outcomes: tuple[object, ...]
    counts: Mapping[Loop, int]


class _Look:
    def __init__(self, parts: Sequence[Expr], loops: Sequence[Loop], env: Env, var: int) -> None:
        self.codes = [closure(part) for part in parts]
        self.loops: list[tuple[Loop, Value, Value, Value]] = [
            (loop, closure(loop.low), closure(loop.high), closure(loop.step)) for loop in loops
        ]
        self.env = env
        self.var = var

    def at(self, value: int) -> _Seen | None:
        env = self.env
        env[self.var] = value
        try:
            counts = {loop: turns_of(low(env), high(env), step(env)) for loop, low, high, step in self.loops}
            return _Seen(value, tuple(code(env) for code in self.codes), counts)
        except (UndecidedError, OverflowError):
            return None


def _finest(loops: Sequence[Loop], var: int) -> int:
    """After how many steps of the size some loop makes a turn more; 1 without a loop."""
    bounds = (expr for loop in loops for expr in (loop.low, loop.high) if var in expr.variables())
    return min((_step(expr, var) for expr in bounds), default=1)


def _step(expr: Expr, var: int) -> int:
    """After how many steps of a size a value moves at the earliest, where it grows."""
    if not expr.args:
        return 1
    by = expr.args[-1].const if expr.op in ("/", "cdiv") else None
    return abs(by or 1) * min(_step(arg, var) for arg in expr.args if var in arg.variables())


def _deciding(program: Program, var: int, finest: int) -> Iterator[Expr]:
    """The comparisons that one size decides, the others held; what comes again and again as it grows; and what grows
    more slowly than numbers of turns do."""
    sizes = {size.var for size in program.sizes}
    stack = [expr for op in program.ops for expr in op.exprs() if var in expr.variables()]
    seen: set[str] = set()
    while stack:
        expr = stack.pop()
        if expr.variables() <= sizes and _decides(expr, var, finest):
            if (spelled := spell(expr)) not in seen:
                seen.add(spelled)
                yield expr
        else:
            stack += [arg for arg in expr.args if var in arg.variables()]


def _decides(expr: Expr, var: int, finest: int) -> bool:
    if expr.op in COMPARE:
        return True
    if not expr.args or expr.op in ("&&", "||", "!"):
        return False
    way = course(expr, var)
    if way.period is not None:
        return way.period > 1
    return expr.op in ("/", "cdiv") and way.scale > finest


def _reach(parts: Sequence[Expr], loops: Sequence[Loop], period: int, var: int, turns: Mapping[Loop, int]) -> int:
    """How many values show all: the constants passed, the loops as long as wanted, then a common period."""
    ways = [course(part, var) for part in parts]
    passed = max((bound for way in ways for bound in way.bounds), default=0)
    scales = {loop: course(loop.high, var).scale for loop in loops}
    length = max((scale * (turns.get(loop, 0) + 1) for loop, scale in scales.items()), default=0)
    slow = max((2 * way.scale for way in ways), default=0)
    again = lcm(*(way.period or 1 for way in ways), *(scale * period for scale in scales.values()))
    return max(passed, length, slow) + again


def _meeting(part: Expr, env: Env, var: int, least: int) -> Iterator[int]:
    """The values around the one at which what grows meets the constant that it is compared with."""
    if part.op not in COMPARE:
        return
    for side, other in (part.args, part.args[::-1]):
        limit = other.const
        if limit is None or course(side, var).period is not None:
            continue
        code = closure(side)

        def over(value: int, code: Value = code, limit: int = limit) -> bool:
            env[var] = value
            return bool(code(env) >= limit)

        low, high = least, least + _FARTHER * max(course(part, var).bounds, default=0) + 1
        try:
            below = over(low)
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if over(middle) == below else (low, middle)
        except UndecidedError:
            continue
        yield from (low, high, high + 1)


def _choose(
    seen: Sequence[_Seen], parts: Sequence[Expr], period: int, turns: Mapping[Loop, int]
) -> dict[int, Mapping[Loop, int]]:
    """The smallest value of each way, and then of each way with each number of turns, as many as are allowed."""
    ways = [len({each.outcomes[at] for each in seen}) for at in range(len(parts))]
    kept = [at for at, part in enumerate(parts) if ways[at] > 1 and (part.op in COMPARE or ways[at] <= _MOST_WAYS)]
    if not kept:
        return {}
    first: dict[object, _Seen] = {}
    among: dict[object, _Seen] = {}
    for each in seen:
        way = tuple(each.outcomes[at] for at in kept)
        first.setdefault(way, each)
        among.setdefault((way, _rests(each.counts, period, turns)), each)
    chosen = {each.value: each.counts for each in first.values()}
    chosen |= {each.value: each.counts for each in among.values()}
    return dict(list(chosen.items())[:_MOST_CHOSEN])


def _rests(counts: Mapping[Loop, int], period: int, turns: Mapping[Loop, int]) -> tuple[int, ...]:
    """Numbers of turns beyond those that are tried anyway by their rests."""
    enough = ((count, turns.get(loop, 0)) for loop, count in counts.items())
    return tuple(count if count <= most else most + 1 + (count - most) % period for count, most in enough)
