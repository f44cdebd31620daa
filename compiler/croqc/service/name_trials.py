"""Try out what a mistyped name of a macro must have been, and call the fix safe where the function is clean then.

Must not suggest names (see `rules.undeclared_name`). A macro is tried if no other one is near, and if all that is wrong
with the function are such names.
"""

from __future__ import annotations

from collections.abc import Callable

from croqc.rules.undeclared_name import only_macro
from croqc.service.check import FileReport, FunctionReport, check_text, subject_of
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import apply_edits
from croqc.text.record import replace

_LOUD = (Severity.ERROR, Severity.WARNING)
Judge = Callable[[FileReport, int], bool]
"""Whether a function of a report, by its number, has no errors or warnings, not of its credit flow either."""


def with_safe_names(report: FileReport, judge: Judge) -> FileReport:
    """The report with those fixes of mistyped names called safe that leave nothing to be said."""
    safe: dict[Diagnostic, Diagnostic] = {}
    for number, function in enumerate(report.functions):
        meant = _meant(report, function)
        if meant and _is_clean(report, number, [fix for _, fix in meant], judge):
            for item, fix in meant:
                fixes = tuple(replace(one, safe=True) if one is fix else one for one in item.fixes)
                safe[item.shift(function.base)] = item.with_fixes(fixes).shift(function.base)
    return replace(report, found=tuple(safe.get(item, item) for item in report.found)) if safe else report


def _meant(report: FileReport, function: FunctionReport) -> list[tuple[Diagnostic, Fix]]:
    """The mistyped names of a function with what they must mean; nothing where something else is wrong with it."""
    if function.analysis is None:
        return []
    subject = subject_of(function.parsed, function.analysis, report.source)
    found: list[tuple[Diagnostic, Fix]] = []
    for item in function.diagnostics:
        if item.severity not in _LOUD:
            continue
        fix = only_macro(item, subject) if item.code == "undeclared-name" else None
        if fix is None:
            return []
        found.append((item, fix))
    return found


def _is_clean(report: FileReport, number: int, fixes: list[Fix], judge: Judge) -> bool:
    edits = [edit.shift(report.functions[number].base) for fix in fixes for edit in fix.edits]
    text = apply_edits(report.source.text, edits)
    trial = check_text(text, *report.given, report.source.path, report)
    return len(trial.functions) == len(report.functions) and judge(trial, number)
