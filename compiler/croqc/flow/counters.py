"""Counters: variables that the program itself moves on, and what follows them. Must not choose sizes or run anything.

A `while` over a counter runs as often as the sizes say, and so does whatever a condition on a counter decides; but no
loop of the program says how often that is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from croqc.flow.exprs import COMPARE, Expr, const
from croqc.flow.limit import Limit
from croqc.flow.ops_control import Branch, Set
from croqc.flow.program import Loop, Op, Program, Size
from croqc.flow.signature import spell


def counters_of(program: Program) -> set[int]:
    """The variables that some step sets and no loop does."""
    return {op.var for op in program.ops if isinstance(op, Set)} - {loop.var for loop in program.loops}


def asked(program: Program) -> Iterator[tuple[Op, Expr]]:
    """Every comparison, and every condition as a whole, with its step."""
    for op in program.ops:
        if isinstance(op, Branch):
            yield op, op.expr
        yield from ((op, part) for expr in op.exprs() for part in expr.walk() if part.op in COMPARE)


def follows_sizes(program: Program, sizes: Collection[int]) -> Limit | None:
    """Where a condition on a counter comes out as the sizes say: in which turn that is has no bound."""
    counters = counters_of(program)
    sized = _set_from(program, set(sizes), counters)
    for op, part in asked(program):
        used = part.variables()
        if used & sized or (used & counters and used & set(sizes)):
            names = " and ".join(f"'{program.names[var]}'" for var in sorted(used & counters))
            return Limit(f"in which turn this holds follows the count {names} and the sizes", op.span)
    return None


def _set_from(program: Program, sizes: set[int], counters: set[int]) -> set[int]:
    """The counters that are given values made of sizes."""
    found: set[int] = set()
    while True:
        more = {op.var for op in program.ops if isinstance(op, Set) and op.expr.variables() & (sizes | found)}
        if more & counters <= found:
            return found
        found |= more & counters


def counting_loops(program: Program, sizes: Mapping[int, Size]) -> tuple[Loop, ...]:
    """What counters are held against, as the ends of loops: sizes are chosen as if these were loops of the program."""
    counters = counters_of(program)
    steps = _steps(program)
    found: dict[str, Loop] = {}
    for op, part in asked(program):
        if part.op in COMPARE and part.variables() & counters:
            for end in part.args:
                if _is_sized(end, sizes):
                    found.setdefault(spell(end), _loop(op, part.variables(), end, steps))
    for op in program.ops:
        if isinstance(op, Set) and op.var in counters and _is_sized(op.expr, sizes):
            found.setdefault(spell(op.expr), _loop(op, {op.var}, op.expr, steps))
    return tuple(found.values())


def _steps(program: Program) -> dict[int, int]:
    """By how much each counter moves at most, where that is a constant."""
    found: dict[int, int] = {}
    for op in program.ops:
        if isinstance(op, Set) and op.expr.op in ("+", "-"):
            moved = [abs(arg.const) for arg in op.expr.args if arg.const is not None]
            found[op.var] = max([found.get(op.var, 1), *moved])
    return found


def _is_sized(expr: Expr, sizes: Mapping[int, Size]) -> bool:
    """Whether an expression is made of sizes that are free to choose, and of at least one."""
    used = expr.variables()
    return used <= sizes.keys() and any(sizes[var].bound is None for var in used)


def _loop(op: Op, counters: Collection[int], end: Expr, steps: Mapping[int, int]) -> Loop:
    """By the largest step of the counters: as many turns need the largest sizes."""
    step = max((steps.get(var, 1) for var in counters), default=1)
    return Loop("", -1, -1, const(0), end, const(step), op.span, op.loops)
