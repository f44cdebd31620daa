"""Format a text. Pure; must not format by itself (see `syntax.formatter`)."""

from __future__ import annotations

from croqc.syntax.formatter import Formatted, format_file
from croqc.syntax.parser import parse_file
from croqc.syntax.tree import FileTree
from croqc.text.diagnostics import Severity
from croqc.text.edits import Edit, apply_edits
from croqc.text.record import record
from croqc.text.span import Span


@record
class FormattedText:
    """A formatted text, and the names of the functions that syntax errors kept from being formatted."""

    text: str
    skipped: tuple[str, ...]


@record
class Formatting:
    """The edits that format a stretch of a file, absolute, and the functions there that syntax errors keep as they
    are."""

    edits: tuple[Edit, ...]
    skipped: tuple[str, ...]


def format_text(text: str) -> FormattedText:
    """The text, formatted; the same text if there is nothing to do."""
    found = formatting(parse_file(text))
    return FormattedText(apply_edits(text, found.edits), found.skipped)


def formatting(tree: FileTree, within: Span | None = None, known: Formatted | None = None) -> Formatting:
    """What formats a parsed file, or what of that touches a place of it. `known`: as `format_file` takes it."""
    place = Span(0, len(tree.text)) if within is None else within
    broken = tuple(
        item.tree.name.id if item.tree else "a function"
        for item in tree.functions
        if _meet(Span(item.source.base, item.source.base + len(item.source.text)), place)
        and any(found.severity is Severity.ERROR for found in item.findings)
    )
    return Formatting(tuple(edit for edit in format_file(tree, within, known) if _meet(edit.span, place)), broken)


def _meet(span: Span, place: Span) -> bool:
    return span.start <= place.end and place.start <= span.end
