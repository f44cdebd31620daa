"""A text under edits as LSP defines them, apart from the product's own code. Must not import the product.

Lines end at LF, CRLF or CR; columns are counted in units of the agreed encoding (LSP 3.17, `Position`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_END = re.compile(r"\r\n|\n|\r")
_UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def units(text: str, encoding: str) -> int:
    """How many units of an encoding a text takes."""
    codec, width = _UNIT[encoding]
    return len(text.encode(codec, "surrogatepass")) // width


def place_at(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The position of an offset; inside a CRLF it is the end of the line."""
    line, start = 0, 0
    for end in _END.finditer(text):
        if end.end() > offset:
            break
        line, start = line + 1, end.end()
    return {"line": line, "character": units(text[start:offset].rstrip("\r\n"), encoding)}


def offset_at(text: str, place: Mapping[str, int], encoding: str) -> int:
    """The offset of a position; one behind the end of its line or of the text is that end."""
    start = 0
    for _ in range(place["line"]):
        end = _END.search(text, start)
        if end is None:
            return len(text)
        start = end.end()
    stop = _END.search(text, start)
    line = text[start : stop.start() if stop else len(text)]
    at, used = 0, 0
    while at < len(line) and used < place["character"]:
        used += units(line[at], encoding)
        at += 1
    return start + at


def edited(text: str, changes: Iterable[Mapping[str, Any]], encoding: str) -> str:
    """The text after the changes of one `didChange`, each made on the result of the one before."""
    for change in changes:
        if "range" not in change:
            text = change["text"]
            continue
        start = offset_at(text, change["range"]["start"], encoding)
        end = max(start, offset_at(text, change["range"]["end"], encoding))
        text = text[:start] + change["text"] + text[end:]
    return text
