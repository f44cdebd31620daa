"""Which values of one size come out alike in all that instances are told apart by. Must not choose values."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import Env, Expr, UndecidedError, Value, closure
from croqc.flow.program import Program, Size
from croqc.flow.signature import spell


class Likeness:
    """Of one program: every value that the `chosen` sizes decide, down to the largest parts that follow one alone."""

    def __init__(self, program: Program, chosen: Sequence[Size]) -> None:
        self.width = program.variables
        self.exprs = [*program.asserts, *(size.bound for size in chosen if size.bound is not None)]
        self.exprs += [expr for loop in program.loops for expr in (loop.low, loop.high, loop.step)]
        self.exprs += [expr for op in program.ops for expr in op.exprs()]

    def of(self, size: Size, values: Sequence[int]) -> list[object]:
        """A key a value; values with equal keys are alike, whatever the other sizes are."""
        codes = self._parts(size.var)
        env: Env = [0] * self.width
        found: list[object] = []
        for value in values:
            env[size.var] = value
            try:
                found.append(tuple([code(env) for code in codes]))
            except UndecidedError:
                found.append(value)
        return found

    def _parts(self, var: int) -> list[Value]:
        found: dict[str, Expr] = {}
        stack = [expr for expr in self.exprs if var in expr.variables()]
        while stack:
            expr = stack.pop()
            if expr.variables() == {var}:
                found.setdefault(spell(expr), expr)
            else:
                stack += [arg for arg in expr.args if var in arg.variables()]
        return [closure(expr) for expr in found.values()]
