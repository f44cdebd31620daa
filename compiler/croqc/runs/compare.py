"""Whether two arrays agree, and where not. Must not know how either was computed.

|got - want| <= atol + rtol |want|; NaN agrees with NaN, an infinity with itself. `xp` is the namespace of the arrays:
NumPy, or one with the same functions on a card; single elements and sums alone leave it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from croqc.runs.elements import Array, eps
from croqc.runs.report import Box, Norms, Worst


class Tolerance(NamedTuple):
    rtol: float
    atol: float


class Comparison(NamedTuple):
    """`worst` is None only where there is no element at all. `within`: the smallest box that holds every differing
    element, start and end of each axis, the end not included; None where none differs."""

    differing: int
    total: int
    worst: Worst | None
    norms: Norms
    within: Box | None = None


EXACT = Tolerance(0.0, 0.0)


def default_tolerance(
    elem: str,
    want: Array,
    accumulator: str | None = None,
    steps: int = 1,
    factor: str | None = None,
    xp: Any = np,
) -> Tolerance:
    """rtol = 4 eps(elem) + 2 eps(factor), atol = (4 eps(accumulator) sqrt(steps) + 4 eps(factor)) rms(want); exact for
    integers.

    `accumulator` is the type in which sums were kept, by default `elem` itself; `steps` their length; `factor` the
    type that multiplies take factors as. Of an f32 factor they may round off or cut off what tf32 has no bits for (PTX
    ISA, alternate floating-point data formats, promises 10 bits and no rounding). Cutting goes towards zero: each of
    the two factors loses up to eps of itself, and a sum of products up to 2 eps of itself, which is in rtol. What one
    product loses more or less than another is off to either side, about eps of a sum's usual size however long it is,
    which is in atol. Only finite values count in the rms.
    """
    if eps(elem) == 0:
        return EXACT
    values = xp.asarray(want, dtype=np.float64)
    finite = values[xp.isfinite(values)]
    rms = math.sqrt(float(xp.mean(xp.square(finite)))) if finite.size else 0.0
    rounding = 0.0 if factor is None else eps(factor)
    return Tolerance(4 * eps(elem) + 2 * rounding, 4 * (eps(accumulator or elem) * math.sqrt(steps) + rounding) * rms)


def compare(got: Array, want: Array, tolerance: Tolerance, xp: Any = np) -> Comparison:
    """The elements of `got` outside the tolerance around `want`, which is broadcast to them.

    Raises ValueError if the shapes do not fit.
    """
    got = xp.asarray(got)
    want = xp.broadcast_to(xp.asarray(want), got.shape)
    if not got.size:
        return Comparison(0, 0, None, Norms(0.0, 0.0))
    with np.errstate(all="ignore"):
        error = _error(got, want, xp)
        size = xp.abs(xp.where(xp.isfinite(want), want, 0).astype(np.float64))
        excess = error - (tolerance.atol + tolerance.rtol * size)
        at = np.unravel_index(int(xp.argmax(excess)), got.shape)
        scale = math.sqrt(float(xp.sum(xp.square(size)))) or 1.0
        norms = Norms(float(error.max()), math.sqrt(float(xp.sum(xp.square(error)))) / scale)
    index = tuple(int(part) for part in at)
    worst = Worst(index, _plain(got[index]), _plain(want[index]))
    differs = excess > 0
    return Comparison(int(xp.count_nonzero(differs)), got.size, worst, norms, box(differs, xp))


def box(differs: Array, xp: Any = np) -> Box | None:
    """The smallest box around the elements that are true; None for none, and for a single number."""
    if not differs.ndim or not differs.any():
        return None
    axes = range(differs.ndim)
    lines = [xp.flatnonzero(differs.any(axis=tuple(other for other in axes if other != axis))) for axis in axes]
    return tuple((int(line[0]), int(line[-1]) + 1) for line in lines)


def compare_truth(holds: Array, got: Array, want: Array, xp: Any = np) -> Comparison:
    """As `compare` for a comparison that is not about nearness: `holds` says where it is true.

    The worst element is the first one where it is false, else the first.
    """
    if not holds.size:
        return Comparison(0, 0, None, Norms(0.0, 0.0))
    got, want = xp.broadcast_to(got, holds.shape), xp.broadcast_to(want, holds.shape)
    near = compare(got, want, EXACT, xp)
    index = tuple(int(part) for part in np.unravel_index(int(xp.argmin(holds)), holds.shape))
    worst = Worst(index, _plain(got[index]), _plain(want[index]))
    return Comparison(int(xp.count_nonzero(~holds)), holds.size, worst, near.norms, box(~holds, xp))


def _error(got: Array, want: Array, xp: Any) -> Array:
    """The absolute differences; infinite where only one side is NaN or an infinity."""
    if got.dtype.kind in "iub" and want.dtype.kind in "iub":
        distance = xp.abs(got.astype(np.float64) - want.astype(np.float64))
        exact: Array = xp.where(got == want, 0.0, xp.maximum(distance, 1.0))  # f64 may lose a difference of 1
        return exact
    left, right = got.astype(np.float64), want.astype(np.float64)
    same = (left == right) | (xp.isnan(left) & xp.isnan(right))
    distance = xp.abs(left - right)
    found: Array = xp.where(same, 0.0, xp.where(xp.isnan(distance), np.inf, distance))
    return found


def _plain(value: Any) -> float | int:
    return int(value) if value.dtype.kind in "iub" else float(value)
