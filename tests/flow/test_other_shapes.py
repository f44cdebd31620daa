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


COLUMNS = ".span_as([4, 96]).subspan(4, 32).at(0, k % 3)"  # a piece of every row
MIDDLE = ".span_as([384]).view(128).from(k % 3 * 127).span_as([4, 32])"  # begins in the middle of a row


@pytest.mark.parametrize("load", [COLUMNS, MIDDLE])
def test_parts_that_are_no_bands_meet_where_their_elements_do(load: str) -> None:
    """4 x 96 elements are 12 rows of 32: columns 0 to 31 are rows 0, 3, 6 and 9, of which slot 1 has row 6. The second
    part, elements 127 to 254, begins with the last one of slot 0."""
    flow = flow_of(RING.format(shape="12, 32", load=load, use=BAND))
    assert [found.rule for found in flow.findings] == ["stage-race"]


PITCH = ".span_as([640]).view(128).from((k % 3) * 160).span_as([4, 32])"  # four rows of five


@pytest.mark.parametrize(
    ("load", "use"),
    [
        (PITCH, PITCH),
        (PITCH, ".view(4, 32).from((k % 3) * 5, 0)"),
        (".view(4, 32).from((k % 3) * 5, 0)", ".span_as([40, 16]).view(8, 16).from((k % 3) * 10, 0).span_as([4, 32])"),
        (".span_as([5, 4, 32]).subspan(1, 4, 32).at(k % 3, 0, 0).sqz()", ".view(4, 32).from((k % 3) * 4, 0)"),
    ],
)
def test_parts_apart_by_more_than_a_slot_are_told_apart(load: str, use: str) -> None:
    flow = flow_of(RING.format(shape="20, 32", load=load, use=use))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize(
    ("use", "rule"),
    [
        (".view(4, 32).from((k % 3) * 5 + 1, 0)", "unwritten-read"),  # the fifth row of each
        (".span_as([640]).view(128).from((k % 3) * 128).span_as([4, 32])", "stage-race"),  # elements 288 are slot 1's
        (".span_as([40, 16]).view(8, 16).from(((k + 1) % 3) * 10, 0).span_as([4, 32])", "unwritten-read"),  # too soon
    ],
)
def test_parts_at_another_pitch_are_found(use: str, rule: str) -> None:
    flow = flow_of(RING.format(shape="20, 32", load=PITCH, use=use))
    assert [found.rule for found in flow.findings] == [rule]


@pytest.mark.parametrize(
    ("load", "use"),
    [
        (BAND, COLUMNS),
        (BAND, MIDDLE),
        (".subspan(12, 16).at(0, 0).span_as([192]).view(128).from(0).span_as([4, 32])", BAND),
    ],
)
def test_a_shape_that_does_not_accuses_nobody(load: str, use: str) -> None:
    flow = flow_of(RING.format(shape="12, 32", load=load, use=use))
    assert (flow.strength, flow.findings) == (Strength.UNKNOWN, ())
    assert flow.reason in (
        "whether two parts of a buffer overlap cannot be told",
        "which part of a buffer is read here cannot be told",
        "which part of a buffer is written here cannot be told",
    )


def one_slot(shape: str, load: str, use: str, tile: str, *, at: str = "b, k") -> str:
    """A ring of one slot, loaded 4 x 32 elements a turn; `tile` of it goes out."""
    text = RING.replace("full[3], empty[3]", "full[1], empty[1]").replace("k % 3", "0")
    text = text.replace("dst.subspan(4, 32).at(b, k)", f"dst.subspan({tile}).at({at})")
    return text.format(shape=shape, load=load, use=use)


ROWS = ".span_as([8, 32]).subspan(4, 32).at(0, 0)"  # elements 0 to 127


@pytest.mark.parametrize(
    ("shape", "use", "tile", "part"),
    [
        ("2, 128", ".span_as([8, 32]).subspan(2, 32).at(1, 0)", "2, 32", ""),
        ("2, 128", ".span_as([8, 32]).subspan(2, 32).at(2, 0)", "2, 32", "columns 0 to 63 of row 1 of 'ring'"),
        ("2, 128", ".span_as([8, 32]).subspan(2, 32).at(3, 0)", "2, 32", "columns 64 to 127 of row 1 of 'ring'"),
        (
            "2, 4, 32",
            ".span_as([256]).view(128).from(96).span_as([4, 32])",
            "4, 32",
            "elements [1:2, 0:3, 0:32] of 'ring'",
        ),
        ("2, 4, 32", ".span_as([256]).view(128).from(0).span_as([4, 32])", "4, 32", ""),
    ],
)
def test_what_nothing_writes_is_found_behind_another_shape(shape: str, use: str, tile: str, part: str) -> None:
    flow = flow_of(one_slot(shape, ROWS, use, tile))
    if part:
        assert [(found.rule, found.args["part"]) for found in flow.findings] == [("unwritten-read", part)]
    else:
        assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize(("column", "strength"), [(0, Strength.PROVED), (1, Strength.CHECKED)])
def test_a_piece_of_every_row_is_followed(column: int, strength: Strength) -> None:
    """8 x 32 elements in rows of 128; the left half of each 32 is written."""
    half = ".span_as([8, 32]).subspan(8, 16).at(0, {})"
    text = one_slot("2, 128", half.format(0), half.format(column), "8, 16").replace("(4, 32)", "(8, 16)")
    flow = flow_of(text)
    assert (flow.strength, flow.findings) == (strength, ())
    assert ("never written" in flow.reason) == bool(column)


def test_rows_beyond_the_tensor_are_nobodys() -> None:
    """Elements 64 to 127 are rows 2 and 3 of what goes out, and the tensor has two."""
    text = one_slot("2, 128", ".span_as([16, 16]).subspan(4, 16).at(0, 0).span_as([2, 32])", ROWS, "4, 32", at="0, k")
    text = text.replace("src.subspan(4, 32)", "src.subspan(2, 32)").replace("[R, C] dst", "[D, C] dst")
    few, more = (text.replace("{", f'{{ assert(D <= {rows}, "rows");', 1) for rows in (2, 8))
    assert flow_of(few).strength is Strength.PROVED
    assert flow_of(more).strength is Strength.FAILS


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
