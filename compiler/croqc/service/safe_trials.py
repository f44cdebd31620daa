"""Try the safe fixes of a checked text out, and call safe only what keeps the promise of `Fix.safe`. Must not make
fixes (see `syntax` and `rules`), nor look at credit flow (see `fix_trials`).

All are tried together first, which costs one check of the functions that they change; only where something is wrong
with that, each alone. A fix that was not tried, since there are too many, is not safe.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from croqc.service.check import FileReport, FunctionReport, check_text
from croqc.syntax import ast
from croqc.syntax.messages import CODE as SYNTAX
from croqc.syntax.visit import children, walk
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit, apply_edits, compose, overlaps
from croqc.text.record import replace
from croqc.text.span import Span

_TRIALS: Final = 12  # texts that are checked for one report, beside the one with all fixes
_ROOM: Final = 120_000  # characters that those may have together
_MISTAKES: Final = 6  # of one statement


def with_tried_fixes(report: FileReport) -> FileReport:
    """The report with those fixes alone called safe that mend their finding, bring no other, and keep every statement
    beside them; a report that was tried before is returned as it is."""
    if report.tried:
        return report
    safe = [(item, fix) for item in report.found for fix in item.fixes if fix.safe]
    first = dict(reversed(safe))
    kept = set(first.items())
    if safe and (len(kept) < len(safe) or not _mends(report, first, list(first.values()))):
        trials = min(_TRIALS, _ROOM // (len(report.source.text) + 1))
        kept = {pair for pair in safe[:trials] if _mends(report, {pair[0]}, [pair[1]])}
    kept -= set(_guessed(report, kept))
    return replace(report, found=tuple(_as_kept(item, kept) for item in report.found), tried=True)


def _guessed(report: FileReport, kept: Iterable[tuple[Diagnostic, Fix]]) -> Iterator[tuple[Diagnostic, Fix]]:
    """The fixes of what analysis found in functions with a syntax error that nothing mends safely: it saw what that
    error may have been meant as, such as `s2` for `fs2`."""
    certain = {item for item, _ in kept}
    unsure = [
        item for item in report.found if item.code == SYNTAX and item.severity is Severity.ERROR and item not in certain
    ]
    for function in report.functions:
        if any(function.spans(item.span) for item in unsure):
            yield from ((item, fix) for item, fix in kept if item.code != SYNTAX and function.spans(item.span))


def _as_kept(item: Diagnostic, kept: set[tuple[Diagnostic, Fix]]) -> Diagnostic:
    if not any(fix.safe for fix in item.fixes):
        return item
    return item.with_fixes(tuple(replace(fix, safe=fix.safe and (item, fix) in kept) for fix in item.fixes))


def _mends(report: FileReport, items: Collection[Diagnostic], fixes: Sequence[Fix]) -> bool:
    """Whether the text after some fixes lacks the findings that they are for, and is else as it was. A statement tells
    one of its mistakes at a time: those behind it are mended by their own safe fixes first."""
    done: tuple[Edit, ...] = ()
    left = [item for item in _loud(report) if item not in items]
    trial = report
    for _ in range(_MISTAKES):
        edits = tuple(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
        if overlaps(edits) or not _functions(trial).isdisjoint(trial.source.slice(edit.span) for edit in edits):
            return False  # `print2(x);` may lack its `call`
        done = compose(done, edits)
        moved = _Moves(done)
        trial = check_text(apply_edits(trial.source.text, edits), *report.given, report.source.path, trial)
        known = Counter(_told(item, moved.span(item.span)) for item in left)
        new = [item for item in _loud(trial) if not _taken(known, _told(item, item.span))]
        if not new:
            return _keeps(report, trial, moved)
        if not _hidden(new, items, trial, moved):
            return False
        fixes = [fix for item in new for fix in item.fixes[:1] if fix.safe]
        if len(fixes) < len(new):
            return False
    return False


def _hidden(new: Sequence[Diagnostic], items: Iterable[Diagnostic], trial: FileReport, moved: _Moves) -> bool:
    """Whether new findings are of the edited lines alone, and none is one that was to go."""
    meant = {(item.code, item.message, moved.span(item.span).start) for item in items}
    starts = (moved.span(Span(edit.span.start, edit.span.start)).start for edit in moved.edits)
    lines = {trial.source.line_of(start) for start in starts}
    return all(
        trial.source.line_of(item.span.start) in lines and (item.code, item.message, item.span.start) not in meant
        for item in new
    )


def _taken(known: Counter[tuple[str, str, Span]], key: tuple[str, str, Span]) -> bool:
    """Whether a finding was known, one for one."""
    known[key] -= 1
    return known[key] >= 0


def _keeps(report: FileReport, trial: FileReport, moved: _Moves) -> bool:
    """Whether nothing but the edited statements differs, and nothing is called that is no function."""
    if len(trial.functions) != len(report.functions):
        return False
    pairs = zip(report.functions, trial.functions, strict=True)
    changed = [(old, new) for old, new in pairs if old.parsed.tree is not new.parsed.tree]
    return all(_keeps_statements(old, new, moved) and _calls_known(old, new) for old, new in changed)


def _functions(report: FileReport) -> frozenset[str]:
    """The words that name a function of the file."""
    known = (one.analysis.model.context for one in report.functions if one.analysis is not None)
    context = next(known, None)  # the same for all functions
    return context.device_functions | context.co_functions if context is not None else frozenset()


def _loud(report: FileReport) -> list[Diagnostic]:
    """The errors and warnings of a report; notes may come and go with what can be read."""
    return [item for item in report.found if item.severity in (Severity.ERROR, Severity.WARNING)]


def _told(item: Diagnostic, span: Span) -> tuple[str, str, Span]:
    """What tells a finding from others."""
    return item.code, item.message, span


class _Moves:
    """Where spans stand after edits, in order, that do not touch them."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self.edits = edits
        self.ends = [edit.span.end for edit in edits]
        self.by = [0, *accumulate(len(edit.new_text) - edit.span.length for edit in edits)]

    def span(self, span: Span) -> Span:
        return span.shift(self.by[bisect_right(self.ends, span.start)])

    def touches(self, span: Span) -> bool:
        at = bisect_left(self.ends, span.start)
        return at < len(self.edits) and self.edits[at].span.start <= span.end


