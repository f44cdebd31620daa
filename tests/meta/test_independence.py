"""Verifier, simulator and exhaustive search share no analysis, so that each checks the others."""

import ast
from collections.abc import Iterator

from tests.meta.tree import name, python_files, read

SHARED = {"croqc.flow.paths", "croqc.flow.joins", "croqc.flow.arrivals"}
"""What the simulator may take from the verifier's package: who runs what, where they meet, how many arrive."""
RESTS = ("paths", "joins", "arrivals", "slots", "conditions")
COMPARING = {"tests/truth/agreement.py", "tests/truth/mutation.py"}
"""What holds the three against each other."""


def taken(code: str) -> Iterator[str]:
    """The modules of `croqc.flow` that a module's text imports."""
    for node in ast.walk(ast.parse(code)):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            package = node.module == "croqc.flow" or node.module == "croqc"
            found = [f"{node.module}.{alias.name}" for alias in node.names] if package else [node.module]
        yield from (module for module in found if module.startswith("croqc.flow"))


def test_imports_are_seen_in_each_form() -> None:
    code = "import croqc.flow.a\nfrom croqc.flow.b import x\nfrom croqc.flow import c\nfrom croqc.sema import flow\n"
    assert list(taken(code)) == ["croqc.flow.a", "croqc.flow.b", "croqc.flow.c"]


def test_the_simulator_takes_paths_joins_and_arrivals_only() -> None:
    found = {module for path in python_files("compiler/croqc/engines") for module in taken(read(path))}
    assert found == SHARED


def test_what_the_simulator_takes_rests_on_nothing_else_of_the_verifier() -> None:
    shared = [path for path in python_files("compiler/croqc/flow") if path.stem in RESTS]
    found = {module for path in shared for module in taken(read(path))} - SHARED
    assert found == {"croqc.flow.touches", "croqc.flow.slots", "croqc.flow.conditions"}


def test_the_exhaustive_search_takes_nothing() -> None:
    found = {name(path) for path in python_files("tests/truth") for _ in taken(read(path))}
    assert found == COMPARING
