"""Rule `shape-operands`: an operator is not defined for these shapes or tuples (reference, S06, 3.2)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity


def _render(finding: Finding, _: Subject) -> Words:
    op, first, second = (str(finding.args[key]) for key in ("op", "t1", "t2"))
    if first.startswith("shape") and second.startswith("shape"):
        hint = "two shapes take only '/', '%' and 'cdiv'"
    elif first.startswith("tuple") and second.startswith("tuple"):
        hint = "combine their items, as in '{a(0) + b(0), a(1) + b(1)}'"
    else:
        hint = "shapes and tuples combine with integers, shapes with tuples"
    return Words(f"'{op}' is not defined for '{first}' and '{second}'", hint)


RULE = Rule(
    name="shape-operands",
    severity=Severity.ERROR,
    summary="An operator is not defined for these shapes or tuples.",
    rows=("S06",),
    render=_render,
)
