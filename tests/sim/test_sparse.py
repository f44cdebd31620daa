"""Sparse multiplies (reference, 6.7): A keeps two of every four elements, metadata says which."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import Array, ran, run

KERNEL = """__co__ void mul(global f16 [64, 16] x, global f16 [8, 32] w, global u8 [64, 4] bits, global f32 [64, 8] y) {
  parallel b by 1 : block, g by 1 : group-4 {
    shared f16 [64, 16] xs;
    shared f16 [8, 32] ws;
    shared u8 [64, 4] es;
    dma.copy x => xs;
    dma.copy w => ws;
    dma.copy bits => es;
    c = mma.fill.f32 0.0f;
    e = mma.load es;
    mma.row.row.sp c, xs, ws, e;
    mma.commit;
    mma.store c, y;
  }
}
"""
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def data(seed: int) -> tuple[dict[str, Array], Array]:
    """Small integers, and A as it is without compression, built group by group."""
    rng = np.random.default_rng(seed)
    packed = rng.integers(-4, 5, (64, 16)).astype(np.float16)
    dense, bits = np.zeros((64, 32)), np.zeros((64, 4), np.uint8)
    for row in range(64):
        for group in range(8):
            first, second = PAIRS[rng.integers(len(PAIRS))]
            dense[row, 4 * group + first] = packed[row, 2 * group]
            dense[row, 4 * group + second] = packed[row, 2 * group + 1]
            bits[row, group // 2] |= (first | second << 2) << 4 * (group % 2)
    w = rng.integers(-4, 5, (8, 32)).astype(np.float16)
    return {"x": packed, "w": w, "bits": bits, "y": np.full((64, 8), np.nan, np.float32)}, dense


@pytest.mark.parametrize("seed", range(3))
def test_a_sparse_multiply_is_the_dense_one_of_what_was_kept(seed: int) -> None:
    arrays, dense = data(seed)
    result = ran(KERNEL, arrays, seed=seed)
    assert result.outputs["y"].tolist() == (dense @ arrays["w"].astype(np.float64).T).tolist()
    assert result.notes == ()


def test_metadata_in_words_has_the_same_bits() -> None:
    arrays, dense = data(5)
    arrays["bits"] = arrays["bits"].view("<u4")
    text = KERNEL.replace("u8 [64, 4]", "u32 [64, 1]")
    assert ran(text, arrays).outputs["y"].tolist() == (dense @ arrays["w"].astype(np.float64).T).tolist()


def test_metadata_that_names_a_place_twice_is_noted() -> None:
    arrays, _ = data(0)
    arrays["bits"][3, 1] = 0b0101_0100
    assert any("ascending" in text for text in ran(KERNEL, arrays).notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (KERNEL.replace("u8 [64, 4]", "u8 [64, 8]"), "the metadata has 512 bytes, 256 are needed"),
        (KERNEL.replace("ws, e;", "ws;"), "sparse multiplies without metadata are not simulated"),
    ],
)
def test_metadata_that_does_not_fit(text: str, message: str) -> None:
    arrays, _ = data(0)
    if "[64, 8] bits" in text:
        arrays["bits"] = np.zeros((64, 8), np.uint8)
    result = run(text, arrays)
    assert result.error is not None
    assert result.error.message == message
    assert text[result.error.span.start :].startswith("mma.row.row.sp")
