"""Small rewrites that fixes of several rules make of the text at a place. Must not word messages.

Each looks at the text before it edits: what a macro made has other text at its place and gets no fix.
"""

from __future__ import annotations

import re
from typing import TypeVar

from croqc.rules.base import Subject
from croqc.rules.mends import around, change
from croqc.syntax.ast import Block, Node
from croqc.text.diagnostics import Fix
from croqc.text.span import Span

_Kind = TypeVar("_Kind", bound=Node)


def node_at(subject: Subject, span: Span, kind: type[_Kind]) -> _Kind | None:
    """The innermost node of a kind that covers a place."""
    return next((node for node in reversed(around(subject, span)) if isinstance(node, kind)), None)


def replace(subject: Subject, title: str, span: Span, pattern: str, text: str, safe: bool = False) -> tuple[Fix, ...]:
    """Write `text` for what `pattern` (its first group, if it has one) finds in the text from `span.start` on.

    The pattern is matched at the start; no fix where it does not fit.
    """
    found = re.compile(pattern).match(subject.text, span.start, span.end)
    if found is None:
        return ()
    start, end = found.span(1 if found.re.groups else 0)
    return change(title, Span(start, end), text, safe)


def remove_statement(subject: Subject, title: str, span: Span, safe: bool = False) -> tuple[Fix, ...]:
    """Remove a statement with its `;`, and the whole line where nothing else stands on it.

    A body without braces keeps the `;`.
    """
    tail = re.compile(r"[ \t]*;").match(subject.text, span.end)
    end = tail.end() if tail else span.end
    if subject.text[end - 1] != ";":
        return ()
    block = node_at(subject, span, Block)
    if block is not None and not block.braced:
        return change(title, Span(span.start, end), ";", safe)
    line = subject.line_start(span.start)
    rest = re.compile(r"[ \t]*\r?\n").match(subject.text, end)
    if rest is not None and line.start >= 0 and not subject.text[line.start : span.start].strip():
        return change(title, Span(line.start, rest.end()), "", safe)
    return change(title, Span(span.start, end), "", safe)


def use_dma(subject: Subject, span: Span) -> tuple[Fix, ...]:
    """Let `dma` do a TMA copy that has no modifier of TMA alone."""
    pattern = r"(?:\w+\s*=\s*)?({})\b(?![^;=]*\.(?:multicast|evict_first|evict_last)\b)"
    for words, text in ((r"tma\s*\.\s*load", "dma.copy"), ("tma", "dma")):
        fixes = replace(subject, "Change to 'dma'", span, pattern.format(words), text)
        if fixes:
            return fixes
    return ()


def remove_attribute(subject: Subject, title: str, span: Span) -> tuple[Fix, ...]:
    """Remove an attribute and the blanks behind it."""
    blanks = re.compile(r"\s*").match(subject.text, span.end)
    return change(title, Span(span.start, blanks.end() if blanks else span.end), "")
