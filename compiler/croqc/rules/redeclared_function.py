"""Rule `redeclared-function`: two functions of a file have one name and the same parameters (reference, T02, 3.1)."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.rules.base import Rule, Subject, Words
from croqc.sema.model import Finding
from croqc.syntax import ast
from croqc.text.diagnostics import Diagnostic, Related, Severity


def repeated(functions: Iterable[tuple[ast.Function, int]]) -> list[Diagnostic]:
    """What is said of the functions of a file, each with its place; those that differ in parameters are overloads."""
    first: dict[tuple[object, ...], Diagnostic] = {}
    found = []
    for function, base in functions:
        name, span = function.name.id, function.name.span.shift(base)
        if not name or function.doubts is not None:
            continue
        key = name, *(_passed(param) for param in function.params)
        earlier = first.get(key)
        this = Diagnostic(RULE.name, RULE.severity, f"'{name}' is already defined with these parameters", span)
        if earlier is None:
            first[key] = this
        else:
            related = (Related(f"'{name}' is defined here", earlier.span),)
            found.append(Diagnostic(this.code, this.severity, this.message, span, "rename one of them", related))
    return found


def _passed(param: ast.Param) -> tuple[object, ...]:
    """What C++ tells parameters apart by: element type, rank and where the data is."""
    kind = param.type
    return kind.elem, kind.rank if kind.dims is None else len(kind.dims) or kind.rank, param.is_global, param.by_ref


def _render(finding: Finding, _: Subject) -> Words:
    return Words(f"'{finding.args['name']}' is already defined with these parameters", "rename one of them")


RULE = Rule(
    name="redeclared-function",
    severity=Severity.ERROR,
    summary="Two functions of a file have one name and the same parameters.",
    rows=("T02",),
    render=_render,
)
