"""The shapes in an expectation's formula: which fit, and what comes of them. Must not look at values.

The rules are those of NumPy: axes meet from the last one on, and one of extent 1 fits any. An extent that is no number
yet, one that a run has still to give, is its text: it fits any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from croqc.syntax import expectation as e
from croqc.text.span import Span

Dim = int | str
Shape = tuple[Dim, ...]
_UNKNOWN = "?"


class FormulaError(Exception):
    """A formula without a value: an unknown name, shapes that do not fit. Spans as in the formula."""

    def __init__(self, message: str, span: Span, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.span, self.hint = message, span, hint


def shape_text(shape: Shape) -> str:
    return f"[{', '.join(map(str, shape))}]" if shape else "a single number"


def _differ(one: Dim, other: Dim) -> bool:
    return isinstance(one, int) and isinstance(other, int) and one != other


def fit(span: Span, *shapes: Shape) -> Shape:
    """The common shape. Raises FormulaError where there is none."""
    found: list[Dim] = []
    for back in range(1, max(map(len, shapes), default=0) + 1):
        dims = [shape[-back] for shape in shapes if len(shape) >= back and shape[-back] != 1] or [1]
        known = [dim for dim in dims if isinstance(dim, int)] or dims[:1]
        if any(_differ(dim, known[0]) for dim in known):
            told = " and ".join(map(shape_text, shapes))
            raise FormulaError(f"shapes {told} do not fit together", span, _transposed(shapes))
        found.append(known[0])
    return tuple(reversed(found))


def _transposed(shapes: Sequence[Shape]) -> str:
    """What helps where one value a row meets the rows themselves."""
    wide = max(shapes, key=len)
    rows = {shape[-1] for shape in shapes if len(shape) == 1}
    if len(wide) < 2 or rows != {wide[-2]}:
        return ""
    return f"the last axes meet: write '.T' behind what is {shape_text(wide)}, and behind the other side of the line"


def product(span: Span, left: Shape, right: Shape) -> Shape:
    """The shape of `left @ right`. Raises FormulaError where their inner extents differ."""
    if not left or not right or _differ(left[-1], right[-2:][0]):
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
    if want and (len(got) != len(want) or any(map(_differ, got, want))):
        raise FormulaError(f"the sides have different shapes: {shape_text(got)} and {shape_text(want)}", expr.span)


def has_axis(node: e.Apply, shape: Shape) -> None:
    if node.axis is not None and not -len(shape) <= node.axis < len(shape):
        raise FormulaError(f"{shape_text(shape)} has no axis {node.axis}", node.span)
    if node.name == "softmax" and not shape:
        raise FormulaError("'softmax' needs an axis, not a single number", node.span)


def subscripts(node: e.Subscript, shape: Shape) -> None:
    if len(node.items) > len(shape):
        raise FormulaError(f"{len(node.items)} subscripts for {shape_text(shape)}", node.span)


def inside(index: int, size: Dim, span: Span) -> None:
    if isinstance(size, int) and not -size <= index < size:
        raise FormulaError(f"index {index} is outside an axis of {size}", span)


def no_step(span: Span) -> FormulaError:
    return FormulaError("the step of a slice is not 0", span)


def no_subscript(span: Span) -> FormulaError:
    return FormulaError("a subscript is one integer", span)


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
            return _element(node, _shape(node.operand, shapes), shapes)
        case e.Apply():
            return _applied(node, [_shape(arg, shapes) for arg in node.args])


def _element(node: e.Subscript, operand: Shape | None, shapes: Mapping[str, Shape]) -> Shape | None:
    """An index takes its axis away; how long a slice is may depend on values."""
    if operand is not None:
        subscripts(node, operand)
    dims: list[Dim] = []
    for item, size in zip(node.items, operand or (_UNKNOWN,) * len(node.items), strict=False):
        if isinstance(item, e.Slice):
            dims.append(_length(item, size, shapes))
        elif (index := _integer(item, shapes)) is not None:
            inside(index, size, item.span)
    return None if operand is None else (*dims, *operand[len(node.items) :])


def _length(node: e.Slice, size: Dim, shapes: Mapping[str, Shape]) -> Dim:
    parts = (node.lower, node.upper, node.step)
    known = [None if part is None else _integer(part, shapes) for part in parts]
    if known[2] == 0:
        raise no_step(node.span)
    told = all(part is None or value is not None for part, value in zip(parts, known, strict=True))
    return len(range(size)[slice(*known)]) if told and isinstance(size, int) else _UNKNOWN


def _integer(node: e.Formula, shapes: Mapping[str, Shape]) -> int | None:
    """A subscript whose value is written; of others the shape is checked."""
    match node:
        case e.Number(value=int(value)):
            return value
        case e.Negate(operand=e.Number(value=int(value))):
            return -value
        case e.Number() | e.Negate(operand=e.Number()):
            raise no_subscript(node.span)
    if _shape(node, shapes):
        raise no_subscript(node.span)
    return None


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


def nothing_compared(expr: e.Expectation, shapes: Mapping[str, Shape]) -> bool:
    """Whether the left side surely has no element, as in `y[4:4]`."""
    return 0 in (_shape(expr.left, shapes) or ())
