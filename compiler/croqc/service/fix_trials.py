"""Try the fixes of credit-flow findings out, and keep those that mend. Must not make fixes (see `rules`).

A fix is offered only if the finding goes and no other comes. Where none of the finding's own does that, the usual
slips are looked for; and a fix that merely reaches the next fault is completed by those of that fault, three at most.
What even then leaves something is not offered. All trials for a function draw on one budget; what it does not suffice
for is not tried, and the finding says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import KernelFlow, Strength
from croqc.rules.credit_candidates import candidates
from croqc.service.check import FileReport, check_text, subject_of
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import apply_edits, compose, overlaps
from croqc.text.record import record, replace

DEPTH = 3  # fixes that are joined into one
TRIALS = 24  # texts that are analysed for one function
ROOM = 4 * TYPING_BUDGET  # abstract steps that their analyses may take together
OFFERED = 2

Told = tuple[tuple[KernelFlow, tuple[Diagnostic, ...]], ...]
"""The kernels of a function with what is said of each, relative to the function; fixes may be untried."""
Judge = Callable[[FileReport, int], Told | None]
"""Judges a function of a report by its number; None for one with errors. Raises UntriedError."""


class UntriedError(Exception):
    """To judge a text takes more than what is left of the budget."""


def only_mending(report: FileReport, number: int, told: Told, judge: Judge) -> Told:
    """The same with those fixes only that mend, some of them completed."""
    trials = _Trials(report, number, told, judge)
    return tuple(
        (flow, tuple(trials.with_mending_fixes(kernel, item) for item in found))
        for kernel, (flow, found) in enumerate(told)
    )


@record
class _Outcome:
    """What a text comes to: whether the finding is gone and none came, whether that holds for every size, and the
    fixes of what is left."""

    mended: bool
    proved: bool
    further: tuple[Fix, ...] = ()


class _Trials:
    """The texts that are tried for one function; each is judged once."""

    def __init__(self, report: FileReport, number: int, told: Told, judge: Judge) -> None:
        self.report, self.number, self.told, self.judge = report, number, told, judge
        self.base = report.functions[number].base
        self.seen: dict[str, tuple[Counter[str], Told] | None] = {report.source.text: None}
        self.untried: set[str] = set()  # texts for which the budget did not suffice
        self.left, self.room = TRIALS, ROOM
        self.short = False  # whether one of them was wanted for the finding at hand

    def with_mending_fixes(self, kernel: int, item: Diagnostic) -> Diagnostic:
        """A finding with the fixes that mend it."""
        if item.severity.value not in _LOUD:
            return item
        self.short = False
        outcomes = [(fix, self.outcome_of(kernel, item, fix)) for fix in item.fixes]
        mending = [(fix, outcome) for fix, outcome in outcomes if outcome is not None and outcome.mended]
        fixes = [fix for fix, _ in mending]
        if len(mending) == 1 and item.severity is Severity.ERROR and mending[0][1].proved:
            fixes = [replace(fixes[0], safe=True)]  # the only way, and right at every size
        if not fixes and item.severity is Severity.ERROR:
            slip = next((fix for fix in self.usual_slips if self.mends_with(kernel, item, fix)), None)
            fixes = [slip] if slip is not None else []
        if not fixes:
            joined = self.complete(kernel, item, outcomes)
            fixes = [joined] if joined is not None else []
        if not fixes and self.short:
            item = replace(item, hint=f"{item.hint}; {_UNTRIED}" if item.hint else _UNTRIED)
        return item.with_fixes(tuple(fixes[:OFFERED]))

    @cached_property
    def usual_slips(self) -> tuple[Fix, ...]:
        function = self.report.functions[self.number]
        assert function.analysis is not None
        return candidates(subject_of(function.parsed, function.analysis, self.report.source))

    def mends_with(self, kernel: int, item: Diagnostic, fix: Fix) -> bool:
        outcome = self.outcome_of(kernel, item, fix)
        return outcome is not None and outcome.mended

    def complete(self, kernel: int, item: Diagnostic, tried: list[tuple[Fix, _Outcome | None]]) -> Fix | None:
        """The shortest row of fixes that mends: each answers what the ones before it left."""
        for _ in range(DEPTH - 1):
            rows = [_join(fix, then) for fix, outcome in tried if outcome is not None for then in outcome.further]
            tried = []
            for row in rows:
                outcome = None if row is None else self.outcome_of(kernel, item, row)
                if row is not None and outcome is not None and outcome.mended:
                    return row
                if row is not None:
                    tried.append((row, outcome))
        return None

    def outcome_of(self, kernel: int, item: Diagnostic, fix: Fix) -> _Outcome | None:
        """None if the text after the fix cannot be judged, or was met before."""
        edits = [edit.shift(self.base) for edit in fix.edits]
        if overlaps(edits):
            return None
        text = apply_edits(self.report.source.text, edits)
        if text == self.report.source.text:
            return None
        if text not in self.seen:
            self.seen[text] = self.judge_text(text)
        known = self.seen[text]
        self.short |= text in self.untried
        if known is None:
            return None
        said, told = known
        if said - _said(self.report) or len(told) != len(self.told):
            return None
        further = tuple(then for one in told[kernel][1] if one.severity.value in _LOUD for then in one.fixes)
        mended = self.mends(kernel, item, told)
        return _Outcome(mended, mended and told[kernel][0].strength is Strength.PROVED, further)

    def judge_text(self, text: str) -> tuple[Counter[str], Told] | None:
        if self.left <= 0 or self.room <= 0:
            self.untried.add(text)
            return None
        report = check_text(text, *self.report.given, self.report.source.path, self.report)
        if len(report.functions) != len(self.report.functions):
            return None
        self.left -= 1
        try:
            told = self.judge(report, self.number)
        except UntriedError:
            self.untried.add(text)
            return None
        self.room -= sum(flow.spent for flow, _ in told or ())
        return None if told is None else (_said(report), told)

    def mends(self, kernel: int, item: Diagnostic, told: Told) -> bool:
        """Whether each kernel has only findings that it had before, and this one does not have this one."""
        for number, ((before, old), (after, new)) in enumerate(zip(self.told, told, strict=True)):
            allowed = Counter(one.code for one in old)
            if number == kernel:
                allowed[item.code] -= 1
            if Counter(one.code for one in new) - allowed:
                return False
            if after.strength is Strength.UNKNOWN and before.strength is not Strength.UNKNOWN:
                return False
        return True


_LOUD = ("error", "warning")
_UNTRIED = "some fixes were not tried: that takes more steps than the budget"


def _said(report: FileReport) -> Counter[str]:
    """What is said of a file apart from its credit flow."""
    return Counter(item.code for item in report.found if item.severity.value in _LOUD)


def _join(fix: Fix, then: Fix) -> Fix | None:
    """Two fixes as one; the second refers to the text after the first."""
    if overlaps(then.edits):
        return None
    title = f"{fix.title}, and {then.title[:1].lower()}{then.title[1:]}"
    return Fix(title, compose(fix.edits, then.edits), fix.safe and then.safe)
