"""The expression language of `// croq: expect` and `// croq: model`: tree, parser and checks.

    output ~= lhs @ rhs.T                       approximately equal, element by element
    total[0] == sum(where(mask != 0, x, 0))     exactly equal
    y ~= softmax(cast(x, f32) * 0.5, axis=-1)[0:4, :]

Values are numbers and names (parameters and results of the kernel, its symbolic dimensions). Operators, from
weak to strong: comparison, `+ -`, `* / @`, unary `-`, then `.T` and `[ ]`. Functions: see FUNCTIONS. Must not
evaluate anything (`croqc.runs.evaluate` does) and must not know which names exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final

from lark import Lark, Token, Transformer, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken, v_args
from lark.tree import Meta

from croqc.syntax.keywords import SCALAR_TYPES, canonical_type
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.span import Span

CODE: Final = "run-directive"
MAX_LENGTH: Final = 2000  # characters
MAX_DEPTH: Final = 100  # of Lark's tree; all that walks the result may recurse


@dataclass(frozen=True, slots=True)
class Number:
    """An int where neither point nor exponent was written."""

    span: Span
    value: int | float


@dataclass(frozen=True, slots=True)
class Ref:
    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Negate:
    span: Span
    operand: Formula


@dataclass(frozen=True, slots=True)
class Binary:
    """`op` is one of `+ - * / @`."""

    span: Span
    op: str
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison as a value, for `where`: `op` is one of `== != < <= > >=`."""

    span: Span
    op: str
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Transpose:
    """`.T`: the last two axes swapped."""

    span: Span
    operand: Formula


@dataclass(frozen=True, slots=True)
class Slice:
    """`lower:upper:step`, every part optional."""

    span: Span
    lower: Formula | None
    upper: Formula | None
    step: Formula | None


