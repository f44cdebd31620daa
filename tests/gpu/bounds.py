"""How far rounding may take the kernels in `kernels` from exact values where `default_tolerance` cannot know.

Each bound follows from the inputs: u is the unit roundoff of a type (half its eps), a sum of n terms that are rounded
to either side is off by u sqrt(n) of what is rounded, and four standard deviations of that are allowed. What is cut off
has one sign, so that n of them count n times. Must not look at results.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

import numpy as np

from tests.gpu.reference import Arrays

U_F16: Final = 2.0**-11
EPS_F32: Final = 2.0**-23
ALIGNED_F8: Final = 2.0**-13  # of the largest product, as `default_tolerance` says
SIGMAS: Final = 4
LARGEST: Final = 5  # of some 10^4 sums, in their usual size


def _most(values: Any) -> float:
    return float(np.abs(values.astype(np.float64)).max())


def _rms(values: Any) -> float:
    return sqrt(float(np.mean(np.square(values.astype(np.float64)))))


def _product(rows: Any, columns: Any) -> float:
    """The usual size of a product of a row and a row."""
    return sqrt(rows.shape[1]) * _rms(rows) * _rms(columns)


def attention(name: str, a: Arrays) -> float:
    """Weights are rounded to f16, below 2^-14 to multiples of 2^-24: out = sum(w v) / sum(w) is off by u |v|, and by
    2^-25 |v| a key. A score of four instructions loses 4 eps of itself, which is an error of the weight's exponent."""
    lost = 4 * EPS_F32 * LARGEST * _product(a["q"], a["k"])
    return (U_F16 + len(a["k"]) * 2.0**-25 + lost) * _most(a["v"])


def softmax(name: str, a: Arrays) -> float:
    """p (1 - p) <= 1/4 of twice what scores lose, in K / 16 instructions; and two roundings of exp and quotient."""
    lost = a["a"].shape[1] / 16 * EPS_F32 * LARGEST * _product(a["a"], a["b"])
    return float(lost / 2 + 2 * EPS_F32)


def halves(name: str, a: Arrays) -> float:
    """An element of f16 is rounded three times, in both instructions and when it is scaled; `total` adds 64 of them."""
    return SIGMAS * U_F16 * sqrt(3 * (64 if name == "total" else 1)) * _product(a["a"], a["b"]) * _most(a["scale"])


def scaled(name: str, a: Arrays) -> float:
    """Sums in f16: a tile takes 2 x 4 instructions in each of K / 64 turns and goes in by rows / 4; into the
    accumulator go those, and as many instructions as K has steps."""
    depth, factor, product = a["a"].shape[1], _most(a["rows"]), _product(a["a"], a["b"])
    turns, steps = depth / 64, depth / 16
    tile = 2 * product / sqrt(turns) * factor / 4
    return SIGMAS * U_F16 * sqrt(8 * turns * tile**2 + (turns + steps) * (product * (factor / 2 + 1)) ** 2)


def sparse(left: str, right: str, kept: int) -> Any:
    """Twice `kept` products: in the instruction, where each is cut to eps of the largest, and one by one in f32."""
    return lambda name, a: 2 * kept * EPS_F32 * _most(a[left]) * _most(a[right])


def sparse_f8(name: str, a: Arrays) -> float:
    """64 products in two instructions: see `default_tolerance`, whose expectation would be the product itself."""
    return 16 * ALIGNED_F8 * sqrt(2) * sqrt(64) * _rms(a["x"]) * _rms(a["w"])
