"""What a rule is. Must not know any single rule (they register in `rules.table`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from croqc.sema.model import Analysis, Finding
from croqc.text.diagnostics import Diagnostic, Fix, Related, Severity
from croqc.text.span import Span


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What a check or a fix may look at: the function's text (offsets relative to it) and its analysis."""

    text: str
    analysis: Analysis
    newline: str = "\n"

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]


@dataclass(frozen=True, slots=True)
class Words:
    """How one finding is told: message, way out, related places, fixes; `severity` only to overrule the rule's."""

    message: str
    hint: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None
    tags: tuple[str, ...] = ()


def _no_findings(_: Subject) -> Iterable[Finding]:
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A diagnostic. `rows` are the catalogue rows of chapter 8 that it serves.

    `render` puts a finding of that name into words. `check` yields findings that follow from the model
    alone; rules whose findings `sema` or `flow` raise have none.
    """

    name: str
    severity: Severity
    summary: str
    rows: tuple[str, ...]
    render: Callable[[Finding, Subject], Words]
    check: Callable[[Subject], Iterable[Finding]] = field(default=_no_findings)

    def diagnose(self, finding: Finding, subject: Subject) -> Diagnostic:
        words = self.render(finding, subject)
        return Diagnostic(
            code=self.name,
            severity=words.severity or self.severity,
            message=words.message,
            span=finding.span,
            hint=words.hint,
            related=finding.related + words.related,
            fixes=words.fixes,
            tags=words.tags,
        )
