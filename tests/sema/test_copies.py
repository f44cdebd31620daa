"""Copies against the tables of chapter 5; expected boxes, bytes and units are worked out by hand."""

from __future__ import annotations

import pytest

from croqc.sema import rulenames_device as rules
from croqc.sema.model import SymbolKind, Unit
from croqc.sema.types import Storage
from tests.sema.device_study import Device, block, device
from tests.sema.study import marked

TILES = "shared f16 [64, 64] s; shared f16 [64, 64] ring[3]; shared f32 [64, 64] wide; local f16 [8, 64] own;"

LOAD = "dma.copy lhs.subspan(64, 64).at(b, 0) => s;"


def tiles(body: str, arch: str = "sm_90a") -> Device:
    return block(f"{TILES}\n{body}", arch)


def role(body: str) -> str:
    return f"parallel p by 2 : group-4, t by 128 : thread {{ inthreads.async (p == 0) {{ {body} }} }}"


def test_a_static_tile() -> None:
    (info,) = tiles("dma.copy lhs.subspan(64, 64).at(b, 2) => ring[1];").copies
    assert [str(extent) for extent in info.box] == ["64", "64"]
    assert (info.bytes, info.swizzle, info.zero_fill, info.unit) == (8192, 0, False, Unit.BLOCK)
    assert (info.source.base.name, info.source_storage) == ("lhs", Storage.GLOBAL)
    assert (info.dest.base.name, info.dest_storage) == ("ring", Storage.SHARED)


def test_a_symbolic_tile_has_no_static_bytes_and_one_note() -> None:
    found = tiles("with k in [cdiv(K, 64)] { dma.copy lhs.chunkat(b, k) => s; }")
    assert found.copies[0].bytes is None
    assert found.finding(rules.ASSUMED_DIVISIBLE).args == {"tile": 64, "extent": "M", "dim": 0}
    assert found.told == []


def test_a_made_buffer_is_the_destination() -> None:
    (info,) = block("f = dma.copy lhs.subspan(16, 32).at(b, 0) => shared;").copies
    assert info.dest.base.kind is SymbolKind.ANONYMOUS
    assert (info.dest_storage, info.bytes) == (Storage.SHARED, 1024)


@pytest.mark.parametrize(
    ("body", "zero"),
    [
        ("dma.copy.zfill lhs.subspan(64, 64).at(b, 0) => s;", True),
        ("dma.copy lhs.subspan(64, 64).at(b, 0).zfill => s;", True),
        ("tma.copy lhs.subspan(64, 64).at(b, 0) => s;", True),
        ("tma.copy s => out.subspan(64, 64).at(b, 0);", False),
    ],
)
def test_zero_fill(body: str, zero: bool) -> None:
    assert tiles(body).copies[0].zero_fill is zero


@pytest.mark.parametrize(
    ("body", "unit"),
    [
        ("dma.copy lhs.subspan(64, 64).at(b, 0) => s;", Unit.BLOCK),
        ("parallel t by 64 : thread { dma.copy lhs.subspan(64, 64).at(b, 0) => s; }", Unit.BLOCK),
        ("parallel t by 64 : thread { dma.copy lhs.subspan(8, 64).at(b, 0) => own; }", Unit.THREAD),
        ("parallel g by 3 : group { dma.copy lhs.subspan(64, 64).at(b, 0) => s; }", Unit.BLOCK),
        ("parallel g by 3 : group { dma.copy lhs.subspan(64, 64).at(b, g) => ring[g]; }", Unit.GROUP),
        ("parallel p by 3 : group-4 { dma.copy lhs.subspan(64, 64).at(b, 0) => ring[p]; }", Unit.GROUP4),
        (role("dma.copy lhs.subspan(64, 64).at(b, 0) => s;"), Unit.GROUP4),
        (role("tma.copy lhs.subspan(64, 64).at(b, 0) => s;").replace("p == 0", "p == 0 && t == 0"), Unit.THREAD),
        (f"parallel g by 8 : group {{ inthreads.async (g < 4) {{ {LOAD} }} }}", Unit.GROUP),
        (f"parallel t by 256 : thread {{ inthreads.async (t < 128) {{ {LOAD} }} }}", Unit.GROUP4),
    ],
)  # fmt: skip
def test_who_executes(body: str, unit: Unit) -> None:
    assert tiles(body).copies[0].unit is unit


