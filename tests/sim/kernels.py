"""Kernels of the tests and a way to run them. Holds no test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, SimResult, simulate
from croqc.sema.analyze import analyze
from croqc.sema.model import Context, Model
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS

Array = NDArray[Any]

SWAP = """__co__ auto matmul(s32 [M, K] lhs, s32 [K, N] rhs) {
  s32 [lhs.span(0), rhs.span(1)] output;

  parallel {px, py} by [8, 16] : block
    parallel {qx, qy} by [16, 16] : thread {

    with tile_k in 16 {
      lf0 = dma.copy lhs.chunkat(px, tile_k) => shared;
      rf0 = dma.copy rhs.chunkat(tile_k, py) => shared;

      lf1 = dma.any;
      rf1 = dma.any;

      foreach tile_k(1:) {
        lf1 = dma.copy lhs.chunkat(px, tile_k) => shared;
        rf1 = dma.copy rhs.chunkat(tile_k, py) => shared;

        foreach k in [256 / #tile_k]
          output.at(px#qx, py#qy) += lf0.data.at(qx, k) * rf0.data.at(k, qy);

        swap(lf0, lf1);
        swap(rf0, rf1);
      }

      foreach k in [256 / #tile_k]
        output.at(px#qx, py#qy) += lf0.data.at(qx, k) * rf0.data.at(k, qy);
    }
  }

  return output;
}
"""

PIPELINE_DEFINES = {
    "MATMUL_WARP_M": "64",
    "MATMUL_WARP_N": "64",
    "MATMUL_TILE_K": "128",
    "MATMUL_WARP_K": "16",
    "MATMUL_STAGES": "2",
}

BOOTSTRAP = """        foreach {s} in [MATMUL_STAGES] {
          trigger empty[s];
        }
"""

PIPELINE = (
    """__co__ void matmul(global f16 [M, K] lhs, global f16 [N, K] rhs, global f16 [M, N] output) {
  parallel {block_m, block_n} by [cdiv(M, MATMUL_WARP_M), cdiv(N, MATMUL_WARP_N)] : block {
    shared event full[MATMUL_STAGES], empty[MATMUL_STAGES];
    shared f16 [MATMUL_WARP_M, MATMUL_TILE_K] lhs_load_s[MATMUL_STAGES];
    shared f16 [MATMUL_WARP_N, MATMUL_TILE_K] rhs_load_s[MATMUL_STAGES];
    shared f16 [MATMUL_WARP_M, MATMUL_WARP_N] output_s;

    parallel p1 by 2 : group-4 {
      inthreads.async (p1 == 0) {
        foreach {iv_k} in [cdiv(K, MATMUL_TILE_K)] {
          stage = iv_k % MATMUL_STAGES;
          wait empty[stage];
          dma.copy lhs.subspan(MATMUL_WARP_M, MATMUL_TILE_K).at(block_m, iv_k)
            => lhs_load_s[stage];
          dma.copy rhs.chunkat(block_n, iv_k)
            => rhs_load_s[stage];
          trigger full[stage];
        }
      }

      inthreads.async (p1 == 1) {
        mc = mma.fill.f16 0.0f;
"""
    + BOOTSTRAP
    + """        foreach {iv_k} in [cdiv(K, MATMUL_TILE_K)] {
          stage = iv_k % MATMUL_STAGES;
          wait full[stage];
          foreach {iv_warp} in [cdiv(MATMUL_TILE_K, MATMUL_WARP_K)] {
            ma = mma.load lhs_load_s[stage].chunkat(_, iv_warp);
            mb = mma.load rhs_load_s[stage].chunkat(_, iv_warp);
            mma.row.row mc, ma, mb;
          }
          mma.commit;
          trigger empty[stage];
        }
        mma.store mc, output_s;
        dma.copy output_s => output.subspan(MATMUL_WARP_M, MATMUL_WARP_N).at(block_m, block_n);
      }
    }
  }
}
"""
)


def model_of(text: str, defines: Mapping[str, str] | None = None, arch: str = "sm_90a") -> Model:
    """The model of the one function of a text that parses without a finding."""
    tree = parse_file(text, defines or {})
    assert [finding.message for finding in tree.findings] == []
    function = tree.functions[0].tree
    assert function is not None
    return analyze(function, Context(TARGETS[arch])).model


def run(
    text: str,
    arrays: Mapping[str, Array],
    scalars: Mapping[str, int | float | bool] | None = None,
    *,
    defines: Mapping[str, str] | None = None,
    arch: str = "sm_90a",
    **options: Any,
) -> SimResult:
    """Simulates the text's function on arrays."""
    return simulate(model_of(text, defines, arch), LaunchArgs(arrays, scalars or {}), SimOptions(**options))


def ran(text: str, arrays: Mapping[str, Array], scalars: Mapping[str, Any] | None = None, **options: Any) -> SimResult:
    """As `run`, and the run must have come to its end."""
    result = run(text, arrays, scalars, **options)
    assert result.error is None, result.error.message
    assert result.hang == ()
    return result


def half_matrices(m: int, n: int, k: int, seed: int = 0) -> tuple[Array, Array]:
    """f16 operands [m, k] and [n, k]."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((n, k)).astype(np.float16)


def run_pipeline(text: str, size: int, **options: Any) -> tuple[SimResult, Array]:
    """The pipeline on square matrices, and what it should give."""
    lhs, rhs = half_matrices(size, size, size)
    empty = np.full((size, size), np.nan, np.float16)
    arrays = {"lhs": lhs, "rhs": rhs, "output": empty}
    result = run(text, arrays, defines=PIPELINE_DEFINES, **options)
    return result, lhs.astype(np.float64) @ rhs.astype(np.float64).T


def is_product(got: Array, want: Array, k: int) -> bool:
    """Whether f16 sums of k products are as good as sixteen at a time, rounded to f16, can be."""
    error = np.abs(got.astype(np.float64) - want)
    return bool((error <= 4 * 2**-10 * np.sqrt(k / 16) * np.sqrt(np.mean(want**2)) + 2**-10 * np.abs(want)).all())