@dataclass(frozen=True, slots=True)
class Subscript:
    span: Span
    operand: Formula
    items: tuple[Formula | Slice, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """A function of FUNCTIONS. `axis` where one integer was given; `keywords` as written, for complaints."""

    span: Span
    name: str
    args: tuple[Formula, ...]
    axis: int | None = None
    keywords: tuple[tuple[str, Span], ...] = ()


@dataclass(frozen=True, slots=True)
class Cast:
    """`cast(x, f16)`: rounded to an element type (canonical name, `int` or `bool`)."""

    span: Span
    operand: Formula
    elem: str


Formula = Number | Ref | Negate | Binary | Compare | Transpose | Subscript | Apply | Cast


@dataclass(frozen=True, slots=True)
class Expectation:
    """`left op right`: `op` is `~=` (within the tolerances) or one of `== != < <= > >=`, all elements."""

    span: Span
    left: Formula
    op: str
    right: Formula


@dataclass(frozen=True, slots=True)
class Function:
    """How a function may be called: least and greatest number of arguments, whether it takes `axis=`."""

    least: int
    most: int
    axis: bool = False


# `max` and `min` of one argument reduce, of two go element by element. Without an axis, reductions take all
# axes and `softmax` the last one.
FUNCTIONS: Final[Mapping[str, Function]] = {
    "sum": Function(1, 1, axis=True),
    "max": Function(1, 2, axis=True),
    "min": Function(1, 2, axis=True),
    "softmax": Function(1, 1, axis=True),
    "where": Function(3, 3),
    "cast": Function(2, 2),
    **{name: Function(1, 1) for name in ("abs", "exp", "relu", "sigmoid", "sqrt", "tanh")},
}


def parse_expectation(text: str) -> Expectation | tuple[Diagnostic, ...]:
    """The comparison of an `expect` line, or what is wrong with it; spans count from the start of `text`."""
    result = _parse(text, "expectation")
    return result if isinstance(result, Expectation | tuple) else (_error(_whole(text), "expected a comparison"),)


def parse_formula(text: str) -> Formula | tuple[Diagnostic, ...]:
    """A value alone, as behind the `=` of a `model` line; errors as for `parse_expectation`."""
    result = _parse(text, "formula")
    if isinstance(result, Expectation):
        return (_error(result.span, "expected a value"),)
    return result


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
        stack.extend(reversed(_children(top)))


def _children(node: Formula | Expectation | Slice) -> list[Formula | Slice]:
    found: list[Formula | Slice] = []
    for item in fields(node):
        value = getattr(node, item.name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Formula | Slice):
                found.append(one)
    return found


# --- reading -----------------------------------------------------------------------------------


def _parse(text: str, start: str) -> Formula | Expectation | tuple[Diagnostic, ...]:
    if len(text) > MAX_LENGTH:
        return (_error(_whole(text), f"an expression has at most {MAX_LENGTH} characters"),)
    try:
        tree = _parser(start).parse(text)
    except UnexpectedInput as error:
        return (_syntax_error(text, error),)
    if _depth(tree) > MAX_DEPTH:
        return (_error(_whole(text), f"an expression is at most {MAX_DEPTH} levels deep"),)
    root: Formula | Expectation = _Builder().transform(tree)
    problems = tuple(_problems(root))
    return problems or root


@cache
def _parser(start: str) -> Lark:
    return Lark.open(
        "expectation.lark",
        rel_to=__file__,
        parser="lalr",
        start=start,
        propagate_positions=True,
        maybe_placeholders=True,
    )


@v_args(meta=True)
class _Builder(Transformer[Token, Any]):
    """Turns Lark's tree into ours. Recurses, so the depth is checked before."""

    def expectation(self, meta: Meta, parts: list[Any]) -> Expectation:
        left, op, right = parts
        return Expectation(_span(meta), left, op, right)

    def formula(self, meta: Meta, parts: list[Any]) -> Formula:
        value: Formula = parts[0]
        return value

    def relation(self, meta: Meta, parts: list[Token]) -> str:
        return str(parts[0])

    def compare(self, meta: Meta, parts: list[Any]) -> Compare:
        left, op, right = parts
        return Compare(_span(meta), op, left, right)

    def binary(self, meta: Meta, parts: list[Any]) -> Binary:
        left, op, right = parts
        return Binary(_span(meta), str(op), left, right)

    def negate(self, meta: Meta, parts: list[Any]) -> Negate:
        return Negate(_span(meta), parts[-1])

    def transpose(self, meta: Meta, parts: list[Any]) -> Transpose:
        return Transpose(_span(meta), parts[0])

    def subscript(self, meta: Meta, parts: list[Any]) -> Subscript:
        return Subscript(_span(meta), parts[0], parts[1])

    def items(self, meta: Meta, parts: list[Any]) -> tuple[Formula | Slice, ...]:
        return tuple(parts)

    def slice(self, meta: Meta, parts: list[Any]) -> Slice:
        lower, upper, step = (*parts, None)[:3]
        return Slice(_span(meta), lower, upper, step)

    def bound(self, meta: Meta, parts: list[Any]) -> Formula | None:
        value: Formula | None = parts[0]
        return value

    def number(self, meta: Meta, parts: list[Token]) -> Number:
        text = str(parts[0])
        return Number(_span(meta), int(text) if text.isdigit() else float(text))

    def name(self, meta: Meta, parts: list[Token]) -> Ref:
        return Ref(_span(meta), str(parts[0]))

    def axis(self, meta: Meta, parts: list[Token | None]) -> str:
        return "".join(str(part) for part in parts if part is not None)

    def keyword(self, meta: Meta, parts: list[Any]) -> tuple[str, Span, str]:
        return str(parts[0]), _span(meta), parts[1]

    def apply(self, meta: Meta, parts: list[Any]) -> Apply | Cast:
        name, *given = parts
        args = tuple(item for item in given if not isinstance(item, tuple))
        keywords = [item for item in given if isinstance(item, tuple)]
        if name == "cast" and len(args) == 2 and not keywords and isinstance(args[1], Ref):
            elem = canonical_type(args[1].name)
            if elem is None and args[1].name in SCALAR_TYPES:
                elem = args[1].name
            if elem is not None:
                return Cast(_span(meta), args[0], elem)
        axes = [int(text) for word, _, text in keywords if word == "axis" and text.lstrip("-").isdigit()]
        shown = tuple((f"{word}={text}", span) for word, span, text in keywords)
        return Apply(_span(meta), str(name), args, axes[0] if len(axes) == 1 else None, shown)


def _span(meta: Meta) -> Span:
    return Span(meta.start_pos, meta.end_pos)


# --- complaints --------------------------------------------------------------------------------


def _error(span: Span, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, message, span, hint)


def _whole(text: str) -> Span:
    return Span(0, len(text))


def _syntax_error(text: str, error: UnexpectedInput) -> Diagnostic:
    if isinstance(error, UnexpectedCharacters):
        at = error.pos_in_stream or 0
        found = repr(text[at])
        hint = "only '.T' may follow a dot" if found == "'.'" else ""
        return _error(Span(at, at + 1), f"{found} has no meaning here", hint)
    assert isinstance(error, UnexpectedToken)
    token, expected = error.token, set(error.accepts or error.expected)
    at_end = token.type == "$END"
    at = len(text.rstrip()) if at_end else token.start_pos or 0
    span = Span(at, at if at_end else at + len(token))
    where = "at the end" if at_end else f"before '{token}'"
    if "NUMBER" in expected:
        return _error(span, f"expected {'a value' if 'NAME' in expected else 'a number'} {where}")
    if "RSQB" in expected:
        return _error(span, f"expected ']' {where}")
    if "RPAR" in expected:
        return _error(span, f"expected ')' {where}")
    if "$END" in expected:
        return _error(span, f"expected an operator or the end {where}")
    return _error(span, f"expected a comparison {where}", "write 'result ~= expression'")


def _problems(root: Formula | Expectation) -> Iterator[Diagnostic]:
    for node in walk(root):
        if isinstance(node, Apply):
            yield from _call_problems(node)
        elif isinstance(node, Number) and isinstance(node.value, int) and node.value >= 2**63:
            yield _error(node.span, "the number is too large")
        elif isinstance(node, Compare) and node.op == "~=":
            yield _error(node.span, "'~=' compares the two sides of an expectation, not values inside one")


def _call_problems(node: Apply) -> Iterator[Diagnostic]:
    known = FUNCTIONS.get(node.name)
    if known is None:
        span = Span(node.span.start, node.span.start + len(node.name))
        yield _error(span, f"unknown function '{node.name}'", did_you_mean(node.name, FUNCTIONS))
        return
    if not known.least <= len(node.args) <= known.most:
        count = str(known.least) if known.least == known.most else f"{known.least} or {known.most}"
        plural = "" if count == "1" else "s"
        yield _error(node.span, f"'{node.name}' takes {count} argument{plural}, not {len(node.args)}")
    elif node.name == "cast":
        yield _error(node.args[1].span, "the second argument of 'cast' is an element type", "as in 'cast(x, f32)'")
    allowed = known.axis and len(node.args) == 1
    for index, (text, span) in enumerate(node.keywords):
        if not allowed or not text.startswith("axis="):
            yield _error(span, f"'{node.name}' takes no '{text.split('=')[0]}=' here")
        elif node.axis is None and index == 0:
            yield _error(span, "an axis is one integer, given once")


def _depth(root: Tree[Token]) -> int:
    deepest, stack = 0, [(root, 1)]
    while stack:
        tree, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in tree.children if isinstance(child, Tree))
    return deepest
