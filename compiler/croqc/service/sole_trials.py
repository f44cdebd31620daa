"""Try the fixes of errors out to which there is one likely way: a mistyped macro, an index that leaves its ring.

Must not make fixes (see `rules`). They are called safe if the function is clean with all of them, its credit flow
included; a function that has another error, too, is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from croqc.rules.base import Subject
from croqc.rules.index_out_of_range import round_the_ring
from croqc.rules.undeclared_name import only_macro
from croqc.service.check import FileReport, FunctionReport, check_text, subject_of
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit, apply_edits, overlaps
from croqc.text.record import replace

_LIKELY: Final[Mapping[str, Callable[[Diagnostic, Subject], Fix | None]]] = {
    "undeclared-name": only_macro,
    "index-out-of-range": round_the_ring,
}
_LOUD = (Severity.ERROR, Severity.WARNING)
Judge = Callable[[FileReport, int], bool]
"""Whether a function of a report, by its number, has no errors or warnings, not of its credit flow either."""


def with_sole_ways(report: FileReport, judge: Judge) -> FileReport:
    """The report with those likely fixes called safe that leave nothing to be said."""
    safe: dict[Diagnostic, Diagnostic] = {}
    for number, function in enumerate(report.functions):
        meant = _meant(report, function)
        if meant and _is_clean(report, number, [fix for _, fix in meant], judge):
            for item, fix in meant:
                fixes = (replace(fix, safe=True), *(one for one in item.fixes if one is not fix))
                safe[item.shift(function.base)] = item.with_fixes(fixes).shift(function.base)
    return replace(report, found=tuple(safe.get(item, item) for item in report.found)) if safe else report


def _meant(report: FileReport, function: FunctionReport) -> list[tuple[Diagnostic, Fix]]:
    """What is wrong with a function, with the likely fixes; nothing where there is none for something."""
    if function.analysis is None:
        return []
    subject = subject_of(function.parsed, function.analysis, report.source)
    found: list[tuple[Diagnostic, Fix]] = []
    for item in function.diagnostics:
        if item.severity not in _LOUD:
            continue
        likely = _LIKELY.get(item.code)
        fix = None if likely is None else likely(item, subject)
        if fix is None:
            return []
        found.append((item, _renamed(report, function, fix) or fix if item.code == "undeclared-name" else fix))
    return found


def _renamed(report: FileReport, function: FunctionReport, fix: Fix) -> Fix | None:
    """The one edit that mends a macro with a mistyped definition: its uses agree on another name, none has its own."""
    text, near = report.source.text, fix.edits[0].new_text
    name = report.source.slice(fix.edits[0].span.shift(function.base))
    macros = [macro for macro in report.tree.pre.macros if macro.name == near and macro.span is not None]
    if len(macros) != 1 or len(_words(near, text)) > 1 or len(_words(name, text)) < 2:
        return None
    place = macros[0].span
    assert place is not None
    return Fix(f"Rename the macro '{near}' to '{name}'", (Edit(place.shift(-function.base), name),), guess=True)


def _words(word: str, text: str) -> list[str]:
    return re.findall(rf"\b{re.escape(word)}\b", text)


def _is_clean(report: FileReport, number: int, fixes: list[Fix], judge: Judge) -> bool:
    edits = list(dict.fromkeys(edit.shift(report.functions[number].base) for fix in fixes for edit in fix.edits))
    if overlaps(edits):
        return False
    text = apply_edits(report.source.text, edits)
    trial = check_text(text, *report.given, report.source.path, report)
    return len(trial.functions) == len(report.functions) and judge(trial, number)
