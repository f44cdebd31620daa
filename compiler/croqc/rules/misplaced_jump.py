"""Rule `misplaced-jump`: a jump has nothing to leave (reference, L18, 4.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    word, needs = finding.args["word"], finding.args["needs"]
    place = "a loop" if needs == "loop" else "'parallel'"
    hint = "a kernel cannot be left from its host function" if needs == "parallel" else "use 'if' around what follows"
    return Words(f"'{word}' is only possible inside {place}", hint)


RULE = Rule(
    name="misplaced-jump",
    severity=Severity.ERROR,
    summary="A jump has nothing to leave.",
    rows=("L18",),
    render=_render,
)