def test_the_host_copies_between_host_and_device_memory() -> None:
    found = device("global f16 [64, 64] g; f16 [64, 64] h; dma.copy g => h;")
    assert found.copies[0].unit is Unit.HOST
    assert found.told == []


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("«dma.copy lhs.subspan(64, 64).at(b, 0) => wide;»", rules.COPY_TYPES),
        ("shared f16 [4096] flat; «dma.copy lhs.subspan(64, 64).at(b, 0) => flat;»", rules.COPY_RANKS),
        ("«dma.copy lhs.subspan(64, 128).at(b, 0) => s;»", rules.COPY_SHAPES),
        ("«dma.copy own => s;»", rules.COPY_SHAPES),
        ("«dma.transp<0, 0>» lhs.subspan(64, 64).at(b, 0) => s;", rules.TRANSPOSE_ORDER),
        ("shared f16 [64, 32] t; «dma.transp<1, 0> lhs.subspan(64, 32).at(b, 0) => t;»", rules.COPY_SHAPES),
        ("dma.pad<{0, 0}, {0, 0}, {0, «1»}, 0> lhs.subspan(64, 63).at(b, 0) => s;", rules.PAD_LISTS),
        ("dma.pad<{0, «2049»}, {0, 0}, {0, 0}, 0> lhs.subspan(64, 63).at(b, 0) => s;", rules.PAD_LISTS),
        ("«dma.copy» lhs.subspan(64, 64).at(b, 0) => out.subspan(64, 64).at(b, 0);", rules.COPY_DIRECTION),
        ("f = «dma.copy.async» s => out.subspan(64, 64).at(b, 0);", rules.COPY_DIRECTION),
        ("«tma.copy» s => ring[0];", rules.COPY_DIRECTION),
        ("«tma.load» s => out.subspan(64, 64).at(b, 0);", rules.COPY_DIRECTION),
        ("«dma.copy.async lhs.subspan(64, 64).at(b, 0) => s;»", rules.UNNAMED_ASYNC),
        ("shared f16 [64, 4] n4; «tma.copy» lhs.subspan(64, 4).at(b, 0) => n4;", rules.TMA_LIMIT),
        ("shared f16 [8, 264] long; «tma.copy» lhs.subspan(8, 264).at(b, 0) => long;", rules.TMA_LIMIT),
        ("«tma.transp<1, 0>» lhs.subspan(64, 64).at(b, 0) => s;", rules.TMA_LIMIT),
        ("parallel g by 3 : group { «tma.copy lhs.subspan(64, 64).at(b, g) => ring[g];» }", rules.TMA_THREAD_INDEX),
        ("parallel t by 64 : thread { «dma.copy lhs.subspan(64, 64).at(t, 0) => s;» }", rules.THREAD_TILE),
        ("«tma.copy ring[0].subspan(64, 32).at(0, 1) => out.subspan(64, 32).at(b, 1);»", rules.PADDED_STORE),
        ("«dma.copy.zfill» big.subspan(64, 64).at(b, 0) => wide;", rules.ZERO_FILL),
    ],
)
def test_what_is_refused(body: str, rule: str) -> None:
    text, (place,) = marked(body)
    assert tiles(text).told == [(rule, place)]


