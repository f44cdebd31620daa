"""Whether two parts of one slot share an element: along the dimensions of the slot, or by the stretches of elements
that parts behind other shapes lie in. Must not know who runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import gcd

from croqc.flow.exprs import Env, Expr, const
from croqc.flow.laid import runs
from croqc.flow.regions import Extent, Interval, Operand, Ranges, span
from croqc.sema.types import Data

_LINEAR = frozenset("+-*")
_MOST = 256  # stretches of elements of a part
_Lying = tuple[list[Interval], bool]
"""Ascending stretches of a buffer's elements, and whether all of them are touched."""


def overlap(a: Operand, env_a: Env, over_a: Ranges, b: Operand, env_b: Env, over_b: Ranges) -> bool | None:
    """Whether two parts of one slot share an element; None where that is not known."""
    if a.whole and a.exact(env_a) and b.exact(env_b):
        return True
    if b.whole and b.exact(env_b) and a.exact(env_a):
        return True
    if not a.part or len(a.part) != len(b.part):
        return _by_elements(_lying(a, env_a, over_a), _lying(b, env_b, over_b))
    sure = a.exact(env_a) and b.exact(env_b)
    for one, other in zip(a.part, b.part, strict=True):
        first, second = span(one, env_a, over_a), span(other, env_b, over_b)
        if first is None or second is None:
            sure = False
            continue
        if first[1] <= second[0] or second[1] <= first[0] or _interleaved(one, env_a, other, env_b):
            return False
        sure = sure and first[2] and second[2]
    return True if sure else None


def _interleaved(one: Extent, env: Env, other: Extent, there: Env) -> bool:
    """Whether two extents lie between each other: `l * 8 + w` for unlike w."""
    lengths = [None if each.length is None else each.length.const for each in (one, other)]
    if one.low is None or other.low is None or lengths[0] is None or lengths[1] is None:
        return False
    (step, first), (other_step, second) = _rest(one.low, env), _rest(other.low, there)
    period = gcd(step, other_step)
    ahead = (second - first) % period if period else 0
    return period > 1 and lengths[0] <= ahead and lengths[1] <= period - ahead


def _rest(expr: Expr, env: Env) -> tuple[int, int]:
    """(n, r) for a value that is r and some multiple of n; n is 0 where it has one value alone."""
    if expr.op == "k":
        return 0, expr.value
    if expr.op == "v":
        value = env[expr.value]
        return (0, value) if isinstance(value, int) else (1, 0)
    if expr.op not in _LINEAR or len(expr.args) != 2:
        return 1, 0
    (step, rest), (other_step, other) = (_rest(arg, env) for arg in expr.args)
    if expr.op == "*":
        return (
            (step * other, rest * other)
            if not other_step
            else (other_step * rest, other * rest)
            if not step
            else (1, 0)
        )
    return gcd(step, other_step), rest + other if expr.op == "+" else rest - other


def _by_elements(a: _Lying | None, b: _Lying | None) -> bool | None:
    """As `overlap`, of parts that lie in one buffer."""
    if a is None or b is None:
        return None
    (first, sure), (second, certain) = a, b
    if not _meet(first, second):
        return False
    return True if sure and certain else None


def _meet(first: Sequence[Interval], second: Sequence[Interval]) -> bool:
    """Whether some stretches of two ascending rows share an element."""
    at = other = 0
    while at < len(first) and other < len(second):
        (low, behind), (start, end) = first[at], second[other]
        if low < end and start < behind:
            return True
        if behind <= end:
            at += 1
        else:
            other += 1
    return False


def _lying(operand: Operand, env: Env, over: Ranges) -> _Lying | None:
    """Where the elements of a part lie in its buffer; None where that is not understood."""
    stage, laid = operand.stage, operand.laid
    if stage is None or not isinstance(stage.symbol.type, Data):
        return None
    extents = [extent.const for extent in stage.symbol.type.shape]
    shape = list(laid.shape) if laid is not None else [extent for extent in extents if extent is not None]
    part = operand.part if laid is None else laid.part
    if len(shape) != (len(extents) if laid is None else len(laid.shape)) or len(part) != len(shape):
        return None
    base = span(Extent(const(0) if laid is None else laid.base, const(1)), env, over)
    spans = [span(each, env, over) for each in part]
    known = [each for each in spans if each is not None]
    if base is None or len(known) < len(spans):
        return None
    box = [(max(low, 0), min(behind, size)) for (low, behind, _), size in zip(known, shape, strict=True)]
    found = list(islice(runs(box, shape), _MOST + 1))
    if len(found) > _MOST:
        return None
    moved = base[1] - base[0] - 1  # a base that may lie at several places makes each stretch longer
    exact = all(sure for _, _, sure in known) and moved == 0 and (stage.rows is not None or operand.exact(env))
    return [(low + base[0], behind + base[0] + moved) for low, behind in found], exact
