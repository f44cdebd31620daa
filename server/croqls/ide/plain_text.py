"""Markdown as plain text, for clients that show no other. Knows what our own documentation uses and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"\s*```")
_RULE = re.compile(r"\s*-{3,}\s*")
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)\s]*\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_HEADING = re.compile(r"^#{1,6} ")
_CODE = re.compile(r"`([^`]*)`")
_BORDER = re.compile(r"[\s|:-]+")  # between the head of a table and its rows


def plain_text(markdown: str) -> str:
    """The words without marks: code as it stands, links as their text, tables in columns, no pictures."""
    lines: list[str] = []
    rows: list[list[str]] = []
    fenced = False
    for line in markdown.split("\n"):
        if not fenced and line.startswith("|"):
            if not _BORDER.fullmatch(line):
                rows.append([_bare(cell.strip()) for cell in line.strip().strip("|").split("|")])
            continue
        lines += _table(rows)
        rows = []
        if _FENCE.match(line):
            fenced = not fenced
        else:
            lines.append(line if fenced else _bare(line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, *_table(rows)])).strip("\n")


def _bare(line: str) -> str:
    """A line outside of fences. What stands between backticks is put aside while marks are taken away."""
    if _RULE.fullmatch(line):
        return ""
    code: list[str] = []

    def aside(found: re.Match[str]) -> str:
        code.append(found[1])
        return "\0"

    text = _STRONG.sub(r"\1", _IMAGE.sub("", _CODE.sub(aside, _HEADING.sub("", line))))
    return re.sub("\0", lambda _: code.pop(0), _LINK.sub(r"\1", text)).rstrip()


def _table(rows: list[list[str]]) -> Iterator[str]:
    columns = max(map(len, rows), default=0)
    widths = [max(len(row[column]) for row in rows if column < len(row)) for column in range(columns)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip()
