"""Integer parameters below zero: whether those could do what 0 does not. They are not tried. Must not run anything.

With as many turns as for 0, and conditions that come out as for 0, nothing else happens. Of remainders, and of whatever
else a parameter has a part in, that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product

from croqc.flow.candidates import admits
from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, closure
from croqc.flow.limit import Limit
from croqc.flow.ops_control import Branch, LoopStart
from croqc.flow.program import Op, Program, Size

_BELOW = (-1, -2, -3, -4, -7, -31, -32, -33, -64, -1000, -(1 << 30))
_OTHERS = (0, 1, 2, 7, 1000)  # what else a condition is asked for
_MOST_OTHERS = 3
_LOGIC = frozenset(("&&", "||", "!"))


def may_differ_below_zero(program: Program) -> Limit | None:
    """The first place at which a negative parameter may do something that was not tried."""
    for size in program.sizes:
        if size.bound is None and size.least is None and any(_admitted(program, size)):
            for op in program.ops:
                if any(size.var in expr.variables() for expr in op.exprs()) and not _is_as_for_zero(op, size.var):
                    return Limit(f"'{size.name}' was taken to be 0 or more", op.span)
    return None


def _admitted(program: Program, size: Size) -> Iterator[int]:
    free = Size(size.name, size.var, min(_BELOW))
    return admits(program, free, _BELOW)


def _is_as_for_zero(op: Op, var: int) -> bool:
    with suppress(UndecidedError):
        if isinstance(op, LoopStart):
            return _is_never(op.loop.low, op.loop.high, var)
        if isinstance(op, Branch):
            return all(_comes_out_alike(part, var) for expr in op.exprs() for part in _comparisons(expr, var))
    return False


def _comparisons(expr: Expr, var: int) -> Iterator[Expr]:
    if var not in expr.variables():
        return
    if expr.op in _LOGIC:
        for arg in expr.args:
            yield from _comparisons(arg, var)
    else:
        yield expr


def _comes_out_alike(expr: Expr, var: int) -> bool:
    if expr.op not in COMPARE:
        return False
    holds = closure(expr)
    return all(len({bool(holds(env)) for env in envs}) == 1 for envs in _envs(expr, var))


def _is_never(low: Expr, high: Expr, var: int) -> bool:
    """Whether a loop makes no turn for 0 and all below."""
    both = Expr("<", (low, high))
    holds = closure(both)
    return not any(holds(env) for envs in _envs(both, var) for env in envs)


def _envs(expr: Expr, var: int) -> Iterator[list[Env]]:
    """For a few values of the other variables, those of the parameter from 0 down."""
    others = sorted(expr.variables() - {var})
    if len(others) > _MOST_OTHERS:
        raise UndecidedError
    for values in product(_OTHERS, repeat=len(others)):
        env: Env = [0] * (max(expr.variables()) + 1)
        for other, value in zip(others, values, strict=True):
            env[other] = value
        found = [env[:] for _ in (0, *_BELOW)]
        for each, value in zip(found, (0, *_BELOW), strict=True):
            each[var] = value
        yield found
