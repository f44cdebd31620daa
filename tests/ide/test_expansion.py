"""What a use of a macro becomes: the text, the place of the whole use, and where the macro is defined."""

from __future__ import annotations

import pytest

from croqc.service.settings import Settings
from croqls.ide.expansion import expansion_at
from croqls.ide.hover import hover
from croqls.ide.snapshot import Snapshot

TEXT = """#define N 64
#define TWO(a) (a + a)
#define LOAD(src, dst) dma.copy src => dst; \\
  foreach {k} in [N] { dst.at(k) = TWO(N); } sync.shared;
#define OPEN parallel p by N : thread {
#define METHOD chunkat
#define SELF(x) SELF(x)
__co__ void f(global s32 [N] x) {
  /* 😀 */ OPEN
    LOAD(x, y)
    x.METHOD(0).at(p) = TWO(TWO(N)) + N;
    x.at(SELF(N)) = TWO;
  }
}
// N outside
"""


def at(word: str, after: int = 0, text: str = TEXT) -> tuple[str, str, str] | None:
    """Name, use and text of what stands where a word begins, behind the definitions."""
    body = text.index("__co__")
    found = expansion_at(Snapshot("file:///k.co", 1, text), text.index(word, body) + after)
    if found is None:
        return None
    assert found.defined is not None
    assert text[found.defined.start : found.defined.end] == found.name
    assert text[: found.defined.start].endswith("#define ")
    return found.name, text[found.span.start : found.span.end], found.text


def test_a_constant() -> None:
    assert at("N;", 1) == ("N", "N", "64")


def test_macros_inside_are_expanded_too() -> None:
    assert at("TWO(TWO") == ("TWO", "TWO(TWO(N))", "((64 + 64) + (64 + 64))")


def test_a_use_in_an_argument_is_told_with_the_whole() -> None:
    assert at("N)) + N") == at("TWO(TWO")


def test_statements_stand_on_lines_of_their_own() -> None:
    """A list of indices stays in its line."""
    assert at("LOAD") == (
        "LOAD",
        "LOAD(x, y)",
        "dma.copy x => y;\nforeach {k} in [64] {\n  y.at(k) = (64 + 64);\n}\nsync.shared;",
    )


def test_a_brace_without_its_partner() -> None:
    assert at("OPEN") == ("OPEN", "OPEN", "parallel p by 64 : thread {")


def test_a_word_behind_a_dot() -> None:
    assert at("METHOD") == ("METHOD", "METHOD", "chunkat")


def test_a_macro_in_its_own_text_stays() -> None:
    assert at("SELF") == ("SELF", "SELF(N)", "SELF(64)")


@pytest.mark.parametrize(("word", "after"), [("TWO;", 0), ("x.at", 0), ("__co__", 0), ("// N outside", 3)])
def test_where_nothing_is_expanded(word: str, after: int) -> None:
    """A name without its arguments, a name that is no macro, C++."""
    assert at(word, after) is None


def test_a_macro_that_cannot_be_expanded() -> None:
    """Half a million tokens are more than a function may hold, which is a finding."""
    lines = ["#define A0 1", *(f"#define A{n} A{n - 1} A{n - 1}" for n in range(1, 20))]
    text = "\n".join([*lines, "__co__ void f() { A19; }\n"])
    snapshot = Snapshot("file:///k.co", 1, text)
    assert "the expansion of macro 'A19' is too large" in [one.message for one in snapshot.report.found]
    assert expansion_at(snapshot, text.index("A19;")) is None


def test_a_macro_of_the_settings_is_defined_nowhere() -> None:
    text = "__co__ void f(global s32 [M] x) {}\n"
    found = expansion_at(Snapshot("file:///k.co", 1, text, below=Settings(defines={"M": "7"})), text.index("M]"))
    assert found is not None
    assert (found.text, found.defined) == ("7", None)


def test_a_hover_tells_what_the_definition_does_not_say() -> None:
    snapshot = Snapshot("file:///k.co", 1, TEXT)

    def said(word: str, after: int = 0) -> str:
        found = hover(snapshot, TEXT.index(word, TEXT.index("__co__")) + after)
        assert found is not None
        return found.markdown

    assert said("TWO(TWO") == (
        "```croqtile\n#define TWO(a) (a + a)\n```\n\nMacro, line 2. Used 2 times in functions.\n\n"
        "Becomes\n\n```croqtile\n((64 + 64) + (64 + 64))\n```"
    )
    assert "Becomes" in said("LOAD")
    assert "Becomes" not in said("N;", 1)
    assert "Becomes" not in said("N)) + N")


def test_a_hover_leaves_out_what_is_long() -> None:
    text = TEXT.replace("TWO(TWO(N))", "TWO(TWO(TWO(TWO(TWO(TWO(N))))))")
    found = hover(Snapshot("file:///k.co", 1, text), text.index("TWO(TWO"))
    assert found is not None
    assert "Becomes" not in found.markdown
