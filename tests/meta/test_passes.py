"""A pass is one file with its reason, in the ordered tuple, documented; nothing of the back end stands unused."""

from __future__ import annotations

import ast
import re

from croqc.pipe.pipeline import PASSES
from tests.meta.tree import ROOT, read

FOLDER = ROOT / "compiler/croqc/pipe/passes"
NAMES = [name for name, _ in PASSES]


def test_every_pass_is_a_file_of_its_name() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__") == sorted(NAMES)
    for name, run in PASSES:
        assert (run.__module__, run.__name__) == (f"croqc.pipe.passes.{name}", name)
        opening = ast.get_docstring(ast.parse(read(FOLDER / f"{name}.py"))) or ""
        assert opening.startswith(f"Pass {name}: "), name


def test_every_pass_says_why_it_stands_where_it_stands() -> None:
    text = read(ROOT / "compiler/croqc/pipe/pipeline.py")
    reasons = re.findall(r'^    # .+\n(?:    # .+\n)*    \("(\w+)", \w+\),$', text, re.MULTILINE)
    assert reasons == NAMES


def test_the_document_lists_the_passes_in_order() -> None:
    table = read(ROOT / "docs/lowering.md").partition("## The passes")[2]
    rows = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert rows == NAMES
