"""What tells the instances of a program apart, so that alike ones are tried once. Must not choose sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, Value, closure
from croqc.flow.program import Branch, Enter, Loop, Op, Program, Size

_TURNS = 64  # turns of a loop for which a condition on sizes is asked


class Signature:
    """What tells instances apart: the numbers of turns, and how conditions on sizes come out."""

    def __init__(self, program: Program) -> None:
        self.width = program.variables
        self.known = known = {size.var for size in program.sizes}
        self.asserts = [(each.variables(), closure(each)) for each in program.asserts]
        self.loops: list[tuple[set[int], Loop, Value, Value, Value]] = []
        for loop in program.loops:
            used = loop.low.variables() | loop.high.variables() | loop.step.variables()
            if used <= known:
                self.loops.append((used, loop, closure(loop.low), closure(loop.high), closure(loop.step)))
        self.others: list[tuple[set[int], Value]] = []
        self.guards: list[tuple[set[int], Value, Loop]] = []
        self._size = sum(each.size for each in program.asserts)
        self._size += sum(loop.low.size + loop.high.size + loop.step.size for loop in program.loops)
        self._guarded: list[tuple[int, Loop]] = []
        seen: set[str] = set()
        for op in program.ops:
            for expr in op.exprs():
                one = _one_loop(op, expr, known) if isinstance(op, Branch) else None
                if one is not None:
                    used = expr.variables() & known
                    self._guarded.append((expr.size + 1, one))
                    self.guards.append((used | one.low.variables() | one.high.variables(), closure(expr), one))
                elif not isinstance(op, Enter) and not _is_bound(op, expr):
                    self._parts(expr, known, seen)

    def _parts(self, expr: Expr, known: set[int], seen: set[str]) -> None:
        """The largest parts that depend on sizes alone."""
        used = expr.variables()
        if used and used <= known:
            key = _spell(expr)
            if key not in seen:
                seen.add(key)
                self._size += expr.size + 4
                self.others.append((used, closure(expr)))
            return
        for arg in expr.args:
            self._parts(arg, known, seen)

    def nodes(self, turns: Mapping[Loop, int]) -> int:
        """The nodes of expressions that one evaluation passes, about."""
        asked = sum(size * min(turns.get(loop, _TURNS), _TURNS) for size, loop in self._guarded)
        return self._size + asked

    def groups(self, sizes: Sequence[Size]) -> list[list[Size]]:
        """Sizes that occur together in something that decides."""
        groups: list[set[int]] = [{size.var} for size in sizes]
        together = [used for used, *_ in self.loops] + [used for used, *_ in self.guards]
        together += [used for used, _ in self.others] + [used for used, _ in self.asserts]
        together += [{size.var} | size.bound.variables() for size in sizes if size.bound is not None]
        for used in together:
            joined = [group for group in groups if group & used]
            if len(joined) > 1:
                groups = [group for group in groups if not group & used] + [set().union(*joined)]
        return [[size for size in sizes if size.var in group] for group in groups]

    def of(
        self, sizes: Mapping[int, int], turns: Mapping[Loop, int], only: set[int] | None = None
    ) -> tuple[object, ...] | None:
        """None for sizes that the program excludes, or that are larger than needed. `only`: of these sizes alone."""
        env: Env = [0] * self.width
        for var, value in sizes.items():
            env[var] = value
        try:
            if not all(holds(env) for used, holds in self.asserts if only is None or used <= only):
                return None
            key: list[object] = []
            ranges: dict[Loop, range] = {}
            for used, loop, low, high, step in self.loops:
                if only is not None and not used <= only:
                    continue
                ranges[loop] = range(low(env), high(env), max(step(env), 1))
                count = len(ranges[loop])
                if count > turns.get(loop, count):
                    return None
                key.append(count)
            for used, holds, loop in self.guards:
                if only is None or used <= only:
                    key.append(tuple(self._outcomes(holds, loop, ranges.get(loop), env)))
            key += [str(value(env)) for used, value in self.others if only is None or used <= only]
        except UndecidedError:
            return None
        return tuple(key)

    @staticmethod
    def _outcomes(holds: Value, loop: Loop, turns: range | None, env: Env) -> Iterator[object]:
        for turn in () if turns is None else turns[:_TURNS]:
            env[loop.var] = turn
            yield bool(holds(env))


def _is_bound(op: Op, expr: Expr) -> bool:
    loop = getattr(op, "loop", None)
    return isinstance(loop, Loop) and (expr is loop.low or expr is loop.high)


def _one_loop(op: Op, expr: Expr, known: set[int]) -> Loop | None:
    """The only loop that a condition depends on, beside sizes."""
    rest = expr.variables() - known
    loops = [loop for loop in op.loops if loop.var in rest]
    compares = any(each.op in COMPARE for each in expr.walk())
    return loops[0] if len(rest) == 1 and len(loops) == 1 and compares else None


def _spell(expr: Expr) -> str:
    return f"{expr.op}{expr.value}({','.join(_spell(arg) for arg in expr.args)})"
