"""Parameters of every integer type, and truth values, are numbers that the caller chooses: no data, nor too large."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_counters import load, pipe, use
from tests.flow.test_no_false_proof import flow_of

HEAD = "foreach k in [cdiv(C, 32)]"


def taking(type_: str, first: str, second: str) -> str:
    return pipe(first, second).replace("int J", f"{type_} J")


@pytest.mark.parametrize(
    ("type_", "late", "value"),
    [
        ("u8", "k == J", 0),
        ("u32", "k == J", 0),
        ("s64", "k == J", 0),
        ("bool", "J", 1),
        ("bool", "J && k == 3", 1),
        ("u32", "J - 1 > 5 && J < 1", 0),  # 0 - 1 is large
        ("u8", "J % 7 == 6 && k == 2", 6),
    ],
)
def test_a_fault_that_a_parameter_decides_is_found(type_: str, late: str, value: int) -> None:
    (finding,) = flow_of(taking(type_, load(HEAD, late), use(HEAD))).findings
    assert (finding.rule, finding.sizes["J"]) == ("stage-race", value)


ENDS = {
    "bool": 1,
    "u8": 255,
    "s8": 127,
    "u16": 65_535,
    "s16": 32_767,
    "int": 2_147_483_647,
    "s32": 2_147_483_647,
    "u32": 4_294_967_295,
    "s64": 9_223_372_036_854_775_807,
    "u64": 18_446_744_073_709_551_615,
}


@pytest.mark.parametrize("type_", ENDS)
def test_no_more_than_its_type_holds_is_tried(type_: str) -> None:
    flow = flow_of(taking(type_, load(HEAD, f"J > {ENDS[type_]}"), use(HEAD)))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


@pytest.mark.parametrize("type_", ["u32", "u64"])
@pytest.mark.parametrize("turns", ["J + 1", "J * 2"])
def test_turns_that_follow_an_unsigned_parameter_are_counted(type_: str, turns: str) -> None:
    head = f"foreach k in [{turns}]"
    flow = flow_of(taking(type_, load(head), use(head)))
    assert (flow.strength, flow.tried) == (Strength.PROVED, "up to 2^20")


@pytest.mark.parametrize("type_", ENDS)
@pytest.mark.parametrize("guard", ["J == {}", "J > {} - 1", "k == 2 && J >= {}"])
def test_the_largest_that_its_type_holds_is_tried(type_: str, guard: str) -> None:
    (finding,) = flow_of(taking(type_, load(HEAD, guard.format(ENDS[type_])), use(HEAD))).findings
    assert (finding.rule, finding.sizes["J"]) == ("stage-race", ENDS[type_])


NEVER = [
    ("int", "(J >> 31) == 1"),  # 0 or -1
    ("int", "(J >> 31) != 0 && J >= 0"),
    ("int", "J / 1073741824 > 1"),
    ("u8", "J == 300"),
    ("u8", "J / 128 > 1"),
    ("u32", "(J >> 31) > 1"),
    ("s64", "(J >> 62) > 1"),
]
ONCE = [
    ("int", "(J >> 30) == 1", 1 << 30),
    ("int", "J / 1073741823 == 2", 2_147_483_646),
    ("u8", "J / 127 > 1", 254),
    ("u32", "(J >> 31) == 1", 1 << 31),
    ("s64", "(J >> 61) == 3", 3 << 61),
]


@pytest.mark.parametrize(("type_", "late"), NEVER)
def test_what_no_number_of_a_type_does_is_no_finding(type_: str, late: str) -> None:
    assert flow_of(taking(type_, load(HEAD, late), use(HEAD))).findings == ()


@pytest.mark.parametrize(("type_", "late", "value"), ONCE)
def test_what_a_large_number_of_a_type_does_is_found(type_: str, late: str, value: int) -> None:
    (finding,) = flow_of(taking(type_, load(HEAD, late), use(HEAD))).findings
    assert (finding.rule, finding.sizes["J"]) == ("stage-race", value)


def test_a_dimension_is_no_larger_than_an_index_can_be() -> None:
    assert flow_of(pipe(load(HEAD, "C > 2147483647"), use(HEAD))).findings == ()
    (finding,) = flow_of(pipe(load(HEAD, "R > 2147483646"), use(HEAD))).findings
    assert finding.sizes["R"] == 2_147_483_647


@pytest.mark.parametrize(
    ("type_", "far", "strength"),
    [
        ("int", 2_147_483_648, Strength.PROVED),
        ("int", 2_147_483_647, Strength.CHECKED),
        ("s64", 2_147_483_648, Strength.CHECKED),
        ("s64", 1 << 50, Strength.CHECKED),
        ("s8", 128, Strength.PROVED),
        ("s8", 127, Strength.CHECKED),
    ],
)
def test_below_zero_it_is_no_less_than_its_type_holds(type_: str, far: int, strength: Strength) -> None:
    text = taking(type_, load(HEAD).replace("[k % S]", "[(k + J * 3) % S]"), use(HEAD))
    flow = flow_of(text.replace("  parallel b", f'  assert(J < 0 - {far} || J >= 0, "J");\n  parallel b'))
    assert (flow.strength, flow.findings) == (strength, ())


@pytest.mark.parametrize("type_", ["u8", "u32", "s64", "int"])
def test_as_many_turns_as_one_says_are_proved(type_: str) -> None:
    head = "foreach k in [J]"
    flow = flow_of(taking(type_, load(head), use(head)))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


def test_a_number_with_a_point_is_data() -> None:
    assert flow_of(taking("f32", load(HEAD, "J > 2.0f"), use(HEAD))).reason == "depends on data"
