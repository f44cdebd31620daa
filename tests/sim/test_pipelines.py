"""Rings, roles and handles in all dialects: every schedule gives the product, and faults show."""

from __future__ import annotations

import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tests.sim.kernels import half_matrices, is_product, ran, run

EXAMPLES = Path(__file__).parents[2] / "examples"


def read(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


PRODUCTS = [
    ("pipeline_classic", 128, 192, 512),
    ("pipeline_course", 128, 128, 384),
    ("pipeline_current", 192, 64, 704),
    ("pipeline_1p2c", 256, 128, 512),
    ("persistent_1p2c", 384, 192, 192),
    ("swap_f16", 128, 128, 512),
]


@pytest.mark.parametrize(("name", "m", "n", "k"), PRODUCTS, ids=[row[0] for row in PRODUCTS])
@pytest.mark.parametrize("seed", range(3))
def test_products(name: str, m: int, n: int, k: int, seed: int) -> None:
    lhs, rhs = half_matrices(m, n, k)
    output = np.full((m, n), np.nan, np.float16)
    result = ran(read(name), {"lhs": lhs, "rhs": rhs, "output": output}, seed=seed)
    assert is_product(result.outputs["output"], lhs.astype(np.float64) @ rhs.astype(np.float64).T, k)


@pytest.mark.parametrize("sizes", [(100, 88, 200), (1, 8, 8), (64, 64, 64)])
def test_ragged_sizes(sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    rng = np.random.default_rng(2)
    lhs, rhs = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((m, k), (n, k)))
    output = np.full((m, n), np.nan, np.float32)
    result = ran(read("matmul_ragged"), {"lhs": lhs, "rhs": rhs, "output": output})
    want = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    assert np.abs(result.outputs["output"] - want).max() < 1e-4


@pytest.mark.parametrize("seed", range(4))
def test_rotating_three_handles(seed: int) -> None:
    src = np.random.default_rng(1).integers(-8, 9, (64, 320)).astype(np.int32)
    result = ran(read("rotate_triple"), {"src": src, "out": np.zeros_like(src)}, seed=seed)
    assert (result.outputs["out"] == src * 3).all()


def test_rotating_without_waiting_gives_wrong_data_under_some_schedule() -> None:
    src = np.random.default_rng(1).integers(-8, 9, (64, 320)).astype(np.int32)
    text = re.sub(r"wait \w+(?:, \w+)*;", "", read("rotate_triple"))
    results = [run(text, {"src": src, "out": np.zeros_like(src)}, seed=seed) for seed in range(4)]
    assert any((result.outputs["out"] != src * 3).any() for result in results)


def test_an_asynchronous_swap_without_its_wait_gives_wrong_data_under_some_schedule() -> None:
    lhs, rhs = half_matrices(128, 128, 512)
    text = read("swap_f16").replace("wait lf0, rf0;", "")
    want = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    arrays = {"lhs": lhs, "rhs": rhs, "output": np.zeros((128, 128), np.float16)}
    outputs = [run(text, arrays, seed=seed).outputs["output"] for seed in range(4)]
    assert any(not is_product(got, want, 512) for got in outputs)


@pytest.mark.parametrize("other", ["swiz<64>", "swiz<0>", "swiz"])
def test_a_swizzle_that_producer_and_consumer_do_not_share_gives_wrong_data(other: str) -> None:
    lhs, rhs = half_matrices(128, 192, 512)
    text = read("pipeline_classic")
    assert "mma.load.swiz<128>" in text
    arrays = {"lhs": lhs, "rhs": rhs, "output": np.zeros((128, 192), np.float16)}
    result = run(text.replace("mma.load.swiz<128> rhs_s", f"mma.load.{other} rhs_s"), arrays)
    want = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    assert result.error is None
    assert not is_product(result.outputs["output"], want, 512)


def test_a_bootstrap_for_every_tile_of_a_persistent_loop_is_noticed() -> None:
    """Twice the credit: arrivals run ahead of the waits, and the run hangs or gives wrong data."""
    text = read("persistent_1p2c")
    unguarded = re.sub(r"if \(\w+ == 0\)", "if (true)", text)
    assert unguarded != text
    lhs, rhs = half_matrices(384, 192, 192)
    want = lhs.astype(np.float64) @ rhs.astype(np.float64).T
    arrays = {"lhs": lhs, "rhs": rhs, "output": np.zeros((384, 192), np.float16)}
    results = [run(unguarded, arrays, seed=seed) for seed in range(4)]
    assert any(result.hang or result.error or not is_product(result.outputs["output"], want, 192) for result in results)
