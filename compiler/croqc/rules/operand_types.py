"""Rule `operand-types`: an operator does not take operands of these types (reference, T09, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, change, is_written
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Severity

_GROUPS = (
    ("&& || !", "it takes truth values"),
    ("& | ^ ~ << >> %", "it takes integers"),
    ("== !=", "it compares two numbers or two truth values"),
    ("< <= > >=", "it compares two numbers"),
)


def _hint(op: str) -> str:
    return next((hint for ops, hint in _GROUPS if op in ops.split()), "it takes numbers, or data of one shape")


_ORDERS = ("<", "<=", ">", ">=")


def _chained(finding: Finding, subject: Subject) -> Words | None:
    """`0 < x < 1`: the comparison of a comparison."""
    node = around(subject, finding.span)[-1]
    if not isinstance(node, ast.Binary) or not isinstance(first := node.left, ast.Binary):
        return None
    if node.op not in _ORDERS or first.op not in _ORDERS or finding.args["t1"] != "bool":
        return None
    left, middle, right = (subject.slice(one.span) for one in (first.left, first.right, node.right))
    meant = f"{left} {first.op} {middle} && {middle} {node.op} {right}"
    fixes = change(f"Write '{meant}'", node.span, meant) if is_written(subject, node.span) else ()
    message = f"operator '{node.op}' cannot compare a comparison with '{finding.args['t2']}'"
    return Words(message, f"write both: '{meant}'", fixes=fixes)


def _render(finding: Finding, subject: Subject) -> Words:
    op, left, right = (str(finding.args[key]) for key in ("op", "t1", "t2"))
    if (chained := _chained(finding, subject)) is not None:
        return chained
    if op == "=" and right == "bool":
        one = "1.0f : 0.0f" if left.removeprefix("mutable ") == "f32" else "1 : 0"
        return Words(f"'bool' cannot be assigned to '{left.removeprefix('mutable ')}'", f"choose: '… ? {one}'")
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
