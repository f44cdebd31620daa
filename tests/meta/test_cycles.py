"""No two modules import each other, directly or round about; imports that only a type checker sees count, too.

Two files that need each other's types are one file, or a third one holds what both need.
"""

import ast
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.meta.tree import ROOT, read

PACKAGES = {"croqc": ROOT / "compiler", "croqls": ROOT / "server"}


def module_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(code: str, known: set[str]) -> set[str]:
    """The known modules that a text imports when it is loaded or checked; those inside functions are made later."""
    found: set[str] = set()
    stack: list[ast.AST] = [ast.parse(code)]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (parts & known) or {node.module}
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            stack += ast.iter_child_nodes(node)
    return found & known


def packages_of(name: str) -> set[str]:
    """The packages that a module is in: each is loaded before it."""
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts))}


def cycle_in(texts: Mapping[str, str]) -> list[str]:
    """The modules of a circle of imports; empty if there is none. Who imports a module imports its packages, too, but
    for those that it is in itself."""
    graph = {}
    for name, text in texts.items():
        named = imports_of(text, set(texts)) - {name}
        around = {package for one in named for package in packages_of(one)} & set(texts)
        graph[name] = named | around - packages_of(name) - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other(package: str) -> None:
    root = PACKAGES[package]
    texts = {module_of(path, root): read(path) for path in sorted((root / package).rglob("*.py"))}
    assert f"{package}.__init__" not in texts
    assert len(texts) > 10
    assert cycle_in(texts) == []


def test_a_circle_of_types_is_found() -> None:
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.b import B\n"
    assert set(cycle_in({"p.a": typed, "p.b": "from p.c import C\n", "p.c": "import p.a\n"})) == {"p.a", "p.b", "p.c"}
    assert set(cycle_in({"p.a": "from p import b\n", "p.b": "from p import a\n", "p": ""})) == {"p.a", "p.b"}


def test_a_circle_through_a_package_is_found() -> None:
    texts = {"p.q": "from p.q import run\n", "p.q.run": "from p.follow import f\n", "p.q.push": ""}
    assert set(cycle_in(texts | {"p.follow": "from p.q.push import g\n"})) == {"p.q", "p.q.run", "p.follow"}
    assert cycle_in(texts | {"p.follow": "from p.push import g\n", "p.push": ""}) == []


def test_imports_in_one_direction_or_inside_functions_make_none() -> None:
    late = "def f():\n    from p.a import A\n"
    assert cycle_in({"p.a": "from p.b import B\n", "p.b": late, "p": ""}) == []
