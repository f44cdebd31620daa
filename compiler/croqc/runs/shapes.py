"""The shapes in an expectation's formula: which fit, and what comes of them. Must not look at values.

The rules are those of NumPy: axes meet from the last one on, and one of extent 1 fits any.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from croqc.syntax import expectation as e
from croqc.text.span import Span

Shape = tuple[int, ...]


class FormulaError(Exception):
    """A formula without a value: an unknown name, shapes that do not fit. Spans as in the formula."""

    def __init__(self, message: str, span: Span, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.span, self.hint = message, span, hint


def shape_text(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]" if shape else "a single number"


def fit(span: Span, *shapes: Shape) -> Shape:
    """The common shape. Raises FormulaError where there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        told = " and ".join(map(shape_text, shapes))
        raise FormulaError(f"shapes {told} do not fit together", span, _transposed(shapes)) from None


def _transposed(shapes: tuple[Shape, ...]) -> str:
    """What helps where one value a row meets the rows themselves."""
    wide = max(shapes, key=len)
    rows = {shape[-1] for shape in shapes if len(shape) == 1}
    if len(wide) < 2 or rows != {wide[-2]}:
        return ""
    return f"the last axes meet: write '.T' behind what is {shape_text(wide)}, and behind the other side of the line"


def product(span: Span, left: Shape, right: Shape) -> Shape:
    """The shape of `left @ right`. Raises FormulaError where their inner extents differ."""
    if not left or not right or left[-1] != right[-2:][0]:
        raise FormulaError(f"'@' cannot multiply {shape_text(left)} by {shape_text(right)}", span)
    outer = fit(span, left[:-2], right[:-2])
    return (*outer, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))


def transposed(span: Span, shape: Shape) -> Shape:
    """The shape of `x.T`."""
    if len(shape) < 2:
        raise FormulaError(f"'.T' needs two axes, not {shape_text(shape)}", span)
    return (*shape[:-2], shape[-1], shape[-2])


def same_sides(expr: e.Expectation, got: Shape, want: Shape) -> None:
    """The right side may be one number for all; else both sides have one shape."""
    if want and got != want:
        raise FormulaError(f"the sides have different shapes: {shape_text(got)} and {shape_text(want)}", expr.span)


def has_axis(node: e.Apply, shape: Shape) -> None:
    if node.axis is not None and not -len(shape) <= node.axis < len(shape):
        raise FormulaError(f"{shape_text(shape)} has no axis {node.axis}", node.span)


def check_shapes(expr: e.Expectation, shapes: Mapping[str, Shape]) -> None:
    """Raise FormulaError where the shapes of an expectation do not fit, whatever the values are.

    `shapes` of the names; what is not there, and what depends on values, is let pass.
    """
    got, want = _shape(expr.left, shapes), _shape(expr.right, shapes)
    if got is not None and want is not None:
        same_sides(expr, got, want)


def _shape(node: e.Formula, shapes: Mapping[str, Shape]) -> Shape | None:
    match node:
        case e.Number():
            return ()
        case e.Ref():
            return shapes.get(node.name)
        case e.Negate() | e.Cast():
            return _shape(node.operand, shapes)
        case e.Binary() | e.Compare():
            left, right = _shape(node.left, shapes), _shape(node.right, shapes)
            if left is None or right is None:
                return None
            return product(node.span, left, right) if node.op == "@" else fit(node.span, left, right)
        case e.Transpose():
            operand = _shape(node.operand, shapes)
            return None if operand is None else transposed(node.span, operand)
        case e.Subscript():
            return _element(node, _shape(node.operand, shapes))
        case e.Apply():
            return _applied(node, [_shape(arg, shapes) for arg in node.args])


def _element(node: e.Subscript, operand: Shape | None) -> Shape | None:
    """An index takes its axis away; how long a slice is depends on values."""
    if operand is None or any(isinstance(item, e.Slice) for item in node.items):
        return None
    if len(node.items) > len(operand):
        raise FormulaError(f"{len(node.items)} subscripts for {shape_text(operand)}", node.span)
    return operand[len(node.items) :]


def _applied(node: e.Apply, args: list[Shape | None]) -> Shape | None:
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    first = known[0]
    has_axis(node, first)
    if len(known) > 1:
        return fit(node.span, *known)
    if node.name not in ("sum", "max", "min"):
        return first
    if node.axis is None:
        return ()
    axis = node.axis % len(first)
    return first[:axis] + first[axis + 1 :]
