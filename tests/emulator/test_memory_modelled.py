"""Memory and copies of the emulator, in hand-written CUDA: where elements lie, when they come, and wrong addresses."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from tests.emulator.pieces import Piece, Values, tensor_map

pytestmark = pytest.mark.slow

ONE = np.zeros(1, np.int32)


def test_a_box_outside_of_the_tensor_is_filled_with_zeros() -> None:
    x = np.arange(1, 61, dtype=np.float32).reshape(5, 12)
    body = """
  u64* const barrier = reinterpret_cast<u64*>(smem + 1024);
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    tma_load(smem, x_map, barrier, 8, -1);
    mbarrier_arrive_expect(barrier, 128);
  }
  __syncthreads();
  mbarrier_wait(barrier, 0);
  out[threadIdx.x] = reinterpret_cast<float*>(smem)[threadIdx.x];"""
    piece = Piece(
        body,
        np.zeros((4, 8), np.float32),
        {"x": x},
        {"x_map": tensor_map("x", x, (4, 8))},
        ("mbarrier", "tma"),
        shared=1032,
    )
    wanted = np.zeros((4, 8), np.float32)
    wanted[1:4, 0:4] = x[0:3, 8:12]
    found = piece.run()
    assert not isinstance(found, str) and np.array_equal(found, wanted)


@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_swizzled_boxes_lie_as_ptx_says(swizzle: int) -> None:
    """PTX ISA, swizzle modes: with units of 16 bytes numbered from a multiple of 1024 bytes on, the lowest bits of a
    unit's number, one to three of them, are combined with those three further up."""
    width = swizzle or 64
    rows = 16
    x = np.random.default_rng(swizzle).integers(0, 256, (rows, width), np.uint8)
    body = f"""
  u64* const barrier = reinterpret_cast<u64*>(smem + 4096);
  if (threadIdx.x == 0) {{
    mbarrier_init(barrier, 1);
    tma_load(smem + 1024, x_map, barrier, 0, 0);
    mbarrier_arrive_expect(barrier, {x.size});
  }}
  __syncthreads();
  mbarrier_wait(barrier, 0);
  for (int i = threadIdx.x; i < {x.size}; i += 32) out[i] = smem[1024 + i];"""
    maps = {"x_map": tensor_map("x", x, (rows, width), swizzle)}
    found = Piece(body, np.zeros(x.size, np.uint8), {"x": x}, maps, ("mbarrier", "tma"), shared=4104).run()
    units = x.reshape(-1, 16)
    wanted = np.zeros_like(units)
    for unit, values in enumerate(units):
        wanted[unit ^ (unit // 8 % {0: 1, 32: 2, 64: 4, 128: 8}[swizzle])] = values
    assert not isinstance(found, str) and np.array_equal(found.reshape(-1, 16), wanted)


STORE = Piece(
    body="""
  float* const s = reinterpret_cast<float*>(smem);
  for (int i = threadIdx.x; i < 64; i += 32) s[i] = i;
  FENCE
  __syncwarp();
  if (threadIdx.x == 0) {
    tma_store(out_map, s, 0, 0);
    COMMIT
    WAIT
  }
  __syncwarp();
  for (int i = threadIdx.x; i < 64; i += 32) s[i] = -1;""",
    out=np.zeros((4, 16), np.float32),
    maps={"out_map": tensor_map("out", np.zeros((4, 16), np.float32), (4, 16))},
    headers=("tma",),
    shared=256,
)


def stored(fence: str, commit: str, wait: str) -> Values | str:
    body = STORE.body.replace("FENCE", fence).replace("COMMIT", commit).replace("WAIT", wait)
    return replace(STORE, body=body).run(*range(12))


def test_a_store_that_is_waited_for_takes_what_was_there() -> None:
    found = stored("fence_async_proxy();", "tma_store_commit();", "tma_store_wait_read<0>();")
    assert not isinstance(found, str) and found.reshape(-1).tolist() == list(range(64))


def test_proxies_are_not_modelled() -> None:
    """What the emulator does not find: the missing fence."""
    assert not isinstance(stored("", "tma_store_commit();", "tma_store_wait_read<0>();"), str)


def test_a_source_that_is_written_before_the_store_has_read_it_depends_on_the_order() -> None:
    found = stored("fence_async_proxy();", "tma_store_commit();", "")
    assert isinstance(found, str)


def test_a_store_without_a_commit() -> None:
    found = stored("fence_async_proxy();", "", "")
    assert isinstance(found, str) and "a thread ends and has not committed a TMA store" in found


def test_two_stores_to_one_place_come_in_any_order() -> None:
    body = """
  float* const s = reinterpret_cast<float*>(smem);
  s[threadIdx.x] = 1; s[threadIdx.x + 32] = 2;
  __syncwarp();
  if (threadIdx.x == 0) {
    tma_store(out_map, s, 0); tma_store_commit(); WAIT
    tma_store(out_map, s + 32, 0); tma_store_commit(); tma_store_wait_read<0>();
  }"""
    out = np.zeros(32, np.float32)
    piece = Piece(body, out, {}, {"out_map": tensor_map("out", out, (32,))}, ("tma",), shared=256)
    right = replace(piece, body=body.replace("WAIT", "tma_store_wait<0>();")).run(*range(12))
    assert not isinstance(right, str) and set(right.tolist()) == {2.0}
    for wait in ("", "tma_store_wait_read<0>();"):
        runs = [replace(piece, body=body.replace("WAIT", wait)).run(order) for order in range(12)]
        assert any(not isinstance(found, str) and 1.0 in found for found in runs), wait


def test_copies_of_threads_come_at_the_wait_for_their_group() -> None:
    x = np.arange(128, dtype=np.float32)
    body = """
  float* const s = reinterpret_cast<float*>(smem);
  for (int g = 0; g < 4; ++g) { cp_async<4>(s + g * 32 + threadIdx.x, x + g * 32 + threadIdx.x); cp_async_commit(); }
  cp_async_wait<2>();
  for (int g = 0; g < 4; ++g) out[g * 32 + threadIdx.x] = s[g * 32 + threadIdx.x];
  cp_async_wait<0>();"""
    found = Piece(body, np.zeros(128, np.float32), {"x": x}, headers=("cp_async",), shared=512).run()
    assert not isinstance(found, str)
    assert found[:64].tolist() == x[:64].tolist() and np.isnan(found[64:]).all()


def test_a_copy_of_a_thread_without_a_source_gives_zeros() -> None:
    x = np.arange(1, 33, dtype=np.float32)
    body = """
  float* const s = reinterpret_cast<float*>(smem);
  cp_async<4>(s + threadIdx.x, threadIdx.x % 2 ? x + threadIdx.x : x + 4096, threadIdx.x % 2 == 1);
  cp_async_commit();
  cp_async_commit();
  cp_async_wait<1>();
  out[threadIdx.x] = s[threadIdx.x];"""
    found = Piece(body, np.zeros(32, np.float32), {"x": x}, headers=("cp_async",), shared=128).run()
    assert not isinstance(found, str)
    assert found.tolist() == [value if at % 2 else 0.0 for at, value in enumerate(x.tolist())]


def test_a_multicast_comes_to_each_block_of_the_cluster() -> None:
    x = np.arange(32, dtype=np.float32)
    body = """
  u64* const barrier = reinterpret_cast<u64*>(smem + 128);
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    mbarrier_arrive_expect(barrier, BYTES);
  }
  cluster_sync();
  if (blockIdx.x == 1 && threadIdx.x == 0) tma_multicast<2>(smem, x_map, barrier, 0);
  mbarrier_wait(barrier, 0);
  out[blockIdx.x * 32 + threadIdx.x] = reinterpret_cast<float*>(smem)[threadIdx.x];
  cluster_sync();"""
    piece = Piece(
        body.replace("BYTES", "128"), np.zeros(64, np.float32), {"x": x}, {"x_map": tensor_map("x", x, (32,))},
        ("mbarrier", "tma", "cluster"), shared=136, cluster=2, blocks=2,
    )  # fmt: skip
    found = piece.run()
    assert not isinstance(found, str) and found.tolist() == 2 * list(range(32))
    late = replace(piece, body=body.replace("BYTES", "256")).run(0)
    assert isinstance(late, str) and "block 0,0,0 thread 0 and 63 more at the mbarrier at byte 128" in late


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("smem[4096] = 1;", "byte 4096 of shared memory, which has 64"),
        ("smem[-4096] = 1;", "byte -4096 of shared memory, which has 64"),
        ("smem[-1] = 1;", "something was written in front of or behind the shared memory of a block"),
        ("smem[64] = 1;", "something was written in front of or behind the shared memory of a block"),
        ("*reinterpret_cast<float*>(smem + 2) = 1;", "a misaligned address, or an index outside of an array"),
        ("int a[4]; for (int i = 0; i < 5 + out[0]; ++i) a[i] = i; out[0] = a[3];", "an index outside of"),
        ("x[1 << 20] = 1;", "outside of every array"),
        ("x[-4096] = 1;", "outside of every array"),
        ("x[60] = 1;", "something was written in front of or behind the array x"),
        ("x[-1] = 1;", "something was written in front of or behind the array x"),
        ("out[0] = 1 / out[0];", "an index outside of an array"),
        ("shared_address(x);", "an address outside of the block's shared memory is taken for one"),
        ("cp_async<16>(smem + 8, x);", "a cp.async at byte 8 of shared memory, which is no multiple of 16"),
        ("cp_async<16>(smem + 64, x);", "a cp.async at bytes 64 to 80 of shared memory, which has 64"),
        ("cp_async<16>(smem, x + 1);", "a cp.async of 16 bytes from an address that is no multiple"),
        ("cp_async<4>(smem, x);", "a thread ends and has not waited for its cp.async"),
        ("tma_store(x_map, smem + 32, 0); tma_store_commit();", "a box of a tensor map at byte 32 of"),
        ("tma_store(x_map, smem, 0, 0); tma_store_commit();", "2 coordinates for a tensor map of rank 1"),
        ("u32 r[4]; load_matrix(r, smem + 8);", "a row of ldmatrix at byte 8 of"),
    ],
)  # fmt: skip
def test_wrong_addresses(statement: str, words: str) -> None:
    x = np.zeros(60, np.float32)
    piece = Piece(
        f"  if (threadIdx.x == 9) {{ {statement} }}", ONE, {"x": x}, {"x_map": tensor_map("x", x, (16,))},
        ("cp_async", "tma", "mma_sync"), shared=64,
    )  # fmt: skip
    found = piece.run(0)
    assert isinstance(found, str) and words in found
    if "behind" not in words:
        assert "(block 0,0,0 thread 9" in found and (", line " in found or "ends" in words)


