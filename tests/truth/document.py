"""Renews a section of a document between its two marks. Must not know what the section says."""

from __future__ import annotations

import re
from pathlib import Path


def write_section(path: Path, name: str, text: str) -> None:
    """Replaces what stands between `<!-- NAME -->` and `<!-- /NAME -->`. Raises ValueError where a mark is missing."""
    before = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    if not pattern.search(before):
        raise ValueError(f"{path} has no section '{name}'")
    path.write_text(pattern.sub(lambda _: f"{begin}\n{text}\n{end}", before), encoding="utf-8")
