"""Where elements lie: addresses in C++, and the header's swizzle against the reference's table by brute force."""

from __future__ import annotations

import pytest

from croqc.codegen.places import Places
from croqc.codegen.unit import header
from croqc.engines.nvrtc import CompileError, ptx
from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Lit, Op, Space, Tensor, Tile, Var, whole
from croqc.text.span import NOWHERE

ROW, COL = Var("i"), Var("j")
FLAT = Tensor("flat", "f32", (Var("M"), Var("K")), Space.GLOBAL)
DEEP = Tensor("deep", "f16", (Var("B"), Lit(8), Lit(4)), Space.GLOBAL)
RING = Tensor("ring", "f16", (Lit(64), Lit(128)), Space.SHARED, 3)
PLAIN = Tensor("plain", "f32", (Lit(8), Lit(32)), Space.SHARED, 2)
LOCAL = Tensor("mine", "s32", (Lit(4), Lit(2)), Space.LOCAL)


def kernel(*shared: ir.Shared) -> ir.Kernel:
    return ir.Kernel("k", NOWHERE, (), (), 128, (), (), (), (), shared, (), (), (), (), ())


PLACES = Places(
    kernel(ir.Shared(RING, 64 * 128 * 2, NOWHERE, 128, 1024, 0), ir.Shared(PLAIN, 1024, NOWHERE, 0, 16, 49152))
)


def at(place: Tile, *index: Expr) -> str:
    return PLACES.element(place, index)


def test_offsets_into_global_memory_are_wide_where_extents_multiply() -> None:
    assert at(whole(FLAT), ROW, COL) == "flat[s64(i) * K + j]"
    assert at(whole(DEEP), ROW, COL, Lit(3)) == "deep[s64(i) * 32 + s64(j) * 4 + 3]"
    assert at(whole(FLAT), Lit(0), COL) == "flat[j]"
    vector = Tensor("x", "f32", (Var("N"),), Space.GLOBAL)
    assert at(whole(vector), Op("+", (ROW, COL))) == "x[i + j]"


def test_a_tile_adds_its_origin() -> None:
    origin = (Op("*", (Var("b"), Lit(8))), Lit(4))
    box = Tile(FLAT, Lit(0), origin, (Lit(8), Lit(4)), (0, 1), (None, None))
    assert at(box, ROW, COL) == "flat[s64(b * 8 + i) * K + 4 + j]"
    row = Tile(FLAT, Lit(0), (Var("b"), Lit(0)), (Var("K"),), (1,), (None,))
    assert at(row, COL) == "flat[s64(b) * K + j]"


def test_shared_and_local_memory() -> None:
    assert at(whole(PLAIN, Var("s")), ROW, COL) == "(plain + s * 256)[i * 32 + j]"
    assert at(whole(LOCAL), ROW, COL) == "mine[i * 2 + j]"
    assert at(whole(RING, Var("s")), ROW, COL) == "at<f16, 64, 128>(ring + s * 8192, i, j)"


def test_the_stride_of_a_slot_is_rounded_to_its_alignment() -> None:
    odd = Tensor("odd", "f16", (Lit(4), Lit(64)), Space.SHARED, 2)
    places = Places(kernel(ir.Shared(odd, 512, NOWHERE, 128, 1024, 0)))
    assert places.slot(odd, Var("s")) == "odd + s * 512"  # 512 halves are 1024 bytes


# --- the header --------------------------------------------------------------------------------

MASKS = {32: 1, 64: 3, 128: 7}  # the table of the reference, 5.6
CHECK = """
template <int Rows, int Swizzle, int Size>
constexpr bool holds(int groups, int mask) {
  for (int row = 0; row < Rows; ++row) {
    for (int byte = 0; byte < groups * Swizzle; byte += Size) {
      const int address = byte / Swizzle * Rows * Swizzle + row * Swizzle + byte % Swizzle;
      const int permuted = address ^ (((address >> 7) & mask) << 4);
      if (croq::tile_start<Rows, Swizzle, Size>(row, byte / Size) != address) return false;
      if (croq::swizzled<Rows, Swizzle, Size>(row, byte / Size) != permuted) return false;
    }
  }
  return true;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("swizzle", MASKS)
def test_the_swizzle_is_that_of_the_reference(swizzle: int) -> None:
    """The compiler works every place out: rows of one and of two swizzles, elements of one to four bytes."""
    cases = [(rows, size, groups) for rows in (4, 8, 64) for size in (1, 2, 4) for groups in (1, 2)]
    asserts = [
        f"static_assert(holds<{rows}, {swizzle}, {size}>({groups}, {MASKS[swizzle]}));" for rows, size, groups in cases
    ]
    wrong = f"static_assert(holds<8, {swizzle}, 2>(1, {MASKS[swizzle] ^ 1}));"
    code = "\n".join((header("types"), header("shared"), CHECK, *asserts))
    ptx(code, "sm_90a")
    with pytest.raises(CompileError, match="static assertion failed"):
        ptx(f"{code}\n{wrong}", "sm_90a")
