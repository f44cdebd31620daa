"""Swizzled tensors of three dimensions lie as rows behind rows; tiles of their rows are tiles of two dimensions."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.printer import expression
from tests.pipe.lowering import after, only

TEXT = """__co__ void f(global f16 [M, 64] x, global f16 [3, 64, 64] z) {{
  parallel b by 1 : block {{
    shared f16 [3, 64, 64] s;
    foreach {{k}} in [3] {{ {body} }}
    parallel t by 64 : thread {{ x.at(t, 0) = s.at(1, t, 0); }}
  }}
}}
"""


def dest_of(body: str, stage: str = "build") -> tuple[str, list[str], tuple[int, ...] | None, ir.Kernel]:
    kernel = after(stage, TEXT.format(body=body), {"M": 192})
    (copy,) = only(kernel, ir.Copy)
    tile = copy.dest
    return " ".join(map(str, tile.tensor.extents)), [expression(at) for at in tile.origin], tile.extents, kernel


def test_a_tile_of_rows_is_one_of_two_dimensions() -> None:
    body = "tma.copy.swiz<128> x.subspan(64, 64).at(k, 0) => s.subspan(1, 64, 64).at(k, 0, 0).sqz();"
    shape, origin, extents, kernel = dest_of(body)
    assert (shape, origin, extents) == ("192 64", ["k * 64", "0"], (64, 64))
    assert [item.tensor.extents for item in kernel.shared] == [(192, 64)]


def test_dimensions_of_one_element_are_none() -> None:
    body = "tma.copy.swiz<128> z.subspan(1, 32, 64).at(k, 1, 0) => s.subspan(1, 32, 64).at(k, 1, 0);"
    shape, origin, extents, _ = dest_of(body)
    assert (shape, origin, extents) == ("192 64", ["k * 64 + 32", "0"], (32, 64))


def test_rows_of_several_tiles_stay_apart_and_are_copied_by_threads() -> None:
    """Rows 32 to 63 of each of the three lie 64 rows from each other: no box."""
    body = "tma.copy.swiz<128> z.subspan(3, 32, 64).at(0, 1, 0) => s.subspan(3, 32, 64).at(0, 1, 0);"
    shape, _, extents, kernel = dest_of(body, "mechanism")
    assert (shape, extents) == ("3 64 64", (3, 32, 64))
    assert only(kernel, ir.Copy)[0].mechanism is not ir.Mechanism.TMA


def test_without_swizzle_and_multiply_the_shape_is_as_declared() -> None:
    body = "dma.copy x.subspan(64, 64).at(k, 0) => s.subspan(1, 64, 64).at(k, 0, 0).sqz();"
    shape, _, _, kernel = dest_of(body)
    assert shape == "3 64 64"
    assert [item.tensor.extents for item in kernel.shared] == [(3, 64, 64)]
