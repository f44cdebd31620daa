"""`mma` in its forms, fragments, and the copies around them, against NumPy products."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tests.sim.kernels import Array, half_matrices, ran

RNG = np.random.default_rng(11)
A, B = half_matrices(64, 64, 64)
PRODUCT = A.astype(np.float64) @ B.astype(np.float64).T
TILE = """__co__ void f(global {elem} [64, 64] a, global {elem} [64, 64] b,
                        global f32 [64, 1] s, global {acc} [64, 64] out) {{
  parallel p by 1 : block {{
    shared {elem} [64, 64] sa, sb;
    dma.copy a => sa;
    dma.copy b => sb;
    parallel w by 1 : group-4 {{
      {body}
    }}
  }}
}}"""
SCALES = RNG.standard_normal((64, 1)).astype(np.float32)


def tile(body: str, a: Array = A, b: Array = B, elem: str = "f16", acc: str = "f32") -> Array:
    out = np.zeros((64, 64), np.int32 if acc == "s32" else np.float32)
    arrays = {"a": a, "b": b, "s": SCALES, "out": out}
    got = ran(TILE.format(elem=elem, acc=acc, body=body), arrays).outputs["out"]
    return got.astype(np.float64)


def near(got: Array, want: Array) -> bool:
    return bool(np.abs(got - want).max() < 1e-4 * max(np.abs(want).max(), 1))


@pytest.mark.parametrize("left", ["row", "col"])
@pytest.mark.parametrize("right", ["row", "col"])
@pytest.mark.parametrize(("arch", "level", "m", "k"), [("sm_80", "group", 16, 16), ("sm_90a", "group-4", 64, 16)])
def test_layouts_say_how_the_stored_tiles_lie(left: str, right: str, arch: str, level: str, m: int, k: int) -> None:
    a = RNG.standard_normal((m, k) if left == "row" else (k, m)).astype(np.float16)
    b = RNG.standard_normal((16, k) if right == "row" else (k, 16)).astype(np.float16)
    text = f"""__co__ void f(global f16 [{a.shape[0]}, {a.shape[1]}] a, global f16 [{b.shape[0]}, {b.shape[1]}] b,
                             global f32 [{m}, 16] out) {{
      parallel p by 1 : block {{
        shared f16 [{a.shape[0]}, {a.shape[1]}] sa;
        shared f16 [{b.shape[0]}, {b.shape[1]}] sb;
        dma.copy a => sa;
        dma.copy b => sb;
        parallel w by 1 : {level} {{
          c = mma.fill.f32 0.0f;
          x = mma.load sa;
          y = mma.load sb;
          mma.{left}.{right} c, x, y;
          mma.store c, out;
        }}
      }}
    }}"""
    got = ran(text, {"a": a, "b": b, "out": np.zeros((m, 16), np.float32)}, arch=arch).outputs["out"]
    rows = (a if left == "row" else a.T).astype(np.float64)
    assert near(got, rows @ (b.T if right == "row" else b).astype(np.float64))


def test_operands_straight_from_shared_memory() -> None:
    assert near(tile("c = mma.fill.f32 0.0f; mma.row.row c, sa, sb; mma.store c, out;"), PRODUCT)


def test_stores_transpose_and_mask() -> None:
    body = "c = mma.fill.f32 0.0f; mma.row.row c, sa, sb; "
    assert near(tile(body + "mma.store.transp c, out;"), PRODUCT.T)
    masked = np.where((np.arange(64)[:, None] < 20) & (np.arange(64) < 33), PRODUCT, 0)
    assert near(tile(body + "mma.store.mask c, out, 20, 33;"), masked)
    assert near(tile(body + "mma.store.mask c, out, 0 - 3;"), np.zeros((64, 64)))


def test_an_asynchronous_multiply_ends_at_its_wait() -> None:
    assert near(tile("c = mma.fill.f32 0.0f; g = mma.row.row.async c, sa, sb; wait g; mma.store c, out;"), PRODUCT)


def test_scale_forms_scale_their_own_multiply() -> None:
    body = (
        "c = mma.fill.f32 1.0f; mma.row.row.scale c, sa, sb, s, 0.5f; mma.row.row.scale c, sa, sb, s, 0.25f;"
        " mma.store c, out;"
    )
    assert near(tile(body), 1 + PRODUCT * SCALES * 0.75)


def test_a_scale_statement_scales_what_came_since_the_last_one() -> None:
    body = (
        "c = mma.fill.f32 1.0f; mma.row.row c, sa, sb; mma.row.row c, sa, sb; mma.scale c, s, 0.5f;"
        " mma.row.row c, sa, sb; mma.scale c, s, 2.0f; mma.store c, out;"
    )
    assert near(tile(body), 1 + PRODUCT * SCALES * 3)


def test_a_refill_drops_what_no_scale_has_joined() -> None:
    body = (
        "c = mma.fill.f32 0.0f; mma.row.row c, sa, sb; mma.fill c, 3.0f; mma.row.row c, sa, sb; mma.scale c, s, 0.5f;"
        " mma.store c, out;"
    )
    assert near(tile(body), 3 + PRODUCT * SCALES * 0.5)


def test_integers_multiply_exactly() -> None:
    a = RNG.integers(-128, 128, (64, 64)).astype(np.int8)
    got = tile("c = mma.fill.s32 0; mma.row.row c, sa, sb; mma.store c, out;", a, a, "s8", "s32")
    assert (got == a.astype(np.int64) @ a.astype(np.int64).T).all()


def test_eight_bit_floats() -> None:
    a = RNG.standard_normal((64, 64)).astype(ml_dtypes.float8_e4m3fn)
    got = tile("c = mma.fill.f32 0.0f; mma.row.row c, sa, sb; mma.store c, out;", a, a, "f8_e4m3")
    assert near(got, a.astype(np.float64) @ a.astype(np.float64).T)


def test_apply_and_reductions_over_an_accumulator() -> None:
    body = """c = mma.fill.f32 0.0f;
      mma.row.row c, sa, sb;
      frag f32 [64] m {0.0f};
      reduce_max(m, c, 1);
      apply {i, j} in c.span { c.at(i, j) = __exp(c.at(i, j) - m.at(i)); }
      mma.store c, out;"""
    assert near(tile(body), np.exp(PRODUCT - PRODUCT.max(axis=1, keepdims=True)))


def test_arithmetic_on_whole_tiles() -> None:
    body = """c = mma.fill.f32 0.0f;
      mma.row.row c, sa, sb;
      frag f32 [64, 64] twice {0.0f};
      copy(twice, c);
      twice *= 2.0f;
      c += twice;
      c = c - 1.0f;
      mma.store c, out;"""
    assert near(tile(body), 3 * PRODUCT - 1)


def test_a_block_of_warps_shares_its_copies() -> None:
    """The example of 6.8: four warps, copies that do not depend on the warp are made by the whole block."""
    text = """__co__ void corr(global f16 [P, D] q, global f16 [S, D] k, global f32 [P, S] out) {
      parallel {i, j} by [cdiv(P, 32), cdiv(S, 32)] : block {
        shared f16 [32, 64] qs, ks;
        parallel {u, v} by [2, 2] : group {
          acc = mma.fill.f32 0.0f;
          foreach c in [cdiv(D, 64)] {
            dma.copy.zfill q.subspan(32, 64).at(i, c) => qs;
            dma.copy.zfill k.subspan(32, 64).at(j, c) => ks;
            foreach t in 4 {
              x = mma.load qs.subspan(16, 16).at(u, t);
              y = mma.load ks.subspan(16, 16).at(v, t);
              mma.row.row acc, x, y;
            }
          }
          mma.store acc, out.subspan(16, 16).at(i # u, j # v);
        }
      }
    }"""
    q, k = half_matrices(50, 90, 100)
    for seed in range(3):
        out = np.full((50, 90), np.nan, np.float32)
        got = ran(text, {"q": q, "k": k, "out": out}, arch="sm_80", seed=seed).outputs["out"]
        assert near(got, q.astype(np.float64) @ k.astype(np.float64).T)


def test_a_ring_of_four_fed_by_joined_transfers() -> None:
    """The example of 7.6."""
    text = """__co__ void pump(global f16 [R, C] src, global f16 [R, C] dst) {
      parallel blk by cdiv(R, 128) : block {
        shared f16 [128, 64] ring[4];
        shared event landed[4], vacant[4] = ready;
        parallel who by 2 : group-4 {
          inthreads.async (who == 1) {
            foreach i in [cdiv(C, 64)] {
              wait vacant[i % 4];
              f = tma.copy.async src.subspan(128, 64).at(blk, i) => ring[i % 4];
              trigger landed[i % 4] after f;
            }
          }
          inthreads.async (who == 0) {
            foreach i in [cdiv(C, 64)] {
              wait landed[i % 4];
              dma.copy ring[i % 4] => dst.subspan(128, 64).at(blk, i);
              trigger vacant[i % 4];
            }
          }
        }
      }
    }"""
    src = RNG.standard_normal((200, 600)).astype(np.float16)
    for seed in range(4):
        got = ran(text, {"src": src, "dst": np.full_like(src, np.nan)}, seed=seed).outputs["dst"]
        assert (got == src).all()


def test_the_epilogue_of_the_block_waits_for_the_roles() -> None:
    text = """__co__ void f(global f16 [64, 64] a, global f16 [64, 64] b, global f32 [64, 64] out) {
      parallel p by 1 : block {
        shared f16 [64, 64] sa, sb;
        shared f32 [64, 64] so;
        shared event full;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { dma.copy a => sa; dma.copy b => sb; trigger full; }
          inthreads.async (w == 1) { c = mma.fill.f32 0.0f; wait full; mma.row.row c, sa, sb; mma.store c, so; }
        }
        tma.copy so => out;
      }
    }"""
    for seed in range(4):
        got = ran(text, {"a": A, "b": B, "out": np.zeros((64, 64), np.float32)}, seed=seed).outputs["out"]
        assert near(got, PRODUCT)


def test_every_thread_copies_to_its_own_local_buffer() -> None:
    src = np.arange(256, dtype=np.int32).reshape(64, 4)
    text = """__co__ void f(global s32 [64, 4] src, global s32 [64] out) {
      parallel b by 2 : block parallel t by 32 : thread {
        own = dma.copy src.subspan(1, 4).at(b # t, 0) => local;
        mutable s32 sum = 0;
        foreach k in 4 sum += own.data.at(0, k);
        out.at(b # t) = sum;
      }
    }"""
    assert ran(text, {"src": src, "out": np.zeros(64, np.int32)}).outputs["out"].tolist() == src.sum(axis=1).tolist()


def test_named_barriers_hand_over() -> None:
    text = """__co__ void f(global s32 [128] out) {
      parallel b by 1 : block {
        shared s32 [128] s;
        parallel w by 2 : group-4, t by 128 : thread {
          inthreads.async (w == 0) { s.at(t) = t; __bar_arrive(1, 256); }
          inthreads.async (w == 1) { __bar_sync(1, 256); out.at(t) = s.at(127 - t); }
        }
      }
    }"""
    for seed in range(4):
        got = ran(text, {"out": np.zeros(128, np.int32)}, seed=seed).outputs["out"]
        assert got.tolist() == list(range(127, -1, -1))


def test_select_names_one_of_several_buffers() -> None:
    text = """__co__ void f(global s32 [8] src, global s32 [32] out) {
      parallel b by 4 : block {
        shared s32 [8] x, y;
        dma.copy src => x;
        parallel t by 8 : thread { y.at(t) = 0 - x.at(t); }
        sync.shared;
        z = select(b % 2, x, y);
        dma.copy z => out.subspan(8).at(b);
      }
    }"""
    src = np.arange(8, dtype=np.int32)
    got = ran(text, {"src": src, "out": np.zeros(32, np.int32)}).outputs["out"]
    assert got.reshape(4, 8).tolist() == [src.tolist(), (-src).tolist()] * 2


def test_a_transfer_after_another_starts_when_that_has_landed() -> None:
    text = """__co__ void f(global s32 [64] src, global s32 [64] out) {
      parallel b by 1 : block {
        shared s32 [64] x;
        f0 = dma.copy.async src.subspan(32).at(0) => x.subspan(32).at(0);
        f1 = dma.copy.async src.subspan(32).at(1) => x.subspan(32).at(0) after f0;
        wait f1;
        dma.copy x.subspan(32).at(0) => out.subspan(32).at(0);
      }
    }"""
    src = np.arange(64, dtype=np.int32)
    for seed in range(8):
        got = ran(text, {"src": src, "out": np.zeros(64, np.int32)}, seed=seed).outputs["out"]
        assert got[:32].tolist() == list(range(32, 64))


def test_kernels_of_a_function_run_in_program_order_and_buffers_start_as_zeros() -> None:
    text = """__co__ auto f(global s32 [N] src) {
      s32 [N] sum;
      foreach round in 3 {
        parallel b by N / 8 : block parallel t by 8 : thread { sum.at(b # t) += src.at(b # t); }
      }
      parallel b by N / 8 : block parallel t by 8 : thread { sum.at(b # t) *= 2; }
      return sum;
    }"""
    src = np.arange(32, dtype=np.int32)
    result = ran(text, {"src": src}).result
    assert isinstance(result, np.ndarray)
    assert result.tolist() == (6 * src).tolist()


def test_shared_memory_starts_poisoned_in_every_block() -> None:
    text = """__co__ void f(global f32 [4, 8] out) {
      parallel b by 4 : block {
        shared f32 [8] s;
        parallel t by 8 : thread { if (b == 0) s.at(t) = 1.0f; }
        sync.shared;
        dma.copy s => out.chunkat(b, _).span_as(8);
      }
    }"""
    got = ran(text, {"out": np.zeros((4, 8), np.float32)}).outputs["out"]
    assert (got[0] == 1).all()
    assert np.isnan(got[1:]).all()


def test_a_tile_has_its_shape_before_the_first_multiply() -> None:
    body = """c = mma.fill.f32 2.0f;
      apply {i, j} in c.span { c.at(i, j) *= 4.0f; }
      mma.row.row c, sa, sb;
      mma.store c, out;"""
    assert near(tile(body), 8 + PRODUCT)


def test_a_tile_whose_loop_has_no_turn_is_stored_as_it_was_filled() -> None:
    body = "c = mma.fill.f32 2.0f; foreach {k} in [cdiv(64, 64) - 1] { mma.row.row c, sa, sb; } mma.store c, out;"
    assert (tile(body) == 2).all()
    assert (tile(body.replace("c = mma.fill.f32 2.0f", "frag.f32 c {2.0f}")) == 2).all()


def test_the_index_of_a_foreach_chooses_one_of_several_accumulators() -> None:
    """`foreach i in [2]` has a tuple of one, which stands for an integer here, too."""
    text = """__co__ void f(global f16 [64, 64] a, global f16 [32, 64] b, global f32 [2, 64, 32] c) {
      parallel q by 1 : block { shared f16 [64, 64] as; shared f16 [32, 64] bs; parallel w by 1 : group-4 {
        acc = mma.fill.f32[2] 0.0f;
        dma.copy a => as;
        dma.copy b => bs;
        foreach i in [2] { foreach k in [i + 1] { mma.row.row acc[i], as, bs; } }
        foreach i in [2] { mma.store.mask acc[i], c.subspan(1, 64, 32).at(i, 0, 0).sqz(), 64 + i; }
      } }
    }"""
    a, b = np.eye(64, dtype=np.float16), np.arange(2048, dtype=np.float16).reshape(32, 64) / 64
    result = ran(text, {"a": a, "b": b, "c": np.zeros((2, 64, 32), np.float32)})
    assert (result.outputs["c"][0] == b.T).all()
    assert (result.outputs["c"][1] == 2 * b.T).all()
