"""Look at the credit flow of the texts after fixes that guess a word: one that ends in a deadlock is not safe, since
another word may have been meant. Must not make fixes (see `rules`), nor try those of flow findings (see `fix_trials`).

For the command line, which applies fixes unseen: it costs a verdict for each such function.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_verdicts
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import apply_edits, overlaps
from croqc.text.record import replace

_LOUD = (Severity.ERROR, Severity.WARNING)


def with_judged_fixes(report: FileReport) -> FileReport:
    """The report, with its flow; guesses are not safe in a function whose safe fixes together leave a fault of its flow
    that has no safe fix itself. A function without errors was judged already."""
    return without_guesses(report, doubted(report))


def doubted(report: FileReport) -> tuple[Diagnostic, ...]:
    """The findings of a report whose guesses are not safe, as above."""
    found: list[Diagnostic] = []
    for number, function in enumerate(report.functions):
        if function.analysis is None or not function.sound:
            items = [item for item in report.found if function.spans(item.span)]
            fixes = {item: fix for item in items if (fix := _safe(item)) is not None}
            guesses = [item for item, fix in fixes.items() if fix.guess]
            if guesses and _fails(report, number, list(fixes.values())):
                found += guesses
    return tuple(found)


def without_guesses(report: FileReport, items: Iterable[Diagnostic]) -> FileReport:
    """The report, in which the fixes of findings such as `items` are not safe; those may lack their fixes."""
    told = {(item.code, item.message, item.span) for item in items}
    found = (_unsure(one) if (one.code, one.message, one.span) in told else one for one in report.found)
    return replace(report, found=tuple(found))


def _safe(item: Diagnostic) -> Fix | None:
    return next((fix for fix in item.fixes if fix.safe), None)


def _unsure(item: Diagnostic) -> Diagnostic:
    return item.with_fixes(tuple(replace(fix, safe=False) for fix in item.fixes))


def _fails(report: FileReport, number: int, fixes: list[Fix]) -> bool:
    """Whether the flow of a function fails after some fixes for good; False for one that cannot be judged even then."""
    edits = list(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
    if overlaps(edits):
        return False
    trial = check_text(apply_edits(report.source.text, edits), *report.given, report.source.path, report)
    if len(trial.functions) != len(report.functions):
        return False
    judged = with_verdicts(trial, TYPING_BUDGET, report, wanted=lambda function: function is trial.functions[number])
    left = [item for item in judged.flow_found or () if trial.functions[number].spans(item.span)]
    return any(item.severity in _LOUD and _safe(item) is None for item in left)
