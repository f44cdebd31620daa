"""Output, assertions, islands, return and the older statements (2.4.14, 2.4.15, 2.14, 4.6)."""

from __future__ import annotations

import re

from croqc.sema import rulenames as rules
from croqc.sema.access import is_wild
from croqc.sema.guards import assume
from croqc.sema.intervals import bounds
from croqc.sema.island_text import island_text
from croqc.sema.results import check_return
from croqc.sema.symbolic import Int
from croqc.sema.types import Scalar, ShapeType, Text, TupleType, Unknown
from croqc.sema.walk import StmtTable, Value, Walk
from croqc.syntax import ast

_WORD = re.compile(r"[A-Za-z_]\w*")
_INDEX = re.compile(r"__iv_(\w+?)(?:__elem__\d+)?")


def _print(walk: Walk, node: ast.Print) -> None:
    for arg in node.args:
        value = walk.expr(arg)
        if node.static and not _is_static(value, arg):
            walk.b.report(rules.PRINT_AT_COMPILE_TIME, arg.span)


def _is_static(value: Value, node: ast.Expr) -> bool:
    """Whether compile-time output can print it (P11)."""
    if isinstance(value.type, Text | Unknown) or isinstance(node, ast.RealLit | ast.Const | ast.Unary):
        return True
    if isinstance(value.type, ShapeType):
        return all(dim.const is not None for dim in value.type.dims)
    if isinstance(value.type, TupleType):
        return all(item is not None and item.const is not None for item in value.type.items)
    return value.int is not None and value.int.const is not None


def _assert(walk: Walk, node: ast.Assert) -> None:
    """A condition that cannot hold is an error; any other is known to hold behind the statement."""
    value = walk.expr(node.cond)
    if isinstance(value.type, Unknown):
        return
    if not isinstance(value.type, Scalar) or value.type.elem != "bool":
        walk.b.report(rules.FAILED_ASSERTION, node.cond.span, text=node.message.value, what="not-bool")
    elif truth(walk, node.cond) is False:
        walk.b.report(rules.FAILED_ASSERTION, node.cond.span, text=node.message.value, what="false")
    else:
        assume(walk, node.cond)


def truth(walk: Walk, cond: ast.Expr) -> bool | None:
    """Whether a typed condition certainly holds or fails. The left spine of a long one is walked in a loop."""
    spine = []
    while isinstance(cond, ast.Binary) and cond.op in ("&&", "||"):
        spine.append(cond)
        cond = cond.left
    held = _truth(walk, cond)
    for link in reversed(spine):
        sides, decisive = (held, truth(walk, link.right)), link.op == "||"
        held = decisive if decisive in sides else None if None in sides else not decisive
    return held


def _truth(walk: Walk, cond: ast.Expr) -> bool | None:
    match cond:
        case ast.Paren(inner=inner):
            return truth(walk, inner)
        case ast.Const(word=word):
            return {"true": True, "false": False}.get(word)
        case ast.Unary(op="!", operand=operand):
            inner_truth = truth(walk, operand)
            return None if inner_truth is None else not inner_truth
        case ast.Binary(op=op, left=left, right=right):
            a, b = walk.b.values.get(left), walk.b.values.get(right)
            return None if a is None or b is None else _compare(walk, op, a - b)
    return None


def _compare(walk: Walk, op: str, gap: Int) -> bool | None:
    """The outcome of `gap op 0`."""
    if op in (">", ">="):
        op, gap = {">": "<", ">=": "<="}[op], -gap
    low, high = bounds(gap, walk.ranges.intervals)
    if op in ("==", "!="):
        equal = True if low == high == 0 else None
        if (low is not None and low > 0) or (high is not None and high < 0):
            equal = False
        return None if equal is None else equal == (op == "==")
    limit = -1 if op == "<" else 0
    if op not in ("<", "<="):
        return None
    if high is not None and high <= limit:
        return True
    return False if low is not None and low > limit else None


def _cpp(walk: Walk, node: ast.Cpp) -> None:
    """Words of an island, and of the macros in it, count as uses of the symbols they name; `__iv_i` names the index `i`
    (9.12)."""
    named = walk.b.islands[node] = {}
    for word in sorted(set(_WORD.findall(island_text(walk.b.context, node)))):
        index = _INDEX.fullmatch(word)
        symbol = walk.scopes.lookup(word) or (walk.scopes.lookup(index[1]) if index else None)
        if symbol is not None:
            named[word] = symbol
    walk.b.mentioned.update(named.values())


def _asm(walk: Walk, node: ast.Asm) -> None:
    for operand in node.outputs + node.inputs:
        walk.expr(operand.value)


def _set_reg(walk: Walk, node: ast.SetReg) -> None:
    walk.expr(node.value)


def _launch_bounds(walk: Walk, node: ast.LaunchBounds) -> None:
    for arg in node.args:
        if not is_wild(arg):
            walk.expr(arg)


OUTPUTS: StmtTable = {
    ast.Print: _print,
    ast.Assert: _assert,
    ast.Cpp: _cpp,
    ast.Asm: _asm,
    ast.SetReg: _set_reg,
    ast.LaunchBounds: _launch_bounds,
    ast.Return: check_return,
}
