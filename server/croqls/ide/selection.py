"""What "expand selection" selects (LSP `textDocument/selectionRange`): the word, the nodes around it, the function, the
file. Must not know LSP types."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.syntax import ast
from croqc.syntax.comment_directives import comments
from croqc.syntax.visit import covering
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot, token_at


def selections(snapshot: Snapshot, offset: int) -> tuple[Span, ...]:
    """Absolute spans from the innermost to the whole file, each larger than the one before and around it."""
    grown: list[Span] = []
    for span in (*_inside(snapshot, offset), Span(0, len(snapshot.text))):
        last = grown[-1] if grown else Span(offset, offset)
        if span.start <= last.start and last.end <= span.end and span != last:
            grown.append(span)
    return tuple(grown or [Span(0, len(snapshot.text))])


def _inside(snapshot: Snapshot, offset: int) -> Iterator[Span]:
    for start, text in comments(snapshot.report.tree):
        if start <= offset <= start + len(text):
            yield Span(start, start + len(text))
    function = snapshot.function_at(offset)
    if function is None:
        return
    base, token = function.base, token_at(function, offset)
    place = Span(offset - base, offset - base)
    if token is not None:
        place = token.span
        yield place.shift(base)
    tree = function.parsed.tree
    if tree is not None and tree.span.start <= place.start and place.end <= tree.span.end:
        for node in reversed(covering(tree, place)):
            if isinstance(node, ast.Block) and node.braced and node.span.length >= 2:
                yield Span(node.span.start + 1, node.span.end - 1).shift(base)
            yield node.span.shift(base)
    yield Span(base, base + len(function.parsed.source.text))
