"""The extension's files import each other in one direction, types included: commands, then views, then the rest."""

from __future__ import annotations

import re
from graphlib import TopologicalSorter
from pathlib import Path

SRC = Path(__file__).parents[2] / "vscode-extension" / "src"
LAYERS = ("commands", "views")


def imports() -> dict[Path, set[Path]]:
    found = {}
    for file in SRC.rglob("*.ts"):
        names = re.findall(
            r'^(?:import|export)\b[^;"]*"(\.[^"]*)\.js";', file.read_text(encoding="utf-8"), re.MULTILINE
        )
        found[file] = {(file.parent / f"{name}.ts").resolve() for name in names}
    return found


def layer(file: Path) -> int:
    """0 of a command, 1 of a view, 2 of what both stand on."""
    top = file.relative_to(SRC).parts[0]
    return LAYERS.index(top) if top in LAYERS else len(LAYERS)


def test_no_file_imports_itself_through_others() -> None:
    graph = imports()
    assert all(named <= graph.keys() for named in graph.values())
    assert any(graph.values())
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle


def test_no_file_imports_a_layer_above_its_own() -> None:
    pairs = [(file, named) for file, all_named in imports().items() for named in all_named]
    upwards = [(str(a.relative_to(SRC)), str(b.relative_to(SRC))) for a, b in pairs if layer(b) < layer(a)]
    assert [pair for pair in upwards if pair[0] != "extension.ts"] == []