@pytest.mark.parametrize(
    "body",
    [
        "dma.copy lhs.subspan(32, 64).at(b, 0) => s;",  # a short source
        "dma.transp<1, 0> lhs.subspan(64, 64).at(b, 0) => s;",
        "dma.pad<{0, 1}, {0, 0}, {0, 0}, 0> lhs.subspan(64, 63).at(b, 0) => s;",
        "dma.copy s => ring[0];",
        "shared f16 [64, 128] twice; tma.copy twice.subspan(64, 64).at(0, 1) => out.subspan(64, 64).at(b, 1);",
        "dma.copy own => s.subspan(8, 64).at(0, 0);",
        "tma.load.evict_first.swiz<128> lhs.subspan(64, 64).at(b, 0) => s;",
        "dma.copy.zfill lhs.subspan(64, 64).at(b, 0) => s;",  # M is not known to be a multiple
        "dma.copy lhs.subspan(64, 64).at(b, 0) => select(b % 2, s, ring[0]);",
        "shared f32 [64, 256] row; tma.copy.swiz<128> big.subspan(64, 256).at(b, 0) => row;",  # split in groups
        "shared f16 [8, 512] long; tma.copy lhs.subspan(8, 512).at(b, 0) => long;",  # these too
        "shared f16 [264, 64] tall; tma.copy lhs.subspan(264, 64).at(b, 0) => tall;",  # two boxes
        "parallel p by 3 : group-4 { inthreads.async (p > 0) { tma.copy ring[p] => out.subspan(64, 64).at(p, 0); } }",
        "parallel t by 64 : thread { dma.copy lhs.subspan(1, 64).at(t, 0) => s.subspan(1, 64).at(t, 0); }",
    ],
)
def test_what_is_allowed(body: str) -> None:
    assert tiles(body).told == []


@pytest.mark.parametrize(("arch", "refused"), [("sm_80", True), ("sm_89", True), ("sm_90a", False), ("sm_100a", False)])
def test_tma_needs_its_feature(arch: str, refused: bool) -> None:
    found = tiles("tma.copy lhs.subspan(64, 64).at(b, 0) => s;", arch).told
    assert found == ([(rules.TMA_LIMIT, "tma.copy")] if refused else [])


def test_a_box_that_a_loop_decides() -> None:
    found = tiles("foreach i in 4 { shared f16 [64, 64] v; tma.copy lhs.subspan(64, i + 1).at(b, 0) => v; }")
    assert (rules.TMA_BOX_VARIES, "tma.copy lhs.subspan(64, i + 1).at(b, 0) => v;") in found.told


def test_multicast_is_a_matter_of_tma() -> None:
    found = tiles("dma.copy.multicast lhs.subspan(64, 64).at(b, 0) => s;")
    assert found.told == [(rules.COPY_MODIFIER, ".multicast")]
    assert found.finding(rules.COPY_MODIFIER).args == {"modifier": "multicast", "reason": "tma-only"}


# --- swizzle (5.6) --------------------------------------------------------------------------------

MULTIPLY = (
    "parallel p by 1 : group-4 {{ c = mma.fill.f32 0.0f; x = mma.load{} s; mma.row.row c, x, x; mma.store c, wide; }}"
)


def swizzled(copy: str, load: str) -> Device:
    return tiles(f"tma.copy{copy} lhs.subspan(64, 64).at(b, 0) => s; {MULTIPLY.format(load)}")


@pytest.mark.parametrize(
    ("copy", "load", "swizzle"),
    [
        ("", "", 0),
        (".swiz<128>", ".swiz<128>", 128),
        (".swiz<64>", "", 64),
        ("", ".swiz<32>", 32),
        (".swiz<3>", "", 128),
        (".swiz<0>", "", 0),
        (".swiz", "", 0),
        (".swizzle<64>", ".swiz<2>", 64),
    ],
)
def test_copy_and_load_share_one_swizzle(copy: str, load: str, swizzle: int) -> None:
    found = swizzled(copy, load)
    assert found.copies[0].swizzle == swizzle
    assert found.buffer("s").swizzle == swizzle
    assert found.told == []
    inherited = [item.args for item in found.study.analysis.findings if item.rule == rules.SWIZZLE_INHERITED]
    one_sided = bool(swizzle) and "" in (copy, load)
    assert inherited == ([{"swizzle": swizzle, "buffer": "s"}] if one_sided else [])


def test_two_swizzles_of_one_buffer() -> None:
    found = swizzled(".swiz<128>", ".swiz<64>")
    assert found.told == [(rules.SWIZZLE_MISMATCH, ".swiz<64>")]
    assert found.finding(rules.SWIZZLE_MISMATCH).args == {"here": 64, "there": 128, "buffer": "s"}


def test_a_swizzle_reaches_through_futures_and_arrays() -> None:
    found = tiles("f = dma.copy.async.swiz<128> lhs.subspan(64, 64).at(b, 0) => ring[0]; wait f; dma.copy f.data => s;")
    assert [info.swizzle for info in found.copies] == [128, 128]
    assert found.buffer("ring").alignment == 1024
