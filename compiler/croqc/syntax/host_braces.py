"""A `}` too many: it ends a function early, and what was meant to be inside is passed over as C++ (reference, 1.1.1).

C++ text is not read, but its braces pair. Must not judge what stands between them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from croqc.syntax.macros import brace_changes
from croqc.syntax.regions import BRACED, next_stop
from croqc.syntax.reports import lexical
from croqc.syntax.tokens import Preprocessed, Region, RegionKind
from croqc.text.diagnostics import Diagnostic, Related, Severity
from croqc.text.record import replace
from croqc.text.span import Span


def surplus_brace(text: str, pre: Preprocessed, known: Sequence[Diagnostic]) -> Diagnostic | None:
    """The finding about the first brace of live host text that closes nothing, if there is one and none of the `known`
    errors before it may be the reason.

    Told at the brace that ends the function before, where that is indented further than its `__co__`.
    """
    host = [region.span for region in pre.regions if region.kind is RegionKind.HOST]
    signs = {sign: sum(text.count(sign, span.start, span.end) for span in host) for sign in "{}"}
    if signs["}"] <= signs["{"] or brace_changes({macro.name: macro for macro in pre.macros}):
        return None  # a macro may open what seems to be closed
    depth = 0
    for what, at in _braces(text, host, sorted(pre.dead)):
        depth += 1 if what == "{" else -1
        if depth < 0:
            explained = any(item.severity is Severity.ERROR and item.span.start <= at for item in known)
            return None if explained else _finding(text, pre.regions, at)
    return None


def _braces(text: str, host: Sequence[Span], dead: Sequence[Span]) -> Iterator[tuple[str, int]]:
    for span in host:
        part, pos = text[span.start : span.end], 0
        while stop := next_stop(BRACED, part, pos):
            pos = stop.end
            at = span.start + stop.start
            if stop.what in ("{", "}") and not _inside(at, dead):
                yield stop.what, at


def _inside(at: int, spans: Sequence[Span]) -> bool:
    index = bisect_right(spans, at, key=lambda span: span.start) - 1
    return index >= 0 and spans[index].contains(at)


def _finding(text: str, regions: Sequence[Region], at: int) -> Diagnostic:
    before = [item.span for item in regions if item.kind is RegionKind.FUNCTION and item.span.end <= at]
    if before and _indent(text, before[-1].end - 1) > _indent(text, before[-1].start):
        end = before[-1].end
        found = lexical("this '}' ends the function", end - 1, end, "delete it, or add the '{' that it closes")
        return replace(found, related=(Related("so that this '}' closes nothing", Span(at, at + 1)),))
    return lexical("'}' closes nothing", at, at + 1, "delete it, or add the '{' that it closes")


def _indent(text: str, at: int) -> int:
    """How many blanks begin the line of a place."""
    line = text[max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1 : at + 1]
    return len(line) - len(line.lstrip(" \t"))
