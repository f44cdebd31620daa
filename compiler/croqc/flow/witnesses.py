"""Sizes at which a guard that relates several of them holds, and at which it does not. Must not run anything.

What is tried for each size by itself need not meet `if (M > N)` or `if (b == 11 && b * 4 + 4 > M)` on both sides: here
values are mended, one variable at a time, until the guard, those around it, the bounds of its indices and what the
program asserts come out as wanted. Nothing rests on that a search succeeds: it adds to what is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from croqc.flow.candidates import least_of
from croqc.flow.courses import course
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, apply, closure, var
from croqc.flow.ops_control import Branch
from croqc.flow.program import Loop, Program, Size
from croqc.flow.ranges import Range
from croqc.flow.signature import NODES, spell

_MOST_NODES = 20_000  # that are evaluated in the search for one outcome of one guard
_DEEPEST = 10  # values that are mended one after another
_LARGEST = 1 << 16
_MOST_TURNS = 24  # sizes that are kept while others are mended
_SCANNED = 256  # values that are gone through where one comes again and again
_MOST_GUARDS = 64
_MOST_LOOKED_AT = 400
_LARGEST_GUARD = 64  # nodes
Goal = tuple[Expr, bool]
_LOGIC = frozenset(("&&", "||", "!"))


@dataclass(frozen=True, slots=True)
class Guard:
    """`expr` is asked where all of `around` come out as they do there; `indices`: the loops that it speaks of."""

    expr: Expr
    around: tuple[Goal, ...]
    indices: tuple[Loop, ...]

    @property
    def variables(self) -> frozenset[int]:
        return self.expr.variables().union(*(expr.variables() for expr, _ in self.around))

    def goals(self, holds: bool) -> tuple[Goal, ...]:
        return (*self.around, (self.expr, holds))


def guards_of(program: Program) -> list[Guard]:
    """The conditions on several sizes, blocks and indices, or on one that does more than pass a constant, each once."""
    sizes = {size.var for size in program.sizes}
    found: dict[str, Guard] = {}
    around: list[Branch] = []
    for place, op in enumerate(program.ops):
        while around and around[-1].target <= place:
            around.pop()
        if not isinstance(op, Branch):
            continue
        used = op.expr.variables()
        if len(found) < _MOST_GUARDS and op.expr.size <= _LARGEST_GUARD and _relates(op.expr):
            conditions = [each.expr for each in around if _is_followed(each, sizes)]
            if _is_followed(op, sizes):
                together = used.union(*(each.variables() for each in conditions))
                loops = tuple(loop for loop in op.loops if loop.var in together)
                guard = Guard(op.expr, tuple((each, True) for each in conditions), loops)
                found.setdefault(" ".join(map(spell, (*conditions, op.expr))), guard)
        around.append(op)
    return list(found.values())


def _is_followed(op: Branch, sizes: set[int]) -> bool:
    return op.expr.known and op.expr.variables() <= {*sizes, *(loop.var for loop in op.loops)}


def _relates(expr: Expr) -> bool:
    used = expr.variables()
    return len(used) > 1 or not all(
        course(part, var).plain for part in expr.walk() if part.op in COMPARE for var in used
    )


@dataclass(slots=True)
class Meeting:
    """Searches in one program. `driving`: what is tried of the sizes that say how often loops run. `budget`: abstract
    steps that it may take."""

    program: Program
    sizes: Sequence[Size]
    driving: Mapping[int, Sequence[int]]
    budget: int
    nodes: int = 0  # of expressions that were evaluated

    @property
    def steps(self) -> int:
        return self.nodes // NODES

    def witnesses(self, instances: Sequence[Mapping[int, int]]) -> Iterator[dict[int, int]]:
        """Sizes at which guards come out as in none of the instances: the nearest ones, and with many turns of loops
        whose number of turns the guard has a part in."""
        for guard in guards_of(self.program):
            if self.steps > self.budget:
                return
            for holds in self._missing(guard, instances):
                first = self._find(guard, holds, {})
                if first is None:
                    continue
                yield first
                for number in sorted(guard.variables & self.driving.keys()):
                    column = self.driving[number]
                    for value in column[:: len(column) // _MOST_TURNS + 1]:
                        if self.steps > self.budget:
                            return
                        more = self._find(guard, holds, {number: value})
                        if more is not None:
                            yield more

    def _missing(self, guard: Guard, instances: Sequence[Mapping[int, int]]) -> Iterator[bool]:
        """The outcomes of a guard that none of the instances shows."""
        for holds in (True, False):
            goals = (*guard.goals(holds), *_within(guard.indices))
            if not any(self._shows(guard, goals, sizes) for sizes in instances[-_MOST_LOOKED_AT:]):
                yield holds

    def _shows(self, guard: Guard, goals: Sequence[Goal], sizes: Mapping[int, int]) -> bool:
        """In the first or the last turns of its loops."""
        env = self._env(sizes)
        for last in (False, True):
            try:
                for loop in guard.indices:
                    low, high = closure(loop.low)(env), closure(loop.high)(env)
                    env[loop.var] = high - 1 if last else low
            except UndecidedError:
                return False
            self.nodes += sum(expr.size for expr, _ in goals)
            if all(_comes_out(goal, env) for goal in goals):
                return True
        return False

    def _env(self, sizes: Mapping[int, int]) -> Env:
        env: Env = [0] * self.program.variables
        for size in self.sizes:
            env[size.var] = 0 if size.bound is not None else least_of(self.program, size)
        for number, value in sizes.items():
            env[number] = value
        return env

    def _find(self, guard: Guard, holds: bool, given: Mapping[int, int]) -> dict[int, int] | None:
        """Sizes at which a guard comes out so, `given` ones as they are; None where the search finds none."""
        chosen = {size.var for size in self.sizes}
        goals = [(expr, True) for expr in self.program.asserts if expr.known and expr.variables() <= chosen]
        goals += [(apply("<", var(size.var), size.bound), True) for size in self.sizes if size.bound is not None]
        goals += [*_within(guard.indices), *guard.goals(holds)]
        env = self._env(given)
        own = [size for size in self.sizes if size.var not in given]
        ends = {size.var: (env[size.var] if size.bound is None else 0, min(size.ends[1], _LARGEST)) for size in own}
        ends |= {loop.var: (0, _LARGEST) for loop in guard.indices}
        search = _Search(goals, ends)
        solved = search.solve(env, _DEEPEST) if self.steps <= self.budget else None
        self.nodes += search.nodes
        return None if solved is None else {size.var: solved[size.var] for size in self.sizes}


def _within(loops: Sequence[Loop]) -> list[Goal]:
    low = [(apply("<=", loop.low, var(loop.var)), True) for loop in loops]
    return low + [(apply("<", var(loop.var), loop.high), True) for loop in loops]


def _comes_out(goal: Goal, env: Env) -> bool:
    try:
        return bool(closure(goal[0])(env)) == goal[1]
    except UndecidedError:
        return False


class _Search:
    """Mends one variable after another. `ends`: between which each may be changed."""

    def __init__(self, goals: Sequence[Goal], ends: Mapping[int, Range]) -> None:
        self.goals = goals
        self.ends = ends
        self.met: set[tuple[int, ...]] = set()
        self.nodes = 0

    def solve(self, env: Env, depth: int) -> Env | None:
        known = tuple(env[number] for number in self.ends)
        if known in self.met or self.nodes > _MOST_NODES:
            return None
        self.met.add(known)
        self.nodes += sum(expr.size for expr, _ in self.goals)
        goal = next((each for each in self.goals if not _comes_out(each, env)), None)
        if goal is None:
            return env
        if not depth:
            return None
        for expr, holds in _failing(goal, env):
            for number in sorted(expr.variables() & self.ends.keys()):
                for value in self._mended((expr, holds), number, env):
                    made = env[:]
                    made[number] = value
                    solved = self.solve(made, depth - 1)
                    if solved is not None:
                        return solved
        return None

    def _mended(self, goal: Goal, number: int, env: Env) -> Iterator[int]:
        """The nearest values of a variable above and below its own with which a comparison comes out as wanted."""
        env = env[:]
        start = env[number]
        if _comes_again(goal[0], number):
            low, high = self.ends[number]
            values = range(low, min(low + _SCANNED, high + 1))
            yield from (value for value in values if self._is_met(goal, number, value, env))
            return
        for sign in (1, -1):
            found = self._nearest(goal, number, start, sign, env)
            if found is not None:
                yield found

    def _nearest(self, goal: Goal, number: int, start: int, sign: int, env: Env) -> int | None:
        """In growing steps to where the comparison turns, then by halves."""
        before, step = start, 1
        end = self.ends[number][sign > 0]
        side = self._side(goal[0], number, start, env)
        while before != end:
            here = min(before + step, end) if sign > 0 else max(before - step, end)
            if self._turns(goal, number, here, side, env):
                break
            before, step = here, 2 * step
        else:
            return None
        while abs(here - before) > 1:
            middle = (here + before) // 2
            if self._turns(goal, number, middle, side, env):
                here = middle
            else:
                before = middle
        met = goal[0].op == "==" or self._is_met(goal, number, here, env)
        return here if met else None  # beside where sides are equal another variable may make them so

    def _turns(self, goal: Goal, number: int, value: int, side: int, env: Env) -> bool:
        """Whether a comparison comes out as wanted, or is past where its sides are equal."""
        if self._is_met(goal, number, value, env):
            return True
        return goal[0].op in ("==", "!=") and self._side(goal[0], number, value, env) != side

    def _is_met(self, goal: Goal, number: int, value: int, env: Env) -> bool:
        self.nodes += goal[0].size
        env[number] = value
        return _comes_out(goal, env)

    def _side(self, expr: Expr, number: int, value: int, env: Env) -> int:
        """Which side of a comparison is larger."""
        if expr.op not in COMPARE:
            return 0
        self.nodes += expr.size
        env[number] = value
        try:
            left, right = (closure(arg)(env) for arg in expr.args)
        except UndecidedError:
            return 0
        return int(left > right) - int(left < right)


def _failing(goal: Goal, env: Env) -> Iterator[Goal]:
    """The comparisons of a condition of which one has to turn for it to come out as wanted."""
    expr, holds = goal
    if expr.op == "!":
        yield from _failing((expr.args[0], not holds), env)
    elif expr.op in _LOGIC:
        yield from (
            part for arg in expr.args if not _comes_out((arg, holds), env) for part in _failing((arg, holds), env)
        )
    else:
        yield goal


def _comes_again(expr: Expr, number: int) -> bool:
    return (
        any(arg.op in ("%", "&", "|", "^", "cut") and number in arg.variables() for arg in expr.walk())
        or (course(expr, number).period or 1) > 1
    )
