"""Look at the credit flow of the texts after fixes that guess a word: one that ends in a deadlock is not safe, since
another word may have been meant. Must not make fixes (see `rules`), nor try those of flow findings (see `fix_trials`).

For the command line, which applies fixes unseen: it costs a verdict for each such function.
"""

from __future__ import annotations

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_verdicts
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import apply_edits, overlaps
from croqc.text.record import replace

_LOUD = (Severity.ERROR, Severity.WARNING)
_GUESS = "did you mean"  # so begins the hint of every finding that guesses


def with_judged_fixes(report: FileReport) -> FileReport:
    """The report, with its flow; guesses are not safe in a function whose safe fixes together leave a fault of its flow
    that has no safe fix itself. A function without errors was judged already."""
    unsafe: set[Diagnostic] = set()
    for number, function in enumerate(report.functions):
        if function.analysis is None or not function.sound:
            items = [item for item in report.found if function.spans(item.span) and _safe(item) is not None]
            guesses = {item for item in items if item.hint.startswith(_GUESS)}
            if guesses and _fails(report, number, [fix for item in items if (fix := _safe(item)) is not None]):
                unsafe |= guesses
    return replace(report, found=tuple(_unsure(item) if item in unsafe else item for item in report.found))


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
