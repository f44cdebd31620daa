"""Hover and completion inside `// croq: …`, as functions of a snapshot. `|` marks the cursor."""

from __future__ import annotations

import pytest

from croqc.builtins.directives import DIRECTIVES
from croqc.rules.table import NAMES
from croqc.service.check import check_text
from croqc.syntax.comment_directives import WORDS
from croqc.targets import TARGETS
from croqls.ide.directives import directive_items
from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot

KERNEL = """
__co__ void f(global f32 [M, N] x, global f16 [M, N] y, int shift) {
  parallel {i, j} by [M, N] : thread
    y.at(i, j) = x.at(i, j) + cast(shift);
}
"""
NEVER = {"syntax-error", "preprocessor-error", "run-directive", "internal-error"}


def at(line: str, below: str = KERNEL) -> tuple[Snapshot, int]:
    text = line + below
    return Snapshot("file:///k.co", 1, text.replace("|", "", 1)), text.index("|")


def labels(line: str, below: str = KERNEL) -> list[str]:
    return [item.label for item in directive_items(*at(line, below))]


def completed(line: str, label: str) -> str:
    """The line after the item of that label was taken."""
    snapshot, offset = at(line)
    item = next(item for item in directive_items(snapshot, offset) if item.label == label)
    text = snapshot.text[: item.span.start] + item.label + snapshot.text[item.span.end :]
    return text.split("\n")[0]


def test_one_row_a_word_and_each_example_can_be_read() -> None:
    assert set(DIRECTIVES) == set(WORDS)
    kernel = "__co__ void f(global f32 [M, K] lhs, global f32 [N, K] rhs, global f32 [M, N] output) {}\n"
    for word, row in DIRECTIVES.items():
        assert row.signature.startswith(f"// croq: {word} ") and row.example.startswith(f"// croq: {word} ")
        found = check_text(f"{row.example}\n{kernel}").diagnostics
        assert [item for item in found if item.code == "run-directive"] == []


@pytest.mark.parametrize("word", sorted(WORDS))
def test_hover_on_each_directive(word: str) -> None:
    example = DIRECTIVES[word].example
    for place in (example.replace(word, f"{word[0]}|{word[1:]}", 1), example.replace(word, f"{word}|", 1)):
        snapshot, offset = at(place)
        found = hover(snapshot, offset)
        assert found is not None
        for part in (DIRECTIVES[word].signature, DIRECTIVES[word].doc, DIRECTIVES[word].example):
            assert part in found.markdown
        assert snapshot.text[found.span.start : found.span.end] == example.removeprefix("// croq: ")


def test_hover_on_a_rule_that_is_allowed() -> None:
    snapshot, offset = at("// croq: allow older-form, lossy-|conversion")
    found = hover(snapshot, offset)
    assert found is not None and found.markdown.startswith("**lossy-conversion**")
    assert "/pages/lossy-conversion.md" in found.markdown
    assert snapshot.text[found.span.start : found.span.end] == "lossy-conversion"


@pytest.mark.parametrize(
    "line", ["// cr|oq: run M=1", "// rather: ru|n", '"// croq: ru|n";', "// croq: ruin|", "/* // croq: ru|n */"]
)
def test_no_hover_elsewhere(line: str) -> None:
    assert hover(*at(line)) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("// croq: |", ["run", "expect", "model", "allow", "arch", "dialect"]),
        ("// croq: al|", ["run", "expect", "model", "allow", "arch", "dialect"]),
        ("// croq: allow |", sorted(set(NAMES) - NEVER)),
        ("// croq: allow lossy-conversion, o|", sorted(set(NAMES) - NEVER - {"lossy-conversion"})),
        ("// croq: arch |", list(TARGETS)),
        ("// croq: arch sm_80 |", []),
        ("// croq: dialect c|", ["any", "current"]),
        ("// croq: run |", ["M=", "N=", "shift=", "seed=", "arch=", "name="]),
        ("// croq: run M=8 seed=1 |", ["N=", "shift=", "arch=", "name="]),
        ("// croq: run arch=|", list(TARGETS)),
        ("// croq: run M=|", []),
        ("// croq: expect |", ["auto"]),
        ("// croq|: ", []),
        ("// plain |", []),
        ('"// croq: |"', []),
    ],
)
def test_completion(line: str, expected: list[str]) -> None:
    assert labels(line) == expected


def test_completion_inside_a_function_too() -> None:
    inside = KERNEL.replace("thread\n", "thread // croq: allow l|\n")
    assert "lossy-conversion" in labels("", inside)


def test_what_is_taken_replaces_the_word_that_is_begun() -> None:
    assert completed("// croq: allow older-form, los|sy", "lossy-conversion") == (
        "// croq: allow older-form, lossy-conversion"
    )
    assert completed("// croq: ar|", "arch") == "// croq: arch"
    assert completed("// croq: run arch=|", "sm_80") == "// croq: run arch=sm_80"
    assert completed("// croq: allow |", "older-form") == "// croq: allow older-form"
