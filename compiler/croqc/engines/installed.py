"""How these tools came onto this machine, and so the command that adds an extra of them: `gpu`, `cuda`.

A checkout is installed from its folder, and no index knows it. Must not install anything.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_NAME: Final = "croqtile-tools"


def install(extra: str, anywhere: bool = False) -> str:
    """The command that adds an extra to this installation, for the Python that runs it. `anywhere`: it is true in any
    folder and under any PATH, as for a terminal of an editor; else in those of this process."""
    what = requirement(_direct_url(), extra, None if anywhere else Path.cwd())
    uv = shutil.which("uv")
    if uv is not None and find_spec("pip") is None:  # uv makes environments without pip
        return f"{shlex.quote(uv) if anywhere else 'uv'} pip install --python {shlex.quote(sys.executable)} {what}"
    short = not anywhere and shutil.which("python") == sys.executable
    return f"{'python' if short else shlex.quote(sys.executable)} -m pip install {what}"


def _direct_url() -> str | None:
    """What pip noted of an installation that came from no index (PEP 610)."""
    try:
        return distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return None


def requirement(direct_url: str | None, extra: str, here: Path | None) -> str:
    """What `pip install` is given in the folder `here` (None: in any), as a shell reads it: the folder of a checkout,
    with `-e` where it was installed so, the path of a wheel, or the name for an index. `direct_url` is the text of
    pip's record, if any."""
    named = shlex.quote(f"{_NAME}[{extra}]")
    try:
        noted = json.loads(direct_url or "{}")
        address = urlsplit(str(noted["url"]))
        folder = Path(unquote(address.path))
        if address.scheme == "file" and folder.suffix == ".whl" and folder.is_file():
            return shlex.quote(f"{folder}[{extra}]")
        editable = bool(noted["dir_info"].get("editable"))
    except (KeyError, TypeError, ValueError, AttributeError):
        return named
    if address.scheme != "file" or not (folder / "pyproject.toml").is_file():
        return named
    place = "." if folder == here else str(folder)
    return ("-e " if editable else "") + shlex.quote(f"{place}[{extra}]")
