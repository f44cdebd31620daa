"""The formatter of `croq fmt`: blanks, line ends and indentation of Croqtile functions, nothing else.

It works between the tokens, so that comments, macros and directives survive; the tokens and the line breaks
inside statements stay as they are. A brace that closes a body of several lines gets a line of its own.
Host and device text, directive lines, dead branches and functions with
errors are left alone. Must not print the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.syntax.layout_atoms import Atom, atoms_of
from croqc.syntax.layout_indent import LEVEL, Indents, indents_of
from croqc.syntax.layout_spacing import blank_between, would_join
from croqc.syntax.tree import FileTree, ParsedFunction
from croqc.text.diagnostics import Severity
from croqc.text.edits import Edit
from croqc.text.span import Span

_LINE_END = re.compile(r"\r\n|\n|\r")
_FIXED = frozenset({"DIRECTIVE", "DEAD"})
_PLAIN_GAPS = frozenset({"", " "})
_SILENT = _FIXED | {"COMMENT"}
_CLOSERS = frozenset({"_RPAR", "_RBRACK", "_RBRACE", "_RANGLE", "_SEMI"})


Formatted = dict[tuple[object, ...], tuple[Edit, ...]]
"""What was found of functions, relative to each: by its text, the blanks in front of it and what its macros leave."""


def format_file(tree: FileTree, within: Span | None = None, known: Formatted | None = None) -> tuple[Edit, ...]:
    """Absolute edits, in file order, that bring every function without errors into the house style; or each that
    touches a place.

    Formatting the result again gives no edits; the tokens of each function stay the same. `known` is what was found in
    a text before, for functions that did not change; it becomes what is found in this one.
    """
    edits: list[Edit] = []
    known = {} if known is None else known
    before = dict(known)
    if within is None:
        known.clear()
    for function in tree.functions:
        base = function.source.base
        there = within is None or (base <= within.end and within.start <= base + len(function.source.text))
        if there and function.tree is not None and not _is_broken(function):
            key = _key(tree.text, function)
            own = before.get(key) if function.typed else None
            if own is None:
                own = tuple(_Formatter(tree.text, function).edits())
            known[key] = own
            edits += [edit.shift(base) for edit in own]
    return tuple(edits)


def _key(text: str, function: ParsedFunction) -> tuple[object, ...]:
    """What the format of a function follows from: of a macro the kinds of its tokens count, not their text."""
    source, typed = function.source, function.typed
    tokens = tuple([token.type for token in typed]), tuple([token.start for token in typed])
    return source.text, _margin(text, source.base), source.dead, *tokens


def _is_broken(function: ParsedFunction) -> bool:
    return any(item.severity is Severity.ERROR for item in function.findings)


class _Formatter:
    def __init__(self, text: str, function: ParsedFunction) -> None:
        assert function.tree is not None
        self._text = function.source.text
        self._indents: Indents = indents_of(function.tree)
        self._atoms = atoms_of(function, self._indents.braces, self._indents.ranges)
        self._margin = _margin(text, function.source.base)
        self._statement = -1  # the one that started last; -1: still in the header
        self._branch_end = -1  # behind the branch of an `if` that may go on with `else`

    def edits(self) -> Iterator[Edit]:
        text, places = self._text, self._indents.places
        left = self._atoms[0]
        for index in range(1, len(self._atoms)):
            before, left = left, self._atoms[index]
            gap = text[before.end : left.start]
            breaks = _LINE_END.findall(gap) if gap not in _PLAIN_GAPS else []
            if not breaks and left.text == "}":
                breaks = self._due_breaks(before, left)
            # What starts no statement and opens no line has a column that nobody asks for.
            column = self._column(index, bool(breaks)) if breaks or left.start in places else 0
            if gap.strip(" \t\r\n\f\v"):
                continue  # a spliced line, or an argument list of a macro that leaves nothing
            wanted = self._lines(gap, breaks, column, left) if breaks else self._blank(before, left, gap)
            if wanted != gap:
                yield Edit(Span(before.end, left.start), wanted)

    def _due_breaks(self, left: Atom, right: Atom) -> list[str]:
        """The line end in front of a `}` whose `{` stands on a line further up; none elsewhere."""
        opened = self._indents.bodies.get(right.end)
        if opened is None or left.last in _FIXED:
            return []
        return _LINE_END.findall(self._text[opened : right.start])[:1]

    def _lines(self, gap: str, breaks: list[str], column: int, right: Atom) -> str:
        """At most one empty line, then the indentation."""
        if right.first == "DEAD":
            return gap
        if right.first == "DIRECTIVE":
            return breaks[0] * min(len(breaks), 2) + re.split(r"[\r\n]", gap)[-1]
        return breaks[0] * min(len(breaks), 2) + self._margin + " " * column

    def _blank(self, left: Atom, right: Atom, gap: str) -> str:
        if left.last in _FIXED or right.first in _FIXED:
            return gap
        if right.first == "COMMENT":
            return gap or " "  # comments at the ends of lines keep their column
        kept = " " if gap else ""
        if left.last == "COMMENT":
            return kept
        wanted = blank_between(left.last, right.first, right.text[:1] == ".", right.start in self._indents.empty)
        if wanted is None:
            return kept
        if wanted or (gap and would_join(left.text, right.text)):
            return " "
        return ""

    # --- columns ---

    def _column(self, index: int, breaks: bool) -> int:
        """The column of the atom if it opens a line; keeps track of the statement that it is in."""
        atom = self._atoms[index]
        if atom.first in _SILENT:
            return self._comment_column(index) if breaks and atom.first == "COMMENT" else 0
        opens_line = breaks or self._behind_comment(index)
        indents, start = self._indents, atom.start
        if start in indents.places:
            column = indents.start(start, opens_line)
            self._statement = start
            return column
        return self._inner_column(index)

    def _inner_column(self, index: int) -> int:
        """The column of an atom that starts no statement."""
        atom, indents = self._atoms[index], self._indents
        if atom.first == "BODY_OPEN":
            return indents.of(indents.opens.get(atom.start, self._statement))
        if atom.first == "BODY_CLOSE":
            return indents.of(indents.closes.get(atom.end, -1))
        if atom.first == "ELSE":
            return indents.of(self._if_before(atom.start))
        if atom.first in _CLOSERS or self._atoms[index - 1].end in indents.attributes:
            return indents.of(self._statement)
        return indents.continuation(self._statement)

    def _if_before(self, offset: int) -> int:
        ends = [end for end in self._indents.elses if end <= offset]
        return self._indents.elses[max(ends)] if ends else self._statement

    def _behind_comment(self, index: int) -> bool:
        """Whether only comments stand between the atom and the start of its line."""
        at = index - 1
        while at > 0 and self._atoms[at].first == "COMMENT":
            gap = self._text[self._atoms[at - 1].end : self._atoms[at].start]
            if _LINE_END.search(gap):
                return True
            at -= 1
        return False

    def _comment_column(self, index: int) -> int:
        """A comment on a line of its own stands where the next statement will."""
        while self._atoms[index].first in _SILENT:  # the brace of the body ends it at the latest
            index += 1
        following, indents = self._atoms[index], self._indents
        start = following.start
        if start in indents.places:
            place = indents.places[start]
            return indents.of(place.owner) + LEVEL
        column = self._inner_column(index)
        return column + LEVEL if following.first == "BODY_CLOSE" else column


def _margin(text: str, base: int) -> str:
    """The blanks at the start of the line on which the function begins."""
    line = max(text.rfind("\n", 0, base), text.rfind("\r", 0, base)) + 1
    found = re.match(r"[ \t]*", text[line:base])
    return found[0] if found else ""
