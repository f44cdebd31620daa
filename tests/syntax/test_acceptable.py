"""What may follow at a place: what does follow in every example fits, also behind mistakes further up."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.syntax.acceptable import acceptable_at, head_of
from croqc.syntax.context import typed_tokens
from croqc.syntax.preprocess import preprocess

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))


def terminals(text: str) -> frozenset[str]:
    """What fits at the mark `|`."""
    at = text.index("|")
    function = preprocess(text.replace("|", "", 1)).functions[0]
    return acceptable_at(function, at - function.base).terminals


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_next_token_of_a_valid_kernel_always_fits(path: Path) -> None:
    for function in preprocess(path.read_text(encoding="utf-8")).functions:
        typed, _ = typed_tokens(function)
        for token in typed[::7]:
            if token.start < token.end and token.macro is None:
                assert token.type in acceptable_at(function, token.start).terminals, token


FUNCTION = "__co__ void f(global f32 [M] x) {\n  BROKEN\n  shared event e[2];\n  wait |;\n}\n"


@pytest.mark.parametrize(
    "broken",
    ["", "x.at(0) = ;", "foreach {i in [M] { }", "f32 t = x.at(0)", "parallel p by : block { }", ") ] ;", "x y z w;"],
)
def test_a_mistake_further_up_changes_nothing(broken: str) -> None:
    assert terminals(FUNCTION.replace("BROKEN", broken)) == terminals(FUNCTION.replace("BROKEN", ""))


def test_the_place_decides() -> None:
    text = FUNCTION.replace("BROKEN", "")
    assert {"NAME", "CDIV"} <= terminals(text)
    assert "FOREACH" not in terminals(text)
    assert {"FOREACH", "WAIT", "NAME"} <= terminals(text.replace("wait |;", "|"))
    assert terminals(text.replace("wait |;", "parallel p by 2 : |")) == {"LEVEL", "NAME"}
    assert terminals(text.replace("wait |;", "dma|")) == {"MOD", "ANY"}
    assert terminals("__co__ void f(|") >= {"ELEM", "STORAGE", "_RPAR"}


@pytest.mark.parametrize(
    ("code", "head"),
    [
        ("dma", ("dma",)),
        ("f = tma.copy.async.swiz<128>", ("tma", "copy", "async", "swiz")),
        ("dma.pad<{1}, {1}, {0}, 0>", ("dma", "pad")),
        ("mma.row.row", ("mma", "row", "row")),
        ("x = y", ()),
        ("dma.copy x", ()),
    ],
)
def test_the_words_of_an_operation(code: str, head: tuple[str, ...]) -> None:
    text = FUNCTION.replace("BROKEN", "").replace("wait |;", f"{code}|")
    at = text.index("|")
    function = preprocess(text.replace("|", "", 1)).functions[0]
    assert head_of(acceptable_at(function, at - function.base).before) == head
