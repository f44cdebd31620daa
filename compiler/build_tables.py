"""Build hook: puts the parse tables of the grammars into the wheel, so that nobody waits for them.

Runs in the isolated environment of the build, where Lark is installed and the package is not. Must not write
into the source tree.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class TablesHook(BuildHookInterface[Any]):
    """Adds `croqc/syntax/NAME.tables` of each grammar to a wheel; an editable install builds them when first used."""

    PLUGIN_NAME = "custom"
    folder: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        syntax = Path(self.root) / "compiler" / "croqc" / "syntax"
        tables = _load(syntax / "tables.py")
        self.folder = Path(tempfile.mkdtemp(prefix="croqtile-tables-"))
        for name in tables.GRAMMARS:
            path = self.folder / f"{name}.tables"
            path.write_text(tables.build_text((syntax / f"{name}.lark").read_text(encoding="utf-8")), encoding="ascii")
            build_data["force_include"][str(path)] = f"croqc/syntax/{name}.tables"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder)


def _load(path: Path) -> ModuleType:
    """The module at `path`, imported without its package."""
    spec = importlib.util.spec_from_file_location("croqtile_tables", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
