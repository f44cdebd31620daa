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
from croqc.flow.courses import Course, course
from croqc.flow.exprs import Env, Expr, UndecidedError, closure
from croqc.flow.instances import moving_limit
from croqc.flow.limit import Limit
from croqc.flow.pieces import Crossing, Piece, carried, counters_apart, pieces
from croqc.flow.program import Program, Size
from croqc.flow.signature import spell
from croqc.text.span import Span

_FARTHEST = 1 << 14  # values of a size that are looked through
_FAR = 1000  # periods
Instances = Sequence[Mapping[int, int]]
View = Callable[[Env], object]


def unsettled(program: Program, ring: int, tried: Sequence[Size], done: Instances) -> Limit | None:
    """What some size of those `tried` may do that the instances `done` do not show. `ring`: its length."""
    try:
        return _Settling(program, ring, done).limit(tried) if done else Limit("no size was tried")
    except UndecidedError:
        return Limit("a value that decides is not known at every size")


class _Settling:
    def __init__(self, program: Program, ring: int, done: Instances) -> None:
        self.program = program
        self.ring = ring
        self.done = done
        self.sizes = {size.var for size in program.sizes}
        self.unbounded = {size.var for size in program.sizes if size.bound is None or size.bound.const is None}
        self.pieces, self.crossings = pieces(program)
        self.carried = frozenset(carried(program))

    def limit(self, tried: Sequence[Size]) -> Limit | None:
        for piece in self.pieces:
            if piece.even and (names := piece.expr.variables() & self.carried):
                return Limit(f"'{self.program.names[min(names)]}' follows a size and decides here", piece.span)
        apart = counters_apart(self.program)
        if apart is not None:
            return Limit("a variable is compared with what follows a size here", apart)
        for crossing in self.crossings:
            if not self._keeps_pace(crossing):
                return moving_limit(crossing.loop, crossing.span)
        return next((limit for size in tried if (limit := self._limit(size)) is not None), None)

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
            env = self.env(self.done[-1])
            seen = set()
            for value in _far(exprs, var):
                env[var] = value
                seen.add(tuple(view(env) for view in views))
            if len(seen) > 1:
                return False
        return True

    # --- one size -------------------------------------------------------------------------------

    def _limit(self, size: Size) -> Limit | None:
        own: Sequence[Piece] = [piece for piece in self.pieces if size.var in piece.expr.variables()]
        crossings = [one for one in self.crossings if size.var in _named(one)]
        if self._is_single(own) or not own:  # there is but one number of turns, and all of its rests are tried
            own = ()
            if not crossings:
                return None
        reach = self._reach(size, own, crossings)
        if reach is None:
            return Limit(
                f"this follows '{size.name}' neither in a straight line nor in a period", _spans(own, crossings)[0]
            )
        return self._missed(size, own, crossings, reach) or self._drifting(size, own)

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
            period = lcm(period, way.period or way.scale * self._rounds(piece, size.var, way))
            passed = max([passed, *way.bounds, *(bound * way.scale for bound in piece.bounds if way.period is None)])
        for piece in self.pieces:
            for number in piece.expr.variables() & self.carried:
                way = course(piece.expr, number)
                if not way.plain:
                    return None
                period *= way.scale * piece.round if way.period is None else way.period
                passed = max([passed, *way.bounds])
        for one in crossings:
            ways = [course(expr, size.var) for expr in _exprs(one)]
            period = lcm(period, *(way.scale for way in ways))
            passed = max([passed, *(bound for way in ways for bound in way.bounds)])
        if size.bound is not None and size.bound.const is not None:
            return min(passed + period, size.bound.const)
        return min(passed + period, size.ends[1] + 1 - least_of(self.program, size))

    def _rounds(self, piece: Piece, var: int, way: Course) -> int:
        """How often a value moves on until it comes to the same slot and parity. In a straight line it moves by the
        same amount each time: `k + 4 * J` of a ring of two is back at once. It is straight behind all its bounds."""
        if piece.round == 1 or _is_bent(piece.expr, var):
            return piece.round
        code, env = closure(piece.expr), self.env(self.done[0])
        env[var] = max(env[var], *way.bounds, 0)
        first = code(env)
        env[var] += way.scale
        return piece.round // gcd(piece.round, code(env) - first)

    def _missed(self, size: Size, own: Sequence[Piece], crossings: Sequence[Crossing], reach: int) -> Limit | None:
        """A value of a size within reach that looks to some step like none of those that were tried."""
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
                reason = f"{size.name} = {value} may come out otherwise than what was tried"
                return Limit(reason, self._deciding(own, crossings, env))
        if reach // grain > _FARTHEST:
            return Limit(f"'{size.name}' decides in a period of {reach:,}", self._deciding(own, crossings, env))
        return None

    def _deciding(self, own: Sequence[Piece], crossings: Sequence[Crossing], env: Env) -> Span:
        """The place of a value that is new at these sizes, else the first that the size has a part in."""
        envs = [self.env(sizes) for sizes in self.done]
        new = (each for each in own if each.expr.variables() <= self.sizes and _is_new(each.expr, env, envs))
        return next((each.span for each in new), _spans(own, crossings)[0])

    def _drifting(self, size: Size, own: Sequence[Piece]) -> Limit | None:
        """A loop that makes ever more turns than another, and was not tried with more than the ring holds."""
        counts = {spell(piece.expr): piece for piece in own if piece.counts}
        for first, second in combinations(counts.values(), 2):
            one, other = first.expr, second.expr
            env = self.env(self.done[-1])
            gaps = []
            for value in _far((one, other), size.var):
                env[size.var] = value
                gaps.append(closure(one)(env) - closure(other)(env))
            tried = (abs(closure(one)(env) - closure(other)(env)) for env in map(self.env, self.done))
            if gaps[0] != gaps[1] and max(tried) <= self.ring:
                return Limit(f"numbers of turns part ever more as '{size.name}' grows", first.span)
        return None


def _far(exprs: Sequence[Expr], var: int) -> tuple[int, int]:
    """Two values of a size behind all bounds of some values, many common steps of them apart."""
    ways = [course(expr, var) for expr in exprs]
    period = lcm(*(way.scale for way in ways))
    first = period * (_FAR + max((bound for way in ways for bound in way.bounds), default=0))
    return first, first + period * _FAR


def _spans(own: Sequence[Piece], crossings: Sequence[Crossing]) -> list[Span]:
    return [*(each.span for each in own), *(each.span for each in crossings)]


def _is_new(expr: Expr, env: Env, tried: Sequence[Env]) -> bool:
    """Whether a value differs from all that it was in what was tried."""
    value = closure(expr)
    return value(env) not in {value(each) for each in tried}


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
