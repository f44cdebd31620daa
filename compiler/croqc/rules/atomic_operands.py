"""Rule `atomic-operands`: an atomic operation is not on an element that it can change (reference, P12, 4.6)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, what, want, have = (finding.args[key] for key in ("name", "what", "want", "have"))
    if what == "element":
        return Words(f"'{name}' changes an element, got '{have}'", "write the element with '.at(i)'")
    if what == "storage":
        return Words(f"'{name}' cannot change '{have}' data", "each thread has its own: a plain assignment is enough")
    return Words(f"'{name}' does not exist for '{have}'", f"it takes {want}")


RULE = Rule(
    name="atomic-operands",
    severity=Severity.ERROR,
    summary="An atomic operation is not on an element that it can change.",
    rows=("P12",),
    render=_render,
)
