"""Diagnostics as text for a terminal. Must not decide what is reported."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable

from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.source import Source

_COLOURS = {
    Severity.ERROR: "\x1b[1;31m",
    Severity.WARNING: "\x1b[1;33m",
    Severity.INFORMATION: "\x1b[1;36m",
    Severity.HINT: "\x1b[1;32m",
}
_RESET, _DIM = "\x1b[0m", "\x1b[2m"
WORDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "hint",
}


def _marks(line: str, start: int, end: int) -> str:
    """Carets under columns [start, end); tabs are kept, so that they stand under what they mark."""
    pad = "".join("\t" if char == "\t" else " " for char in line[:start])
    return pad + "^" * max(1, min(end, len(line)) - start)


def render_diagnostic(item: Diagnostic, source: Source, colour: bool = False) -> str:
    """`FILE:LINE:COL: error: TEXT [rule]`, the line, carets, the way out, related places."""
    line, column = source.line_column(item.span.start)
    text = source.line_text(line - 1)
    end_line, end_column = source.line_column(item.span.end)
    end = end_column - 1 if end_line == line else len(text)
    word = WORDS[item.severity]
    shown = f"{_COLOURS[item.severity]}{word}{_RESET}" if colour else word
    rule = f"{_DIM}[{item.code}]{_RESET}" if colour else f"[{item.code}]"
    lines = [f"{source.path}:{line}:{column}: {shown}: {item.message} {rule}"]
    lines += [f"  {text}", f"  {_marks(text, column - 1, end)}"]
    if item.hint:
        lines.append(f"  help: {item.hint}")
    for other in item.related:
        place = source.line_column(other.span.start)
        lines.append(f"  {other.path or source.path}:{place[0]}:{place[1]}: {other.message}")
    return "\n".join(lines)


def summary(diagnostics: Iterable[Diagnostic], files: int) -> str:
    """`2 errors, 1 warning in 3 files`; `no mistakes in 1 file` where nothing but notes was found."""
    counts = Counter(item.severity for item in diagnostics)
    parts = []
    for severity in (Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT):
        if count := counts[severity]:
            parts.append(f"{count} {WORDS[severity]}{'' if count == 1 else 's'}")
    if not counts[Severity.ERROR] and not counts[Severity.WARNING]:
        parts.insert(0, "no mistakes")
    return f"{', '.join(parts)} in {files} file{'' if files == 1 else 's'}"


def wants_colour() -> bool:
    """Whether standard output is a terminal that shows colours (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
