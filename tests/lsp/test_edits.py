"""Edits as clients send them: dependent ones, outside the text, thousands; the text stays the client's."""

from __future__ import annotations

import random

import pytest
from lsprotocol import types as lsp

from croqc.text.source import Encoding, Source
from croqls.lsp.documents import apply_changes

UNITS = {Encoding.UTF8: ("utf-8", 1), Encoding.UTF16: ("utf-16-le", 2), Encoding.UTF32: ("utf-32-le", 4)}
PIECES = ("", "x", "wait full[s];", "\n", "\r\n", "\r", "é", "中文", "😀", "e\u0301", "°", "\u2028", "\f", "ab\ncd\r\n")


class Buffer:
    """A text as a client keeps it: lines with their own line ends, columns in units. Shares nothing with the server."""

    def __init__(self, encoding: Encoding) -> None:
        self.codec, self.width = UNITS[encoding]
        self.text = ""

    def lines(self) -> list[str]:
        """LF, CRLF and CR end lines, and nothing else does."""
        lines, start, at = [], 0, 0
        while at < len(self.text):
            if self.text[at] in "\r\n":
                at += 2 if self.text[at : at + 2] == "\r\n" else 1
                lines.append(self.text[start:at])
                start = at
            else:
                at += 1
        return [*lines, self.text[start:]]

    def position(self, offset: int) -> lsp.Position:
        """Where an offset stands; not inside a CRLF."""
        for number, line in enumerate(self.lines()):
            if offset < len(line) or number == len(self.lines()) - 1:
                column = len(line[:offset].encode(self.codec)) // self.width
                return lsp.Position(number, column)
            offset -= len(line)
        raise AssertionError(offset)

    def places(self) -> list[int]:
        return [at for at in range(len(self.text) + 1) if self.text[at - 1 : at + 1] != "\r\n" or at == 0]


@pytest.mark.parametrize("encoding", list(Encoding))
def test_a_random_script_against_a_reference_buffer(encoding: Encoding) -> None:
    """10,000 edits in all; up to four in one message, each on the result of the one before."""
    draw, buffer, text = random.Random(7), Buffer(encoding), ""
    for _ in range(1400):
        changes: list[lsp.TextDocumentContentChangePartial] = []
        for _ in range(draw.randint(1, 4)):
            places = buffer.places()
            start, end = sorted((draw.choice(places), draw.choice(places)))
            if draw.random() < 0.7:
                end = min(end, start + 3) if min(end, start + 3) in places else start
            piece = draw.choice(PIECES)
            if len(buffer.text) > 60:
                end, piece = places[-1], ""  # a deletion to the end of the file
            span = lsp.Range(buffer.position(start), buffer.position(end))
            changes.append(lsp.TextDocumentContentChangePartial(text=piece, range=span))
            buffer.text = buffer.text[:start] + piece + buffer.text[end:]
        text = apply_changes(Source(text), changes, encoding)
        assert text == buffer.text


def partial(first: tuple[int, int], last: tuple[int, int], text: str) -> lsp.TextDocumentContentChangePartial:
    return lsp.TextDocumentContentChangePartial(text=text, range=lsp.Range(lsp.Position(*first), lsp.Position(*last)))


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (partial((0, 99), (0, 99), "!"), "ab!\ncd"),
        (partial((9, 0), (9, 9), "!"), "ab\ncd!"),
        (partial((0, 1), (99, 0), ""), "a"),
        (partial((1, 1), (0, 1), "!"), "ab\nc!d"),
        (lsp.TextDocumentContentChangeWholeDocument("new"), "new"),
    ],
)
def test_places_outside_the_text_are_clamped(change: lsp.TextDocumentContentChangePartial, after: str) -> None:
    assert apply_changes(Source("ab\ncd"), [change], Encoding.UTF16) == after
