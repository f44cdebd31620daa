"""The result of `croq check --json`, version 1; the language server answers with the same. Must not check.

Lines and columns are 0-based, columns in UTF-16 units (LSP 3.17, `Position`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from croqc.service.check import FileReport
from croqc.text.diagnostics import Diagnostic, Fix
from croqc.text.source import Source
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Place:
    """LSP `Position`."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Range:
    """LSP `Range`: half open."""

    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class RelatedPlace:
    """Another place that a finding speaks of, in the file `path`."""

    message: str
    path: str
    range: Range


@dataclass(frozen=True, slots=True)
class TextEdit:
    """LSP `TextEdit`: the text of `range` becomes `newText`."""

    range: Range
    newText: str  # noqa: N815 (the name of the JSON field)


@dataclass(frozen=True, slots=True)
class FixEntry:
    """A way to mend a finding: all its edits together. `kind` is that of LSP; `safe`: `croq fix` applies it."""

    title: str
    kind: str
    safe: bool
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class DiagnosticEntry:
    """A finding. `code` is the name of its rule, `severity` a value of `text.diagnostics.Severity`; `message` has the
    way out behind it."""

    code: str
    severity: str
    message: str
    range: Range
    related: tuple[RelatedPlace, ...]
    fixes: tuple[FixEntry, ...]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file as checked; `dialect` is what most of its functions are written in."""

    path: str
    dialect: str
    diagnostics: tuple[DiagnosticEntry, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Version 1, the files in the order given."""

    version: int
    files: tuple[FileEntry, ...]


def full_message(item: Diagnostic) -> str:
    """The message with the way out behind it, where both must fit into one text."""
    return f"{item.message}; {item.hint}" if item.hint else item.message


def range_of(source: Source, span: Span) -> Range:
    start, end = source.position(span.start), source.position(span.end)
    return Range(Place(start.line, start.column), Place(end.line, end.column))


def _fix(source: Source, fix: Fix) -> FixEntry:
    edits = tuple(TextEdit(range_of(source, edit.span), edit.new_text) for edit in fix.edits)
    return FixEntry(fix.title, fix.kind, fix.safe, edits)


def diagnostic_entry(source: Source, item: Diagnostic) -> DiagnosticEntry:
    """A diagnostic with absolute places, as the result has it."""
    related = tuple(RelatedPlace(r.message, r.path or source.path, range_of(source, r.span)) for r in item.related)
    fixes = tuple(_fix(source, fix) for fix in item.fixes)
    place = range_of(source, item.span)
    return DiagnosticEntry(item.code, item.severity.value, full_message(item), place, related, fixes)


def check_result(reports: Sequence[FileReport]) -> CheckResult:
    """The result for files in the order given."""
    files = []
    for report in reports:
        entries = tuple(diagnostic_entry(report.source, item) for item in report.diagnostics)
        files.append(FileEntry(report.source.path, report.dialect, entries))
    return CheckResult(1, tuple(files))
