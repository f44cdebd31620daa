"""The tree of the expression language of `// croq: expect` and `// croq: model`, and its functions.

Values are numbers and names (parameters and results of the kernel, its symbolic dimensions). Must not parse
(`expectation` does) and must not evaluate (`croqc.runs.evaluate` does).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from croqc.text.record import record
from croqc.text.span import Span


@record
class Number:
    """An int where neither point nor exponent was written."""

    span: Span
    value: int | float


@record
class Ref:
    span: Span
    name: str


@record
class Negate:
    span: Span
    operand: Formula


@record
class Binary:
    """`op` is one of `+ - * / @`."""

    span: Span
    op: str
    left: Formula
    right: Formula


@record
class Compare:
    """A comparison as a value, for `where`: `op` is one of `== != < <= > >=`."""

    span: Span
    op: str
    left: Formula
    right: Formula


@record
class Transpose:
    """`.T`: the last two axes swapped."""

    span: Span
    operand: Formula


@record
class Slice:
    """`lower:upper:step`, every part optional."""

    span: Span
    lower: Formula | None
    upper: Formula | None
    step: Formula | None


@record
class Subscript:
    span: Span
    operand: Formula
    items: tuple[Formula | Slice, ...]


@record
class Apply:
    """A function of FUNCTIONS. `axis` where one integer was given; `keywords` as written, for complaints."""

    span: Span
    name: str
    args: tuple[Formula, ...]
    axis: int | None = None
    keywords: tuple[tuple[str, Span], ...] = ()


@record
class Cast:
    """`cast(x, f16)`: rounded to an element type (canonical name, `int` or `bool`)."""

    span: Span
    operand: Formula
    elem: str


Formula = Number | Ref | Negate | Binary | Compare | Transpose | Subscript | Apply | Cast


@record
class Expectation:
    """`left op right`: `op` is `~=` (within the tolerances) or one of `== != < <= > >=`, all elements."""

    span: Span
    left: Formula
    op: str
    right: Formula


@record
class Function:
    """How a function may be called: least and greatest number of arguments, whether it takes `axis=`."""

    least: int
    most: int
    axis: bool = False


# `max` and `min` of one argument reduce, of two go element by element. Without an axis, reductions take all
# axes and `softmax` the last one. `old(x)` is what the parameter `x` was before the run.
FUNCTIONS: Final[Mapping[str, Function]] = {
    "sum": Function(1, 1, axis=True),
    "max": Function(1, 2, axis=True),
    "min": Function(1, 2, axis=True),
    "softmax": Function(1, 1, axis=True),
    "where": Function(3, 3),
    "cast": Function(2, 2),
    "old": Function(1, 1),
    **{name: Function(1, 1) for name in ("abs", "exp", "relu", "sigmoid", "sqrt", "tanh")},
}


def names_in(node: Formula | Expectation | Slice) -> Iterator[Ref]:
    """Every name that the formula reads, in source order, repetitions included."""
    for item in walk(node):
        if isinstance(item, Ref):
            yield item


def walk(node: Formula | Expectation | Slice) -> Iterator[Formula | Expectation | Slice]:
    """The node and all below it, parents first, in source order; does not recurse."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(children(top)))


def children(node: Formula | Expectation | Slice) -> list[Formula | Slice]:
    """The nodes directly below, in source order."""
    found: list[Formula | Slice] = []
    for name in node.__match_args__:
        value = getattr(node, name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Formula | Slice):
                found.append(one)
    return found
