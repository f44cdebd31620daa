"""Rule `loop-variable`: a loop runs over something that is not an index made by `with` (reference, L16, 4.5)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.elements import INTEGERS
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    name, type_ = finding.args["name"], str(finding.args["t"])
    if type_ == "parallel index":
        return Words(f"'{name}' is a parallel index, no loop runs over it", "iterate a variable made by 'with'")
    is_count = type_.split()[-1] in INTEGERS
    hint = f"write 'foreach i in {name}'" if is_count else "iterate a variable made by 'with'"
    return Words(f"'{name}' is '{type_}', no loop runs over it", hint)


RULE = Rule(
    name="loop-variable",
    severity=Severity.ERROR,
    summary="A loop runs over something that is not an index made by `with`.",
    rows=("L16",),
    render=_render,
)
