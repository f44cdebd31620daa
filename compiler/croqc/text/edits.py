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


_FAR = 1 << 60  # beyond every text


def compose(first: Iterable[Edit], second: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits that do at once what two sets do one after the other; `second` refers to the text after `first`.

    Raises ValueError if edits of one set overlap.
    """
    pieces = _cut(_cut([(0, _FAR, None)], first), second)
    edits, at, text = [], 0, ""
    for start, end, new in pieces:
        if new is not None:
            text += new
            continue
        if start > at or text:
            edits.append(Edit(Span(at, start), text))
        at, text = end, ""
    return tuple(edits)


_Piece = tuple[int, int, str | None]
"""Kept text from start to end, or new text that stands at a place."""


def _cut(pieces: list[_Piece], edits: Iterable[Edit]) -> list[_Piece]:
    """The pieces after some edits of the text that they make up."""
    ordered = in_order(edits)
    if overlaps(ordered):
        raise ValueError("edits overlap")
    done: list[_Piece] = []
    here = 0  # where the rest of the pieces starts in the text that they make up
    rest = pieces
    for edit in ordered:
        head, rest = _split(rest, edit.span.start - here)
        _, rest = _split(rest, edit.span.length)
        done += head
        place = rest[0][0] if rest else _FAR
        done.append((place, place, edit.new_text))
        here = edit.span.end
    return done + rest


def _split(pieces: list[_Piece], length: int) -> tuple[list[_Piece], list[_Piece]]:
    """The pieces of the first `length` characters, and the others."""
    head: list[_Piece] = []
    for number, (start, end, new) in enumerate(pieces):
        size = end - start if new is None else len(new)
        if size > length:
            if new is None:
                parts: tuple[_Piece, _Piece] = (start, start + length, None), (start + length, end, None)
            else:
                parts = (start, end, new[:length]), (start, end, new[length:])
            return [*head, *([parts[0]] if length else [])], [parts[1], *pieces[number + 1 :]]
        head.append(pieces[number])
        length -= size
    return head, []
