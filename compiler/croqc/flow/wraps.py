"""Where values leave their types as sizes grow: what is cut to 32 bits or more comes round. Must not choose sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Final

from croqc.flow.exprs import COMPARE, Env, Expr, UndecidedError, closure
from croqc.flow.program import Program, Size
from croqc.flow.ranges import ANY, TRUTH, Range, combined, joined, within
from croqc.sema.elements import limits

_NARROW: Final = 16  # bits whose values are seen to come again
_INDEX: Final[Range] = (0, limits("s32")[1])
_HALVES: Final = 4  # of what a type holds, up to which a value is followed
_BESIDE: Final = (-1, 0, 1)
_LAST: Final = 3  # values of a size at the end of its type
Ends = Mapping[int, Range]


def ends_of(program: Program) -> Ends:
    """Between which ends the sizes lie; a block index is no size here."""
    return {size.var: size.ends for size in program.sizes if size.bound is None}


def leaves(expr: Expr, ends: Ends) -> bool:
    """Whether a value is cut that may be too large for its type. What is below zero is another matter."""
    if expr.op != "cut" or abs(expr.value) <= _NARROW:
        return False
    return _range(expr.args[0], ends)[1] > _held(expr.value)[1]


def where_it_leaves(exprs: Sequence[Expr], ends: Ends, size: Size) -> Iterator[int]:
    """The values of a size beside which something leaves its type, the others being small; and the largest ones."""
    for part in (part for expr in exprs for part in expr.walk() if part.op == "cut"):
        if size.var in part.variables() and leaves(part, ends):
            yield from range(size.ends[1] - _LAST + 1, size.ends[1] + 1)
            half = 1 << (abs(part.value) - 1)
            for turn in range(1, _HALVES + 1):
                value = _reaching(part.args[0], size, turn * half)
                yield from () if value is None else (value + more for more in _BESIDE)


def _reaching(expr: Expr, size: Size, limit: int) -> int | None:
    """The first value of a size at which what grows with it comes to a limit."""
    env: Env = [0] * (max(expr.variables()) + 1)
    code = closure(expr)
    low, high = size.least, size.ends[1]
    with suppress(UndecidedError):
        env[size.var] = high
        if code(env) < limit:
            return None
        while high - low > 1:
            env[size.var] = middle = (low + high) // 2
            low, high = (low, middle) if code(env) >= limit else (middle, high)
        return high
    return None


def _held(bits: int) -> Range:
    return limits(f"{'u' if bits > 0 else 's'}{abs(bits)}")


def _range(expr: Expr, ends: Ends) -> Range:
    if expr.op == "k":
        return expr.value, expr.value
    if expr.op == "v":
        return ends.get(expr.value, _INDEX)
    if expr.op in COMPARE or expr.op in ("&&", "||", "!"):
        return TRUTH
    parts = [_range(arg, ends) for arg in expr.args]
    match expr.op:
        case "cut":
            return parts[0] if within(parts[0], _held(expr.value)) else _held(expr.value)
        case "neg":
            return -parts[0][1], -parts[0][0]
        case "?:":
            return joined(parts[1], parts[2])
        case _ if len(parts) == 2:
            return combined(expr.op, parts[0], parts[1], ANY)
    return ANY
