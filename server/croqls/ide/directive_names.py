"""Names in `// croq: …` lines: sizes of runs, arrays of expectations, modelled functions. Must not explain them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from croqc.service.check import FunctionReport
from croqc.syntax.comment_directives import FunctionDirectives
from croqc.syntax.formulas import names_in
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot

_MODEL = re.compile(r"//[ \t]*croq:[ \t]*model\s+([A-Za-z_][\w:]*)", re.ASCII)


def directive_name_at(snapshot: Snapshot, offset: int) -> tuple[str, Span, FunctionReport | None] | None:
    """The name that an absolute offset touches, and the function that it belongs to: None for a modelled function."""
    for function, directives in zip(snapshot.report.functions, snapshot.report.directives.functions, strict=True):
        for word, span in _names(directives):
            if span.touches(offset):
                return word, span, function
    for word, span in _models(snapshot):
        if span.touches(offset):
            return word, span, None
    return None


def directive_places(snapshot: Snapshot, function: FunctionReport, name: str) -> Iterator[Span]:
    """Where a function's run and expect lines give the name."""
    for report, directives in zip(snapshot.report.functions, snapshot.report.directives.functions, strict=True):
        if report is function:
            yield from (span for word, span in _names(directives) if word == name)


def model_places(snapshot: Snapshot, name: str) -> Iterator[Span]:
    """Where a `model` line gives the meaning of the function."""
    yield from (span for word, span in _models(snapshot) if word == name)


def _names(directives: FunctionDirectives) -> Iterator[tuple[str, Span]]:
    for run in directives.runs:
        for size in run.sizes:
            yield size.name, Span(size.span.start, size.span.start + len(size.name))
    for expect in directives.expects:
        if expect.expr is not None:
            for side in (expect.expr.left, expect.expr.right):
                for ref in names_in(side):
                    yield ref.name, ref.span.shift(expect.base)


def _models(snapshot: Snapshot) -> Iterator[tuple[str, Span]]:
    for directives in snapshot.report.directives.functions:
        for model in directives.models:
            found = _MODEL.match(snapshot.text, model.span.start)
            if found is not None:
                yield found[1], Span(*found.span(1))
