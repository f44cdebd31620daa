"""Views, tuples of indices, handles and register tiles in whole programs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import Array, half_matrices, ran

A, B = half_matrices(64, 64, 64)
PRODUCT = A.astype(np.float64) @ B.astype(np.float64).T


def counted(*shape: int) -> Array:
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


def block(body: str, src: Array, shape: tuple[int, ...] | None = None, seed: int = 0) -> Array:
    """Runs a body in one block with `src` and `out`."""
    shape = src.shape if shape is None else shape
    dims, outs = (", ".join(map(str, each)) for each in (src.shape, shape))
    text = f"__co__ void f(global s32 [{dims}] src, global s32 [{outs}] out) {{ parallel b by 1 : block {{ {body} }} }}"
    return ran(text, {"src": src, "out": np.full(shape, -1, np.int32)}, seed=seed).outputs["out"]


def one(body: str) -> str:
    return f"parallel t by 1 : thread {{ {body} }}"


def test_a_tuple_of_indices_runs_over_a_shape() -> None:
    src = counted(6, 8)
    assert (block(one("foreach v in src.span { out.at(v) = src.at(v) * 2; }"), src) == src * 2).all()


def test_a_tuple_follows_its_named_parts() -> None:
    src = counted(3, 4)
    got = block(one("with q = {x, y} in [3, 4] { foreach x, y { out.at(q) = x * 10 + y; } }"), src)
    assert got.tolist() == (10 * np.arange(3)[:, None] + np.arange(4)).tolist()


def test_equal_indices_move_together() -> None:
    src = counted(4)
    assert block(one("with i in 4, j in 4 where i <-> j { foreach i { out.at(j) = i * 10; } }"), src).tolist() == [
        0,
        10,
        20,
        30,
    ]


def test_ranges_start_stop_and_step() -> None:
    src = counted(10)
    got = block(one("foreach k in 10 { out.at(k) = 0; } with k in 10 { foreach k(1:-1:3) { out.at(k) = 1; } }"), src)
    assert np.flatnonzero(got).tolist() == [1, 4, 7]


def test_the_remainder_and_a_window() -> None:
    src = counted(100)
    got = block(
        """foreach i in 3 { l = dma.copy src.subspan(32).at(i) => shared; dma.copy l => out.subspan(32).at(i); }
        r = dma.copy src.modspan(32) => shared;
        dma.copy r.data => out.view(4).from(96);""",
        src,
    )
    assert (got == src).all()


def test_overlapping_tiles_and_chunks_by_number() -> None:
    src = counted(16)
    got = block("dma.copy src.subspan(4).step(2).at(3) => out.chunk(4).at(1);", src)
    assert got[4:8].tolist() == [6, 7, 8, 9]
    assert (np.delete(got, slice(4, 8)) == -1).all()


@pytest.mark.parametrize("seed", range(4))
def test_double_buffers_stay_two_buffers_when_the_loop_is_entered_again(seed: int) -> None:
    src = counted(3, 64)
    got = block(
        """foreach r in 3 {
          with c in 4 {
            f0 = dma.copy.async src.view(1, 16).from(r, 0) => shared;
            f1 = dma.any;
            foreach c(1:) {
              f1 = dma.copy.async src.view(1, 16).from(r, c * 16) => shared;
              wait f0;
              dma.copy f0.data => out.view(1, 16).from(r, (c - 1) * 16);
              swap(f0, f1);
            }
            wait f0;
            dma.copy f0.data => out.view(1, 16).from(r, 48);
          }
        }""",
        src,
        seed=seed,
    )
    assert (got == src).all()


def test_a_host_copy_feeds_a_kernel() -> None:
    text = """__co__ void f(s32 [N] src, global s32 [N] out) {
      f = dma.copy src => global;
      parallel b by 1 : block parallel t by 32 : thread { out.at(t) = f.data.at(t) + 1; }
    }"""
    src = counted(32)
    assert (ran(text, {"src": src, "out": np.zeros(32, np.int32)}).outputs["out"] == src + 1).all()


def tile(body: str) -> Array:
    text = f"""__co__ void f(global f16 [64, 64] a, global f16 [64, 64] b, global f32 [64, 64] out) {{
      parallel p by 1 : block {{
        shared f16 [64, 64] sa, sb;
        dma.copy a => sa;
        dma.copy b => sb;
        parallel w by 1 : group-4 {{ {body} }}
      }}
    }}"""
    return ran(text, {"a": A, "b": B, "out": np.zeros((64, 64), np.float32)}).outputs["out"]


def test_an_array_of_accumulators() -> None:
    got = tile(
        """frag.f32 c[2] {0.0f};
        foreach {h} in [2] { mma.row.row c[h], sa, sb.subspan(32, 64).at(h, 0); }
        foreach {h} in [2] { mma.store c[h], out.subspan(64, 32).at(0, h); }"""
    )
    assert np.abs(got - PRODUCT).max() < 1e-3


def test_a_refill_forgets_what_came_before() -> None:
    got = tile(
        """c = mma.fill.f32 0.0f;
        foreach i in 2 { mma.fill c, 1.0f; mma.row.row c, sa, sb; }
        mma.store c, out;"""
    )
    assert np.abs(got - PRODUCT - 1).max() < 1e-3


def test_arithmetic_on_a_whole_accumulator_waits_for_its_multiplies() -> None:
    got = tile(
        """c = mma.fill.f32 0.0f;
        x = mma.load.frag sa;
        mma.row.row c, x, sb;
        c = c + 1.0f;
        c *= 2.0f;
        mma.store c, out;"""
    )
    assert np.abs(got - 2 * (PRODUCT + 1)).max() < 1e-3


def test_data_as_a_whole_is_added_element_by_element() -> None:
    text = "__co__ void f(f32 [M, N] x, f32 [M, N] z, f32 [M, N]& y) { y = x + z * 2.0f; }"
    rng = np.random.default_rng(4)
    x, z = (rng.standard_normal((3, 5)).astype(np.float32) for _ in range(2))
    got = ran(text, {"x": x, "z": z, "y": np.zeros_like(x)}).outputs["y"]
    assert (got == x + z * np.float32(2)).all()
