"""Words of text that is not read as Croqtile: C++, directive lines, replacement texts. Must not know what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.syntax.tokens import RegionKind
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot

_PART = re.compile(
    r'//[^\r\n]*|/\*[\s\S]*?(?:\*/|\Z)|(?<!\w)(?:u8|[uUL])?R"([^()\\\s]{0,16})\([\s\S]*?\)\1"'
    r'|"(?:[^"\\\r\n]|\\(?:\r\n|[\s\S]))*"?|(?<!\w)[0-9][\w\']*|\'(?:[^\'\\\r\n]|\\.)*\'?'
    r"|(?P<word>[A-Za-z_]\w*)",
    re.ASCII,
)
_DEFINE = re.compile(r"#[ \t]*define[ \t]+(?P<name>[A-Za-z_]\w*)(?:\((?P<params>[^)]*)\))?", re.ASCII)


def words(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[str, Span]]:
    """Every identifier outside comments, literals and numbers, with its place."""
    for found in _PART.finditer(text, start, len(text) if end is None else end):
        if found["word"]:
            yield found["word"], Span(found.start(), found.end())


def outer_words(snapshot: Snapshot, name: str) -> Iterator[Span]:
    """The places of a word in the text around the functions, dead functions and directive lines included."""
    text = snapshot.text
    for region in snapshot.report.tree.pre.regions:
        if region.kind is not RegionKind.FUNCTION and text.find(name, region.span.start, region.span.end) >= 0:
            yield from (span for word, span in words(text, region.span.start, region.span.end) if word == name)


def is_member(text: str, span: Span) -> bool:
    """Whether a word of C++ stands behind `.` or `->` and so belongs to some object."""
    return text[: span.start].rstrip(" \t").endswith((".", "->"))


def directive_lines(snapshot: Snapshot) -> Iterator[Span]:
    """The preprocessor lines of the file, those inside functions too. Absolute."""
    for token in snapshot.report.tree.pre.directives:
        yield token.span
    for function in snapshot.report.tree.pre.functions:
        yield from (token.span.shift(function.base) for token in function.directives)


class Definition:
    """A `#define` line: the place of the name, its parameters and the words of its replacement text."""

    def __init__(self, text: str, line: Span) -> None:
        found = _DEFINE.match(text, line.start, line.end)
        self.name = found["name"] if found else ""
        self.params = tuple(part.strip() for part in (found["params"] or "").split(",")) if found else ()
        start = found.end() if found else line.end
        self.name_span = Span(*found.span("name")) if found else Span(line.end, line.end)
        self.body = tuple(pair for pair in words(text, start, line.end) if pair[0] not in self.params)
        self.line = line


def definitions(snapshot: Snapshot) -> tuple[Definition, ...]:
    """The macros that the text defines, in file order."""
    found = (Definition(snapshot.text, line) for line in directive_lines(snapshot))
    return tuple(sorted((one for one in found if one.name), key=lambda one: one.name_span))
