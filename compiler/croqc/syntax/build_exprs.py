"""Expressions: the actions of the grammar's last part (reference, 2.5 and 2.6). Must not judge names or types."""

from __future__ import annotations

import re
from typing import Any, Final

from croqc.syntax import ast as t
from croqc.syntax.build import Builder, Kids, action, replace_fix, word_of, word_span
from croqc.syntax.build_chains import checked_chain, is_view
from croqc.syntax.casts import STATIC_CAST
from croqc.syntax.keywords import ATOMICS, NAMED_BARRIERS, arity, canonical_type
from croqc.syntax.tokens import Token
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span

_INT: Final = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
_REAL: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_ESCAPE: Final = re.compile(r'\\([nt"\\])')
_ESCAPES: Final = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


# --- literals and names --------------------------------------------------------------------------


@action("name")
def name(b: Builder, at: Span, kids: Kids) -> t.Name:
    token: Token = kids[0]
    return t.Name(at, token.text, token.macro)


@action("integer")
def integer(b: Builder, at: Span, kids: Kids) -> t.IntLit:
    """A damaged literal was reported by the scanner; the digits that can be read count."""
    token: Token = kids[0]
    found = _INT.match(token.text)
    digits = found[0] if found else "0"
    value = int(digits, 16) if digits[:2] in ("0x", "0X") else _decimal(digits)
    return t.IntLit(at, value, token.text, token.macro)


def _decimal(digits: str) -> int:
    return int(digits[:200])  # far out of range anyway, and Python refuses thousands of digits


@action("real")
def real(b: Builder, at: Span, kids: Kids) -> t.RealLit:
    token: Token = kids[0]
    found = _REAL.match(token.text)
    return t.RealLit(at, float(found[0]) if found else 0.0, token.text, token.text[-1:] in ("f", "F"))


@action("const")
def const(b: Builder, at: Span, kids: Kids) -> t.Const:
    b.suspicious = b.suspicious or kids[0].text == "nullptr"
    return t.Const(at, kids[0].text)


@action("string")
def string(b: Builder, at: Span, kids: Kids) -> t.Str:
    parts = tuple(token.text for token in kids)
    return t.Str(at, "".join(_unquote(part) for part in parts), parts)


def _unquote(literal: str) -> str:
    """The value of one literal (1.3.7)."""
    if literal.startswith("R"):
        head, _, rest = literal[2:].partition("(")
        return rest.removesuffix(f'){head}"')
    body = literal[1:-1] if len(literal) > 1 and literal.endswith('"') else literal[1:]
    return _ESCAPE.sub(lambda found: _ESCAPES[found[1]], body)


@action("missing")
def missing(b: Builder, at: Span, kids: Kids) -> t.Missing:
    return t.Missing(at)


@action("type_name")
def type_name(b: Builder, at: Span, kids: Kids) -> t.Name:
    return t.Name(at, kids[0].text, kids[0].macro)


# --- operators -----------------------------------------------------------------------------------


def operand(b: Builder, node: Any, view_at: Span | None = None) -> Any:
    """An operand; calls, selections and views cannot be one. `view_at`: where to report a view."""
    if isinstance(node, t.Call | t.Select):
        return _misplaced(b, node)
    if view_at is not None and isinstance(node, t.Chain) and is_view(node):
        b.report("a view cannot be an operand", view_at, "read an element with '.at(…)'")
    return node


def _misplaced(b: Builder, node: t.Call | t.Select) -> t.Missing:
    if isinstance(node, t.Select):
        b.report(
            "'select' must be the whole right-hand side", Span(node.span.start, node.span.start + 6),
            "store it in a variable first",
        )  # fmt: skip
    else:
        word = "call" if node.kind == "call" else node.callee
        b.report(
            f"'{word}' cannot be an operand", Span(node.span.start, node.span.start + len(word)),
            f"store the result of '{word}' in a variable first",
        )  # fmt: skip
    return t.Missing(node.span)


