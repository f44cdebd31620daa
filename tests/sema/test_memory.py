"""Buffers inside kernels and their sums, worked out by hand from 3.6 to 3.8."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.sema import rulenames_device as rules
from croqc.sema.memory import placed_bytes
from croqc.sema.model import BufferInfo
from tests.sema.device_study import Device, block, program

SEED = Path(__file__).parent.parent / "data" / "seed_pipeline.co"
DEFINES = {"MATMUL_WARP_M": 64, "MATMUL_WARP_N": 64, "MATMUL_TILE_K": 128, "MATMUL_WARP_K": 16, "MATMUL_STAGES": 2}


def seed(**sizes: int) -> Device:
    lines = [f"#define {name} {value}" for name, value in {**DEFINES, **sizes}.items()]
    return program("\n".join([*lines, SEED.read_text(encoding="utf-8")]))


def test_the_stages_of_the_seed() -> None:
    found = seed()
    sizes = {
        info.symbol.name: (info.slots, info.slot_bytes, info.bytes, info.alignment) for info in found.model.buffers
    }
    assert sizes == {
        "full": (2, 8, 16, 8),
        "empty": (2, 8, 16, 8),
        "lhs_load_s": (2, 16384, 32768, 128),
        "rhs_load_s": (2, 16384, 32768, 128),
        "output_s": (1, 8192, 8192, 128),
    }
    assert found.told == []


def test_what_one_block_asks_for_is_noted_above_48_kib() -> None:
    """The stages, the tile of the output, two arrays of two barriers: 2 * 32768 + 8192 + 32."""
    assert seed().finding(rules.DYNAMIC_SHARED).args["used"] == 73760


def test_more_stages_than_a_block_may_have() -> None:
    """227 KiB are 232448 bytes; seven stages take 7 * 32768 = 229376 and 8192 more."""
    found = seed(MATMUL_STAGES=7).finding(rules.SHARED_LIMIT)
    assert (found.args["limit"], found.args["storage"], found.args["target"]) == (232448, "shared", "sm_90a")
    assert found.args["used"] == 229376 + 8192 + 2 * 7 * 8
    assert found.args["buffers"] == (
        ("lhs_load_s", 114688),
        ("rhs_load_s", 114688),
        ("output_s", 8192),
        ("full", 56),
        ("empty", 56),
    )


@pytest.mark.parametrize(
    ("arch", "kib"), [("sm_80", 163), ("sm_86", 99), ("sm_89", 99), ("sm_90a", 227), ("sm_100a", 227)]
)
def test_the_limit_of_each_target(arch: str, kib: int) -> None:
    assert block(f"shared u8 [{kib * 1024}] s;", arch).told == []
    assert block(f"shared u8 [{kib * 1024 + 1}] s;", arch).told == [(rules.SHARED_LIMIT, "s")]


PHASES = """
shared u8 [150000] x, y;
parallel t by 32 : thread {{ x.at(t) = 1; }}
sync.shared;
{between}
parallel t by 32 : thread {{ y.at(t) = 2; {at_last} }}"""


def test_buffers_that_are_never_in_use_together_are_no_error() -> None:
    """Side by side they take 150016 each, in multiples of 128 bytes; a block has 232448."""
    found = block(PHASES.format(between="", at_last=""))
    assert found.told == []
    args = found.finding(rules.DYNAMIC_SHARED).args
    assert (args["used"], args["limit"]) == (300032, 232448)


@pytest.mark.parametrize(
    ("between", "at_last"),
    [
        pytest.param("", "x.at(t) = 3;", id="in one statement"),
        pytest.param("foreach k in [2] { x.at(k) = 3; y.at(k) = 4; }", "", id="in one loop"),
        pytest.param("parallel t by 32 : thread { x.at(t) = y.at(t); }", "", id="in one level"),
    ],
)
def test_buffers_that_are_in_use_together_are_an_error(between: str, at_last: str) -> None:
    found = block(PHASES.format(between=between, at_last=at_last)).finding(rules.SHARED_LIMIT)
    assert (found.args["used"], found.args["least"]) == (300032, 300000)


def test_what_is_in_use_at_once_is_told_beside_the_sum() -> None:
    body = "shared u8 [240000] x; shared u8 [100000] y; x.at(0) = 1; sync.shared; y.at(0) = 1;"
    found = block(body).finding(rules.SHARED_LIMIT)
    assert (found.args["used"], found.args["least"]) == (340096, 240000)  # multiples of 128: 240000 and 100096


def test_regions_side_by_side_are_in_use_together() -> None:
    regions = "inthreads.async (p == 0) { x.at(0) = 1; } inthreads.async (p == 1) { y.at(0) = 1; }"
    found = block(f"shared u8 [150000] x, y; parallel p by 2 : group-4 {{ {regions} }}")
    assert (rules.SHARED_LIMIT, "x") in found.told


def test_each_kernel_has_its_own_budget() -> None:
    body = "parallel a by 2 : block {{ shared u8 [150000] x; }} parallel b by 2 : block {{ shared u8 [150000] y; }}"
    assert program(f"__co__ void f() {{ {body.format()} }}").told == []


def test_local_memory_is_limited_per_thread() -> None:
    assert block("parallel t by 32 : thread { local f32 [512] x; }").told == []
    assert block("parallel t by 32 : thread { local f32 [513] x; }").told == [(rules.SHARED_LIMIT, "x")]


def test_made_buffers_count_and_sub_byte_types_are_packed() -> None:
    found = block("f = dma.copy lhs.subspan(16, 32).at(b, 0) => shared; shared f4_e2m1 [3, 5] x; shared u1 [64] bits;")
    assert [(info.slots, info.slot_bytes) for info in found.model.buffers] == [(1, 1024), (1, 8), (1, 8)]


def test_a_buffer_of_unknown_size_is_left_out() -> None:
    assert block("f = dma.copy lhs.chunkat(b, b) => shared;").model.buffers == ()


@pytest.mark.parametrize(
    ("buffers", "total"),
    [
        ([], 0),
        ([(1, 8, 8)], 8),
        ([(1, 8, 8), (1, 100, 128)], 128 + 8),
        ([(3, 1000, 1024)], 3 * 1024),
        ([(1, 16, 8), (2, 4096, 1024), (1, 64, 128)], 8192 + 128 + 16),
    ],
)
def test_buffers_one_after_the_other_the_largest_alignment_first(
    buffers: list[tuple[int, int, int]], total: int
) -> None:
    symbol = block("shared u8 [1] s;").buffer("s").symbol
    assert placed_bytes([BufferInfo(symbol, slots, size, align) for slots, size, align in buffers]) == total
