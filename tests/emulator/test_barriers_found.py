"""Mistakes with barriers in hand-written CUDA: each is found, and told with its place. The right forms pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.emulator.pieces import Piece, tensor_map

pytestmark = pytest.mark.slow

ONE = np.zeros(1, np.int32)
ARRIVALS = Piece(
    body="""
  u64* const barrier = reinterpret_cast<u64*>(smem);
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    for (int n = 0; n < GENERATIONS; ++n) mbarrier_arrive(barrier);
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    mbarrier_wait(barrier, PARITY);
    out[0] = 7;
  }""",
    out=ONE,
    headers=("mbarrier",),
    threads=64,
    shared=8,
)


def with_words(piece: Piece, **words: object) -> Piece:
    body = piece.body
    for name, value in words.items():
        body = body.replace(name.upper(), str(value))
    return replace(piece, body=body)


@pytest.mark.parametrize(("generations", "parity"), [(0, 1), (1, 0), (2, 1), (3, 0)])
def test_a_wait_passes_for_the_generation_that_was_completed_last(generations: int, parity: int) -> None:
    found = with_words(ARRIVALS, generations=generations, parity=parity).run()
    assert not isinstance(found, str) and found[0] == 7


@pytest.mark.parametrize(("generations", "parity"), [(0, 0), (1, 1), (2, 0), (3, 1)])
def test_a_wait_that_missed_its_generation_hangs(generations: int, parity: int) -> None:
    found = with_words(ARRIVALS, generations=generations, parity=parity).run()
    assert isinstance(found, str)
    assert found.startswith(
        "order 0: a hang: no thread can go on; block 0,0,0 thread 32 at the mbarrier at byte 0, for parity"
    )
    assert f"mbarrier_wait(barrier, {parity});" in found


def test_a_warp_that_comes_late_misses_a_generation() -> None:
    """All wait, one thread goes on for all: no order but that of late warps shows it."""
    body = """
  u64* const full = reinterpret_cast<u64*>(smem);
  u64* const empty = full + 1;
  if (threadIdx.x == 0) mbarrier_init(full, 1);
  if (threadIdx.x == 0) mbarrier_init(empty, 1);
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    if (threadIdx.x < 32) {
      if (threadIdx.x == 0) mbarrier_arrive(full);
      mbarrier_wait(empty, k & 1);
    } else {
      mbarrier_wait(full, k & 1);
      MEETING
      if (threadIdx.x == 32) mbarrier_arrive(empty);
    }
  }
  if (threadIdx.x == 0) out[0] = 7;"""
    piece = Piece(body, ONE, headers=("mbarrier",), threads=160, shared=16)
    late = [with_words(piece, meeting="").run(order) for order in (3, 7, 11)]
    assert any(isinstance(found, str) and "for parity" in found for found in late)
    right = with_words(piece, meeting="bar_sync(1, 128);").run(0, 1, 2, 3, 7, 11)
    assert not isinstance(right, str) and right[0] == 7


X = np.arange(64, dtype=np.float32).reshape(4, 16)
LOAD = Piece(
    body="""
  u64* const barrier = reinterpret_cast<u64*>(smem + 1024);
  if (threadIdx.x == 0) {
    mbarrier_init(barrier, 1);
    tma_load(smem, x_map, barrier, 0, 0);
    mbarrier_arrive_expect(barrier, BYTES);
  }
  __syncthreads();
  WAIT
  out[threadIdx.x] = reinterpret_cast<float*>(smem)[threadIdx.x];""",
    out=np.zeros(64, np.float32),
    arrays={"x": X},
    maps={"x_map": tensor_map("x", X, (4, 16))},
    headers=("mbarrier", "tma"),
    threads=64,
    shared=1032,
)


def test_a_load_comes_with_its_bytes() -> None:
    found = with_words(LOAD, bytes=256, wait="mbarrier_wait(barrier, 0);").run()
    assert not isinstance(found, str) and found.tolist() == list(range(64))


@pytest.mark.parametrize("bytes_expected", [128, 255, 512])
def test_wrong_transaction_bytes_hang(bytes_expected: int) -> None:
    found = with_words(LOAD, bytes=bytes_expected, wait="mbarrier_wait(barrier, 0);").run()
    assert isinstance(found, str) and "at the mbarrier at byte 1024, for parity 0" in found


def test_wrong_transaction_bytes_are_told_where_nobody_waits() -> None:
    found = with_words(LOAD, bytes=512, wait="").run(0)
    assert isinstance(found, str)
    assert found.startswith("order 0: the mbarrier at byte 1024 still expects 256 bytes when the kernel ends")


def test_a_load_that_nobody_waits_for_depends_on_the_order() -> None:
    """The bytes are right, but what the threads read is what lay there: NaNs, or the load."""
    found = with_words(LOAD, bytes=256, wait="").run(*range(8))
    assert isinstance(found, str) or np.isnan(found).any()


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        ("mbarrier_init(barrier, 2); mbarrier_arrive_many(barrier, 3);", "overrun: 3 arrivals at the mbarrier"),
        ("mbarrier_arrive(barrier);", "the mbarrier at byte 8 is not initialised"),
        ("mbarrier_init(barrier, 1); mbarrier_init(barrier, 1);", "the mbarrier at byte 8 is initialised twice"),
        ("mbarrier_init(barrier, 0);", "an mbarrier for 0 arrivals"),
        ("mbarrier_init(barrier, 1); *barrier = 0; mbarrier_arrive(barrier);", "something wrote over the mbarrier"),
        ("mbarrier_init(reinterpret_cast<u64*>(smem + 4), 1);", "an mbarrier at byte 4 of shared memory"),
        ("mbarrier_init(barrier + 3, 1);", "an mbarrier at bytes 32 to 40 of shared memory, which has 32"),
        ("mbarrier_wait(barrier, 2);", "a wait for the parity 2"),
        ("bar_sync(16, 32);", "barrier 16: there are 0 to 15"),
        ("bar_sync(1, 33);", "barrier 1 for 33 threads, which is no multiple of 32"),
        ("bar_arrive(1, 64);", "barrier 1 has 1 arrivals when the block ends"),
    ],
)  # fmt: skip
def test_a_barrier_that_is_used_wrongly(statements: str, words: str) -> None:
    body = f"  u64* const barrier = reinterpret_cast<u64*>(smem + 8);\n  if (threadIdx.x == 0) {{ {statements} }}"
    found = Piece(body, ONE, headers=("mbarrier",), shared=32).run(0)
    assert isinstance(found, str) and found.startswith(f"order 0: {words}")


def test_a_fault_names_block_thread_and_line() -> None:
    body = "  if (blockIdx.x == 1 && threadIdx.x == 5)\n    bar_sync(16, 32);"
    piece = Piece(body, ONE, blocks=2)
    line = piece.code().splitlines().index("    bar_sync(16, 32);") + 1
    assert piece.run(0) == (
        f"order 0: barrier 16: there are 0 to 15 (block 1,0,0 thread 5, line {line}: bar_sync(16, 32);)"
    )


def test_a_barrier_for_two_numbers_of_threads() -> None:
    found = Piece("  bar_sync(1, threadIdx.x < 32 ? 64 : 96);", ONE, threads=96).run(0)
    assert isinstance(found, str) and "barrier 1 is used for 64 threads and for 96" in found


def test_threads_of_a_warp_at_different_collectives() -> None:
    body = "  if (threadIdx.x < 16) __syncwarp(); else out[0] = __shfl_sync(0xffffffff, 1, 0);"
    found = Piece(body, ONE).run(0)
    assert isinstance(found, str) and "threads of one warp are at __syncwarp and at __shfl_sync" in found


def test_a_thread_that_stays_away_from_a_barrier_hangs_the_others() -> None:
    body = "  if (threadIdx.x < 32) bar_sync(1, 64);"
    found = Piece(body, ONE, threads=64).run(0)
    assert isinstance(found, str) and "block 0,0,0 thread 0 and 31 more at barrier 1" in found


def test_a_barrier_of_all_does_not_wait_for_threads_that_have_ended() -> None:
    found = Piece("  if (threadIdx.x < 32) return;\n  __syncthreads();\n  out[0] = 7;", ONE, threads=64).run()
    assert not isinstance(found, str) and found[0] == 7


def test_a_kernel_that_traps() -> None:
    found = Piece('  if (threadIdx.x == 3) asm volatile("trap;");', ONE).run(0)
    assert isinstance(found, str) and "the kernel trapped (block 0,0,0 thread 3" in found


def test_a_thread_that_spins_is_ended_by_the_clock() -> None:
    body = "  volatile int* const flag = out;\n  if (threadIdx.x == 0) while (*flag == 0) { }\n  *flag = 1;"
    found = Piece(body, ONE, seconds=1.0).run(0)
    assert found == "order 0: no end after 1 s"
