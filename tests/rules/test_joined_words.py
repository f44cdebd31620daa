"""A dotted word that lost its dot: what is mended safely is the text as it was, never a statement that is nearly it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import Strength
from croqc.service.check import check_text
from croqc.service.fix import fix_text
from croqc.service.flow_check import with_flow
from croqc.text.near import is_certain

EXAMPLES = Path(__file__).parents[2] / "examples"
DOTTED = re.compile(r"\b(?:inthreads|parallel|sync|dma|tma|mma)(?:\.\w+)+")


def joined() -> Iterator[object]:
    """Each dotted word of the examples without one of its dots, once: the right text and the other."""
    seen = set()
    for path in sorted(EXAMPLES.glob("*.co")):
        text = path.read_text()
        for found in DOTTED.finditer(text):
            for dot in (at for at in range(*found.span()) if text[at] == "."):
                key = text[found.start() : dot] + text[dot + 1 : found.end()]
                if key not in seen:
                    seen.add(key)
                    yield pytest.param(text, text[:dot] + text[dot + 1 :], id=key)


@pytest.mark.parametrize(("right", "wrong"), list(joined()))
def test_what_is_mended_safely_is_the_text_as_it_was(right: str, wrong: str) -> None:
    fixed = fix_text(check_text(wrong), lambda new, before: check_text(new, previous=before))
    assert fixed.text in (right, wrong)


@pytest.mark.parametrize("typed", ["inthreadsasync", "inthreads_async", "inthreadsasyn", "inthreadasync"])
def test_a_pipeline_stays_one(typed: str) -> None:
    right = (EXAMPLES / "pipeline_course.co").read_text()
    wrong = right.replace("inthreads.async", typed, 1)
    assert wrong != right
    fixed = fix_text(check_text(wrong), lambda new, before: check_text(new, previous=before))
    assert fixed.text == right
    [flow] = (with_flow(fixed.report, TYPING_BUDGET).flows or {}).values()
    assert [kernel.strength for kernel in flow.kernels] == [Strength.PROVED]


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("dmacopy a => b;", "did you mean 'dma.copy'?"),
        ("x = tmacopy a => shared;", "did you mean 'tma.copy'?"),
        ("x = mmafill 0.0f;", "did you mean 'mma.fill'?"),
        ("syncshared;", "did you mean 'sync.shared'?"),
        ("parallelasync p by 4 : block { }", "did you mean 'parallel.async'?"),
        ("x = tma.copyasync a => shared;", "did you mean '.copy.async'?"),
        ("x = tma.copy.multicastasync a => shared;", "did you mean '.multicast.async'?"),
        ("mc = mma.fillf32 0.0f;", "did you mean '.fill.f32'?"),
    ],
)
def test_both_words_are_named(typed: str, hint: str) -> None:
    report = check_text(f"__co__ void k(global f32 [4] a, global f32 [4] b) {{ {typed} }}\n")
    assert hint in [item.hint for item in report.diagnostics if item.code == "syntax-error"]


def test_what_is_left_behind_a_whole_word_leaves_it_unsure() -> None:
    assert not is_certain("multicastxyz", "multicast", ["multicast", "async"])
    assert is_certain("multicasts", "multicast", ["multicast", "async"])
