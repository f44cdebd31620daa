"""How many turns of a `while` each thread takes, where indices of threads alone tell. Must not report.

Followed is a variable that counts up or down by a constant: `mutable int i = 0; while (i < t) { … i += 1; }`.
"""

from __future__ import annotations

from collections.abc import Callable

from croqc.sema.builder import Builder
from croqc.sema.foreign_writes import foreign_writes
from croqc.sema.integers import COMPARISONS
from croqc.sema.masks import Masks, Numbers
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind

_MOST = 4096  # turns; who takes more counts as one who takes so many
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def rounds(builder: Builder, kernel: Masks, loop: ast.While) -> Numbers | None:
    """The turns in every thread the first time that a loop is entered; None where anything else decides, too."""
    if any(nodes_of_kind(loop.body, ast.Jump)) or any(nodes_of_kind(builder.function.body, ast.Cpp)):
        return None
    test = loop.cond
    while isinstance(test, ast.Paren):
        test = test.inner
    if not isinstance(test, ast.Binary) or test.op not in _MIRRORED:
        return None
    for counter, end, op in ((test.left, test.right, test.op), (test.right, test.left, _MIRRORED[test.op])):
        steps = _steps(builder, counter, loop)
        value = builder.values.get(end)
        ends = None if value is None else kernel.numbers(value)
        if steps is not None and ends is not None:
            known = {each: _turns(*steps, COMPARISONS[op], each) for each in set(ends)}
            return [known[each] for each in ends]
    return None


def _turns(first: int, step: int, holds: Callable[[int, int], bool], end: int) -> int:
    count = 0
    while count < _MOST and holds(first + count * step, end):
        count += 1
    return count


def _steps(builder: Builder, node: ast.Node, loop: ast.While) -> tuple[int, int] | None:
    """What a variable begins with and what each turn adds to it: its declaration and one statement of the body."""
    symbol = builder.uses.get(node) if isinstance(node, ast.Name) else None
    first = None if symbol is None else _initial(builder, symbol)
    if symbol is None or first is None or _moved_else(builder, symbol):
        return None
    made = [
        part
        for part in nodes_of_kind(builder.function.body, ast.AssignPart)
        if part is not symbol.decl and isinstance(part.target, ast.Name) and builder.uses.get(part.target) is symbol
    ]
    direct = [part for stmt in loop.body.stmts if isinstance(stmt, ast.Assign) for part in stmt.parts]
    if len(made) != 1 or made[0] not in direct or made[0].op not in ("+=", "-="):
        return None
    step = builder.values.get(made[0].value)
    if step is None or step.const is None:
        return None
    return first, step.const if made[0].op == "+=" else -step.const


def _moved_else(builder: Builder, symbol: Symbol) -> bool:
    """Whether a variable may change in an expression, or where a function or PTX is handed it."""
    body = builder.function.body
    if any(builder.uses.get(node.name) is symbol for node in nodes_of_kind(body, ast.IncDec)):
        return True
    outside: list[ast.Node] = [each for kind in (ast.Call, ast.Asm) for each in nodes_of_kind(body, kind)]
    return any(symbol in foreign_writes(builder, node) for node in outside)


def _initial(builder: Builder, symbol: Symbol) -> int | None:
    match symbol.decl:
        case ast.AssignPart(op="=", value=value) | ast.ScalarInit(value=value) if symbol.mutable and value is not None:
            known = builder.values.get(value)
            return None if known is None else known.const
    return None
