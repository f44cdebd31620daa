"""A fix that ends in a fault of the credit flow is not safe, though it mends its own finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import FileReport, check_text
from croqc.service.fix import fix_text
from croqc.service.flow_check import with_flow
from croqc.service.judged_fixes import with_judged_fixes

PIPELINE = (Path(__file__).parents[2] / "examples" / "pipeline_course.co").read_text()
START = """        foreach {s} in [MATMUL_STAGES] {
          trigger empty[s];
        }
"""
assert PIPELINE.count(START) == 1


def judged(text: str, before: FileReport | None = None) -> FileReport:
    return with_judged_fixes(with_flow(check_text(text, previous=before), TYPING_BUDGET, before))


def safely(text: str) -> str:
    return fix_text(judged(text), judged).text


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("inthread.async (p1 == 0)", "inthreads.async (p1 == 0)"),
        ("forech {iv_k} in", "foreach {iv_k} in"),
        ("triger full", "trigger full"),
        ("wiat empty", "wait empty"),
    ],
)
def test_a_slip_in_a_pipeline_that_is_right_is_mended(typed: str, right: str) -> None:
    wrong = PIPELINE.replace(right, typed, 1)
    assert wrong != PIPELINE
    assert safely(wrong) == PIPELINE


def test_a_guess_that_ends_in_a_deadlock_is_offered_and_not_safe() -> None:
    """Both words may have been meant: the roles of a pipeline need `.async`."""
    wrong = PIPELINE.replace("inthreads.async (p1 == 0)", "inthread (p1 == 0)", 1)
    [error] = [item for item in judged(wrong).diagnostics if item.code == "syntax-error"]
    assert [(fix.title, fix.safe) for fix in error.fixes] == [("Write 'inthreads'", False)]
    assert safely(wrong) == wrong


def test_a_fault_that_has_a_safe_fix_itself_holds_no_other_back() -> None:
    wrong = PIPELINE.replace(START, "", 1)
    mended = safely(wrong)
    assert mended != wrong
    assert safely(wrong.replace("wait full", "wiat full", 1)) == mended


def test_another_function_is_not_looked_at() -> None:
    stuck = PIPELINE[PIPELINE.index("__co__") :].replace("matmul(", "stuck(", 1).replace("trigger full", "wait full", 1)
    wrong = PIPELINE.replace("wait empty", "wiat empty", 1) + stuck
    assert "wiat" not in safely(wrong)
