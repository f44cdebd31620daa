"""Rule `loop-range`: the range of a loop is not one of integers that go up (reference, L17, 4.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_WORDS = {
    "tuple": ("a range needs one index, '{}' has several", "loop over each of its indices: 'with {a, b} in ...'"),
    "step": ("the step of '{}' must be at least 1", "a loop only counts up"),
    "offset": ("the range of '{}' must be integers", "convert the bound"),
}


def _render(finding: Finding, _: Subject) -> Words:
    message, hint = _WORDS[str(finding.args["what"])]
    return Words(message.format(finding.args["name"]), hint)


RULE = Rule(
    name="loop-range",
    severity=Severity.ERROR,
    summary="The range of a loop is not one of integers that go up.",
    rows=("L17",),
    render=_render,
)
