"""What each example must compute, written by hand from the first line of its file, apart from its `expect` lines and
from everything of the product: functions over arrays in f64 (int64 for integers), for NumPy or CuPy. Must not run
kernels.

`ragged` says what comes of sizes that no tile divides: "right" where the kernel's copies clip and fill, "wrong" where
its text divides extents by tiles and leaves the rest out, "refused" where an assertion, a copy or a tensor map forbids
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from croqc.runs.compare import EXACT, Tolerance, default_tolerance

Arrays = Mapping[str, Any]
RESULT: Final = ""  # the name of what a function returns


@dataclass(frozen=True)
class Reference:
    """`compute` gives each output from the inputs. `elem`: the outputs' type; `depth`: how many terms the sum behind an
    element has; `accumulator`, `k_step` and `factor`: what rounds it, as in `compare.default_tolerance`; `atol`: an
    error beyond that, which the hardware makes. `double` and `ragged`: what comes of those sizes."""

    compute: Callable[[Any, Arrays], dict[str, Any]]
    elem: str
    depth: Callable[[Arrays], int] = lambda arrays: 1
    accumulator: str | None = None
    k_step: int = 1
    factor: str | None = None
    atol: float = 0.0
    exact: bool = False
    double: str = "right"
    ragged: str = "right"

    def outcome(self, kind: str) -> str:
        """What must come of a case of this kind."""
        return {"double": self.double, "ragged": self.ragged}.get(kind, "right")

    def tolerance(self, want: Any, arrays: Arrays) -> Tolerance:
        """Of one output, whose exact values are `want`."""
        if self.exact:
            return EXACT
        rounded = -(-self.depth(arrays) // self.k_step)
        found = default_tolerance(self.elem, want, self.accumulator, rounded, self.factor)
        return Tolerance(found.rtol, max(found.atol, self.atol))


def of_rows(left: str, right: str, out: str) -> Callable[[Any, Arrays], dict[str, Any]]:
    """out[i, j]: the product of row i of one and row j of the other."""
    return lambda xp, a: {out: xp.einsum("ik,jk->ij", a[left], a[right], optimize=True)}


def product(left: str, right: str, out: str) -> Callable[[Any, Arrays], dict[str, Any]]:
    """out[i, j]: the product of row i of one and column j of the other."""
    return lambda xp, a: {out: xp.einsum("ik,kj->ij", a[left], a[right], optimize=True)}


def depth_of(name: str) -> Callable[[Arrays], int]:
    return lambda arrays: int(arrays[name].shape[1])


def _padded(xp: Any, a: Arrays) -> dict[str, Any]:
    """Six rows of 28 become eight of 32: a row of zeros above and below, two columns on either side."""
    blocks = a["src"].reshape(-1, 6, 28)
    return {"out": xp.pad(blocks, ((0, 0), (1, 1), (2, 2))).reshape(-1, 32)}


def _row_sums(xp: Any, a: Arrays) -> dict[str, Any]:
    return {"total": a["src"].sum(axis=1)}


_GEMM: Final = Reference(of_rows("lhs", "rhs", "output"), "f16", depth_of("lhs"), "f32", 16)
_CORR: Final = Reference(of_rows("q", "k", "out"), "f32", depth_of("q"), "f32", 16, ragged="wrong")
_SUMS: Final = Reference(_row_sums, "f32", depth_of("src"))


def reference_of(file: str, function: str) -> Reference:
    """By file, or by file and function where it has several."""
    return REFERENCES.get(file) or REFERENCES[f"{file}: {function}"]


REFERENCES: Final[Mapping[str, Reference]] = {
    "add.co": Reference(lambda xp, a: {RESULT: a["a"] + a["b"]}, "f32"),
    "add_tiled.co": Reference(lambda xp, a: {"sum": a["a"] + a["b"]}, "s32", exact=True, ragged="wrong"),
    "gemm_bf16.co": replace(_GEMM, elem="bf16"),
    "gemm_f16.co": _GEMM,
    "gemm_f8.co": replace(_GEMM, elem="bf16", k_step=32, atol=0.1, ragged="refused"),
    "matmul_ragged.co": replace(_GEMM, elem="f32"),
    "matmul_scalar.co": Reference(product("lhs", "rhs", RESULT), "f32", depth_of("lhs"), ragged="wrong"),
    "pad.co": Reference(_padded, "f32", exact=True, ragged="wrong"),
    "persistent_1p2c.co": _GEMM,
    "pipeline_1p2c.co": _GEMM,
    "pipeline_classic.co": _GEMM,
    "pipeline_course.co": replace(_GEMM, accumulator="f16", ragged="wrong"),
    "pipeline_current.co": _GEMM,
    "reduce.co": _SUMS,
    "rotate_triple.co": Reference(lambda xp, a: {"out": 3 * a["src"]}, "s32", exact=True, ragged="wrong"),
    "row_scale.co": Reference(lambda xp, a: {"out": a["src"] * a["weight"][:, None]}, "f32", ragged="refused"),
    "row_sum.co": replace(_SUMS, ragged="refused"),
    "stream_add.co": Reference(lambda xp, a: {"sum": a["a"] + a["b"]}, "f32", ragged="refused"),
    "swap_f16.co": replace(_GEMM, ragged="wrong"),
    "swap_s32.co": Reference(product("lhs", "rhs", RESULT), "s32", exact=True, double="wrong", ragged="wrong"),
    "transpose.co": Reference(lambda xp, a: {"out": a["src"].T}, "f16", exact=True, ragged="refused"),
    "transpose_f32.co": Reference(lambda xp, a: {"out": a["src"].T}, "f32", exact=True, ragged="refused"),
    "tma_futures.co: swapped": replace(_GEMM, elem="f32"),
    "tma_futures.co: at_once": Reference(lambda xp, a: {"out": a["src"]}, "f16", exact=True),
    "tma_futures.co: between": Reference(lambda xp, a: {"out": a["src"]}, "f16", exact=True),
    "warp_32x8.co": _CORR,
    "warp_bf16.co": _CORR,
    "warp_f16_16x8x16.co": _CORR,
    "warp_f16_16x8x8.co": replace(_CORR, k_step=8),
    "warp_f16_acc.co": replace(_CORR, elem="f16", accumulator="f16"),
    "warp_f8.co": replace(_CORR, k_step=32, atol=0.1),
    "warp_row_col.co": Reference(product("a", "b", "out"), "f32", depth_of("a"), "f32", 16, ragged="wrong"),
    "warp_s8.co": replace(_CORR, elem="s32", exact=True),
    "warp_s8_k16.co": replace(_CORR, elem="s32", exact=True),
    "warp_tf32.co": replace(_CORR, k_step=8, factor="tf32"),
    "warp_wmma.co": replace(_CORR, ragged="right"),
    "wgmma_a_registers.co": replace(_CORR, compute=of_rows("a", "b", "out"), depth=depth_of("a")),
}
