"""What a rule is. Must not know any single rule (they register in `rules.table`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from croqc.sema.model import Analysis, Finding
from croqc.text.diagnostics import Diagnostic, Fix, Related, Severity
from croqc.text.record import record
from croqc.text.span import Span


@record(eq=False)
class Subject:
    """What a check or a fix may look at: the function's text (offsets relative to it) and its analysis.

    `lead` counts the characters in front of `__co__` on its line: an insertion above goes before them.
    """

    text: str
    analysis: Analysis
    newline: str = "\n"
    lead: int = 0

    def slice(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def line_start(self, offset: int) -> Span:
        """The empty span at the start of the line of `offset`; for an insertion above it."""
        at = self.text.rfind("\n", 0, max(offset, 0)) + 1
        return Span(at, at) if at else Span(-self.lead, -self.lead)

    def indent(self, offset: int) -> str:
        """The blanks at the start of the line of `offset`."""
        at = end = max(self.line_start(offset).start, 0)
        while end < len(self.text) and self.text[end] in " \t":
            end += 1
        return self.text[at:end]


@record
class Words:
    """How one finding is told: message, way out, related places, fixes; `severity` only to overrule the rule's."""

    message: str
    hint: str = ""
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity | None = None
    tags: tuple[str, ...] = ()


def listed(names: object, between: str = ", ") -> str:
    """The names that a finding has as one argument, in the words of a message."""
    return between.join(map(str, names)) if isinstance(names, tuple) else str(names)


def _no_findings(_: Subject) -> Iterable[Finding]:
    return ()


@record
class Rule:
    """A diagnostic. `rows` are the catalogue rows of chapter 8 that it serves.

    `render` puts a finding of that name into words; None for what is not raised as a finding: `syntax`, the service or
    a maker in the rule's own file make the diagnostic. `check` yields findings that follow from the model alone; rules
    whose findings `sema` or `flow` raise have none.
    """

    name: str
    severity: Severity
    summary: str
    rows: tuple[str, ...]
    render: Callable[[Finding, Subject], Words] | None = None
    check: Callable[[Subject], Iterable[Finding]] = _no_findings

    def diagnose(self, finding: Finding, subject: Subject) -> Diagnostic:
        if self.render is None:
            raise TypeError(f"'{self.name}' is not raised as a finding")
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
