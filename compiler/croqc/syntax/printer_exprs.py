"""Text of expressions and data references (reference, 2.5 and 2.6). Must not add or drop parentheses.

A tree keeps its parentheses as `Paren` nodes, so text and tree agree without a table of precedences. What
recovery inserted (`Missing`, a name without characters) prints as nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from croqc.syntax import exprs as x

_Printer = Callable[[Any], str]


def print_expr(node: x.Node) -> str:
    """The expression, call or selection on one line; its parse has the same shape.

    Raises KeyError for a node that is no expression.
    """
    return _TABLE[type(node)](node)


def comma_list(nodes: Iterable[x.Node]) -> str:
    return ", ".join(map(print_expr, nodes))


def _missing(_: x.Missing) -> str:
    return ""


def _name(node: x.Name) -> str:
    return node.id


def _literal(node: x.IntLit | x.RealLit) -> str:
    return node.text


def _const(node: x.Const) -> str:
    return node.word


def _str(node: x.Str) -> str:
    return " ".join(node.parts)


def _prefix(op: str, operand: str) -> str:
    """Two equal signs in a row would read as another token: `- -1`, `& &x`."""
    return f"{op} {operand}" if operand.startswith(op[-1]) else op + operand


def _unary(node: x.Unary) -> str:
    return _prefix(node.op, print_expr(node.operand))


def _address(node: x.AddressOf) -> str:
    return _prefix("&", print_expr(node.operand))


def _binary(node: x.Binary) -> str:
    return f"{print_expr(node.left)} {node.op} {print_expr(node.right)}"


def _cond(node: x.Cond) -> str:
    return f"{print_expr(node.test)} ? {print_expr(node.then)} : {print_expr(node.other)}"


def _paren(node: x.Paren) -> str:
    return f"({print_expr(node.inner)})"


def _bound_of(node: x.BoundOf) -> str:
    return "#" + node.name.id


def _count(node: x.Count) -> str:
    return f"|{print_expr(node.operand)}|"


def _size_of(node: x.SizeOf) -> str:
    return f"|{node.elem}|"


def _tuple(node: x.TupleLit) -> str:
    return "{" + comma_list(node.items) + "}"


def _shape(node: x.ShapeLit) -> str:
    return f"[{comma_list(node.items)}]"


def _derive(node: x.Derive) -> str:
    return f"{node.base.id} {{{comma_list(node.items)}}}"


def _builtin(node: x.Builtin) -> str:
    args, bracket = node.args, ""
    if isinstance(node.type_arg, x.Str):
        bracket = f"<{print_expr(node.type_arg)}>"
    elif node.type_arg is not None:
        bracket = f"<{node.type_arg}>"
    elif node.name == "stage" and args:  # `stage<N>(x)`, whose N is the first argument
        bracket, args = f"<{print_expr(args[0])}>", args[1:]
    return f"{node.name}{bracket}({comma_list(args)})"


def _inc_dec(node: x.IncDec) -> str:
    return node.op + node.name.id if node.prefix else node.name.id + node.op


def _index(node: x.Index) -> str:
    return f"[{comma_list(node.args)}]"


def _pick(node: x.Pick) -> str:
    return f"({print_expr(node.arg)})"


def _member(node: x.Member) -> str:
    if not node.called:
        return "." + node.name
    strides = f" : {comma_list(node.strides)}" if node.strides else ""
    return f".{node.name}({comma_list(node.args)}{strides})"


def _chain(node: x.Chain) -> str:
    return print_expr(node.base) + "".join(map(print_expr, node.suffixes))


def _call(node: x.Call) -> str:
    targs = "" if node.targs is None else f"<{comma_list(node.targs)}>"
    word = "call " if node.kind == "call" else ""
    return f"{word}{node.callee}{targs}({comma_list(node.args)})"


def _select(node: x.Select) -> str:
    return f"select({comma_list((node.index, *node.options))})"


_TABLE: Final[Mapping[type[x.Node], _Printer]] = {
    x.Missing: _missing,
    x.Name: _name,
    x.IntLit: _literal,
    x.RealLit: _literal,
    x.Const: _const,
    x.Str: _str,
    x.Unary: _unary,
    x.Binary: _binary,
    x.Cond: _cond,
    x.Paren: _paren,
    x.BoundOf: _bound_of,
    x.Count: _count,
    x.SizeOf: _size_of,
    x.TupleLit: _tuple,
    x.ShapeLit: _shape,
    x.Derive: _derive,
    x.Builtin: _builtin,
    x.AddressOf: _address,
    x.IncDec: _inc_dec,
    x.Index: _index,
    x.Pick: _pick,
    x.Member: _member,
    x.Chain: _chain,
    x.Call: _call,
    x.Select: _select,
}
