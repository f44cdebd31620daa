"""Rings behind views of another shape: followed where that says which part is meant, and told where it does not."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import flow_of

RING = """__co__ void k(global s32 [R, C] src, global s32 [R, C] dst) {{
  parallel b by cdiv(R, 4) : block {{
    shared s32 [{shape}] ring;
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{ foreach k in [cdiv(C, 32)] {{
        wait empty[k % 3]; dma.copy src.subspan(4, 32).at(b, k) => ring{load}; trigger full[k % 3];
      }} }}
      inthreads.async (w == 1) {{ foreach k in [cdiv(C, 32)] {{
        wait full[k % 3]; dma.copy ring{use} => dst.subspan(4, 32).at(b, k); trigger empty[k % 3];
      }} }}
    }}
  }}
}}
"""
BAND = ".subspan(4, 32).at(k % 3, 0)"
TILE = ".subspan(1, 4, 32).at(k % 3, 0, 0).sqz()"


@pytest.mark.parametrize(
    ("shape", "load", "use"),
    [
        ("12, 32", f".span_as([12, 32]){BAND}", BAND),
        ("12, 32", BAND, f".span_as([12, 32]){BAND}"),
        ("3, 4, 32", TILE, TILE),
        ("3, 1, 4, 32", ".subspan(1, 1, 4, 32).at(k % 3, 0, 0, 0).sqz()", f".sqz(){TILE}"),
    ],
)
def test_a_shape_that_says_which_part_is_meant_is_followed(shape: str, load: str, use: str) -> None:
    flow = flow_of(RING.format(shape=shape, load=load, use=use))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize(
    ("load", "use"),
    [
        (".span_as([3, 4, 32])" + TILE, BAND),
        (BAND, ".span_as([3, 4, 32])" + TILE),
        (".span_as([384]).view(128).from(k % 3 * 128).span_as([4, 32])", BAND),
    ],
)
def test_a_shape_that_does_not_accuses_nobody(load: str, use: str) -> None:
    flow = flow_of(RING.format(shape="12, 32", load=load, use=use))
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.reason in (
        "whether two parts of a buffer overlap cannot be told",
        "which part of a buffer is read here cannot be told",
    )


def test_a_wrong_slot_behind_one_is_found() -> None:
    flow = flow_of(RING.format(shape="3, 4, 32", load=TILE.replace("k % 3", "(k + 1) % 3"), use=TILE))
    assert [found.rule for found in flow.findings] == ["unwritten-read"]
