"""Rule `non-bool-condition`: a condition is not a truth value (reference, T11)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, insert, is_written, wrap
from croqc.sema.elements import FLOATS, INTEGERS
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity


def _render(finding: Finding, subject: Subject) -> Words:
    type_ = str(finding.args["t"])
    if finding.args["where"] == "inthreads":
        return Words(f"expected a truth value, got '{type_}'", "compare the index: 'inthreads (p == 0)'")
    fixes = _compare(finding, subject, type_.removeprefix("mutable "))
    return Words(f"expected a truth value, got '{type_}'", "compare explicitly", fixes=fixes)


def _compare(finding: Finding, subject: Subject, elem: str) -> tuple[Fix, ...]:
    """Compare a number with zero, which is what C++ would do."""
    whole = elem in INTEGERS or elem.startswith("int below")
    if not (whole or elem in FLOATS) or not is_written(subject, finding.span):
        return ()
    test = " != 0" if whole else " != 0.0f"
    if _is_primary(finding, subject):
        return insert("Compare with 0", finding.span.end, test)
    return wrap("Compare with 0", finding.span, "(", f"){test}")


def _is_primary(finding: Finding, subject: Subject) -> bool:
    whole = (node for node in around(subject, finding.span) if node.span == finding.span)
    return any(isinstance(node, ast.Name | ast.Chain | ast.Builtin | ast.Paren | ast.IntLit) for node in whole)


RULE = Rule(
    name="non-bool-condition",
    severity=Severity.ERROR,
    summary="A condition is not a truth value.",
    rows=("T11",),
    render=_render,
)
