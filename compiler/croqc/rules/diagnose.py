"""From one function's analysis to its diagnostics. Must not know files, suppression or single rules."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.rules.base import Subject
from croqc.rules.table import BY_NAME, CHECKING
from croqc.sema.model import Finding
from croqc.text.diagnostics import Diagnostic


def tell(findings: Iterable[Finding], subject: Subject) -> tuple[Diagnostic, ...]:
    """Findings in the words of their rules, in the order of their places."""
    told = [BY_NAME[item.rule].diagnose(item, subject) for item in findings if item.rule in BY_NAME]
    return tuple(sorted(told, key=lambda item: (item.span, item.code, item.message)))


def diagnose(subject: Subject) -> tuple[Diagnostic, ...]:
    """All diagnostics of a function, relative to it, in the order of their places.

    Findings of `sema` come first, then what the rules' own checks yield.
    """
    findings = list(subject.analysis.findings)
    for name in CHECKING:
        findings.extend(BY_NAME[name].check(subject))
    return tell(findings, subject)
