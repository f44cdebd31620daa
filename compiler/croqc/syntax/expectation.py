"""Reads the expressions of `// croq: expect` and `// croq: model`.

    output ~= lhs @ rhs.T                       approximately equal, element by element
    total[0] == sum(where(mask != 0, x, 0))     exactly equal
    y ~= softmax(cast(x, f32) * 0.5, axis=-1)[0:4, :]

Operators, from weak to strong: comparison, `+ -`, `* / @`, unary `-`, then `.T` and `[ ]`. Functions: see
FUNCTIONS. Must not evaluate anything and must not know which names exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from croqc.syntax.formulas import (
    FUNCTIONS,
    Apply,
    Binary,
    Cast,
    Compare,
    Expectation,
    Formula,
    Function,
    Negate,
    Number,
    Ref,
    Slice,
    Subscript,
    Transpose,
    children,
    names_in,
    walk,
)
from croqc.syntax.keywords import SCALAR_TYPES, canonical_type
from croqc.syntax.lalr import END, Action, Machine, Program
from croqc.syntax.tables import EXPECTATION, tables
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.span import Span

__all__ = [
    "FUNCTIONS",
    "Apply",
    "Binary",
    "Cast",
    "Compare",
    "Expectation",
    "Formula",
    "Function",
    "Negate",
    "Number",
    "Ref",
    "Slice",
    "Subscript",
    "Transpose",
    "names_in",
    "parse_expectation",
    "parse_formula",
    "walk",
]

CODE: Final = "run-directive"
RESULT: Final = "result"  # what an expectation calls the returned value
MAX_LENGTH: Final = 2000  # characters
MAX_DEPTH: Final = 100  # of the tree; all that walks the result may recurse

_TOKEN: Final = re.compile(
    r"(?P<NUMBER>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?(?!\w))|(?P<NAME>[A-Za-z_]\w*)|(?P<TRANSPOSE>\.T(?!\w))"
    r"|(?P<RELATION>[~=!<>]=|[<>])|(?P<SIGN>[-+*/@=()\[\],:])|(?P<BLANK>[ \t\f\r\n]+)",
    re.ASCII,
)
_SIGNS: Final = {
    "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "OVER", "@": "MATMUL", "=": "_EQUALS",
    "(": "_LPAR", ")": "_RPAR", "[": "_LSQB", "]": "_RSQB", ",": "_COMMA", ":": "_COLON",
}  # fmt: skip


def parse_expectation(text: str) -> Expectation | tuple[Diagnostic, ...]:
    """The comparison of an `expect` line, or what is wrong with it; spans count from the start of `text`."""
    result = _parse(text, "_EXPECT")
    return result if isinstance(result, Expectation | tuple) else (_error(_whole(text), "expected a comparison"),)


def parse_formula(text: str) -> Formula | tuple[Diagnostic, ...]:
    """A value alone, as behind the `=` of a `model` line; errors as for `parse_expectation`."""
    result = _parse(text, "_VALUE")
    if isinstance(result, Expectation):
        return (_error(result.span, "expected a value"),)
    return result


# --- reading -----------------------------------------------------------------------------------


def _parse(text: str, start: str) -> Formula | Expectation | tuple[Diagnostic, ...]:
    """`start` is the terminal that says which of the two the grammar reads."""
    if len(text) > MAX_LENGTH:
        return (_error(_whole(text), f"an expression has at most {MAX_LENGTH} characters"),)
    machine = Machine(_program(), None)
    machine.feed(_token(start, "", len(text) - len(text.lstrip())))
    for token in _tokens(text):
        if token.type == "":
            return (_no_token(token),)
        if not machine.feed(token):
            return (_syntax_error(token, machine.expected()),)
    root: Formula | Expectation = machine.values[-1]
    if _depth(root) > MAX_DEPTH:
        return (_error(_whole(text), f"an expression is at most {MAX_DEPTH} levels deep"),)
    return tuple(_problems(root)) or root


@cache
def _program() -> Program:
    return Program(tables(EXPECTATION), ACTIONS)


def _token(type_: str, text: str, start: int) -> Token:
    token = Token(Kind.OP, text, start, start + len(text))
    token.type = type_
    return token


def _tokens(text: str) -> Iterator[Token]:
    """The tokens and the end; one character without a type where none matches."""
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            yield _token("", text[at], at)
            at += 1
            continue
        kind = found.lastgroup or ""
        if kind != "BLANK":
            yield _token(_SIGNS.get(found[0], kind), found[0], at)
        at = found.end()
    yield _token(END, "", len(text.rstrip()))


def _whole_line(_: Any, span: Span, kids: list[Any]) -> Expectation:
    left, op, right = kids
    return Expectation(span, left, op.text, right)


def _compare(_: Any, span: Span, kids: list[Any]) -> Compare:
    left, op, right = kids
    return Compare(span, op.text, left, right)


def _binary(_: Any, span: Span, kids: list[Any]) -> Binary:
    left, op, right = kids
    return Binary(span, op.text, left, right)


def _number(_: Any, span: Span, kids: list[Any]) -> Number:
    text = kids[0].text
    return Number(span, int(text) if text.isdigit() else float(text))


def _slice(_: Any, span: Span, kids: list[Any]) -> Slice:
    lower, upper, step = (*kids, None)[:3]
    return Slice(span, lower, upper, step)


def _keyword(_: Any, span: Span, kids: list[Any]) -> tuple[str, Span, str]:
    return kids[0].text, span, kids[1]


def _apply(_: Any, span: Span, kids: list[Any]) -> Apply | Cast:
    name, *given = kids
    args = tuple(item for item in given if not isinstance(item, tuple))
    keywords = [item for item in given if isinstance(item, tuple)]
    if name.text == "cast" and len(args) == 2 and not keywords and isinstance(args[1], Ref):
        elem = canonical_type(args[1].name)
        if elem is None and args[1].name in SCALAR_TYPES:
            elem = args[1].name
        if elem is not None:
            return Cast(span, args[0], elem)
    axes = [int(text) for word, _, text in keywords if word == "axis" and text.lstrip("-").isdigit()]
    shown = tuple((f"{word}={text}", place) for word, place, text in keywords)
    return Apply(span, name.text, args, axes[0] if len(axes) == 1 else None, shown)


ACTIONS: Final[Mapping[str, Action]] = {
    "expectation": _whole_line,
    "formula": lambda _, span, kids: kids[0],
    "group": lambda _, span, kids: kids[0],
    "compare": _compare,
    "binary": _binary,
    "negate": lambda _, span, kids: Negate(span, kids[-1]),
    "transpose": lambda _, span, kids: Transpose(span, kids[0]),
    "subscript": lambda _, span, kids: Subscript(span, kids[0], kids[1]),
    "items": lambda _, span, kids: tuple(kids),
    "slice": _slice,
    "bound": lambda _, span, kids: kids[0],
    "number": _number,
    "name": lambda _, span, kids: Ref(span, kids[0].text),
    "axis": lambda _, span, kids: "".join(part.text for part in kids if part is not None),
    "keyword": _keyword,
    "apply": _apply,
}


# --- complaints --------------------------------------------------------------------------------


def _error(span: Span, message: str, hint: str = "") -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, message, span, hint)


def _whole(text: str) -> Span:
    return Span(0, len(text))


def _no_token(token: Token) -> Diagnostic:
    hint = "only '.T' may follow a dot" if token.text == "." else ""
    return _error(token.span, f"{token.text!r} has no meaning here", hint)


def _syntax_error(token: Token, expected: set[str]) -> Diagnostic:
    where = "at the end" if token.type == END else f"before '{token.text}'"
    if "NUMBER" in expected:
        return _error(token.span, f"expected {'a value' if 'NAME' in expected else 'a number'} {where}")
    if "_RSQB" in expected:
        return _error(token.span, f"expected ']' {where}")
    if "_RPAR" in expected:
        return _error(token.span, f"expected ')' {where}")
    if END in expected:
        return _error(token.span, f"expected an operator or the end {where}")
    return _error(token.span, f"expected a comparison {where}", "write 'result ~= expression'")


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
    elif node.name == "old" and not isinstance(node.args[0], Ref):
        yield _error(node.args[0].span, "'old' takes the name of a parameter", "as in 'old(x)[0]'")
    allowed = known.axis and len(node.args) == 1
    for index, (text, span) in enumerate(node.keywords):
        if not allowed or not text.startswith("axis="):
            yield _error(span, f"'{node.name}' takes no '{text.split('=')[0]}=' here")
        elif node.axis is None and index == 0:
            yield _error(span, "an axis is one integer, given once")


def _depth(root: Formula | Expectation) -> int:
    deepest = 0
    stack: list[tuple[Formula | Expectation | Slice, int]] = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in children(node))
    return deepest
