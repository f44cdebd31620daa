"""The target tables against the tables of reference 3.8 and 6.3, copied by hand."""

from __future__ import annotations

import pytest

from croqc.targets import DEFAULT_TARGET, TARGETS, find_target, offering
from croqc.targets.table import Feature, MmaRow


def offers(target: str, a: str, b: str, acc: str, shape: tuple[int, int, int], sparse: bool = False) -> list[MmaRow]:
    m, n, k = shape
    return [
        row
        for row in TARGETS[target].mma
        if (a, b) in row.types and acc in row.acc and row.m == m and n in row.n and k in row.k and row.sparse == sparse
    ]


def test_the_five_targets_and_the_default() -> None:
    assert list(TARGETS) == ["sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a"]
    assert DEFAULT_TARGET == "sm_90a"
    assert find_target("sm_90") is None


@pytest.mark.parametrize(
    ("name", "kib", "align"),
    [("sm_80", 163, 16), ("sm_86", 99, 16), ("sm_89", 99, 16), ("sm_90a", 227, 128), ("sm_100a", 227, 128)],
)
def test_limits_of_one_block(name: str, kib: int, align: int) -> None:
    target = TARGETS[name]
    assert (target.shared_limit, target.shared_align, target.local_limit) == (kib * 1024, align, 2048)


def test_features_are_not_ordered() -> None:
    assert TARGETS["sm_90a"].has(Feature.WGMMA)
    assert not TARGETS["sm_100a"].has(Feature.WGMMA)
    assert TARGETS["sm_100a"].has(Feature.TCGEN05)
    assert [name for name, target in TARGETS.items() if target.has(Feature.TMA)] == ["sm_90a", "sm_100a"]
    dependents = [name for name, target in TARGETS.items() if target.has(Feature.DEPENDENT_LAUNCH)]
    assert dependents == ["sm_90a", "sm_100a"]
    assert [name for name, target in TARGETS.items() if target.has(Feature.FP8)] == ["sm_89", "sm_90a", "sm_100a"]
    assert all(target.has(Feature.MBARRIER) for target in TARGETS.values())


@pytest.mark.parametrize(
    ("target", "instruction", "split"),
    [
        ("sm_80", "mma.sync", True),
        ("sm_89", "mma.sync", True),
        ("sm_90a", "wgmma", False),
        ("sm_100a", "tcgen05", False),
    ],
)
def test_the_warpgroup_shape_is_logical_on_every_target(target: str, instruction: str, split: bool) -> None:
    (row,) = offers(target, "f16", "f16", "f32", (64, 128, 16))
    assert (row.instruction, row.unit, row.split) == (instruction, "group-4", split)


@pytest.mark.parametrize(
    ("a", "b", "acc", "shape", "sparse", "names"),
    [
        ("f8_e4m3", "f8_e5m2", "f32", (64, 64, 32), False, ["sm_89", "sm_90a", "sm_100a"]),
        ("f8_e4m3", "f8_e4m3", "f16", (16, 8, 32), False, ["sm_89", "sm_90a", "sm_100a"]),
        ("f8_e4m3", "f8_e4m3", "f32", (64, 64, 64), True, ["sm_89", "sm_90a", "sm_100a"]),
        ("f64", "f64", "f64", (16, 8, 4), False, ["sm_90a", "sm_100a"]),
        ("f64", "f64", "f64", (8, 8, 4), False, list(TARGETS)),
        ("tf32", "tf32", "f32", (64, 8, 8), False, list(TARGETS)),
        ("s8", "u8", "s32", (16, 8, 32), False, list(TARGETS)),
        ("s8", "u8", "s32", (16, 16, 16), False, []),
        ("s8", "s8", "s32", (64, 40, 32), False, []),
        ("s8", "s8", "s32", (64, 48, 32), False, list(TARGETS)),
        ("f16", "f16", "f16", (64, 256, 32), True, list(TARGETS)),
        ("f16", "f16", "f16", (64, 24, 32), True, []),
        ("f16", "f16", "s32", (16, 16, 16), False, []),
        ("bf16", "bf16", "bf16", (16, 16, 16), False, []),
        ("bf16", "bf16", "f32", (8, 32, 16), False, list(TARGETS)),
        ("f8_e4m3", "f8_e4m3", "f32", (64, 64, 16), False, []),
        ("u1", "u1", "s32", (64, 240, 256), False, ["sm_90a"]),
    ],
)
def test_which_targets_offer_a_shape(
    a: str, b: str, acc: str, shape: tuple[int, int, int], sparse: bool, names: list[str]
) -> None:
    assert [name for name in TARGETS if offers(name, a, b, acc, shape, sparse)] == names


def test_wmma_is_looked_up_first_and_mma_sync_last() -> None:
    order = [(row.instruction, row.split) for row in TARGETS["sm_80"].mma]
    assert order == sorted(order, key=[("wmma", False), ("mma.sync", True), ("mma.sync", False)].index)


def test_targets_that_offer_a_feature() -> None:
    assert offering(Feature.CLUSTER) == ("sm_90a", "sm_100a")
    assert offering(Feature.TCGEN05) == ("sm_100a",)
