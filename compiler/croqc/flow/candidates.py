"""What to try for one size: each side of every place where it turns something. Must not combine sizes or run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import lcm

from croqc.flow.courses import course
from croqc.flow.exprs import Env, Expr, UndecidedError, closure
from croqc.flow.ops_control import Branch
from croqc.flow.program import Loop, Program, Size
from croqc.flow.wraps import ends_of, where_it_leaves

MOST_PERIOD = 1 << 20
MOST_VALUES = 400
_NARROW = 1 << 16  # sizes that cannot come to this are tried at the largest that they can be
_LONGEST_STEP = 1024  # of a size, looked through for where a value moves on
MOST_TURNS = 4096  # numbers of turns that values are made for; of longer loops the first ones


def least_of(program: Program, size: Size) -> int:
    """The smallest value of a size that the assertions on it admit."""
    return next(iter(_admitted(program, size, {size.least})), size.least)


def admits(program: Program, size: Size, values: Iterable[int]) -> Iterator[int]:
    """Those of the values that its type holds, and that the assertions on this size alone hold for."""
    env: Env = [0] * program.variables
    tests = [closure(expr) for expr in program.asserts if expr.variables() == {size.var}]
    for value in values:
        env[size.var] = value
        with suppress(UndecidedError):
            if size.least <= value <= size.ends[1] and all(test(env) for test in tests):
                yield value


def divisors(expr: Expr, number: int) -> set[int]:
    """By what a size is divided on its way into a value, all divisions together."""
    if expr.op == "v":
        return {1} if expr.value == number else set()
    found = {each for arg in expr.args for each in divisors(arg, number)}
    by = expr.args[-1].const if expr.args else None
    if expr.op in ("/", "cdiv", "%") and by:
        found |= {each * abs(by) for each in divisors(expr.args[0], number)}
    return found


def values_of(
    program: Program, loops: Sequence[Loop], period: int, size: Size, turns: Mapping[Loop, int], drives: bool
) -> list[int]:
    """What to try for one size: each side of every place where a division steps or a comparison turns."""
    least = least_of(program, size)
    exprs = [expr for op in program.ops for expr in op.exprs() if size.var in expr.variables()]
    values = {least, *range(least + 1, 2)} if least < 0 else {least, least + 1}
    for loop in loops:
        for expr in (loop.low, loop.high):
            steps = sorted(divisors(expr, size.var))
            for by in steps[-1:]:
                most = max(min(_more(turns[loop], least, by) + 1, MOST_TURNS), 1) if drives else 1
                rests = {-1, 0, 1, *_rests(expr, size.var, by)}
                values |= {by * (t + least // by) + rest for t in range(most + 1) for rest in rests}
            for by in steps[:-1]:
                values |= {by * (t + least // by) + rest for t in (1, 2) for rest in (0, 1)}
    for expr in exprs:
        values |= {limit + more for limit in course(expr, size.var).bounds for more in (-2, -1, 0, 1)}
        values |= {by * t + rest for by in divisors(expr, size.var) for t in (1,) for rest in (-1, 0, 1)}
    values |= _against_indices(program, period, size, turns)
    values |= set(where_it_leaves([*exprs, *program.asserts], ends_of(program), size))
    if not exprs:  # only assertions name it: it has to be large enough for the others
        values |= {*range(least, least + 17), *(1 << power for power in range(5, 17))}
    return _admitted(program, size, {value for value in values if value >= least})[:MOST_VALUES]


def _rests(expr: Expr, number: int, by: int) -> Iterator[int]:
    """Both sides of where a value that is divided by `by` on its way moves on, as remainders of the size: not at its
    multiples where something else is divided than the size itself, as in `(K - 10) / 4`."""
    if by > _LONGEST_STEP or not _is_shifted(expr, number):
        return
    env: Env = [0] * (max(expr.variables()) + 1)
    first = by * (2 + max(course(expr, number).bounds, default=0) // by)
    before: object = None
    with suppress(UndecidedError):
        for rest in range(-1, by):
            env[number] = first + rest
            value = closure(expr)(env)
            if rest >= 0 and value != before:
                yield from (rest - 1, rest)
            before = value


def _is_shifted(expr: Expr, number: int) -> bool:
    """Whether more than a size alone is divided somewhere."""
    if number not in expr.variables():
        return False
    if expr.op in ("/", "cdiv") and expr.args[0].op not in ("v", "/", "cdiv"):
        return True
    return any(_is_shifted(arg, number) for arg in expr.args)


def leaves_out(program: Program, loops: Sequence[Loop], period: int, size: Size, turns: Mapping[Loop, int]) -> bool:
    """Whether some numbers of turns get no value, because the loops of a size, or those that conditions hold against
    it, are too long."""
    least = least_of(program, size)
    for loop in loops:
        by = max((each for expr in (loop.low, loop.high) for each in divisors(expr, size.var)), default=0)
        if by and _more(turns[loop], least, by) >= MOST_TURNS:
            return True
    return 3 * period + 2 > MOST_TURNS and any(
        isinstance(op, Branch)
        and size.var in op.expr.variables()
        and any(loop.var in op.expr.variables() for loop in op.loops)
        for op in program.ops
    )


def _more(turns: int, least: int, by: int) -> int:
    """How many turns are wanted beyond those that the smallest size makes."""
    return turns - max(least // by - 1, 0)


def _against_indices(program: Program, period: int, size: Size, turns: Mapping[Loop, int]) -> set[int]:
    """What a size that is compared with the index of a loop has to be for every number of turns to pass."""
    values: set[int] = set()
    for op in program.ops:
        if not isinstance(op, Branch) or size.var not in op.expr.variables():
            continue
        for loop in op.loops:
            if loop.var not in op.expr.variables():
                continue
            enough = 3 * period + 2
            most = turns.get(loop, enough)
            if loop.low.const is not None and loop.high.const is not None:
                most = loop.high.const - loop.low.const
            passing = {*range(min(most, enough, MOST_TURNS) + 2), most, most + 1}
            by = max(*_factors(op.expr, loop.var), *divisors(op.expr, size.var))
            values |= {by * turn + rest for turn in passing for rest in (-1, 0, 1)}
    return values


def _factors(expr: Expr, number: int) -> set[int]:
    """By what an index is multiplied on its way into a value."""
    if expr.op == "*" and number in expr.variables():
        return {1} | {abs(arg.const) for arg in expr.args if arg.const}
    return {1}.union(*(_factors(arg, number) for arg in expr.args))


def _admitted(program: Program, size: Size, values: set[int]) -> list[int]:
    """The values that assertions on this size alone admit; where they ask for multiples, the nearest of those, too."""
    holding = [expr for expr in program.asserts if size.var in expr.variables()]
    values = values | {
        limit + more for expr in holding for limit in course(expr, size.var).bounds for more in (-1, 0, 1)
    }
    if size.ends[1] < _NARROW:
        values |= {size.ends[1] - 1, size.ends[1]}
    grain = lcm(*(max(divisors(expr, size.var)) for expr in holding if expr.op == "==" and expr.args[0].op == "%"))
    if 1 < grain <= MOST_PERIOD:
        values |= {near for value in values for near in (value // grain * grain, -(-value // grain) * grain)}
    return list(admits(program, size, sorted(values)))
