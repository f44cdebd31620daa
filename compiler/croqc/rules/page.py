"""The pages of the rules: documentation that is also the test. Must not execute them (tests/rules does).

A page is Markdown. In a fenced block marked `co`, a line of blanks, carets and a rule's name marks the place above
it: `   ^^^ undeclared-name`. Further words in the fence: `fixed` (the block before it after its fixes), `valid`
(nothing may be found), `arch=…`, `dialect=…`, `defines=A:1,B:2`, `broken=RULE` (that rule raises), `command=cuda`
(what that command adds counts, too).
"""

from __future__ import annotations

import re
from importlib.resources import files

from croqc.text.record import record
from croqc.text.span import Span

_MARK = re.compile(r"^[ \t]*(\^+)[ \t]+([a-z][a-z0-9-]*)(?:[ \t]*:[ \t]*(.*))?$")
_FENCE = re.compile(r"^```(\S*)[ \t]*(.*)$")


@record
class Mark:
    """An expected squiggle: its place in the block's text, the rule, and a part of the message if one is given."""

    span: Span
    rule: str
    message: str


@record
class Example:
    """One `co` block: its text without marks, the marks, and the words of its fence."""

    text: str
    marks: tuple[Mark, ...]
    words: tuple[str, ...]
    line: int

    def option(self, name: str) -> str | None:
        return next((word.split("=", 1)[1] for word in self.words if word.startswith(name + "=")), None)


@record
class Page:
    """A rule's page: title, Markdown text, examples in order."""

    title: str
    text: str
    examples: tuple[Example, ...]


def _example(lines: list[str], words: tuple[str, ...], line: int) -> Example:
    text, marks, start = "", [], 0
    for raw in lines:
        mark = _MARK.match(raw)
        if mark is None:
            start = len(text)
            text += raw + "\n"
        else:
            place = Span(start + mark.start(1), start + mark.end(1))
            marks.append(Mark(place, mark.group(2), mark.group(3) or ""))
    return Example(text, tuple(marks), words, line)


def parse_page(text: str) -> Page:
    """Split a page into its title and examples; text outside `co` blocks is kept as it is."""
    examples: list[Example] = []
    title, fence, first = "", None, 0
    block: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _FENCE.match(line)
        if match and fence is None:
            fence, block, first = match, [], number
        elif match and fence is not None:
            if fence.group(1) == "co":
                examples.append(_example(block, tuple(fence.group(2).split()), first))
            fence = None
        elif fence is not None:
            block.append(line)
        elif line.startswith("# ") and not title:
            title = line[2:].strip()
    return Page(title, text, tuple(examples))


def page_text(rule: str) -> str | None:
    """The page of a rule, or None if there is none."""
    page = files("croqc.rules").joinpath("pages", f"{rule}.md")
    return page.read_text(encoding="utf-8") if page.is_file() else None
