"""From one function's analysis to its diagnostics. Must not know files, suppression or single rules.

A rule that raises costs its own findings alone: one `internal-error` stands in their place (ARCHITECTURE, invariant 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from croqc.rules.base import Subject
from croqc.rules.internal_error import internal_error
from croqc.rules.table import BY_NAME, CHECKING
from croqc.sema.model import Finding
from croqc.text.diagnostics import Diagnostic, Severity


def tell_one(finding: Finding, subject: Subject) -> Diagnostic:
    """A finding in the words of its rule, or an `internal-error` of the rule's severity where it has none."""
    severity = Severity.ERROR  # of a rule that cannot even be loaded: its finding may be an error
    try:
        rule = BY_NAME[finding.rule]
        severity = rule.severity
        return rule.diagnose(finding, subject)
    except Exception as error:
        return internal_error(f"rule '{finding.rule}'", error, finding.span, severity)


def _told(findings: Iterable[Finding], subject: Subject) -> Iterator[Diagnostic]:
    """Each finding in words; of a rule that fails, the first failure alone."""
    failed: set[str] = set()
    for finding in findings:
        if finding.rule not in BY_NAME or finding.rule in failed:
            continue
        told = tell_one(finding, subject)
        if told.code != finding.rule:
            failed.add(finding.rule)
        yield told


def tell(findings: Iterable[Finding], subject: Subject) -> tuple[Diagnostic, ...]:
    """Findings in the words of their rules, in the order of their places."""
    return in_order(_told(findings, subject))


def in_order(told: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics in the order of their places."""
    return tuple(sorted(told, key=_order))


def diagnose(subject: Subject) -> tuple[Diagnostic, ...]:
    """All diagnostics of a function, relative to it, in the order of their places.

    Findings of `sema` come first, then what the rules' own checks yield.
    """
    findings = list(subject.analysis.findings)
    failed: list[Diagnostic] = []
    for name in CHECKING:
        try:
            findings.extend(BY_NAME[name].check(subject))
        except Exception as error:
            place = subject.analysis.model.function.name.span
            failed.append(internal_error(f"rule '{name}'", error, place, Severity.INFORMATION))
    return tuple(sorted((*failed, *_told(findings, subject)), key=_order))


def _order(item: Diagnostic) -> tuple[object, str, str]:
    return (item.span, item.code, item.message)
