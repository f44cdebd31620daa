"""`while` loops that count: those that turn as often as a `foreach` over the same numbers. Must not lower anything.

`mutable int id = b; while (id < tiles) { ...; id += 132; }` is one, if nothing else sets the variable, nothing reads it
behind its step or behind the loop, and nothing leaves or goes on early. What is not clearly so is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from croqc.sema.elements import limits
from croqc.sema.foreign_writes import foreign_writes
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.nesting import Around, statements
from croqc.sema.symbolic import Int
from croqc.sema.types import Scalar
from croqc.syntax import ast
from croqc.syntax.visit import walk

_MIRRORED = {">": "<", ">=": "<="}
_WIDE = frozenset(("s32", "u32", "s64", "u64"))
_LOOPS = (ast.Foreach, ast.While, ast.Apply)
_OPAQUE = (ast.Cpp, ast.Asm, ast.Return, ast.ErrorStmt)


@dataclass(frozen=True, slots=True, eq=False)
class Counting:
    """`symbol` starts at `first` and moves on by `step` below `end`; with `reaches`, up to `end` itself."""

    symbol: Symbol
    first: Int
    end: Int
    reaches: bool
    step: int


def counting_whiles(model: Model, nodes: Sequence[ast.Node], body: ast.Block) -> Mapping[ast.While, Counting]:
    """The counting loops in the body of a kernel, of which `nodes` are all nodes."""
    if not any(isinstance(node, ast.While) for node in nodes):
        return {}
    placed = list(statements(body))
    found = ((node, _counting(model, nodes, placed, node, at)) for node, at in placed if isinstance(node, ast.While))
    return {node: counting for node, counting in found if counting is not None}


def _counting(
    model: Model, nodes: Sequence[ast.Node], placed: Sequence[tuple[ast.Node, Around]], node: ast.While, around: Around
) -> Counting | None:
    test = _test(model, node.cond)
    if test is None:
        return None
    symbol, end, reaches = test
    init = next((one for one in nodes if isinstance(one, ast.ScalarInit) and model.uses.get(one.name) is symbol), None)
    first = None if init is None or init.value is None else model.values.get(init.value)
    step = _step(model, node.body, symbol)
    if init is None or first is None or step is None or _is_passed_over(symbol, end, step):
        return None
    if not (_is_started(placed, init, around) and _is_its_own(model, nodes, node, init, symbol) and _is_whole(node)):
        return None
    return Counting(symbol, first, end, reaches, step)


def _test(model: Model, cond: ast.Node) -> tuple[Symbol, Int, bool] | None:
    """The variable, what it is held against, and whether it may come to be equal."""
    while isinstance(cond, ast.Paren):
        cond = cond.inner
    if not isinstance(cond, ast.Binary):
        return None
    op, left, right = cond.op, cond.left, cond.right
    if op in _MIRRORED:
        op, left, right = _MIRRORED[op], right, left
    end = model.values.get(right)
    symbol = model.uses.get(left) if isinstance(left, ast.Name) else None
    if op not in ("<", "<=") or end is None or symbol is None:
        return None
    kind = isinstance(symbol.type, Scalar) and symbol.type.elem in _WIDE
    return (symbol, end, op == "<=") if symbol.mutable and symbol.kind is SymbolKind.VARIABLE and kind else None


def _is_passed_over(symbol: Symbol, end: Int, step: int) -> bool:
    """Whether the last step may go beyond the type of the variable."""
    assert isinstance(symbol.type, Scalar)
    return end.const is not None and end.const + step > limits(symbol.type.elem)[1]


def _step(model: Model, body: ast.Block, symbol: Symbol) -> int | None:
    """The constant by which the one assignment in the body itself moves a variable on, if nothing behind names it."""
    found: int | None = None
    for stmt in body.stmts:
        if found is not None and _names(model, stmt, symbol):
            return None
        if not isinstance(stmt, ast.Assign) or found is not None:
            continue
        if any(model.uses.get(part.target) is symbol for part in stmt.parts if isinstance(part.target, ast.Name)):
            (part, *others) = stmt.parts
            found = None if others else _moved(model, part, symbol)
            if found is None:
                return None
    return found


def _moved(model: Model, part: ast.AssignPart, symbol: Symbol) -> int | None:
    by: ast.Node | None = None
    if part.op == "+=":
        by = part.value
    elif part.op == "=" and isinstance(part.value, ast.Binary) and part.value.op == "+":
        sides = (part.value.left, part.value.right)
        others = [side for side in sides if not (isinstance(side, ast.Name) and model.uses.get(side) is symbol)]
        by = others[0] if len(others) == 1 else None
    value = model.values.get(by) if by is not None else None
    return value.const if value is not None and value.const is not None and value.const > 0 else None


def _names(model: Model, node: ast.Node, symbol: Symbol) -> bool:
    return any(isinstance(name, ast.Name) and model.uses.get(name) is symbol for name in walk(node))


def _is_started(placed: Sequence[tuple[ast.Node, Around]], init: ast.ScalarInit, around: Around) -> bool:
    """Whether the declaration is passed once each time that the loop is come to."""
    for stmt, outer in placed:
        if isinstance(stmt, ast.ScalarDecl) and init in stmt.inits:
            between = around.chain[len(outer.chain) :]
            return around.chain[: len(outer.chain)] == outer.chain and not any(
                isinstance(one, _LOOPS) for one in between
            )
    return False


def _is_its_own(model: Model, nodes: Sequence[ast.Node], node: ast.While, init: ast.ScalarInit, symbol: Symbol) -> bool:
    """Whether a variable is named nowhere but in a loop, set there once, and handed to nothing that might set it."""
    inside = list(walk(node))
    own = {id(each) for each in (*inside, init.name)}
    if any(_names(model, each, symbol) for each in nodes if isinstance(each, ast.Name) and id(each) not in own):
        return False
    assigned = [each for each in inside if isinstance(each, ast.AssignPart) and _is_target(model, each, symbol)]
    passing = (each.name for each in inside if isinstance(each, ast.IncDec))
    if len(assigned) != 1 or any(_names(model, each, symbol) for each in passing):
        return False
    return not any(symbol in foreign_writes(model, each) for each in nodes)


def _is_target(model: Model, part: ast.AssignPart, symbol: Symbol) -> bool:
    return isinstance(part.target, ast.Name) and model.uses.get(part.target) is symbol


def _is_whole(node: ast.While) -> bool:
    """Whether each turn is gone through to its end."""
    return not any(isinstance(each, _OPAQUE) for each in walk(node.body)) and not any(_leaves(node))


def _leaves(node: ast.While) -> Iterator[bool]:
    for stmt, around in statements(node.body):
        if isinstance(stmt, ast.Jump):
            yield stmt.word == "yield" or not any(isinstance(one, ast.Foreach | ast.While) for one in around.chain)
