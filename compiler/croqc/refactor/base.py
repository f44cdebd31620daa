"""What every refactoring is given and gives back: a function as text and model, and edits or a refusal.

All offsets are relative to the function. Must not know any single refactoring.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from croqc.sema.analyze import analyze
from croqc.sema.model import Analysis, Context, Model, Symbol
from croqc.sema.nesting import Around, statements
from croqc.sema.roots import Roots, base_name
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.syntax.keywords import KEYWORDS
from croqc.syntax.parser import parse_one
from croqc.syntax.tree import ParsedFunction
from croqc.syntax.visit import children
from croqc.text.diagnostics import Severity
from croqc.text.edits import Edit, apply_edits, overlaps
from croqc.text.span import Span

_BLANKS = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*(\r\n|\r|\n)")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a rewrite is not made, and the place that stands in the way."""

    reason: str
    span: Span

    def shift(self, by: int) -> Refusal:
        return Refusal(self.reason, self.span.shift(by))


Outcome = tuple[Edit, ...] | Refusal


@dataclass(frozen=True, eq=False)
class Code:
    """A function to be rewritten, in its file: `text` is its own text, `base` its place in `file`, `index` its number
    among the file's functions. `defines` are the macros of the command line; `macro_uses` the places of the
    names of macros."""

    file: str
    base: int
    text: str
    index: int
    analysis: Analysis
    defines: Mapping[str, str | None]
    comments: tuple[Span, ...] = ()
    macro_uses: tuple[tuple[Span, str], ...] = ()

    @property
    def model(self) -> Model:
        return self.analysis.model

    @cached_property
    def around(self) -> dict[ast.Node, Around]:
        """Every statement with what encloses it, in source order."""
        return dict(statements(self.model.function.body))

    @cached_property
    def blocks(self) -> dict[ast.Node, ast.Block]:
        """The block that each statement stands in directly."""
        found: dict[ast.Node, ast.Block] = {}
        stack: list[ast.Node] = [self.model.function]
        while stack:
            here = stack.pop()
            for child in children(here):
                if isinstance(here, ast.Block):
                    found[child] = here
                stack.append(child)
        return found

    @cached_property
    def roots(self) -> Roots:
        """Which buffers names stand for."""
        copies = self.model.copies.items()
        made = {copy: info.dest.base for copy, info in copies if isinstance(copy.dest, ast.StorageDest)}
        return Roots(self.model, made)

    @cached_property
    def bare(self) -> str:
        """The text with blanks for its comments, line ends kept: what is looked for by pattern is looked for here."""
        text = self.text
        for one in reversed(self.comments):
            text = text[: one.start] + re.sub(r"[^\r\n]", " ", self.slice(one)) + text[one.end :]
        return text

    @cached_property
    def macros(self) -> tuple[Span, ...]:
        """Where macros are used, with what is given to them."""
        taking = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(", self.file, re.MULTILINE))
        return tuple(
            Span(span.start, self._closed(span.end) if name in taking else span.end) for span, name in self.macro_uses
        )

    def _closed(self, start: int) -> int:
        """The end of the parentheses that open behind a place; the place itself where none do."""
        depth = 0
        for found in re.compile(r"[()]|\S").finditer(self.bare, start):
            depth += {"(": 1, ")": -1}.get(found.group(), 0)
            if depth == 0:
                return found.end() if found.group() == ")" else start
        return start

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the file: none may become a new name."""
        return frozenset(re.findall(r"[A-Za-z_]\w*", self.file))

    @cached_property
    def newline(self) -> str:
        """The file's own line end."""
        found = re.search(r"\r\n|\n|\r", self.file)
        return found.group() if found else "\n"

    # --- text -------------------------------------------------------------------------------------

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def of(self, node: ast.Node) -> str:
        return self.slice(node.span)

    def indent(self, offset: int) -> str:
        """The blanks at the start of the line of `offset`."""
        found = _BLANKS.match(self.text, self.line_start(offset))
        return found.group() if found else ""

    def line_start(self, offset: int) -> int:
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def opens_line(self, offset: int) -> bool:
        """Whether only blanks stand in front of the place on its line."""
        return not self.text[self.line_start(offset) : offset].strip()

    def fresh(self, stem: str, others: Iterable[str] = ()) -> str:
        """A name that stands nowhere in the file and is no word of the language: the stem, or it with a number."""
        used = self.words | frozenset(others) | KEYWORDS.keys()
        if stem not in used:
            return stem
        return next(name for number in range(2, len(used) + 3) if (name := f"{stem}{number}") not in used)

    def written(self, node: ast.Node) -> bool:
        """Whether a statement stands in the text as it was parsed: what a macro made has the place of its use."""
        return node.span not in self.macros and not self.of(node).isidentifier()

    # --- edits ------------------------------------------------------------------------------------

    def replaced(self, span: Span, new_text: str) -> tuple[Edit, ...]:
        """Write a text for another one; comments inside it stay where they are, behind the new text."""
        pieces: list[Span] = []
        at, kept = span.start, self._comments_in(span)
        if not kept:
            return (Edit(span, new_text),)
        for one in (*kept, Span(span.end, span.end)):
            piece = self.text[at : one.start]
            if piece.strip():
                start = at + len(piece) - len(piece.lstrip())
                pieces.append(Span(start, start + len(piece.strip())))
            at = one.end
        return tuple(Edit(piece, "" if number else new_text) for number, piece in enumerate(pieces))

    def removal(self, node: ast.Node) -> Edit:
        """Remove a statement, with its line where nothing else stands there; comments inside it are kept. The only
        statement of a body without braces leaves its `;`."""
        kept = self.comments_in(node.span)
        joint = self.newline + self.indent(node.span.start)
        start, end = self.line_start(node.span.start), _LINE_END.match(self.text, node.span.end)
        open_end = joint if kept and kept[-1].startswith("//") and end is None else ""
        block = self.blocks.get(node)
        if block is not None and not block.braced:
            return Edit(node.span, joint.join([";", *kept]) + open_end)
        if kept:
            return Edit(node.span, joint.join(kept) + open_end)
        if end is not None and self.opens_line(node.span.start):
            return Edit(Span(start, end.end()), "")
        blanks = _BLANKS.match(self.text, node.span.end)
        return Edit(Span(node.span.start, blanks.end() if blanks else node.span.end), "")

    def comments_in(self, span: Span) -> list[str]:
        return [self.slice(one) for one in self._comments_in(span)]

    def _comments_in(self, span: Span) -> list[Span]:
        return [one for one in self.comments if span.start <= one.start and one.end <= span.end]

    def before(self, node: ast.Node, *lines: str) -> Edit:
        """Insert statements in front of one: on lines of their own where it opens its line."""
        start = node.span.start
        joint = self.newline + self.indent(start) if self.opens_line(start) else " "
        return Edit(Span(start, start), "".join(line + joint for line in lines))

    def after(self, node: ast.Node, *lines: str) -> Edit:
        """Insert statements behind one, indented as it is."""
        joint = self.newline + self.indent(node.span.start) if self.opens_line(node.span.start) else " "
        return Edit(Span(node.span.end, node.span.end), "".join(joint + line for line in lines))

    # --- model ------------------------------------------------------------------------------------

    def event_of(self, ref: ast.Expr) -> Symbol | None:
        """The event that a reference of a `wait` or `trigger` names."""
        name = base_name(ref)
        symbol = self.model.uses.get(name) if name is not None else None
        return symbol if symbol is not None and isinstance(symbol.type, Event) else None

    def refs(self, event: Symbol) -> Iterator[tuple[ast.Wait | ast.Trigger, ast.Expr]]:
        """Every reference to an event in `wait` and `trigger`, in source order."""
        yield from self._refs.get(event, ())

    @cached_property
    def _refs(self) -> dict[Symbol, list[tuple[ast.Wait | ast.Trigger, ast.Expr]]]:
        found: dict[Symbol, list[tuple[ast.Wait | ast.Trigger, ast.Expr]]] = {}
        for stmt in self.around:
            if not isinstance(stmt, ast.Wait | ast.Trigger):
                continue
            for ref in stmt.refs:
                if (event := self.event_of(ref)) is not None:
                    found.setdefault(event, []).append((stmt, ref))
        return found

    @cached_property
    def events(self) -> tuple[Symbol, ...]:
        return tuple(symbol for symbol in self.model.symbols if isinstance(symbol.type, Event))


def subscript(ref: ast.Expr) -> ast.Expr | None:
    """The i of a reference `e[i]`."""
    match ref:
        case ast.Chain(base=ast.Name(), suffixes=(ast.Index(args=(index,)),)):
            return index
    return None


def code_of(
    file: str, parsed: ParsedFunction, analysis: Analysis, index: int, defines: Mapping[str, str | None]
) -> Code | None:
    """A function of a file that is analysed already; None if it has syntax errors."""
    if any(item.severity is Severity.ERROR for item in parsed.findings):
        return None
    comments = tuple(Span(one.start, one.end) for one in parsed.source.comments)
    source = parsed.source
    return Code(file, source.base, source.text, index, analysis, defines, comments, source.macro_uses)


def read(file: str, index: int, context: Context, defines: Mapping[str, str | None]) -> Code | None:
    """The function of that number, counted from 0; None if the file has fewer, or this one has syntax errors.

    The file's other functions are not parsed: a rewrite of one costs the same in a file of hundreds.
    """
    parsed = parse_one(file, index, defines)
    if parsed is None or parsed.tree is None:
        return None
    return code_of(file, parsed, analyze(parsed.tree, context), index, defines)


def edited(code: Code, edits: Iterable[Edit]) -> Code | None:
    """The function after edits, which may lie in front of it, too; None if they overlap or leave syntax errors."""
    placed = [edit.shift(code.base) for edit in edits]
    if overlaps(placed):
        return None
    file = apply_edits(code.file, placed)
    return read(file, code.index, code.model.context, code.defines)
