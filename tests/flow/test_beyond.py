"""Sizes so large that integers come round: what goes wrong there is found, or the verdict says how far it goes."""

from __future__ import annotations

import pytest

from croqc.flow.report import KernelFlow, Strength
from croqc.flow.tables import verdict_text
from tests.flow.test_counters import load, pipe, use
from tests.flow.test_no_false_proof import flow_of

HEAD = "foreach k in [cdiv(C, 32)]"


def taking(type_: str, late: str = "", first: str = "k % S", second: str = "k % S") -> KernelFlow:
    text = pipe(load(HEAD, late).replace("[k % S]", f"[{first}]"), use(HEAD).replace("[k % S]", f"[{second}]"))
    return flow_of(text.replace("int J", f"{type_} J"))


LATE = [
    ("s64", "__to<int>(J) == 0 && J != 0", 1 << 32),
    ("s64", "__to<int>(J) < 0 && J > 0", 1 << 31),
    ("s64", "__to<u32>(J) < 5 && J > 5", 1 << 32),
    ("u64", "__to<u32>(J) < 5 && J > 5", 1 << 32),
    ("u32", "J + 6 < 3", (1 << 32) - 6),
    ("u32", "J * 4 < J", 1 << 30),
    ("u32", "(J << 2) < J", 1 << 30),
    ("u32", "__to<int>(J) < 0", 1 << 31),
    ("u32", "__to<int>(J) == 0 - 1", (1 << 32) - 1),
]
SLOTS = [
    ("u32", "(k + J * 3) % 3", "k % 3", 1_431_655_766),  # three times that is 2^32 + 2
    ("u32", "(k + J) % 3", "(k + J % 3) % 3", (1 << 32) - 1),
    ("s64", "(k + __to<u32>(J) % 3) % 3", "(k + J % 3) % 3", 1 << 32),
]


@pytest.mark.parametrize(("type_", "late", "value"), LATE)
def test_a_guard_that_holds_there_alone_is_found(type_: str, late: str, value: int) -> None:
    (finding,) = taking(type_, late).findings
    assert (finding.rule, finding.sizes["J"]) == ("stage-race", value)


@pytest.mark.parametrize(("type_", "first", "second", "value"), SLOTS)
def test_slots_that_part_there_alone_are_found(type_: str, first: str, second: str, value: int) -> None:
    flow = taking(type_, "", first, second)
    assert (flow.strength, flow.findings[0].sizes["J"]) == (Strength.FAILS, value)


ROUND = [
    ("u32", "J * 3 == 7 && J < 100", "every C, J up to 2^20"),
    ("u32", "J + 6 < 3 && J < 100", "every C, J up to 2^20"),
    ("u64", "__to<u32>(J) > 5 && J < 3", "every C, J up to 2^20"),
    ("s64", "__to<int>(J) > 5 && J < 3 && J >= 0", "every C, J between -2^20 and 2^20"),
]


@pytest.mark.parametrize(("type_", "late", "sizes"), ROUND)
def test_where_a_value_may_come_round_a_proof_says_how_far_it_goes(type_: str, late: str, sizes: str) -> None:
    flow = taking(type_, late)
    assert verdict_text(flow) == f"credit flow proved for {sizes}"
    assert (flow.strength, flow.reason) == (Strength.PROVED, "integers may leave their type here at larger sizes")
    assert flow.place is not None


@pytest.mark.parametrize(("asserted", "fails"), [("J * 3 < 10", True), ("J < 10", False)])
def test_so_is_what_the_host_asserts(asserted: str, fails: bool) -> None:
    text = pipe(load(HEAD, "J > 1000000000"), use(HEAD)).replace("int J", "u32 J")
    flow = flow_of(text.replace("  parallel b", f'  assert({asserted}, "J");\n  parallel b', 1))
    assert (flow.strength is Strength.FAILS) is fails


NEVER_ROUND = [
    ("u32", "J / 4 > 1073741823"),
    ("u32", "J % 7 == 7"),
    ("u32", "J > 5 && J < 3"),
    ("u8", "J * 3 == 800"),
    ("s64", "J > 5 && J < 3"),
    ("int", "J * 3 > 5 && J < 2"),
    ("int", "__to<s64>(J) * 3 > 5 && J < 2"),
]


@pytest.mark.parametrize(("type_", "late"), NEVER_ROUND)
def test_where_no_value_comes_round_nothing_is_said_of_it(type_: str, late: str) -> None:
    flow = taking(type_, late)
    assert (flow.findings, "2^20" in verdict_text(flow)) == ((), False)


def test_numbers_of_turns_do_not_come_round() -> None:
    assert verdict_text(taking("u32")) == "credit flow proved for every C"


def test_more_bytes_than_a_type_counts_are_found() -> None:
    text = pipe(load(HEAD, "__to<u32>(R) * 4 < __to<u32>(R)"), use(HEAD))
    (finding,) = flow_of(text).findings
    assert finding.sizes["R"] == 1 << 30


@pytest.mark.parametrize(
    ("type_", "late"),
    [
        ("s64", "__to<u64>(J * 5) / 4 < 3 && J > 3"),
        ("int", "__to<u32>(J * 8) < 5 && J > 5"),
        ("int", "__to<u32>(J + J) < 5 && J > 5"),
    ],
)
def test_a_size_at_which_a_signed_integer_overflows_accuses_nobody(type_: str, late: str) -> None:
    assert taking(type_, late).findings == ()