def _keeps_statements(old: FunctionReport, new: FunctionReport, moved: _Moves) -> bool:
    """Whether each statement that no edit touches and no syntax error puts in doubt is still there; of one with a body,
    whether it begins there."""
    if old.parsed.tree is None or new.parsed.tree is None:
        return False
    there = {_identity(stmt, stmt.span.shift(new.base)) for stmt in _statements(new.parsed.tree)}
    doubts = old.parsed.tree.doubts
    for stmt in _statements(old.parsed.tree):
        span = stmt.span.shift(old.base)
        own = Span(span.start, span.start) if _has_body(stmt) else span
        if moved.touches(own) or (doubts is not None and doubts.covers(stmt.span.start)):
            continue
        if _identity(stmt, moved.span(span)) not in there:
            return False
    return True


def _statements(tree: ast.Function) -> Iterator[ast.Node]:
    for node in walk(tree):
        if isinstance(node, ast.Block):
            yield from (stmt for stmt in node.stmts if not isinstance(stmt, ast.ErrorStmt))


def _has_body(stmt: ast.Node) -> bool:
    return any(isinstance(child, ast.Block) for child in children(stmt))


def _identity(stmt: ast.Node, span: Span) -> tuple[type[ast.Node], int, int]:
    return type(stmt), span.start, span.start if _has_body(stmt) else span.end


def _calls_known(old: FunctionReport, new: FunctionReport) -> bool:
    """Whether each function of C++ that is called only now is one that the file's device code names: anything else may
    as well be a mistyped word of the language."""
    if new.analysis is None:
        return False
    return _called(new) - _called(old) <= new.analysis.model.context.device_functions


def _called(function: FunctionReport) -> set[str]:
    tree = function.parsed.tree
    calls = (node for node in walk(tree) if isinstance(node, ast.Call)) if tree is not None else ()
    return {node.callee for node in calls if node.kind == "call"}
