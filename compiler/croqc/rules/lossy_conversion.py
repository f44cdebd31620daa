"""Rule `lossy-conversion`: an implicit conversion may lose precision (reference, T13, 3.1)."""

from __future__ import annotations

import struct

from croqc.rules.base import Rule, Subject, Words
from croqc.rules.mends import around, convert_to, is_written
from croqc.sema.model import Finding
from croqc.sema.types import Scalar
from croqc.syntax import ast
from croqc.syntax.visit import children, walk
from croqc.text.diagnostics import Fix, Severity
from croqc.text.edits import Edit
from croqc.text.span import Span

_LARGE = 2.0**127  # beyond which packing overflows


def _render(finding: Finding, subject: Subject) -> Words:
    source, target = str(finding.args["t1"]), str(finding.args["t2"])
    hint = f"write '__to<{target}>(...)' if that is meant"
    fixes = convert_to(subject, finding.span, target, safe=True)
    if (source, target) == ("f64", "f32") and (literals := _doubles(subject, finding.span)):
        text = literals[0].text
        hint = f"'{text}' is f64: write '{text}f', or '__to<f32>(...)' if f64 is meant"
        if all(is_written(subject, one.span) and subject.slice(one.span) == one.text for one in literals):
            fixes = (_single(literals, subject, finding.span), *fixes)
    return Words(f"'{source}' to '{target}' may lose precision", hint, fixes=fixes)


def _doubles(subject: Subject, span: Span) -> tuple[ast.RealLit, ...]:
    """The literals without `f` that alone make the expression at a place f64; none where something else does too."""
    found: list[ast.RealLit] = []
    stack: list[ast.Node] = [around(subject, span)[-1]]
    while stack:
        node = stack.pop()
        wide = [child for child in children(node) if _is_f64(subject, child)]
        if isinstance(node, ast.RealLit):
            found.append(node)
        elif not wide or isinstance(node, ast.Chain):
            return ()
        stack += wide
    return tuple(sorted(found, key=lambda one: one.span))


def _is_f64(subject: Subject, node: ast.Node) -> bool:
    type_ = subject.analysis.model.types.get(node)
    return isinstance(type_, Scalar) and type_.elem == "f64"


def _single(literals: tuple[ast.RealLit, ...], subject: Subject, span: Span) -> Fix:
    """Write the literals as f32. One operation on values that f32 holds gives the same there; more may round apart."""
    node = around(subject, span)[-1]
    exact = all(_is_single(one.value) for one in literals)
    rounding = [each for each in walk(node) if isinstance(each, ast.Binary | ast.Builtin) and _is_f64(subject, each)]
    alone = len(rounding) == 1 and isinstance(rounding[0], ast.Binary)
    edits = tuple(Edit(Span(one.span.end, one.span.end), "f") for one in literals)
    return Fix(f"Write '{literals[0].text}f'", edits, safe=exact and alone)


def _is_single(value: float) -> bool:
    return abs(value) < _LARGE and struct.unpack("f", struct.pack("f", value))[0] == value


RULE = Rule(
    name="lossy-conversion",
    severity=Severity.WARNING,
    summary="An implicit conversion may lose precision.",
    rows=("T13",),
    render=_render,
)
