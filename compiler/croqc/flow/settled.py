"""Whether the sizes that were tried show all that larger ones can (credit-flow, section 5). Must not run anything.

Each value that decides something goes on in periods once it is past the constants that it is compared with. So what a
size shows up to these constants and for a whole common period behind them has to be tried. What follows no period, as
products in bounds and comparisons do not, is settled by no finite set of sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import gcd, lcm

from croqc.flow.candidates import least_of
from croqc.flow.exprs import Env, Expr, UndecidedError, closure, course
from croqc.flow.pieces import Crossing, Piece, carried, counters_agree, pieces
from croqc.flow.program import Program, Size
from croqc.flow.signature import spell

_FARTHEST = 1 << 14  # values of a size that are looked through
_FAR = 1000  # periods
Instances = Sequence[Mapping[int, int]]
View = Callable[[Env], object]


def is_settled(program: Program, ring: int, tried: Sequence[Size], done: Instances) -> bool:
    """Whether no size of those `tried` does anything that the instances `done` do not show. `ring`: its length."""
    try:
        return bool(done) and _Settling(program, ring, done).holds(tried)
    except UndecidedError:
        return False


class _Settling:
    def __init__(self, program: Program, ring: int, done: Instances) -> None:
        self.program = program
        self.ring = ring
        self.done = done
        self.unbounded = {size.var for size in program.sizes if size.bound is None or size.bound.const is None}
        self.pieces, self.crossings = pieces(program)
        self.carried = frozenset(carried(program))

    def holds(self, tried: Sequence[Size]) -> bool:
        if any(piece.even and piece.expr.variables() & self.carried for piece in self.pieces):
            return False  # a variable that follows a size is compared, or says how often something runs
        if not counters_agree(self.program):
            return False
        if not all(self._keeps_pace(crossing) for crossing in self.crossings):
            return False
        return all(self._settles(size) for size in tried)

    def env(self, sizes: Mapping[int, int]) -> Env:
        found: Env = [0] * self.program.variables
        for var, value in sizes.items():
            found[var] = value
        return found

    # --- an index against a size ----------------------------------------------------------------

    def _keeps_pace(self, crossing: Crossing) -> bool:
        """Whether a comparison turns in the same turns, counted from the last one, however large the sizes are."""
        views = _step(crossing), _distance(crossing)
        exprs = _exprs(crossing)
        for var in self.unbounded & frozenset().union(*(expr.variables() for expr in exprs)):
            period = lcm(*(course(expr, var).scale for expr in exprs))
            env = self.env(self.done[-1])
            seen = set()
            for value in (period * _FAR, period * 2 * _FAR):
                env[var] = value
                seen.add(tuple(view(env) for view in views))
            if len(seen) > 1:
                return False
        return True

    # --- one size -------------------------------------------------------------------------------

    def _settles(self, size: Size) -> bool:
        own: Sequence[Piece] = [piece for piece in self.pieces if size.var in piece.expr.variables()]
        crossings = [one for one in self.crossings if size.var in _named(one)]
        if self._is_single(own) or not own:  # there is but one number of turns, and all of its rests are tried
            own = ()
            if not crossings:
                return True
        reach = self._reach(size, own, crossings)
        return reach is not None and self._misses_none(size, own, crossings, reach) and self._drifts_far(size, own)

    def _is_single(self, own: Sequence[Piece]) -> bool:
        """Whether pieces are one number of turns, and no other number of turns has a size in common with it: that one
        would be what it is measured by."""
        counted = {spell(piece.expr): piece.expr.variables() for piece in self.pieces if piece.counts}
        mine = {spell(piece.expr) for piece in own}
        if len(mine) != 1 or not all(piece.counts for piece in own):
            return False
        (one,) = mine
        return all(counted[one].isdisjoint(counted[other]) for other in counted if other != one)

    def _reach(self, size: Size, own: Sequence[Piece], crossings: Sequence[Crossing]) -> int | None:
        """How many values of a size, from the least, show everything; None if no number of them does."""
        period, passed = 1, 0
        for piece in own:
            way = course(piece.expr, size.var)
            if not way.plain or (piece.even and _is_bent(piece.expr, size.var)):
                return None
            period = lcm(period, way.scale * piece.round if way.period is None else way.period)
            passed = max([passed, *way.bounds, *(bound * way.scale for bound in piece.bounds if way.period is None)])
        for piece in self.pieces:
            for number in piece.expr.variables() & self.carried:
                way = course(piece.expr, number)
                if not way.plain:
                    return None
                period *= way.scale * piece.round if way.period is None else way.period
                passed = max([passed, *way.bounds])
        for one in crossings:
            period = lcm(period, *(course(expr, size.var).scale for expr in (one.left, one.right, one.loop.high)))
        return passed + period

    def _misses_none(self, size: Size, own: Sequence[Piece], crossings: Sequence[Crossing], reach: int) -> bool:
        """Whether each value of a size within reach looks to every step like one that was tried."""
        parts = _alone(own, size.var)
        views: list[View] = [closure(part) for part in parts]
        views += [_turns_left(one) for one in crossings if one.orders]
        holding = [closure(expr) for expr in self.program.asserts if expr.variables() == {size.var}]
        seen = {tuple(view(env) for view in views) for env in map(self.env, self.done)}
        met = [*(piece.expr for piece in own), *(expr for one in crossings for expr in _exprs(one))]
        grain = gcd(*(_grain(expr, size.var) for expr in met)) or 1
        env = self.env(self.done[0])
        for value in _edges(least_of(self.program, size), reach, grain):
            env[size.var] = value
            if all(test(env) for test in holding) and tuple(view(env) for view in views) not in seen:
                return False
        return reach // grain <= _FARTHEST

    def _drifts_far(self, size: Size, own: Sequence[Piece]) -> bool:
        """Whether loops of which one makes ever more turns than another come to differ by more than the ring holds."""
        counts = {spell(piece.expr): piece.expr for piece in own if piece.counts}
        for one, other in combinations(counts.values(), 2):
            period = lcm(course(one, size.var).scale, course(other, size.var).scale)
            env = self.env(self.done[-1])
            gaps = []
            for value in (period * _FAR, period * 2 * _FAR):
                env[size.var] = value
                gaps.append(closure(one)(env) - closure(other)(env))
            tried = (abs(closure(one)(env) - closure(other)(env)) for env in map(self.env, self.done))
            if gaps[0] != gaps[1] and max(tried) <= self.ring:
                return False
        return True


def _exprs(crossing: Crossing) -> tuple[Expr, ...]:
    return (crossing.left, crossing.right, crossing.loop.high)


def _named(crossing: Crossing) -> frozenset[int]:
    return crossing.left.variables() | crossing.right.variables()


def _gap(crossing: Crossing, turn: Callable[[Env], int]) -> Callable[[Env], int]:
    """Left minus right at an index."""
    left, right, var = closure(crossing.left), closure(crossing.right), crossing.loop.var

    def gap(env: Env) -> int:
        before, env[var] = env[var], turn(env)
        try:
            return int(left(env) - right(env))
        finally:
            env[var] = before

    return gap


def _step(crossing: Crossing) -> Callable[[Env], int]:
    """By how much the gap grows in a turn."""
    first, second = _gap(crossing, lambda _: 0), _gap(crossing, lambda _: 1)
    return lambda env: second(env) - first(env)


def _distance(crossing: Crossing) -> Callable[[Env], int]:
    """The gap at the end of the loop."""
    return _gap(crossing, closure(crossing.loop.high))


def _turns_left(crossing: Crossing) -> View:
    """How many turns before the end of its loop a comparison turns."""
    distance, step = _distance(crossing), _step(crossing)
    if crossing.op in ("<", ">="):
        return lambda env: distance(env) // abs(step(env) or 1)
    return lambda env: -(-distance(env) // abs(step(env) or 1))


def _is_bent(expr: Expr, var: int) -> bool:
    """Whether a value multiplies a size by something that varies, so that it grows in no straight line. The rest of
    a division by a constant comes again all the same."""
    if expr.op in ("%", "&") and expr.args[1].const:
        return False
    if expr.op == "*" and var in expr.variables() and all(arg.const is None for arg in expr.args):
        return True
    return any(_is_bent(arg, var) for arg in expr.args)


def _alone(own: Sequence[Piece], var: int) -> Collection[Expr]:
    """The largest parts of what decides that depend on one size alone."""
    found: dict[str, Expr] = {}
    stack = [piece.expr for piece in own]
    while stack:
        expr = stack.pop()
        if expr.variables() == {var}:
            found[spell(expr)] = expr
        elif var in expr.variables():
            stack += expr.args
    return found.values()


def _grain(expr: Expr, var: int) -> int:
    """A value does not change between multiples of this and one beyond them; 0 where the size does not occur."""
    if var not in expr.variables():
        return 0
    by = expr.args[-1].const if expr.args else None
    if expr.op in ("/", "cdiv") and by and expr.args[0].op == "v":
        return abs(by)
    return gcd(*(_grain(arg, var) for arg in expr.args)) or 1


def _edges(least: int, reach: int, grain: int) -> Iterator[int]:
    """The values at which something can change, of those within reach; not too many."""
    yield least
    for step in range(least // grain, min((least + reach) // grain, least // grain + _FARTHEST) + 1):
        yield from (value for value in (step * grain, step * grain + 1) if least < value < least + reach)
