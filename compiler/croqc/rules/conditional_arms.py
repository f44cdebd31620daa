"""Rule `conditional-arms`: the two results of '?:' have different types (reference, T12, 3.1)."""

from __future__ import annotations

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, is_written
from croqc.sema.elements import FLOATS
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span


def _render(finding: Finding, subject: Subject) -> Words:
    first, second = finding.args["t1"], finding.args["t2"]
    message = f"both results must have one type, got '{first}' and '{second}'"
    literal = _double(finding, subject)
    if literal is not None and is_written(subject, literal.span) and subject.slice(literal.span) == literal.text:
        meant = f"{literal.text}f"
        fix = Fix(f"Write '{meant}'", (Edit(Span(literal.span.end, literal.span.end), "f"),))
        return Words(message, f"'{literal.text}' is f64; write '{meant}'", fixes=(fix,))
    whole = _integer(finding, subject)
    if whole is not None and is_written(subject, whole.span) and subject.slice(whole.span).isdigit():
        other = first if second == "s32" else second
        meant = f"{whole.value}.0f" if other == "f32" else f"{whole.value}.0" if other == "f64" else ""
        meant = meant or f"__to<{other}>({whole.value})"
        fix = Fix(f"Write '{meant}'", (Edit(whole.span, meant),))
        return Words(message, f"'{whole.value}' is s32; write '{meant}'", fixes=(fix,))
    return Words(message, "convert one of them with '__to<T>(...)'")


def _integer(finding: Finding, subject: Subject) -> ast.IntLit | None:
    """The whole number that stands beside a float."""
    node = around(subject, finding.span)[-1]
    kinds = [str(finding.args["t1"]), str(finding.args["t2"])]
    mixed = "s32" in kinds and any(kind in FLOATS for kind in kinds)
    if not mixed or not isinstance(node, ast.Cond):
        return None
    arm = node.then if kinds[0] == "s32" else node.other
    inner = arm.operand if isinstance(arm, ast.Unary) and arm.op == "-" else arm
    return inner if isinstance(inner, ast.IntLit) else None


def _double(finding: Finding, subject: Subject) -> ast.RealLit | None:
    """The literal without `f` that alone keeps two results of f32 apart."""
    node = around(subject, finding.span)[-1]
    if {finding.args["t1"], finding.args["t2"]} != {"f32", "f64"} or not isinstance(node, ast.Cond):
        return None
    wide = node.then if finding.args["t1"] == "f64" else node.other
    inner = wide.operand if isinstance(wide, ast.Unary) else wide
    return inner if isinstance(inner, ast.RealLit) and not inner.single else None


RULE = Rule(
    name="conditional-arms",
    severity=Severity.ERROR,
    summary="The two results of '?:' have different types.",
    rows=("T12",),
    render=_render,
)
