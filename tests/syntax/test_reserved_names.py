"""A reserved word that is taken as a name: one message, at the declaration, with another name; nothing else follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service.check import check_text
from croqc.syntax.keywords import KEYWORDS, SOFT, Group
from croqc.syntax.preprocess import preprocess
from croqc.syntax.reserved_names import without_reserved
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.edits import apply_edits

ROOT = Path(__file__).parents[2]
WORDS = sorted(
    word
    for word, row in KEYWORDS.items()
    if word not in SOFT and row.group is not Group.LITERAL and word.isidentifier()
)
KERNELS = {
    "variable": """__co__ void f(global f32 [N] x, global f32 [N] y) {
  parallel b by cdiv(N, 128) : block, t by 128 : thread {
    WORD = b * 128 + t;
    if (WORD < N && !(WORD >= N)) { y.at(WORD) = x.at(WORD) * 2.0f - x.at(N - WORD - 1); }
  }
}
""",
    "parameter": """__co__ void f(global f32 [N] WORD, global f32 [N] y) {
  parallel b by N : block { y.at(b) = WORD.at(b) + WORD.at(b); }
}
""",
    "index of a parallel": """__co__ void f(global f32 [N, 128] x, global f32 [N, 128] y) {
  parallel WORD by N : block, t by 128 : thread { y.at(WORD, t) = x.at(WORD, t); }
}
""",
    "index of a loop": """__co__ void f(global f32 [N, 128] x, global f32 [N] y) {
  parallel b by N : block {
    mutable f32 s = 0.0f;
    foreach WORD in 128 { s += x.at(b, WORD); }
    y.at(b) = s;
  }
}
""",
    "indices in braces": """__co__ void f(global f32 [N, 128] x, global f32 [N, 128] y) {
  parallel {b, WORD} by [N, 4] : block {
    foreach {k} in [32] { y.at(b, WORD * 32 + k) = x.at(b, WORD * 32 + k); }
  }
}
""",
    "typed variable": """__co__ void f(global f32 [N] x, global f32 [N] y) {
  parallel b by N : block {
    mutable f32 WORD = 0.0f;
    foreach k in 4 { WORD += x.at(b); }
    y.at(b) = WORD;
  }
}
""",
    "buffer": """__co__ void f(global f32 [N] x, global f32 [N] y) {
  parallel b by N : block {
    local f32 [4] WORD;
    WORD.at(0) = x.at(b);
    y.at(b) = WORD.at(0);
  }
}
""",
    "size": """__co__ void f(global f32 [WORD] x, global f32 [WORD] y) {
  parallel b by WORD : block { y.at(b) = x.at(b); }
}
""",
}


def errors(text: str) -> list[Diagnostic]:
    return [item for item in check_text(text).found if item.severity is not Severity.INFORMATION]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("kind", KERNELS)
def test_it_is_told_once_where_it_is_declared(word: str, kind: str) -> None:
    text = KERNELS[kind].replace("WORD", word)
    (found,) = errors(text)
    assert found.message == f"'{word}' is a reserved word and cannot be used as a name"
    assert found.hint == f"take another one, such as '{word}_'"
    assert found.span.start == KERNELS[kind].index("WORD")
    (fix,) = found.fixes
    assert fix.title == f"Rename it to '{word}_'"
    assert apply_edits(text, fix.edits) == KERNELS[kind].replace("WORD", f"{word}_")
    assert not fix.safe  # a comment, a directive or a macro may name it, too


@pytest.mark.parametrize("kind", KERNELS)
def test_the_kernels_are_right_with_another_name(kind: str) -> None:
    assert errors(KERNELS[kind].replace("WORD", "other")) == []


def test_two_words_are_two_mistakes() -> None:
    text = KERNELS["indices in braces"].replace("WORD", "in").replace("k}", "by}").replace(" k", " by")
    assert [item.message.split("'")[1] for item in errors(text)] == ["in", "by"]


def test_a_word_that_a_macro_brings_has_no_rename() -> None:
    text = "#define IDX in\n" + KERNELS["variable"].replace("WORD", "IDX")
    (found,) = errors(text)
    assert (found.message.split("'")[1], found.fixes) == ("in", ())


def test_a_name_that_is_taken_is_not_offered_as_an_edit() -> None:
    (found,) = errors(KERNELS["variable"].replace("WORD", "in").replace("x.at(in)", "x.at(in_)"))[:1]
    assert found.fixes == ()


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.co")), ids=lambda path: path.stem)
def test_right_text_declares_none(path: Path) -> None:
    for function in preprocess(path.read_text(encoding="utf-8"), {}, None).functions:
        assert without_reserved(function.tokens)[1] == []
