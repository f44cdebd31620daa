"""Format a text. Pure; must not format by itself (see `syntax.formatter`)."""

from __future__ import annotations

from croqc.syntax.formatter import format_file
from croqc.syntax.parser import parse_file
from croqc.text.diagnostics import Severity
from croqc.text.edits import apply_edits
from croqc.text.record import record


@record
class FormattedText:
    """A formatted text, and the names of the functions that syntax errors kept from being formatted."""

    text: str
    skipped: tuple[str, ...]


def format_text(text: str) -> FormattedText:
    """The text, formatted; the same text if there is nothing to do."""
    tree = parse_file(text)
    broken = tuple(
        item.tree.name.id if item.tree else "a function"
        for item in tree.functions
        if any(found.severity is Severity.ERROR for found in item.findings)
    )
    return FormattedText(apply_edits(text, format_file(tree)), broken)
