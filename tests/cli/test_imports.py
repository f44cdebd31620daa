"""What a `croq check` loads: none of the libraries that take longer to import than a file takes to check."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.tree import ROOT

HEAVY = {"asyncio", "lark", "ml_dtypes", "multiprocessing", "numpy", "pygls", "rich", "tomllib", "tempfile"}
UNUSED = {"croqc.engines", "croqc.runs", "croqc.service.run", "croqc.rules.lossy_conversion"}
CODE = "import sys; from croqc.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder that has the parse tables, as after the first start."""
    folder = tmp_path_factory.mktemp("cache")
    loaded(folder, ROOT / "examples" / "add.co")
    return folder


def loaded(cache: Path, path: Path) -> set[str]:
    """The modules that a check of a file leaves behind."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, "check", str(path)],
        env=os.environ | {"XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "in 1 file" in done.stdout
    return set(done.stderr.split())


@pytest.mark.parametrize("name", ["pipeline_classic.co", "persistent_1p2c.co"])
def test_a_check_loads_no_heavy_library(home: Path, name: str) -> None:
    path = ROOT / "examples" / name
    assert "// croq: expect" in path.read_text(encoding="utf-8")
    assert loaded(home, path) & (HEAVY | UNUSED) == set()


def test_nor_does_a_check_that_finds_mistakes(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "wrong.co"
    path.write_text("__co__ void f() {\n  x = ;\n  y = z;\n}\n", encoding="utf-8")
    modules = loaded(home, path)
    assert "croqc.rules.undeclared_name" in modules
    assert modules & (HEAVY | UNUSED) == set()
