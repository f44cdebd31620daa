"""The snippets, filled in with their own defaults, are clean Croqtile of the current dialect."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from croqc.service.check import check_text
from croqc.service.settings import Settings
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS
from croqc.text.diagnostics import Severity
from croqls.ide.patterns import CURRENT, patterns

FILE = Path(__file__).parents[2] / "vscode-extension" / "snippets" / "croqtile.json"
SNIPPETS = json.loads(FILE.read_text(encoding="utf-8"))
STATEMENTS = {"Parallel region"}  # stand inside a function
DIRECTIVES = {"Run directive", "Expect directive"}  # stand above one


def expand(body: list[str]) -> str:
    """The text with every placeholder at its default and every choice at its first."""
    text = "\n".join(body)
    defaults = dict(re.findall(r"\$\{(\d+):([^{}$]*)\}", text))
    text = re.sub(r"\$\{\d+:([^{}$]*)\}", r"\1", text)
    text = re.sub(r"\$\{\d+\|([^,|]*)[^|]*\|\}", r"\1", text)
    return re.sub(r"\$(\d+)", lambda found: "" if found[1] == "0" else defaults[found[1]], text)


def in_place(name: str, text: str) -> str:
    if name in STATEMENTS:
        return f"__co__ void f(global f16 [M, N] a) {{\n{text}\n}}\n"
    kernel = "__co__ void f(global f16 [M, K] lhs, global f16 [N, K] rhs, global f16 [M, N] output) {}"
    return f"{text}\n{kernel}\n" if name in DIRECTIVES else text


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet_parses(name: str) -> None:
    text = in_place(name, expand(SNIPPETS[name]["body"]))
    assert "$" not in text
    tree = parse_file(text)
    assert [found.message for found in tree.findings] == []
    assert [function.tree is not None for function in tree.functions] == [True]


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet_is_clean_in_the_current_dialect(name: str) -> None:
    report = check_text(in_place(name, expand(SNIPPETS[name]["body"])), Settings(dialect="current"))
    notes = (Severity.INFORMATION, Severity.HINT)
    assert [found.message for found in report.diagnostics if found.severity not in notes] == []


def test_the_patterns_are_those_of_the_server() -> None:
    """So that the editor has them without a server, and none is offered in two versions."""
    known = {tuple(entry["body"]): entry["prefix"] for entry in SNIPPETS.values()}
    for pattern in patterns(CURRENT, TARGETS["sm_90a"]):
        assert pattern.label in known[tuple(pattern.text.split("\n"))]


def test_expansion() -> None:
    assert expand(["a ${1:x} $1 ${2|b,c|}", "${3:y}$3$0"]) == "a x x b\nyy"
