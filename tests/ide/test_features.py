"""Hover, outline and semantic tokens as functions of a snapshot, without a server: also of text that is being typed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from croqls.ide.hover import hover
from croqls.ide.roles import Role
from croqls.ide.semantic import MODIFIERS, TokenType, semantic_tokens
from croqls.ide.snapshot import Snapshot
from croqls.ide.symbols import OutlineKind, outline

KERNEL = """#define TILE 16
__co__ void scale(global f16 [M, 64] src) {
  parallel b by [M / TILE] : block {
    shared f16 [TILE, 64] tile_s;
    dma.copy src.subspan(TILE, 64).at(b, 0) => tile_s;
  }
}
"""


def told(text: str, at: str) -> tuple[str, str] | None:
    """What the hover in front of the first `at` says, and the text that it is about."""
    found = hover(Snapshot("file:///k.co", 1, text), text.index(at))
    return (found.markdown, text[found.span.start : found.span.end]) if found else None


@pytest.mark.parametrize(
    ("at", "says", "about"),
    [
        ("tile_s;", "tile_s: shared f16 [16, 64]", "tile_s"),
        ("b by", "b: parallel index, 0 … M / 16 - 1", "b"),
        ("TILE, 64] tile_s", "#define TILE 16", "TILE"),
        (".copy", "dma.copy", ".copy"),
    ],
)
def test_hover_is_about_the_word_under_the_cursor(at: str, says: str, about: str) -> None:
    answer = told(KERNEL, at)
    assert answer is not None
    assert says in answer[0]
    assert answer[1] == about


def test_hover_says_nothing_outside_functions_and_of_signs() -> None:
    assert told("// only a comment\n" + KERNEL, "only") is None
    assert told(KERNEL, "=> tile_s") is None


def test_the_outline_nests_parameters_and_buffers_in_their_function() -> None:
    macro, function = outline(Snapshot("file:///k.co", 1, KERNEL))
    assert (macro.name, macro.detail, macro.kind) == ("TILE", "16", OutlineKind.MACRO)
    assert (function.name, function.detail) == ("scale", "(src)")
    assert [(child.name, child.kind) for child in function.children] == [
        ("src", OutlineKind.PARAMETER),
        ("tile_s", OutlineKind.BUFFER),
    ]
    for item in (function, *function.children):
        assert KERNEL[item.name_span.start : item.name_span.end] == item.name
        assert item.span.start <= item.name_span.start
        assert item.name_span.end <= item.span.end


def test_tokens_stand_in_order_on_one_line_each_and_mark_declarations() -> None:
    tokens = semantic_tokens(Snapshot("file:///k.co", 1, KERNEL))
    assert all(a.span.end <= b.span.start for a, b in pairwise(tokens))
    assert not any("\n" in KERNEL[item.span.start : item.span.end] for item in tokens)
    names = [item for item in tokens if KERNEL[item.span.start : item.span.end] == "tile_s"]
    assert [(item.type, item.declares) for item in names] == [(TokenType.BUFFER, True), (TokenType.BUFFER, False)]


def test_tokens_of_a_region_carry_its_role() -> None:
    text = (Path(__file__).parents[2] / "examples" / "pipeline_course.co").read_text(encoding="utf-8")
    tokens = semantic_tokens(Snapshot("file:///k.co", 1, text))

    def roles(at: str) -> list[str]:
        start = text.index(at)
        return [role.value for item in tokens if item.span.start == start for role in item.roles]

    assert roles("inthreads.async (p1 == 0)") == ["producer"]
    assert roles("wait empty") == roles("trigger full") == ["producer"]
    assert roles("mma.row.row") == roles("wait full") == roles("trigger empty") == ["consumer"]
    assert roles("shared event full") == roles("parallel {block_m") == []
    wait = next(item for item in tokens if item.span.start == text.index("wait full"))
    assert (MODIFIERS, wait.modifiers) == (("declaration", "producer", "consumer"), 4)


def test_a_region_between_two_rings_has_both_roles() -> None:
    text = """__co__ void f(global f16 [64, 64] x) {
  parallel b by 1 : block {
    shared f16 [64, 64] one, two;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) { dma.copy one => two; }
      inthreads.async (w == 1) { y = 1; }
    }
  }
}
"""
    tokens = semantic_tokens(Snapshot("file:///k.co", 1, text))
    assert {item.roles for item in tokens} == {(), (Role.PRODUCER, Role.CONSUMER)}


def test_names_of_functions_are_functions() -> None:
    text = "__device__ float g(float x) { return x; }\n__co__ void f(global f32 [8] x) {\n  y = call g(x.at(0));\n}\n"
    tokens = semantic_tokens(Snapshot("file:///k.co", 1, text))
    found = {text[item.span.start : item.span.end]: item.declares for item in tokens if item.type is TokenType.FUNCTION}
    assert (found["f"], found["g"]) == (True, False)


@pytest.mark.parametrize("length", range(0, len(KERNEL), 7))
def test_a_text_that_is_being_typed_has_an_outline_and_tokens(length: int) -> None:
    snapshot = Snapshot("file:///k.co", 1, KERNEL[:length])
    assert all(item.span.end <= length for item in semantic_tokens(snapshot))
    assert all(item.span.end <= length for item in outline(snapshot))
    hover(snapshot, length)


def test_an_edit_elsewhere_keeps_the_analysis_of_a_function() -> None:
    before = Snapshot("file:///k.co", 1, KERNEL)
    kept = before.report.functions[0].analysis
    after = before.edited(2, "// one line more\n" + KERNEL)
    assert after.version == 2
    assert after.report.functions[0].analysis is kept
    assert after.report.functions[0].base == before.report.functions[0].base + len("// one line more\n")
