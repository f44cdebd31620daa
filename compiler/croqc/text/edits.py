"""Text edits and their application. Must not decide what to edit."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.text.record import record
from croqc.text.span import Span


@record(order=True)
class Edit:
    """Replace the text of `span` by `new_text`."""

    span: Span
    new_text: str

    def shift(self, by: int) -> Edit:
        return Edit(self.span.shift(by), self.new_text)


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """By place; insertions at one place keep the order they came in (LSP 3.17, `TextEdit[]`)."""
    return sorted(edits, key=lambda edit: edit.span)


def overlaps(edits: Iterable[Edit]) -> bool:
    """Whether two of the edits touch the same characters (two insertions at one place do not)."""
    end = -1
    for edit in in_order(edits):
        if edit.span.start < end:
            return True
        end = max(end, edit.span.end)
    return False


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; their spans refer to the text before.

    Raises ValueError if two edits overlap, or one lies outside the text or ends before it starts.
    """
    ordered = in_order(edits)
    if overlaps(ordered):
        raise ValueError("edits overlap")
    parts, at = [], 0
    for edit in ordered:
        if not 0 <= edit.span.start <= edit.span.end <= len(text):
            raise ValueError("edit outside the text")
        parts += [text[at : edit.span.start], edit.new_text]
        at = edit.span.end
    return "".join([*parts, text[at:]])
