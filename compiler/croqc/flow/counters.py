"""Counters: variables that the program itself moves on, and what follows them. Must not choose sizes or run anything.

A `while` over a counter runs as often as the sizes say, and so does whatever a condition on a counter decides; but no
loop of the program says how often that is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import prod

from croqc.flow.courses import is_signed
from croqc.flow.exprs import COMPARE, Expr, const
from croqc.flow.limit import Limit
from croqc.flow.ops_control import Branch, Set
from croqc.flow.program import Loop, Op, Program, Size
from croqc.flow.signature import spell

_MOST_TURNS = 4096  # to pass what counters are compared with
_MOST_NESTED = 3  # counters that wait for each other


def counters_of(program: Program) -> set[int]:
    """The variables that some step sets and no loop does."""
    return {op.var for op in program.ops if isinstance(op, Set)} - {loop.var for loop in program.loops}


def grows(op: Set) -> bool:
    """`x = x + c`: a counter."""
    expr = op.expr
    return expr.op in ("+", "-") and any(arg.op == "v" and arg.value == op.var for arg in expr.args)


def headings(program: Program) -> dict[int, int]:
    """Which counters only grow, 1, and which only fall, -1, in loops; what goes both ways, or is set there, is none.
    What is added is taken to be no less than 0 where no sign says otherwise."""
    ways: dict[int, set[int]] = {}
    for op in program.ops:
        if isinstance(op, Set) and (op.loops or grows(op)):
            ways.setdefault(op.var, set()).add(_heading(op))
    return {var: way for var, (way, *others) in ways.items() if way and not others}


def _heading(op: Set) -> int:
    if not grows(op):
        return 0
    first, second = op.expr.args
    moves = second if first.op == "v" and first.value == op.var else first
    if is_signed(moves) and moves.const is None:
        return 0
    way = -1 if moves.const is not None and moves.const < 0 else 1
    if op.expr.op == "+":
        return way
    return -way if moves is second else 0


def counted(program: Program, loop: Loop, bounds: Mapping[int, int], periods: Mapping[int, int]) -> int:
    """After how many turns of a loop the counters that it moves on have passed what they are compared with. One that
    is moved on under a condition takes as many times more as that condition takes to hold once more."""
    moved = moved_in(program, loop)
    asked_for = {var for var in moved if bounds.get(var, 0)}
    guards = _guards(program, loop) if asked_for else {}

    def turns(var: int, met: frozenset[int]) -> int:
        if var not in moved:
            return periods.get(var, 1)
        others = guards[var] & (moved.keys() | {loop.var}) - met if len(met) < _MOST_NESTED else ()
        rarer = (turns(guard, met | {guard}) for guard in others)
        return -(-max(bounds.get(var, 0), 1) // moved[var]) * max(rarer, default=1)

    return min(max((turns(var, frozenset((var,))) for var in asked_for), default=0), _MOST_TURNS)


def counts_in_fixed(program: Program, outer: Loop, free: Collection[Loop]) -> bool:
    """Whether a loop moves a counter on in loops of fixed lengths alone: then its own turns are those of the ring."""
    inner = [loop for loop in program.loops if outer in loop.outer]
    moved = any(isinstance(op, Set) and outer in op.loops[:-1] and grows(op) for op in program.ops)
    return moved and not any(loop in free for loop in inner)


def moved_in(program: Program, loop: Loop) -> dict[int, int]:
    """The counters that a loop moves on in each of its turns, and how often: once, or as loops of fixed lengths in it
    say."""
    found: dict[int, int] = {}
    for op in program.ops:
        if isinstance(op, Set) and _moves_in(op, loop):
            inner = op.loops[op.loops.index(loop) + 1 :]
            found[op.var] = max(found.get(op.var, 1), prod(_fixed_turns(one) or 1 for one in inner))
    return found


def _moves_in(op: Set, loop: Loop) -> bool:
    if loop not in op.loops or not grows(op):
        return False
    return all(_fixed_turns(one) for one in op.loops[op.loops.index(loop) + 1 :])


def _fixed_turns(loop: Loop) -> int | None:
    ends = (loop.low.const, loop.high.const, loop.step.const)
    return None if None in ends else len(range(ends[0] or 0, ends[1] or 0, max(ends[2] or 0, 1)))


def _guards(program: Program, loop: Loop) -> dict[int, frozenset[int]]:
    """The variables in the conditions under which a loop moves each counter on, in the last such place."""
    found: dict[int, frozenset[int]] = {}
    around: list[Branch] = []
    for place, op in enumerate(program.ops):
        while around and around[-1].target <= place:
            around.pop()
        if isinstance(op, Branch):
            around.append(op)
        elif isinstance(op, Set) and _moves_in(op, loop):
            found[op.var] = frozenset().union(*(each.expr.variables() for each in around))
    return found


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
