"""Whether two arrays agree, and where not. Must not know how either was computed.

|got - want| <= atol + rtol |want|; NaN agrees with NaN, an infinity with itself. `xp` is the namespace of the arrays:
NumPy, or one with the same functions on a card; single elements and sums alone leave it.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from croqc.runs.elements import ELEMENTS, Array, eps
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
_ALIGNED_F8: Final = 2.0**-13


def default_tolerance(
    elem: str,
    want: Array,
    accumulator: str | None = None,
    steps: int = 1,
    factor: str | None = None,
    xp: Any = np,
) -> Tolerance:
    """rtol = max(4 eps(elem), cut / 2), atol = max(rounded, cut) rms(want), for factors of tf32 2 eps(tf32) and
    4 eps(tf32) rms(want) more; exact for integers. Only finite values count in the rms.

    `accumulator` is the type in which a multiply kept sums, None where none did; `steps` how many times they were
    rounded, once by each instruction; `factor` the type that multiplies take factors as, where it loses digits.

    *rounded* = 4 eps(accumulator or elem) sqrt(steps): roundings to nearest, to either side. Where products are summed
    as integers, what is made of them and added up in the output's type is rounded to that.

    *cut* = eps steps: tensor cores that add in f32 cut off what does not fit, towards zero (Fasi, Higham, Mikaitis,
    Pranesh: Numerical behavior of NVIDIA tensor cores, PeerJ CS 2021; what goes into f16 is rounded to nearest). Such
    errors have one sign and add up: each instruction loses less than eps of the sum so far, which on the way to an
    element near 0 is about rms. On the way to a large one it grows evenly, and half of steps eps |want| is lost.

    Products of f8 are added with 13 bits behind the point of the largest (DeepSeek-V3 Technical Report, 2024, 3.3.2),
    so that 2^-13 stands for eps there; and each of the 32 products of an instruction loses up to one such unit of the
    largest, which is some 2 rms: a standard deviation of sqrt(32 / 12) units, of which 16 sqrt(steps) are five.

    Of an f32 factor multiplies may round off or cut off what tf32 has no bits for (PTX ISA, alternate floating-point
    data formats, promises 10 bits and no rounding). Cutting goes towards zero: each of the two factors loses up to eps
    of itself, and a sum of products up to 2 eps of itself, which is in rtol. What one product loses more or less than
    another is off to either side, about eps of a sum's usual size however long it is, which is in atol.

    The language fixes no tolerance: its host helpers (chapter 9.7) take theirs from the caller.
    """
    if eps(elem) == 0:
        return EXACT
    values = xp.asarray(want, dtype=np.float64)
    finite = values[xp.isfinite(values)]
    rms = math.sqrt(float(xp.mean(xp.square(finite)))) if finite.size else 0.0
    rounded = 4 * (eps(accumulator or elem) or eps(elem)) * math.sqrt(steps)
    cut = eps("f32") * steps if accumulator == "f32" else 0.0
    if factor is not None and ELEMENTS[factor].bits == 8:
        rounded, cut = max(rounded, 16 * _ALIGNED_F8 * math.sqrt(steps)), _ALIGNED_F8 * steps
    taken = eps("tf32") if factor == "tf32" else 0.0
    return Tolerance(max(4 * eps(elem), cut / 2) + 2 * taken, (max(rounded, cut) + 4 * taken) * rms)


def steps_apart(tolerance: Tolerance, elem: str, want: Array, xp: Any = np) -> Tolerance:
    """A tolerance for what is computed from values that two executions may round to neighbours in `elem`.

    Such a value is off by one step, eps of itself at most; so is its product with anything, and a sum of products p v
    by eps times the sum of all |p v|. Where the terms have one sign that is eps |want|, in rtol. Where they have either
    sign, so have the steps: the sum of the products is sqrt(sum of p^2 v^2) or so, which rms(want) tells, and the steps
    add up to eps of that at most, of which 4 are in atol, as of other roundings to either side.
    """
    return Tolerance(tolerance.rtol + eps(elem), tolerance.atol + default_tolerance(elem, want, xp=xp).atol)


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
