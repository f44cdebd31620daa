"""What tells the instances of a program apart, so that alike ones are tried once. Must not choose sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from copy import copy
from typing import Final

from croqc.flow.courses import course
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, Value, closure
from croqc.flow.ops_control import Branch, Enter
from croqc.flow.program import Loop, Op, Program, Size, turns_of

Kind = tuple[str, ...]
NODES: Final = 16  # nodes of expressions that are evaluated in the time of one abstract step
_MOST_TURNS = 64  # of a loop whose conditions are tried


class Signature:
    """What tells instances apart: the numbers of turns, and how conditions on sizes come out. `chosen`: the sizes that
    instances give values to; what is asserted of others is taken to hold."""

    def __init__(self, program: Program, chosen: set[int]) -> None:
        self.width = program.variables
        self.known = known = {size.var for size in program.sizes}
        self.asserts = [(each.variables(), closure(each)) for each in program.asserts if each.variables() <= chosen]
        self.loops: list[tuple[Set[int], Loop, Value, Value, Value]] = []
        for loop in program.loops:
            used = loop.low.variables() | loop.high.variables() | loop.step.variables()
            if used <= known:
                self.loops.append((used, loop, closure(loop.low), closure(loop.high), closure(loop.step)))
        self.others: list[tuple[Set[int], Value, bool]] = []  # the last: it stays or comes again as loops grow longer
        self._driving = {
            var for loop in program.loops for expr in (loop.low, loop.high, loop.step) for var in expr.variables()
        }
        self.guards: list[tuple[Set[int], Value, Loop]] = []
        self._sized: list[tuple[Set[int], int]] = [
            (each.variables(), each.size) for each in program.asserts if each.variables() <= chosen
        ]
        self._sized += [(used, loop.low.size + loop.high.size + loop.step.size) for used, loop, *_ in self.loops]
        self._asked: list[tuple[Set[int], int, Loop]] = []
        seen: set[str] = set()
        for op in program.ops:
            for expr in op.exprs():
                one = _one_loop(op, expr, known) if isinstance(op, Branch) else None
                if one is not None:
                    used = (expr.variables() & known) | one.low.variables() | one.high.variables()
                    self._asked.append((used, expr.size + 1, one))
                    self.guards.append((used, closure(expr), one))
                elif not isinstance(op, Enter) and not _is_bound(op, expr):
                    self._parts(expr, known, seen)

    def _parts(self, expr: Expr, known: set[int], seen: set[str]) -> None:
        """The largest parts that depend on sizes alone."""
        used = expr.variables()
        if used and used <= known:
            key = spell(expr)
            if key not in seen:
                seen.add(key)
                self._sized.append((used, expr.size + 4))
                stays = all(course(expr, var).period is not None for var in used & self._driving)
                self.others.append((used, closure(expr), stays))
            return
        for arg in expr.args:
            self._parts(arg, known, seen)

    def nodes(self, turns: Mapping[Loop, int]) -> int:
        """The nodes of expressions that one evaluation passes, about."""
        asked = sum(size * min(turns.get(loop, _MOST_TURNS), _MOST_TURNS) for _, size, loop in self._asked)
        return sum(size for _, size in self._sized) + asked

    def groups(self, sizes: Sequence[Size]) -> list[list[Size]]:
        """Sizes that occur together in something that decides."""
        groups: list[set[int]] = [{size.var} for size in sizes]
        together: list[Set[int]] = [used for used, *_ in self.loops] + [used for used, *_ in self.guards]
        together += [used for used, *_ in self.others] + [used for used, _ in self.asserts]
        together += [{size.var} | size.bound.variables() for size in sizes if size.bound is not None]
        for used in together:
            joined = [group for group in groups if group & used]
            if len(joined) > 1:
                groups = [group for group in groups if not group & used] + [set().union(*joined)]
        return [[size for size in sizes if size.var in group] for group in groups]

    def within(self, only: Set[int]) -> Signature:
        """What can be told of these sizes alone."""
        part = copy(self)
        part.asserts = [item for item in self.asserts if item[0] <= only]
        part.loops = [item for item in self.loops if item[0] <= only]
        part.guards = [item for item in self.guards if item[0] <= only]
        part.others = [item for item in self.others if item[0] <= only]
        part._sized = [item for item in self._sized if item[0] <= only]
        part._asked = [item for item in self._asked if item[0] <= only]
        return part

    def of(self, sizes: Mapping[int, int], turns: Mapping[Loop, int]) -> tuple[object, ...] | None:
        """None for sizes that the program excludes, or that are larger than needed."""
        env: Env = [0] * self.width
        for var, value in sizes.items():
            env[var] = value
        try:
            if not all(holds(env) for _, holds in self.asserts):
                return None
            key: list[object] = []
            ranges: dict[Loop, range] = {}
            for _, loop, low, high, step in self.loops:
                ranges[loop] = range(low(env), high(env), max(step(env), 1))
                count = turns_of(low(env), high(env), step(env))
                if count > turns.get(loop, count):
                    return None
                key.append(count)
            for _, holds, loop in self.guards:
                outcomes = []
                for turn in ranges.get(loop, ())[:_MOST_TURNS]:
                    env[loop.var] = turn
                    outcomes.append(bool(holds(env)))
                key.append(tuple(outcomes))
            key += [str(value(env)) for _, value, _ in self.others]
        except UndecidedError:
            return None
        return tuple(key)

    def beyond(self, sizes: Mapping[int, int], turns: Mapping[Loop, int]) -> dict[Loop, int]:
        """The loops that make more turns than given, and how many."""
        env: Env = [0] * self.width
        for var, value in sizes.items():
            env[var] = value
        counts = {loop: turns_of(low(env), high(env), step(env)) for _, loop, low, high, step in self.loops}
        return {loop: count for loop, count in counts.items() if count > turns.get(loop, count)}

    def kind(self, sizes: Mapping[int, int]) -> Kind:
        """What sizes decide beside numbers of turns. Instances of one kind do the same, some of them for longer."""
        env: Env = [0] * self.width
        for var, value in sizes.items():
            env[var] = value
        return tuple(str(value(env)) for _, value, stays in self.others if stays)


def _is_bound(op: Op, expr: Expr) -> bool:
    loop = getattr(op, "loop", None)
    return isinstance(loop, Loop) and (expr is loop.low or expr is loop.high)


def _one_loop(op: Op, expr: Expr, known: set[int]) -> Loop | None:
    """The only loop that a condition depends on, beside sizes."""
    rest = expr.variables() - known
    loops = [loop for loop in op.loops if loop.var in rest]
    compares = any(each.op in COMPARE for each in expr.walk())
    return loops[0] if len(rest) == 1 and len(loops) == 1 and compares else None


def spell(expr: Expr) -> str:
    """Equal for equal expressions."""
    return f"{expr.op}{expr.value}({','.join(spell(arg) for arg in expr.args)})"
