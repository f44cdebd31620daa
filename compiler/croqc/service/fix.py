"""Apply the fixes of the findings until nothing changes. Must not write files.

Rounds: each takes the fixes by position and drops those that overlap one taken before; ten at most. Fixes of credit
flow are tried out one by one (`fix_trials`), so a round takes only one of them in a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from croqc.rules.table import FLOW_RULES
from croqc.service.check import FileReport
from croqc.service.safe_trials import with_tried_fixes
from croqc.text.edits import Edit, apply_edits
from croqc.text.record import record
from croqc.text.source import Source

ROUNDS = 10


@record
class FixedText:
    """A text after fixing: how many fixes went in, in how many lines, and the report of the last round."""

    text: str
    applied: int
    lines: int
    report: FileReport


def _clashes(edits: list[Edit], taken: list[Edit]) -> bool:
    return any(
        (edit.span.start < other.span.end and other.span.start < edit.span.end) or edit.span == other.span
        for edit in edits
        for other in taken
    )


def choose_edits(report: FileReport, rule: str | None, unsafe: bool) -> tuple[list[Edit], int]:
    """The edits of one round and the number of fixes they come from; the first fix of a finding counts."""
    report = report if unsafe else with_tried_fixes(report)
    taken: list[Edit] = []
    flowing: set[int] = set()
    count = 0
    for item in sorted(report.diagnostics, key=lambda found: found.span):
        fix = next((fix for fix in item.fixes if fix.safe or unsafe), None)
        if fix is None or (rule and item.code != rule):
            continue
        edits = [edit for edit in fix.edits if edit not in taken]
        flow = {one.base for one in report.functions if item.code in FLOW_RULES and one.spans(item.span)}
        if not _clashes(edits, taken) and not flow & flowing:
            flowing |= flow
            taken += edits
            count += 1
    return taken, count


def fix_text(
    report: FileReport, recheck: Callable[[str, FileReport], FileReport], rule: str | None = None, unsafe: bool = False
) -> FixedText:
    """Fix a checked text. `recheck` checks a new text, given the report before."""
    text, applied, lines = report.source.text, 0, 0
    for _ in range(ROUNDS):
        edits, count = choose_edits(report, rule, unsafe)
        changed = apply_edits(text, edits)
        if changed == text:
            break
        text, applied, lines = changed, applied + count, lines + lines_of(report.source, edits)
        report = recheck(text, report)
    return FixedText(text, applied, lines, report)


def lines_of(source: Source, edits: Iterable[Edit]) -> int:
    """The number of lines that edits begin in."""
    return len({source.line_of(edit.span.start) for edit in edits})
