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


@pytest.mark.parametrize(("type_", "late"), [("u8", "J == 300"), ("u16", "J > 65535"), ("s8", "J > 127")])
def test_no_more_than_its_type_holds_is_tried(type_: str, late: str) -> None:
    assert flow_of(taking(type_, load(HEAD, late), use(HEAD))).findings == ()


@pytest.mark.parametrize("type_", ["u8", "u32", "s64", "int"])
def test_as_many_turns_as_one_says_are_proved(type_: str) -> None:
    head = "foreach k in [J]"
    flow = flow_of(taking(type_, load(head), use(head)))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


def test_a_number_with_a_point_is_data() -> None:
    assert flow_of(taking("f32", load(HEAD, "J > 2.0f"), use(HEAD))).reason == "depends on data"
