"""What counts as the same model."""

import pytest

from croqc.refactor.base import Code, edited
from croqc.refactor.equal import attempt, same_model
from croqc.text.edits import Edit
from croqc.text.span import Span
from tests.refactor.rewriting import HEAD, code

KERNEL = f"""\
{HEAD}    shared event full[2], empty[2];
    shared f16 [64, 64] buf[2];
    parallel w by 3 : group-4 {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(K, 64)] {{
          wait empty[k % 2];
          dma.copy a.subspan(64, 64).at(b, k) => buf[k % 2];
          trigger full[k % 2];
        }}
      }}
      inthreads.async (w > 0) {{
        foreach {{s}} in [2] {{ trigger empty[s]; }}
        foreach {{k}} in [cdiv(K, 64)] {{
          wait full[k % 2];
          dma.copy buf[k % 2] => out.subspan(64, 64).at(b, q);
          trigger empty[k % 2];
        }}
      }}
    }}
  }}
}}
"""


def changed(old: str, new: str) -> tuple[Code, Code]:
    """A rewrite by replacing a text that stands there once."""
    before = code(KERNEL)
    assert KERNEL.count(old) == 1
    start = before.text.index(old)
    after = edited(before, [Edit(Span(start, start + len(old)), new)])
    assert after is not None
    return before, after


SAME = [
    ("foreach {s} in [2] { trigger empty[s]; }", "trigger empty[0]; trigger empty[1];"),
    ("dma.copy a.subspan", "x = 1; dma.copy a.subspan"),
    ("wait empty[k % 2];", "slot = k % 2; wait empty[slot];"),
]
OTHER = [
    ("w by 3", "w by 4", "the paths"),
    ("(w > 0)", "(w == 1)", "the paths"),
    ("full[2], empty[2]", "full[2], empty[3]", "the slots, arrivals or first credits of 'empty'"),
    ("full[2], empty[2];", "full[2], empty[2], more;", "the events"),
    ("foreach {s} in [2] { trigger empty[s]; }", "", "the slots, arrivals or first credits of 'empty'"),
    ("at(b, k) =>", "at(b, k + 1) =>", "what is read and written in global memory"),
    ("out.subspan(64, 64).at(b, q)", "out.subspan(64, 64).at(q, b)", "what is read and written in global memory"),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_another_spelling_is_the_same(old: str, new: str) -> None:
    before, after = changed(old, new)
    assert same_model(before.analysis, after.analysis) is None


@pytest.mark.parametrize(("old", "new", "difference"), OTHER)
def test_what_differs_is_named(old: str, new: str, difference: str) -> None:
    before, after = changed(old, new)
    assert same_model(before.analysis, after.analysis) == difference


def test_events_may_have_other_names() -> None:
    before = code(KERNEL)
    after = code(KERNEL.replace("full", "filled"))
    assert same_model(before.analysis, after.analysis) == "the events"
    assert same_model(before.analysis, after.analysis, {"full": "filled"}) is None


def test_ready_is_a_bootstrap() -> None:
    after = KERNEL.replace("empty[2];", "empty[2] = ready;", 1).replace("foreach {s} in [2] { trigger empty[s]; }", "")
    assert same_model(code(KERNEL).analysis, code(after).analysis) is None


@pytest.mark.parametrize("text", ["(", "}", "dma.copy => ;", "nonsense[3] = 1;"])
def test_a_text_that_breaks_is_refused(text: str) -> None:
    before = code(KERNEL)
    at = before.text.index("wait empty")
    outcome = attempt(before, [Edit(Span(at, at), text)])
    assert not isinstance(outcome, Code)
    assert outcome.reason.startswith("the result would")
