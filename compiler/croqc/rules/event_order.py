"""Rule `event-order`: `.at` of an event does not get one order on an array of rank 1 (reference, Q05, 7.4)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_WORDS = {
    "array": ("'.at' needs an array of events", "write the event without '.at'"),
    "rank": ("'.at' needs an event array of one dimension", "use subscripts: 'e[i][j]'"),
    "slot": ("'.at' finds the slot itself, and follows the event's name", "write 'e[i]' or 'e.at(order)'"),
    "integer": ("the order must be an integer", "it counts the uses of the events, from 0"),
    "update": ("an update must be the whole order", "write 'e.at(order++)', and compute on a line of its own"),
}


def _render(finding: Finding, _: Subject) -> Words:
    return Words(*_WORDS[str(finding.args["reason"])])


RULE = Rule(
    name="event-order",
    severity=Severity.ERROR,
    summary="`.at` of an event does not get one order on an array of rank 1.",
    rows=("Q05",),
    render=_render,
)
