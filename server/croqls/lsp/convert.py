"""Between our spans and LSP's positions, our diagnostics and LSP's. Must not compute features."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from croqc.service.check_result import full_message
from croqc.service.explain import page_uri
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.source import Encoding, Position, Source
from croqc.text.span import Span

_SEVERITY = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFORMATION: lsp.DiagnosticSeverity.Information,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}
_TAGS = {"unnecessary": lsp.DiagnosticTag.Unnecessary, "deprecated": lsp.DiagnosticTag.Deprecated}


def position(source: Source, offset: int, encoding: Encoding) -> lsp.Position:
    place = source.position(offset, encoding)
    return lsp.Position(line=place.line, character=place.column)


def range_of(source: Source, span: Span, encoding: Encoding) -> lsp.Range:
    return lsp.Range(start=position(source, span.start, encoding), end=position(source, span.end, encoding))


def offset_of(source: Source, place: lsp.Position, encoding: Encoding) -> int:
    return source.offset(Position(place.line, place.character), encoding)


def diagnostic(source: Source, item: Diagnostic, uri: str, encoding: Encoding) -> lsp.Diagnostic:
    """One diagnostic; `data` keeps what a quick fix will need."""
    related = [
        lsp.DiagnosticRelatedInformation(
            location=lsp.Location(
                uri=Path(other.path).absolute().as_uri() if other.path else uri,
                range=range_of(source, other.span, encoding),
            ),
            message=other.message,
        )
        for other in item.related
    ]
    return lsp.Diagnostic(
        range=range_of(source, item.span, encoding),
        severity=_SEVERITY[item.severity],
        code=item.code,
        code_description=lsp.CodeDescription(href=page_uri(item.code)),
        source="croq",
        message=full_message(item),
        tags=[_TAGS[tag] for tag in item.tags if tag in _TAGS] or None,
        related_information=related or None,
    )
