"""How an independent reference is written down: what a kernel must compute, and how near it must come. Must not know
kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from croqc.runs.compare import EXACT, Tolerance, default_tolerance

Arrays = Mapping[str, Any]
_ELEMS: Final = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16"}
RESULT: Final = ""  # the name of what a function returns


@dataclass(frozen=True)
class Reference:
    """`compute` gives each output from the inputs. `depth`: how many terms the sum behind an element has;
    `accumulator`, `k_step` and `factor`: what rounds it, as in `compare.default_tolerance`; `beyond`: the error of each
    output where the kernel's own steps make a greater one, worked out from the inputs (`bounds`). `exact`: nothing is
    rounded. `double` and `ragged`: what comes of those sizes."""

    compute: Callable[[Any, Arrays], dict[str, Any]]
    depth: Callable[[Arrays], int] = lambda arrays: 1
    accumulator: str | None = None
    k_step: int = 1
    factor: str | None = None
    beyond: Callable[[str, Arrays], float] = lambda name, arrays: 0.0
    exact: bool = False
    double: str = "right"
    ragged: str = "right"

    def outcome(self, kind: str) -> str:
        """What must come of a case of this kind."""
        return {"double": self.double, "ragged": self.ragged}.get(kind, "right")

    def tolerance(self, name: str, got: Any, want: Any, arrays: Arrays) -> Tolerance:
        """Of one output as the kernel left it, whose exact values are `want`."""
        if self.exact or got.dtype.kind in "iub":
            return EXACT
        rounded = -(-self.depth(arrays) // self.k_step)
        found = default_tolerance(_ELEMS[got.dtype.name], want, self.accumulator, rounded, self.factor)
        return Tolerance(found.rtol, max(found.atol, self.beyond(name, arrays)))


def of_rows(left: str, right: str, out: str) -> Callable[[Any, Arrays], dict[str, Any]]:
    """out[i, j]: the product of row i of one and row j of the other."""
    return lambda xp, a: {out: xp.einsum("ik,jk->ij", a[left], a[right], optimize=True)}


def product(left: str, right: str, out: str) -> Callable[[Any, Arrays], dict[str, Any]]:
    """out[i, j]: the product of row i of one and column j of the other."""
    return lambda xp, a: {out: xp.einsum("ik,kj->ij", a[left], a[right], optimize=True)}


def depth_of(name: str) -> Callable[[Arrays], int]:
    return lambda arrays: int(arrays[name].shape[1])
