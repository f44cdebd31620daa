"""The import contracts of pyproject.toml hold for the tree, and break where an import goes the wrong way."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.meta.tree import ROOT, read

PACKAGES = {"croqc": ROOT / "compiler/croqc", "croqls": ROOT / "server/croqls"}
LINT = Path(sys.executable).with_name("lint-imports")

WRONG = [
    ("croqc.text", "croqc.syntax"),
    ("croqc.syntax", "croqc.sema"),
    ("croqc.targets", "croqc.builtins"),
    ("croqc.sema", "croqc.flow"),
    ("croqc.flow", "croqc.refactor"),
    ("croqc.refactor", "croqc.pipe"),
    ("croqc.pipe", "croqc.rules"),
    ("croqc.pipe", "croqc.codegen"),
    ("croqc.codegen", "croqc.rules"),
    ("croqc.codegen", "croqc.targets"),
    ("croqc.rules", "croqc.codegen"),
    ("croqc.codegen", "croqc.runs"),
    ("croqc.rules", "croqc.runs"),
    ("croqc.runs", "croqc.engines"),
    ("croqc.engines", "croqc.service"),
    ("croqc.engines.gpu", "croqc.engines.sim"),
    ("croqc.engines.sim", "croqc.engines.gpu"),
    ("croqc.service", "croqc.cli"),
    ("croqc.cli", "croqls.ide"),
    ("croqc.sema", "lark"),
    ("croqls.lsp", "lark"),
    ("croqls.lsp", "croqc.cli"),
    ("croqls.ide", "croqls.lsp"),
    ("croqls.ide", "pygls"),
    ("croqls.assists", "lsprotocol"),
    ("croqls.workers", "pygls"),
    ("croqls.workers", "croqls.lsp"),
    ("croqc.service", "lsprotocol"),
]
RIGHT = [
    ("croqc.syntax", "lark"),
    ("croqls.lsp", "pygls"),
    ("croqls.lsp", "lsprotocol"),
    ("croqls.ide", "croqc.service"),
    ("croqls.lsp", "croqls.workers"),
]


def lint(folder: Path) -> tuple[int, str]:
    """Exit status and words of lint-imports there, the words on one line."""
    done = subprocess.run(
        [LINT, "--no-cache", "--no-logo"],
        cwd=folder,
        env={
            "PYTHONPATH": os.pathsep.join(map(str, (folder, folder / "compiler", folder / "server"))),
            "PATH": "",
            "COLUMNS": "500",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def lay(folder: Path, imports: list[tuple[str, str]]) -> None:
    """The tree's packages, empty but for one module an import: `croqc.text`, `lark` is croqc/text/m0.py."""
    for name, source in PACKAGES.items():
        for init in source.glob("*/__init__.py"):
            copy = folder / name / init.parent.name / "__init__.py"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.touch()
        (folder / name / "__init__.py").touch()
    for inner in ("gpu", "sim"):
        (folder / "croqc" / "engines" / inner).mkdir()
        (folder / "croqc" / "engines" / inner / "__init__.py").touch()
    for number, (importer, imported) in enumerate(imports):
        module = folder / importer.replace(".", "/") / f"m{number}.py"
        module.write_text(f"import {imported}\n")
    (folder / "pyproject.toml").write_text(read(ROOT / "pyproject.toml"))


def test_the_tree_keeps_every_contract() -> None:
    status, output = lint(ROOT)
    assert status == 0, output
    assert "0 broken" in output


def test_each_wrong_import_breaks_a_contract(tmp_path: Path) -> None:
    lay(tmp_path, [*WRONG, *RIGHT])
    status, output = lint(tmp_path)
    assert status == 1, output
    reported = set(re.findall(r"(croq[\w.]+)\.m\d+ -> ([\w.]+)", output))
    assert reported == {(importer, imported) for importer, imported in WRONG}, output


def test_right_imports_break_none(tmp_path: Path) -> None:
    lay(tmp_path, RIGHT)
    status, output = lint(tmp_path)
    assert status == 0, output


def test_a_package_without_a_layer_is_refused(tmp_path: Path) -> None:
    lay(tmp_path, RIGHT)
    stranger = tmp_path / "croqc/stranger/__init__.py"
    stranger.parent.mkdir()
    stranger.touch()
    status, output = lint(tmp_path)
    assert status == 1
    assert "stranger" in output