@action("expr")
def expr(b: Builder, at: Span, kids: Kids) -> Any:
    node = kids[0]
    return _misplaced(b, node) if isinstance(node, t.Call | t.Select) else node


@action("binary")
def binary(b: Builder, at: Span, kids: Kids) -> t.Binary:
    left, op, right = kids
    if isinstance(left, t.Name) and left.id == STATIC_CAST and op.text == "<":
        b.report(f"there is no '{STATIC_CAST}'", left.span, "write '__to<T>(…)'")
    return t.Binary(at, op.text, operand(b, left, op.span), operand(b, right, right.span))


@action("prefix")
def prefix(b: Builder, at: Span, kids: Kids) -> t.Unary:
    return t.Unary(at, kids[0].text, operand(b, kids[1], at))


@action("conditional")
def conditional(b: Builder, at: Span, kids: Kids) -> t.Cond:
    test, _, then, other = kids
    return t.Cond(at, operand(b, test), operand(b, then), operand(b, other))


@action("infix_cdiv")
def infix_cdiv(b: Builder, at: Span, kids: Kids) -> t.Builtin:
    left, word, right = kids
    text = f"cdiv({b.source(left.span)}, {b.source(right.span)})"
    b.report("'cdiv' is not an infix operator", word.span, f"write '{text}'", replace_fix(f"Write '{text}'", at, text))
    return t.Builtin(at, "cdiv", (operand(b, left), operand(b, right)), None, word.span)


@action("post_inc")
def post_inc(b: Builder, at: Span, kids: Kids) -> t.Node:
    node, op = kids
    if not isinstance(node, t.Name):
        b.report(f"'{op.text}' applies to a plain name only", op.span)
        return t.Missing(at)
    return t.IncDec(at, op.text, node, False)


@action("pre_inc")
def pre_inc(b: Builder, at: Span, kids: Kids) -> t.IncDec:
    return t.IncDec(at, kids[0].text, kids[1], True)


@action("paren")
def paren(b: Builder, at: Span, kids: Kids) -> t.Paren:
    return t.Paren(at, kids[0])


@action("tuple_lit")
def tuple_lit(b: Builder, at: Span, kids: Kids) -> t.TupleLit:
    return t.TupleLit(at, kids[0])


@action("shape_lit")
def shape_lit(b: Builder, at: Span, kids: Kids) -> t.ShapeLit:
    return t.ShapeLit(at, kids[0])


@action("bound_of")
def bound_of(b: Builder, at: Span, kids: Kids) -> t.BoundOf:
    return t.BoundOf(at, kids[1])


@action("bound_of_paren")
def bound_of_paren(b: Builder, at: Span, kids: Kids) -> t.Node:
    inner = kids[1]
    opening = b.after(kids[0].end)
    if isinstance(inner, t.Name):
        closing = Span(at.end - 1, at.end)
        fix = Fix("Remove the parentheses", (Edit(opening, ""), Edit(closing, "")))
        b.report("'#' takes a name", opening, f"write '#{inner.id}'", fix)
        return t.BoundOf(at, inner)
    b.report("'#' takes a name", opening, "store the value in a variable first")
    return t.Missing(at)


@action("count")
def count(b: Builder, at: Span, kids: Kids) -> t.Count:
    return t.Count(at, kids[0])


@action("size_of")
def size_of(b: Builder, at: Span, kids: Kids) -> t.SizeOf:
    return t.SizeOf(at, kids[0].text)


@action("address")
def address(b: Builder, at: Span, kids: Kids) -> t.AddressOf:
    return t.AddressOf(at, kids[1])


# --- chains --------------------------------------------------------------------------------------


@action("ref")
def ref(b: Builder, at: Span, kids: Kids) -> t.Name | t.Chain:
    base: t.Name = kids[0]
    return checked_chain(b, t.Chain(at, base, tuple(kids[1:]))) if len(kids) > 1 else base


@action("chain")
def chain(b: Builder, at: Span, kids: Kids) -> t.Chain:
    return checked_chain(b, t.Chain(at, kids[0], tuple(kids[1:])))


