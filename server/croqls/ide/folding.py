"""What can be folded (LSP `textDocument/foldingRange`): bodies, statements over lines, comments, macro runs.

Must not know LSP types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from croqc.syntax import ast
from croqc.syntax.comment_directives import comments
from croqc.syntax.tokens import RegionKind
from croqc.syntax.tree import ParsedFunction
from croqc.syntax.visit import children
from croqc.text.source import Source
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot


class FoldKind(Enum):
    """`IMPORTS` are directive lines that follow one another."""

    CODE = "code"
    COMMENT = "comment"
    IMPORTS = "imports"


@dataclass(frozen=True, slots=True, order=True)
class Fold:
    """Lines from 0: the first stays visible, the others up to `last` are hidden."""

    first: int
    last: int
    kind: FoldKind


def folds(snapshot: Snapshot) -> tuple[Fold, ...]:
    """All folds by place, each line the first of one at most: of two, the longer one."""
    source = snapshot.source
    found = [*_bodies(snapshot, source), *_comments(snapshot, source), *_directives(snapshot, source)]
    longest: dict[int, Fold] = {}
    for fold in found:
        if fold.last > fold.first and (fold.first not in longest or fold.last > longest[fold.first].last):
            longest[fold.first] = fold
    return tuple(longest[first] for first in sorted(longest))


def _bodies(snapshot: Snapshot, source: Source) -> Iterator[Fold]:
    """Bodies keep the line of their closing brace in sight, dead branches and device code fold as a whole."""
    tree = snapshot.report.tree
    for function in tree.functions:
        base = function.source.base
        for span in _braced(function):
            body = _fold(source, span.shift(base))
            closed = source.text[span.end + base - 1] == "}"  # else it ends where recovery put an end
            yield Fold(body.first, body.last - closed, body.kind)
        for dead in function.source.dead:
            yield _fold(source, _trimmed(source, dead.shift(base)))
    for region in tree.pre.regions:
        if region.kind in (RegionKind.DEVICE, RegionKind.DEVICE_BLOCK, RegionKind.DEAD):
            yield _fold(source, _trimmed(source, region.span))
    for dead in tree.pre.dead:
        yield _fold(source, _trimmed(source, dead))


def _braced(function: ParsedFunction) -> Iterator[Span]:
    """Blocks stand in statements alone: no expression is gone into."""
    below: list[ast.Node] = [] if function.tree is None else [function.tree.body]
    while below:
        node = below.pop()
        if not isinstance(node, ast.Block):
            below += [one for one in children(node) if isinstance(one, ast.Block)]
            continue
        below += children(node)
        if node.braced and node.span.length:
            yield node.span


def _comments(snapshot: Snapshot, source: Source) -> Iterator[Fold]:
    """A comment over lines, and line comments that follow one another with nothing else on their lines."""
    lines: list[int] = []
    for start, text in sorted(comments(snapshot.report.tree)):
        fold = _fold(source, Span(start, start + len(text)), FoldKind.COMMENT)
        if text.startswith("//"):
            if source.text[source.line_starts[fold.first] : start].lstrip("\ufeff").strip() == "":
                lines.append(fold.first)
        else:
            yield fold
    yield from _runs(lines, FoldKind.COMMENT)


def _directives(snapshot: Snapshot, source: Source) -> Iterator[Fold]:
    """`#define`, `#include` and their like, one below the other, continued lines included."""
    tree = snapshot.report.tree
    spans = [token.span for token in tree.pre.directives]
    spans += [token.span.shift(one.base) for one in tree.pre.functions for token in one.directives]
    lines = [line for span in spans for line in range(source.line_of(span.start), source.line_of(span.end) + 1)]
    return _runs(sorted(lines), FoldKind.IMPORTS)


def _runs(lines: Iterable[int], kind: FoldKind) -> Iterator[Fold]:
    first = last = -2
    for line in lines:
        if line > last + 1:
            yield Fold(first, last, kind)
            first = line
        last = line
    yield Fold(first, last, kind)


def _fold(source: Source, span: Span, kind: FoldKind = FoldKind.CODE) -> Fold:
    return Fold(source.line_of(span.start), source.line_of(span.end), kind)


def _trimmed(source: Source, span: Span) -> Span:
    """Without the blanks at its end, which may be the line end in front of the next line."""
    return Span(span.start, span.start + len(source.text[span.start : span.end].rstrip()))
