"""Every kernel of the page of the language is clean, verified and proved; every word that it names is known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.builtins import lookup
from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from croqc.service.run import run_file
from croqc.service.run_plan import Request
from croqc.text.diagnostics import Severity

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
KERNELS = {re.findall(r"__co__ void (\w+)", text)[0]: text for text in re.findall(r"(?s)```co\n(.*?)```", PAGE)}


def test_the_page_shows_what_it_speaks_of() -> None:
    assert list(KERNELS) == ["scale", "thrice", "through", "gemm", "pump"]
    assert "docs/language.md" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KERNELS)
def test_its_kernels_are_clean_and_proved(name: str) -> None:
    report = with_flow(check_text(KERNELS[name]), TYPING_BUDGET)
    assert [item.message for item in report.diagnostics if item.severity in (Severity.ERROR, Severity.WARNING)] == []
    flows = [kernel for flow in (report.flows or {}).values() for kernel in flow.kernels]
    assert {kernel.strength.value for kernel in flows} == {"proved"}


@pytest.mark.parametrize("name", KERNELS)
def test_its_kernels_do_what_they_say(name: str) -> None:
    for done in run_file(check_text(KERNELS[name]), Request(schedules=2), check_text):
        assert done.result.verdict.value == "verified"


def test_its_words_are_explained() -> None:
    """What stands in code marks in the text, by its first word: `dma.copy A => B;` speaks of `dma.copy`."""
    text = re.sub(r"(?s)```.*?```", "", PAGE)
    spans = [span for span in re.findall(r"`([^`]+)`", text) if not span.startswith(("croq", "//", "#"))]
    words = {
        word for span in spans for word in re.findall(r"(?<![\w.])(?:dma|tma|mma|sync|inthreads|__\w+)[\w.]*", span)
    }
    assert {"dma.copy", "mma.store", "inthreads.async", "__exp"} <= words
    unknown = {
        word
        for word in words - {"__co__"}
        if lookup(word.rpartition(".")[2], word.rpartition(".")[0]) is None
        and lookup(".".join(word.split(".")[:2])) is None
    }
    assert unknown == set()
