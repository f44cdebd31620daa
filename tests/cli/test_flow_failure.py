"""`croq run` and `croq cuda` say where credit flow fails, though the run is right and the code is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Croq
from tests.rules.mending import example, second

COURSE = example("pipeline_course")
SHIFTED = second(COURSE, "stage = iv_k % MATMUL_STAGES", "stage = (iv_k + 1) % MATMUL_STAGES")
"""Deadlocks for an odd number of turns; both run lines of the file ask for an even one."""
SLOT = SHIFTED.splitlines().index("          stage = (iv_k + 1) % MATMUL_STAGES;") + 1
FAILURE = f"credit flow fails for K = 1: k.co:{SLOT} [ring-mismatch]"


def test_a_run_that_is_right_stays_right_and_says_it(croq: Croq) -> None:
    Path("k.co").write_text(SHIFTED)
    shown = croq("run", "k.co")
    assert shown.status == 0
    assert shown.out.count(f")\n  warning: verified here, but {FAILURE}\n") == 2
    runs = json.loads(croq("run", "--json", "k.co").out)["runs"]
    assert [run["notes"] for run in runs] == [[f"verified here, but {FAILURE}"]] * 2


def test_a_hang_has_its_own_explanation_only(croq: Croq) -> None:
    Path("k.co").write_text(SHIFTED)
    shown = croq("run", "-D", "K=128", "-D", "M=64", "-D", "N=64", "k.co")
    assert shown.status == 1
    assert f"note: 'croq check' explains it: ring-mismatch at line {SLOT}\n" in shown.out
    assert "fails for" not in shown.out


def test_the_code_is_made_with_a_line_beside_it(croq: Croq) -> None:
    Path("k.co").write_text(SHIFTED)
    shown = croq("cuda", "k.co")
    assert (shown.status, shown.err) == (0, f"croq: {FAILURE}; the code is made all the same\n")
    assert "__global__" in shown.out


@pytest.mark.parametrize(
    "text", [COURSE, SHIFTED.replace("stage = (iv_k", "// croq: allow ring-mismatch\n stage = (iv_k")]
)
def test_nothing_is_said_of_what_holds_or_is_allowed(croq: Croq, text: str) -> None:
    Path("k.co").write_text(text)
    assert "credit flow" not in croq("run", "k.co").out
    assert croq("cuda", "k.co").err == ""


def test_one_function_alone_is_spoken_of(croq: Croq) -> None:
    Path("k.co").write_text(SHIFTED + "\n" + COURSE[COURSE.index("__co__") :].replace("matmul(", "other("))
    assert croq("cuda", "--entry", "other", "k.co").err == ""
