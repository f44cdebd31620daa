"""Multiplies of the emulator against NumPy. Operands and results are laid out here, from the figures of the PTX ISA."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from tests.emulator.pieces import Piece, Values

pytestmark = pytest.mark.slow

WGMMA = """
__device__ __forceinline__ void wgmma_m64n16k16(float (&d)[8], u64 a, u64 b, bool adds) {
  asm volatile("{.reg .pred adds; setp.ne.b32 adds, %10, 0; wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, adds, 1, 1, 0, 0;}"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
               : "l"(a), "l"(b), "r"(int(adds)));
}"""


def swizzled(tile: Values, width: int) -> Values:
    """The bytes of rows of `width` bytes, their 16-byte units moved as the swizzle of that width does."""
    units = np.ascontiguousarray(tile).view(np.uint8).reshape(-1, 16)
    place = np.arange(len(units))
    found = np.zeros_like(units)
    found[place ^ (place // 8 % (width // 16))] = units
    return found.reshape(-1)


def drawn(seed: int, *shape: int) -> Values:
    """Small integers, whose products and sums are exact."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float16)


def of_warpgroup(registers: Values, columns: int) -> Values:
    """PTX ISA, wgmma, matrix D: register r of thread t, as rows and columns."""
    found = np.full((64, columns), np.nan)
    for t in range(128):
        for r in range(columns // 2):
            found[t // 32 * 16 + t % 32 // 4 + (r // 2 % 2) * 8, r // 4 * 8 + t % 4 * 2 + r % 2] = registers[t, r]
    return found


A, B = drawn(1, 64, 64), drawn(2, 16, 64)
MULTIPLY = Piece(
    body="""
  for (int i = threadIdx.x; i < 8192; i += 128) smem[i] = a[i];
  for (int i = threadIdx.x; i < 2048; i += 128) smem[8192 + i] = b[i];
  fence_async_proxy();
  __syncthreads();
  float d[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  wgmma_fence();
  for (int step = 0; step < 4; ++step)
    wgmma_m64n16k16(d, operand<128>(smem, step * 32), operand<128>(smem + 8192, step * 32), ADDS);
  wgmma_commit();
  WAIT
  for (int r = 0; r < 8; ++r) out[threadIdx.x * 8 + r] = d[r];""",
    out=np.zeros((128, 8), np.float32),
    arrays={"a": swizzled(A, 128), "b": swizzled(B, 128)},
    headers=("wgmma",),
    helpers=WGMMA,
    threads=128,
    shared=10240,
)


def multiplied(adds: str = "step != 0", wait: str = "wgmma_wait<0>();") -> Values | str:
    return replace(MULTIPLY, body=MULTIPLY.body.replace("ADDS", adds).replace("WAIT", wait)).run()


@pytest.mark.parametrize(("adds", "more"), [("step != 0", 0.0), ("true", 1.0)])
def test_a_wgmma_multiplies(adds: str, more: float) -> None:
    found = multiplied(adds)
    assert not isinstance(found, str)
    assert np.array_equal(of_warpgroup(found, 16), A.astype(float) @ B.T.astype(float) + more)


def test_a_wgmma_that_nobody_waits_for() -> None:
    found = multiplied(wait="wgmma_wait<1>();")
    assert isinstance(found, str) and "a warp ends and has not waited for its wgmma" in found


def test_results_come_at_the_wait() -> None:
    """The first wait of a warp completes an operation: what is read before that depends on the order."""
    found = multiplied(
        wait="for (int r = 0; r < 8; ++r) out[threadIdx.x * 8 + r] = d[r];\n  wgmma_wait<0>();\n  return;"
    )
    assert isinstance(found, str) and "of 'out' differs between the orders 0 and" in found


def test_warps_that_issue_different_wgmma() -> None:
    found = multiplied(adds="threadIdx.x < 64")
    assert isinstance(found, str) and "the warps of a warpgroup issue different wgmma" in found


def test_a_wgmma_that_a_warp_leaves_out_hangs() -> None:
    body = MULTIPLY.body.replace("ADDS", "true").replace("WAIT", "wgmma_wait<0>();")
    body = body.replace("for (int step = 0", "if (threadIdx.x >= 32) for (int step = 0")
    found = replace(MULTIPLY, body=body).run(0)
    assert isinstance(found, str) and "at wgmma.wait_group, for the other warps" in found


def test_an_operand_behind_shared_memory() -> None:
    found = replace(
        MULTIPLY, body=MULTIPLY.body.replace("ADDS", "true").replace("WAIT", "wgmma_wait<0>();"), shared=10112
    ).run(0)
    assert isinstance(found, str) and ("of shared memory, which has 10112" in found)


# --- warps ---------------------------------------------------------------------------------------

FORMS = {  # rows, K, element and its array type, accumulator, its C type
    "m16n8k16.row.col.f32.f16.f16.f32": (16, 16, np.float16, "float"),
    "m16n8k8.row.col.f32.bf16.bf16.f32": (16, 8, ml_dtypes.bfloat16, "float"),
    "m16n8k8.row.col.f32.tf32.tf32.f32": (16, 8, np.float32, "float"),
    "m16n8k32.row.col.f32.e4m3.e4m3.f32": (16, 32, ml_dtypes.float8_e4m3fn, "float"),
    "m16n8k32.row.col.s32.s8.s8.s32": (16, 32, np.int8, "int"),
    "m8n8k4.row.col.f64.f64.f64.f64": (8, 4, np.float64, "double"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_warp_multiplies(form: str) -> None:
    rows, depth, dtype, word = FORMS[form]
    a, b = (drawn(seed, count, depth).astype(dtype) for seed, count in ((3, rows), (4, 8)))
    c = drawn(5, rows, 8).astype({"float": np.float32, "int": np.int32, "double": np.float64}[word])
    size = np.dtype(dtype).itemsize
    each = 1 if size == 8 else 4 // size  # elements of a register
    held_a, held_b = [], []
    for lane in range(32):  # PTX ISA, fragments of mma: eight rows at a time, then the next columns
        for piece in range(depth // (4 * each)):
            columns = slice(piece * 4 * each + lane % 4 * each, piece * 4 * each + (lane % 4 + 1) * each)
            held_a += [a[lane // 4 + 8 * half, columns] for half in range(rows // 8)]
            held_b.append(b[lane // 4, columns])
    operand = np.float64 if size == 8 else np.uint32
    count_a, count_b, count_d = len(held_a) // 32, len(held_b) // 32, rows // 4
    numbers = iter(range(100))
    places = ["{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}" for count in (count_d, count_a, count_b)]
    letter = {"float": "f", "int": "r", "double": "d"}[word]
    outputs = ", ".join(f'"+{letter}"(d[{r}])' for r in range(count_d))
    other = "d" if size == 8 else "r"
    inputs = [f'"{other}"(a[threadIdx.x * {count_a} + {r}])' for r in range(count_a)]
    inputs += [f'"{other}"(b[threadIdx.x * {count_b} + {r}])' for r in range(count_b)]
    body = f"""
  {word} d[{count_d}];
  const int g = threadIdx.x / 4, j = threadIdx.x % 4 * 2;
  for (int r = 0; r < {count_d}; ++r) d[r] = c[(g + r / 2 * 8) * 8 + j + r % 2];
  asm volatile("mma.sync.aligned.{form} {places[0]}, {places[1]}, {places[2]}, {places[0]};"
               : {outputs} : {", ".join(inputs)});
  for (int r = 0; r < {count_d}; ++r) out[(g + r / 2 * 8) * 8 + j + r % 2] = d[r];"""
    arrays = {"a": np.concatenate(held_a).view(operand), "b": np.concatenate(held_b).view(operand), "c": c}
    found = Piece(body, np.zeros_like(c), arrays).run()
    wanted = a.astype(float) @ b.astype(float).T + c
    assert not isinstance(found, str) and np.array_equal(found, wanted)


def test_matrices_go_to_registers_and_back_turned() -> None:
    x = np.arange(256, dtype=np.uint16)
    body = """
  u16* const s = reinterpret_cast<u16*>(smem);
  for (int i = threadIdx.x; i < 256; i += 32) s[i] = x[i];
  __syncwarp();
  u32 r[4];
  load_matrix_transposed(r, s + threadIdx.x * 8);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(shared_address(s + threadIdx.x * 8)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) out[i] = s[i];"""
    found = Piece(body, np.zeros(256, np.uint16), {"x": x}, headers=("mma_sync",), shared=512).run()
    assert not isinstance(found, str)
    assert np.array_equal(found.reshape(4, 8, 8), x.reshape(4, 8, 8).transpose(0, 2, 1))


def test_what_is_not_modelled_is_named_with_its_line() -> None:
    piece = Piece('  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");', np.zeros(1, np.int32))
    line = next(at for at, text in enumerate(piece.code().splitlines(), 1) if "tcgen05" in text)
    assert piece.run(0) == (
        "not modelled: the emulator does not model 'tcgen05.wait::ld.sync.aligned', "
        f"in line {line} of the generated code"
    )
