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
CUBE = f".span_as([3, 4, 32]){TILE}"
FLAT = ".span_as([384]).view(128).from(k % 3 * 128).span_as([4, 32])"
HALVES = ".span_as([24, 16]).subspan(8, 16).at(k % 3, 0).span_as([4, 32])"


@pytest.mark.parametrize(
    ("shape", "load", "use"),
    [
        ("12, 32", f".span_as([12, 32]){BAND}", BAND),
        ("12, 32", BAND, f".span_as([12, 32]){BAND}"),
        ("12, 32", CUBE, BAND),
        ("12, 32", BAND, CUBE),
        ("12, 32", CUBE, CUBE),
        ("12, 32", FLAT, BAND),
        ("12, 32", FLAT, FLAT),
        ("12, 32", HALVES, FLAT),
        ("3, 4, 32", TILE, f".span_as([12, 32]){BAND}"),
        ("384", FLAT, CUBE),
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
        (".span_as([4, 96]).subspan(4, 32).at(0, k % 3)", BAND),  # columns: a piece of every row
        (".span_as([384]).view(128).from(k % 3 * 127).span_as([4, 32])", BAND),  # in the middle of a row
        (".subspan(12, 16).at(0, 0).span_as([192]).view(128).from(0).span_as([4, 32])", BAND),
    ],
)
def test_a_shape_that_does_not_accuses_nobody(load: str, use: str) -> None:
    flow = flow_of(RING.format(shape="12, 32", load=load, use=use))
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.reason in (
        "whether two parts of a buffer overlap cannot be told",
        "which part of a buffer is read here cannot be told",
    )


@pytest.mark.parametrize("shape", [CUBE, FLAT, HALVES])
@pytest.mark.parametrize("other", [BAND, CUBE, FLAT])
def test_the_wrong_part_of_another_shape_is_found(shape: str, other: str) -> None:
    wrong = shape.replace("k % 3", "(k + 1) % 3")
    assert flow_of(RING.format(shape="12, 32", load=wrong, use=other)).strength is Strength.FAILS
    assert flow_of(RING.format(shape="12, 32", load=other, use=wrong)).strength is Strength.FAILS


def test_an_array_of_buffers_in_another_shape_is_followed() -> None:
    text = RING.format(shape="4, 32", load="[k % 3].span_as([128]).span_as([4, 32])", use="[k % 3]")
    assert flow_of(text.replace("] ring;", "] ring[3];")).strength is Strength.PROVED


def test_a_wrong_slot_behind_one_is_found() -> None:
    flow = flow_of(RING.format(shape="3, 4, 32", load=TILE.replace("k % 3", "(k + 1) % 3"), use=TILE))
    assert [found.rule for found in flow.findings] == ["unwritten-read"]
