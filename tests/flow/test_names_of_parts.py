"""A buffer that is no array has no slots for the reader: its parts are elements, rows and columns of it."""

from __future__ import annotations

from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from croqc.text.diagnostics import Diagnostic

ROLES = """__co__ void f(global s32 [N] src, global s32 [N] dst) {{
  assert(N % 512 == 0, "whole blocks");
  parallel b by N / 512 : block {{ shared s32 [512] o; shared event e;
    parallel p by 2 : group-4, t by 128 : thread {{
      inthreads.async (p == 0) {{ {fill} trigger e; }}
      inthreads.async (p == 1) {{ wait e; dma.copy o => dst.subspan(512).at(b); }}
    }}
  }}
}}
"""
TILES = """__co__ void f(global f16 [64, 64] src, global f16 [64, 64] dst) {
  parallel b by 1 : block { shared f16 [64, 64] o;
    foreach {i, j} in [4, 4] {
      if (PART) { dma.copy src.subspan(16, 16).at(i, j) => o.subspan(16, 16).at(i, j); }
    }
    dma.copy o => dst;
  }
}
"""


def reason(part: str) -> str:
    report = with_flow(check_text(TILES.replace("PART", part)), 200_000, fixes=False)
    (flow,) = next(iter((report.flows or {}).values())).kernels
    return flow.reason


def said(text: str) -> list[Diagnostic]:
    found = with_flow(check_text(text), 200_000, fixes=False).flow_found or ()
    return [item for item in found if item.code == "unwritten-read"]


def test_the_rest_behind_chunks() -> None:
    """512 in 3 chunks of 170: the last two elements are of none."""
    (item,) = said(ROLES.format(fill="foreach i in 3 { dma.copy src.subspan(128).at(i) => o.chunkat(i); }"))
    assert item.message == "path p == 1 reads elements 510 to 511 of 'o' before anything is written to them"
    assert [one.message for one in item.related] == [
        "path p == 1 reads elements 510 to 511 of 'o' before anything was written"
    ]


def test_a_slot_of_an_array_keeps_its_index() -> None:
    text = ROLES.replace("s32 [512] o;", "s32 [512] o[2];").replace("dma.copy o =>", "dma.copy o[1] =>")
    (item,) = said(text.format(fill="dma.copy src.subspan(512).at(b) => o[0];"))
    assert item.message == "path p == 1 reads 'o[1]' before anything is written to it"


def test_a_tile_that_nobody_writes_is_told_in_the_whole_buffer() -> None:
    """Of 4 x 4 tiles of 16 x 16: i * j is 6 first at row of tiles 2 and column 3."""
    told = "all but columns 48 to 63 of rows {} of 'o', which are never written"
    assert reason("i * j != 6") == told.format("32 to 47")
    assert reason("i > 0 || j < 3") == told.format("0 to 15")
