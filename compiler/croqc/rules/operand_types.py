"""Rule `operand-types`: an operator does not take operands of these types (reference, T09, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.text.diagnostics import Severity

_GROUPS = (
    ("&& || !", "it takes truth values"),
    ("& | ^ ~ << >> %", "it takes integers"),
    ("== !=", "it compares two numbers or two truth values"),
    ("< <= > >=", "it compares two numbers"),
)


def _hint(op: str) -> str:
    return next((hint for ops, hint in _GROUPS if op in ops.split()), "it takes numbers, or data of one shape")


def _render(finding: Finding, _: Subject) -> Words:
    op, left, right = (str(finding.args[key]) for key in ("op", "t1", "t2"))
    if op == "=":
        return Words(f"'{right}' cannot be assigned to '{left.removeprefix('mutable ')}'", "the types must agree")
    if not right:
        return Words(f"operator '{op}' cannot take '{left}'", _hint(op))
    return Words(f"operator '{op}' cannot combine '{left}' and '{right}'", _hint(op))


RULE = Rule(
    name="operand-types",
    severity=Severity.ERROR,
    summary="An operator does not take operands of these types.",
    rows=("T09",),
    render=_render,
)
