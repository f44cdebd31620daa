"""Where the real editors are tested: a `croq` on the PATH, homes of their own, the snippets of docs/editors.md.

What starts an editor is taken from the document, so that the document is what is tested. Must not hold tests.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
_PATHS = (ROOT / "compiler", ROOT / "server")


def snippets(section: str, language: str) -> list[str]:
    """The code blocks of a section (`## SECTION`), with the checkout's own path in place of the document's."""
    text = re.split(r"^#{2,3} ", DOCUMENT, flags=re.MULTILINE)
    (chosen,) = [part for part in text if part.splitlines()[0] == section]
    found = re.findall(rf"```{language}\n(.*?)```", chosen, re.DOTALL)
    return [block.replace("/path/to/checkout", str(ROOT)) for block in found]


def croq_in(folder: Path) -> Path:
    """A folder with the command `croq` of this checkout and this Python."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "croq"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m croqc.cli.main "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return folder


def environment(home: Path, croq: Path | None) -> dict[str, str]:
    """The variables of an editor's process: everything that it keeps lies in `home`; without `croq` none is found."""
    bare = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "VIRTUAL_ENV")
    }
    folders = [str(croq)] if croq else []
    folders += [one for one in bare.get("PATH", "").split(os.pathsep) if not (Path(one) / "croq").exists()]
    kinds = ("CONFIG", "DATA", "STATE", "CACHE")
    return bare | {
        "HOME": str(home),
        "PATH": os.pathsep.join(folders),
        "PYTHONPATH": os.pathsep.join(map(str, _PATHS)),
        "LC_ALL": "C.UTF-8",
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in kinds},
    }
