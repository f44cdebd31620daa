"""One expectation against the arrays that a run left behind. Must not run anything.

Tolerances that the line does not give are those of `compare.default_tolerance` for the type of the first name
on the left side; copies without arithmetic and integers compare exactly where it gives none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from croqc.runs.compare import EXACT, Comparison, Tolerance, compare, compare_truth, default_tolerance, steps_apart
from croqc.runs.elements import Array, eps
from croqc.runs.evaluate import compare_values, evaluate
from croqc.runs.report import ExpectationResult
from croqc.sema.formula_shapes import same_sides
from croqc.syntax import expectation as e
from croqc.syntax.directive_clauses import ExpectDirective


class Operand(NamedTuple):
    """A parameter, result or size after the run. `accumulator`: the type of the sums behind a result, if not
    its own; `k_step`: how many products go into it between two roundings, the K of the instruction; `factor`: the
    type that multiplies take the factors as, if that loses digits. `before`: a parameter before the run. `narrowed`: a
    type that values behind it are rounded to between two operations."""

    array: Array
    elem: str
    accumulator: str | None = None
    k_step: int = 1
    factor: str | None = None
    before: Array | None = None
    narrowed: str | None = None


def check_expectation(directive: ExpectDirective, operands: Mapping[str, Operand], xp: Any = np) -> ExpectationResult:
    """The verdict on one `expect` line that is not `auto`. `xp`: the namespace of the operands' arrays.

    Raises FormulaError, its span counted from `directive.base`, where the line has no meaning for these
    operands: an unknown name, shapes that do not fit. Raises HostOnlyError as `evaluate`.
    """
    expr = directive.expr
    if expr is None:
        raise ValueError("'expect auto' has no formula")
    names = {name: operand.array for name, operand in operands.items()}
    before = {name: operand.before for name, operand in operands.items() if operand.before is not None}
    got, want = evaluate(expr.left, names, before, xp), evaluate(expr.right, names, before, xp)
    same_sides(expr, got.array.shape, want.array.shape)
    tolerance = EXACT
    if expr.op == "~=":
        tolerance = _tolerance(directive, expr, operands, want.array, max(got.steps, want.steps), xp)
        found = compare(got.array, want.array, tolerance, xp)
    else:
        holds = compare_values(expr.op, got.array, want.array, xp)
        found = compare_truth(holds, got.array, want.array, xp)
    return result_of(directive.text, tolerance, found)


def result_of(text: str, tolerance: Tolerance, found: Comparison) -> ExpectationResult:
    """A comparison as the result of the expectation `text`."""
    return ExpectationResult(
        text,
        found.differing == 0,
        tolerance.rtol,
        tolerance.atol,
        found.worst,
        found.differing,
        found.total,
        found.norms,
        found.within,
    )


def _tolerance(
    directive: ExpectDirective,
    expr: e.Expectation,
    operands: Mapping[str, Operand],
    want: Array,
    steps: int,
    xp: Any,
) -> Tolerance:
    subject = next((operands[ref.name] for ref in e.names_in(expr.left)), None)
    found = EXACT
    if subject is not None and not is_copy(expr) and eps(subject.elem) > 0:
        steps = -(-steps // subject.k_step)
        found = default_tolerance(subject.elem, want, subject.accumulator, steps, subject.factor, xp)
        if subject.narrowed is not None:
            found = steps_apart(found, subject.narrowed, want, xp)
    return Tolerance(
        found.rtol if directive.rtol is None else directive.rtol,
        found.atol if directive.atol is None else directive.atol,
    )


def is_copy(expr: e.Expectation) -> bool:
    """Whether both sides only rearrange values: names, `old`, `.T` and subscripts."""
    return all(isinstance(_base(side), e.Ref) for side in (expr.left, expr.right))


def _base(node: e.Formula) -> e.Formula:
    while True:
        if isinstance(node, e.Transpose | e.Subscript):
            node = node.operand
        elif isinstance(node, e.Apply) and node.name == "old":
            node = node.args[0]
        else:
            return node