@action("index")
def index(b: Builder, at: Span, kids: Kids) -> t.Index:
    b.suspicious = b.suspicious or len(kids[0]) > 1
    return t.Index(at, kids[0])


@action("pick")
def pick(b: Builder, at: Span, kids: Kids) -> t.Pick:
    """One argument; more are reported with the name in front, by the chain."""
    return t.Pick(at, kids[0][0] if len(kids[0]) == 1 else t.TupleLit(at, kids[0]))


@action("field", "field_call")
def field(b: Builder, at: Span, kids: Kids) -> t.Member:
    token: Token = kids[0]
    return t.Member(at, word_of(token), called=token.type == "SQZ", name_span=word_span(token))


@action("method")
def method(b: Builder, at: Span, kids: Kids) -> t.Member:
    token, args, strides = kids
    word = word_of(token)
    if strides and word not in ("subspan", "modspan", "view"):
        b.report(f"'.{word}' takes no strides", b.after(args[-1].span.end))
    return t.Member(at, word, args, strides or (), True, word_span(token))


@action("unknown_member")
def unknown_member(b: Builder, at: Span, kids: Kids) -> t.Member:
    return t.Member(at, word_of(kids[0]), name_span=word_span(kids[0]))


# --- built-in functions --------------------------------------------------------------------------


@action("builtin")
def builtin(b: Builder, at: Span, kids: Kids) -> t.Builtin:
    word, args = kids
    limits = arity(word.text)
    if limits and not limits[0] <= len(args) <= limits[1]:
        most = limits[1]
        where = Span(at.end - 1, at.end) if len(args) < limits[0] else args[most].span
        b.report(f"'{word.text}' takes {most} argument{'s' * (most > 1)}, not {len(args)}", where)
    return t.Builtin(at, word.text, args, None, word.span)


@action("convert")
def convert(b: Builder, at: Span, kids: Kids) -> t.Builtin:
    word, target, argument = kids
    elem = (canonical_type(target.text) or target.text) if isinstance(target, Token) else target
    return t.Builtin(at, word.text, (argument,), elem, word.span)


@action("stage")
def stage(b: Builder, at: Span, kids: Kids) -> t.Builtin:
    """The older `stage<N>(x)`: arguments N, x."""
    word, slots, argument = kids
    return t.Builtin(at, "stage", (slots, argument), None, word.span)


@action("select")
def select(b: Builder, at: Span, kids: Kids) -> t.Select:
    return t.Select(at, kids[1], kids[2])


# --- calls ---------------------------------------------------------------------------------------


@action("targs")
def targs(b: Builder, at: Span, kids: Kids) -> tuple[Any, ...]:
    return tuple(kid for kid in kids if kid is not None)


@action("call")
def call(b: Builder, at: Span, kids: Kids) -> t.Call:
    word, callee, template, args = kids
    if callee.text in NAMED_BARRIERS or callee.text in ATOMICS:
        fix = Fix("Remove 'call'", (Edit(Span(word.start, callee.span.start), ""),)) if callee.macro is None else None
        b.report(f"'{callee.text}' is built in and no function of C++", callee.span, "it stands without 'call'", fix)
    return t.Call(at, "call", callee.text, callee.span, template, args or ())


@action("plain_call")
def plain_call(b: Builder, at: Span, kids: Kids) -> t.Call:
    callee, template, args = kids
    return t.Call(at, "intrinsic", callee.text, callee.span, template, args or ())


_FIXED: Final = {"ATOMIC": "atomic", "LIB": "lib", "BARRIER": "barrier"}


@action("fixed_call")
def fixed_call(b: Builder, at: Span, kids: Kids) -> t.Call:
    callee, args = kids
    args = args or ()
    limits = arity(callee.text)
    if limits and len(args) != limits[0]:
        b.report(f"'{callee.text}' takes {limits[0]} arguments, not {len(args)}", Span(at.end - 1, at.end))
    return t.Call(at, _FIXED[callee.type], callee.text, callee.span, None, args)
