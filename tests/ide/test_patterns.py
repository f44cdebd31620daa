"""Whole patterns: each, with its defaults, is clean, is of its dialect, and its credit flow is proved."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import Strength
from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from croqc.service.settings import Settings
from croqc.targets import TARGETS
from croqc.text.diagnostics import Severity
from croqls.ide.patterns import CLASSIC, COURSE, CURRENT, Pattern, filled, patterns

ALL = [
    (dialect, name, pattern)
    for dialect in (CURRENT, COURSE, CLASSIC)
    for name, target in TARGETS.items()
    for pattern in patterns(dialect, target)
]


@pytest.mark.parametrize(("dialect", "arch", "pattern"), ALL, ids=lambda one: getattr(one, "label", one))
def test_each_pattern_is_clean_and_proved(dialect: str, arch: str, pattern: Pattern) -> None:
    strict = "current" if dialect == CURRENT else "any"
    report = with_flow(check_text(pattern.plain, below=Settings(arch=arch, dialect=strict)), TYPING_BUDGET)
    told = [item for item in report.diagnostics if item.severity in (Severity.ERROR, Severity.WARNING)]
    assert [(item.code, item.message) for item in told] == []
    assert report.flows is not None
    assert [kernel.strength for flow in report.flows.values() for kernel in flow.kernels] == [Strength.PROVED]
    ring = pattern.label not in ("double", "triple")
    assert report.dialect == (dialect if ring else "any")
    assert len(report.directives.functions[0].expects) == 1


def test_a_target_without_tma_gets_what_it_can_run() -> None:
    assert [one.label for one in patterns(CURRENT, TARGETS["sm_80"])] == ["double", "triple"]
    labels = ["1p1c", "1p2c", "persistent", "double", "triple"]
    assert [one.label for one in patterns(CURRENT, TARGETS["sm_90a"])] == labels


def test_filling_place_holders() -> None:
    assert filled("a ${1:x} $1 ${2:y}$2$0 [64, $1]") == "a x x yy [64, x]"
    for _, _, pattern in ALL:
        assert "$" not in pattern.plain
        assert pattern.text.endswith("}$0")
