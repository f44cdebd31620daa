"""Integer parameters below zero: whether those could do what 0 does not. They are not tried. Must not run anything.

With as many turns as for 0, and conditions that come out as for 0, nothing else happens; nor does it with as many turns
as other sizes make, where nothing but that number follows the parameter. Of remainders, and of whatever else a
parameter has a part in, that is not known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import product

from croqc.flow.candidates import admits
from croqc.flow.courses import is_signed
from croqc.flow.exprs import COMPARE, FLOOR, Env, Expr, UndecidedError, closure
from croqc.flow.limit import Limit
from croqc.flow.ops_control import Branch, LoopStart
from croqc.flow.pieces import parts_of_slots
from croqc.flow.program import Op, Program, Size
from croqc.flow.signature import spell

_BELOW = (-1, -2, -3, -4, -7, -31, -32, -33, -64, -1000)
_OTHERS = (0, 1, 2, 7, 1000, 1 << 20)  # what else a condition is asked for
_MOST_OTHERS = 3
_MANY = 1 << 16  # turns; a type that holds fewer may not come to those that others make
_FLOORS = (-1, -2, -3, -4)
_LOGIC = frozenset(("&&", "||", "!"))


def may_differ_below_zero(program: Program) -> Limit | None:
    """The first place at which a negative parameter may do something that was not tried."""
    for size in _unheld(program):
        if not _only_counts(program, size):
            below = _Below(program, size, size.least)
            for op in _ops_on(program, size):
                if not below.is_alike(op):
                    return Limit(f"'{size.name}' was taken to be 0 or more", op.span)
    return None


def floors(program: Program) -> Mapping[int, int]:
    """For parameters that do something else below zero, the value from which on down all is the same; empty where one
    has none near."""
    found: dict[int, int] = {}
    for size in _unheld(program):
        ops = list(_ops_on(program, size))
        if _only_counts(program, size) or all(map(_Below(program, size, 0).is_alike, ops)):
            continue
        floor = next((one for one in _FLOORS if all(map(_Below(program, size, one).is_alike, ops))), None)
        if floor is None:
            return {}
        found[size.var] = floor
    return found


def _unheld(program: Program) -> Iterator[Size]:
    """The parameters that no assertion keeps from being negative."""
    for size in program.sizes:
        if size.bound is None and size.ends[0] < 0:
            free = Size(size.name, size.var, size.ends[0], None, size.ends)
            if any(admits(program, free, (*_BELOW, size.ends[0]))):
                yield size


def _ops_on(program: Program, size: Size) -> Iterator[Op]:
    return (op for op in program.ops if any(size.var in expr.variables() for expr in _exprs(op)))


def _exprs(op: Op) -> tuple[Expr, ...]:
    return (*op.exprs(), *parts_of_slots(op), *((op.loop.step,) if isinstance(op, LoopStart) else ()))


# --- as for the least that is tried ----------------------------------------------------------------


class _Below:
    """What a parameter does from a value on down. `nonnegative`: the variables that are never below 0, with what they
    stay below, if that is a constant."""

    def __init__(self, program: Program, own: Size, least: int) -> None:
        self.var = own.var
        self.ends = least, own.ends[0]
        self.nonnegative: dict[int, int | None] = {
            loop.var: None for loop in program.loops if (loop.low.const or 0) >= 0 and not is_signed(loop.low)
        }
        for size in program.sizes:
            if size.bound is not None:
                self.nonnegative[size.var] = size.bound.const
            elif size.ends[0] >= 0:
                self.nonnegative[size.var] = None

    def is_alike(self, op: Op) -> bool:
        """Whether a step does the same with all these values."""
        with suppress(UndecidedError):
            if any(self.var in expr.variables() for expr in parts_of_slots(op)):
                return False
            if isinstance(op, LoopStart):
                return self.var not in op.loop.step.variables() and self._is_never(op.loop.low, op.loop.high)
            if isinstance(op, Branch):
                return all(self._comes_out_alike(part) for expr in op.exprs() for part in self._comparisons(expr))
        return False

    def _comparisons(self, expr: Expr) -> Iterator[Expr]:
        if self.var not in expr.variables():
            return
        if expr.op in _LOGIC:
            for arg in expr.args:
                yield from self._comparisons(arg)
        else:
            yield expr

    def _comes_out_alike(self, expr: Expr) -> bool:
        """The sides of a comparison part in one direction: both ends say what is between them. A quotient of sizes
        rounds down in normal form, which `/` and `%` below zero do not."""
        if _is_floored(expr, self.var):
            return False
        if expr.op not in COMPARE or _direction(Expr("-", expr.args), self.var) is None:
            return False
        holds, gap = closure(expr), closure(Expr("-", expr.args))
        if expr.op in ("==", "!="):
            return all(gap(near) * gap(far) > 0 for near, far in self._ends(expr))
        return all(bool(holds(near)) == bool(holds(far)) for near, far in self._ends(expr))

    def _is_never(self, low: Expr, high: Expr) -> bool:
        """Whether a loop makes no turn."""
        both = Expr("<", (low, high))
        if _direction(Expr("-", both.args), self.var) is None:
            return False
        holds = closure(both)
        return not any(holds(env) for ends in self._ends(both) for env in ends)

    def _ends(self, expr: Expr) -> Iterator[tuple[Env, Env]]:
        """The first and the last of the values, for a few values of the other variables."""
        others = sorted(expr.variables() - {self.var})
        if len(others) > _MOST_OTHERS:
            raise UndecidedError
        for chosen in product(*map(self._values, others)):
            env: Env = [0] * (max(expr.variables()) + 1)
            for other, value in zip(others, chosen, strict=True):
                env[other] = value
            near, far = env[:], env
            near[self.var], far[self.var] = self.ends
            yield near, far

    def _values(self, other: int) -> list[int]:
        if other not in self.nonnegative:
            return [*(-value for value in _OTHERS), *_OTHERS]
        bound = self.nonnegative[other]
        return [value for value in (*_OTHERS, (bound or 1) - 1) if bound is None or value < bound]


def _is_floored(expr: Expr, var: int) -> bool:
    """Whether a variable stands in a quotient or remainder that rounds down."""
    if var not in expr.variables():
        return False
    floored = expr.op in ("/", "%") and expr.value == FLOOR
    return floored or any(_is_floored(arg, var) for arg in expr.args)


def _direction(expr: Expr, var: int) -> int | None:
    """1 where a value grows with a variable or stays, -1 where it shrinks or stays, 0 without it; else None."""
    if var not in expr.variables():
        return 0
    if expr.op == "v":
        return 1
    ways = [_direction(arg, var) for arg in expr.args]
    if None in ways:
        return None
    first, *others = (way or 0 for way in ways)
    by = expr.args[-1].const
    match expr.op:
        case "neg":
            return -first
        case "+":
            return None if first * others[0] < 0 else first or others[0]
        case "-":
            return None if first * others[0] > 0 else first or -others[0]
        case "*":
            const = next((arg.const for arg in expr.args if arg.const is not None), None)
            return None if const is None else (first or others[0]) * (const > 0) - (first or others[0]) * (const < 0)
        case "/" | "cdiv" | ">>" if by is not None and by > 0:
            return first
    return None


# --- as for other sizes ----------------------------------------------------------------------------


def _only_counts(program: Program, size: Size) -> bool:
    """Whether a parameter, and all that is added to it, says nothing but how many turns loops make, and sizes that are
    tried make each number of turns."""
    first = next((op for op in _ops_on(program, size) if isinstance(op, LoopStart)), None)
    if first is None:
        return False
    low, high = first.loop.low, first.loop.high
    used = high.variables()
    sizes = {each.var: each for each in program.sizes if each.bound is None}
    if low.const is None or not used <= sizes.keys() or any(used & expr.variables() for expr in program.asserts):
        return False
    if any(sizes[var].ends[1] < _MANY for var in used):
        return False
    if not all(_names_whole(op, low, high, used) for op in program.ops):
        return False
    env: Env = [0] * program.variables
    for var in used:
        env[var] = sizes[var].least
    with suppress(UndecidedError):
        return closure(high)(env) <= low.const and any(_grows_by_ones(high, var) for var in used)
    return False


def _names_whole(op: Op, low: Expr, high: Expr, used: Collection[int]) -> bool:
    """Whether a step names some sizes in the end of a loop from `low` to `high` alone, or as that, inside of one."""
    spelled = spell(high)
    named = [expr for expr in _exprs(op) if not expr.variables().isdisjoint(used)]
    if isinstance(op, LoopStart) and spell(op.loop.high) == spelled and spell(op.loop.low) == spell(low):
        named = [expr for expr in named if expr is not op.loop.high]
    if not named:
        return True
    inside = any(spell(loop.high) == spelled for loop in op.loops)
    return inside and all(_is_made_of(expr, spelled, used) for expr in named)


def _is_made_of(expr: Expr, spelled: str, used: Collection[int]) -> bool:
    if expr.variables().isdisjoint(used) or spell(expr) == spelled:
        return True
    return bool(expr.args) and all(_is_made_of(arg, spelled, used) for arg in expr.args)


def _grows_by_ones(expr: Expr, var: int) -> bool:
    """Whether a value takes each number behind its first one as a variable grows, the others staying as they are."""
    if expr.op == "v":
        return expr.value == var
    if expr.op == "+":
        return any(
            _grows_by_ones(arg, var) and var not in other.variables() for arg, other in (expr.args, expr.args[::-1])
        )
    if expr.op == "-":
        return _grows_by_ones(expr.args[0], var) and var not in expr.args[1].variables()
    by = expr.args[-1].const if expr.args else None
    return expr.op in ("/", "cdiv") and by is not None and by > 0 and _grows_by_ones(expr.args[0], var)
