"""Every refusal of the lowering gives its reason and then, behind a colon, what to write instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.meta.tree import ROOT

FOLDERS = ("pipe", "codegen", "service")
# What a whole value says, or a way that needs no reason.
SHORT = ("write '", "load an operand into a plain name")


def refusals() -> Iterator[tuple[str, str]]:
    """The place and the text of each message that stands in the source; names in it as `{}`."""
    for folder in FOLDERS:
        for path in sorted((ROOT / "compiler" / "croqc" / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                    text = _text(node.args[0])
                    if text not in ("", "{}"):
                        yield f"{_short(path)}:{node.lineno}", text


RAISED = ("LoweringError", "UnsupportedTypeError")


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT / "compiler" / "croqc"))


def _text(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str() as value):
            return value
        case ast.JoinedStr(values=values):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in values)  # type: ignore[misc]
    return ""


def test_each_refusal_says_what_to_write_instead() -> None:
    found = list(refusals())
    assert len(found) > 90
    bare = [(place, text) for place, text in found if ": " not in text]
    assert [each for each in bare if not each[1].startswith(SHORT)] == []
