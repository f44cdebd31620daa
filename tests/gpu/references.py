"""What each example must compute, written by hand from the first line of its file, apart from its `expect` lines and
from everything of the product: functions over arrays in f64 (int64 for integers), for NumPy or CuPy. Must not run
kernels.

`ragged` says what comes of sizes that no tile divides: "right" where the kernel's copies clip and fill, "wrong" where
its text divides extents by tiles and leaves the rest out, "refused" where an assertion, a copy or a tensor map forbids
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tests.gpu.reference import RESULT, Arrays, Reference, depth_of, of_rows, product
from tests.gpu.references_kernels import KERNELS


def _padded(xp: Any, a: Arrays) -> dict[str, Any]:
    """Six rows of 28 become eight of 32: a row of zeros above and below, two columns on either side."""
    blocks = a["src"].reshape(-1, 6, 28)
    return {"out": xp.pad(blocks, ((0, 0), (1, 1), (2, 2))).reshape(-1, 32)}


def _row_sums(xp: Any, a: Arrays) -> dict[str, Any]:
    return {"total": a["src"].sum(axis=1)}


_GEMM: Final = Reference(of_rows("lhs", "rhs", "output"), depth_of("lhs"), "f32", 16)
_SUMS: Final = Reference(_row_sums, depth_of("src"))


def reference_of(file: str, function: str) -> Reference:
    """By file, or by file and function where it has several."""
    return REFERENCES.get(file) or REFERENCES[f"{file}: {function}"]


REFERENCES: Final[Mapping[str, Reference]] = {
    **KERNELS,
    "add.co": Reference(lambda xp, a: {RESULT: a["a"] + a["b"]}),
    "add_tiled.co": Reference(lambda xp, a: {"sum": a["a"] + a["b"]}, exact=True, ragged="wrong"),
    "gemm_bf16.co": _GEMM,
    "gemm_f16.co": _GEMM,
    "gemm_f8.co": replace(_GEMM, k_step=32, factor="f8_e4m3", ragged="refused"),
    "matmul_ragged.co": _GEMM,
    "matmul_scalar.co": Reference(product("lhs", "rhs", RESULT), depth_of("lhs"), ragged="wrong"),
    "pad.co": Reference(_padded, exact=True, ragged="wrong"),
    "persistent_1p2c.co": _GEMM,
    "pipeline_1p2c.co": _GEMM,
    "pipeline_classic.co": _GEMM,
    "pipeline_course.co": replace(_GEMM, accumulator="f16", ragged="wrong"),
    "pipeline_current.co": _GEMM,
    "reduce.co": _SUMS,
    "rotate_triple.co": Reference(lambda xp, a: {"out": 3 * a["src"]}, exact=True, ragged="wrong"),
    "row_scale.co": Reference(lambda xp, a: {"out": a["src"] * a["weight"][:, None]}, ragged="refused"),
    "row_sum.co": replace(_SUMS, ragged="refused"),
    "stream_add.co": Reference(lambda xp, a: {"sum": a["a"] + a["b"]}, ragged="refused"),
    "swap_f16.co": replace(_GEMM, ragged="wrong"),
    "swap_s32.co": Reference(product("lhs", "rhs", RESULT), exact=True, double="wrong", ragged="wrong"),
    "transpose.co": Reference(lambda xp, a: {"out": a["src"].T}, exact=True, ragged="refused"),
    "transpose_f32.co": Reference(lambda xp, a: {"out": a["src"].T}, exact=True, ragged="refused"),
}