@pytest.mark.parametrize(
    ("box", "swizzle", "words"),
    [
        ((4, 6), 0, "a tensor map whose box has rows of 24 bytes, no multiple of 16"),
        ((4, 64), 128, "a tensor map whose box has rows of 256 bytes, swizzled by 128"),
        ((512, 4), 0, "a tensor map whose box has 512 elements in dimension 1"),
    ],
)
def test_maps_that_the_driver_would_refuse(box: tuple[int, ...], swizzle: int, words: str) -> None:
    x = np.zeros((4, 64), np.float32)
    found = Piece("", ONE, {"x": x}, {"x_map": tensor_map("x", x, box, swizzle)}, ("tma",)).run(0)
    assert found == f"order 0: {words}"


def test_a_stride_that_is_no_multiple_of_16_bytes() -> None:
    x = np.zeros((4, 63), np.float32)
    found = Piece("", ONE, {"x": x}, {"x_map": tensor_map("x", x, (4, 4))}, ("tma",)).run(0)
    assert found == "order 0: a tensor map with a stride of 252 bytes in dimension 1"


NARROW = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8_e4m3": ml_dtypes.float8_e4m3fn,
    "f8_e5m2": ml_dtypes.float8_e5m2,
}


@pytest.mark.parametrize("elem", NARROW)
def test_conversions_agree_with_ml_dtypes(elem: str) -> None:
    """Every value of the type; their neighbours, halfway points and numbers beyond the largest, of both signs."""
    dtype = np.dtype(NARROW[elem])
    every = np.arange(256**dtype.itemsize, dtype=np.uint32).astype(f"uint{8 * dtype.itemsize}").view(dtype)
    exact = every.astype(np.float32)
    finite = np.sort(exact[np.isfinite(exact)])
    halfway = ((finite[:-1].astype(float) + finite[1:]) / 2).astype(np.float32)
    x = np.concatenate([finite, halfway, np.nextafter(halfway, np.inf), np.nextafter(halfway, -np.inf), [np.nan]])
    x = x.astype(np.float32)
    body = f"  for (int i = threadIdx.x; i < {x.size}; i += 32) out[i] = float({elem}(x[i]));"
    found = Piece(body, np.zeros_like(x), {"x": x}).run(0)
    assert not isinstance(found, str) and np.array_equal(found, x.astype(dtype).astype(np.float32), equal_nan=True)


@pytest.mark.parametrize(("elem", "largest"), [("f16", np.inf), ("f8_e4m3", 448.0), ("f8_e5m2", 57344.0)])
def test_conversions_of_what_is_too_large(elem: str, largest: float) -> None:
    """PTX ISA, cvt: f8 saturates, f16 becomes infinite."""
    x = np.array([1e9, -1e9, np.inf, -np.inf], np.float32)
    body = f"  if (threadIdx.x < 4) out[threadIdx.x] = float({elem}(x[threadIdx.x]));"
    found = Piece(body, np.zeros(4, np.float32), {"x": x}).run(0)
    assert not isinstance(found, str) and found.tolist() == [largest, -largest] * 2
