"""`while` loops that end, whatever they count: their condition fails some time. Must not lower or run anything.

It holds a variable against a value that stays, and each turn moves that variable towards it: on by a constant, back by
one, or divided. Of anything else it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.flow.extents import elem_of, is_narrow
from croqc.sema.elements import ELEMENTS, limits
from croqc.sema.foreign_writes import foreign_writes
from croqc.sema.model import Model, Symbol
from croqc.sema.types import Bounded, Scalar
from croqc.sema.writes import given
from croqc.syntax import ast
from croqc.syntax.visit import walk

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def surely_ends(model: Model, node: ast.While) -> bool:
    """Whether a loop ends that no jump goes on with early."""
    return any(_fails_some_time(model, node, part) for part in _conjuncts(node.cond))


def never_ends(model: Model, node: ast.While) -> bool:
    """Whether a loop that is entered is never left: its condition asks for nothing that a turn changes."""
    inside = list(walk(node.cond))
    if any(isinstance(each, ast.Call | ast.Chain | ast.IncDec) for each in inside):
        return False
    leaving = (ast.Jump, ast.Return, ast.Cpp, ast.Asm, ast.ErrorStmt, ast.Missing)
    if any(isinstance(each, leaving) and getattr(each, "word", "") != "continue" for each in walk(node.body)):
        return False
    named = {model.uses.get(name) for name in inside if isinstance(name, ast.Name)}
    handed = (arg for each in walk(node.body) if isinstance(each, ast.Call) for arg in each.args)
    passed = {model.uses.get(name) for arg in handed for name in walk(arg) if isinstance(name, ast.Name)}
    scalars = all(symbol is not None and isinstance(symbol.type, Scalar | Bounded) for symbol in named)
    return scalars and named.isdisjoint(passed) and named.isdisjoint(symbol for symbol, _ in _moves(model, node))


def _conjuncts(cond: ast.Node) -> Iterator[ast.Binary]:
    stack = [cond]
    while stack:
        match stack.pop():
            case ast.Paren(inner=inner):
                stack.append(inner)
            case ast.Binary(op="&&", left=left, right=right):
                stack += (left, right)
            case ast.Binary(op=op) as found if op in _MIRRORED:
                yield found


def _fails_some_time(model: Model, node: ast.While, part: ast.Binary) -> bool:
    sides = ((part.op, part.left, part.right), (_MIRRORED[part.op], part.right, part.left))
    for op, held, end in sides:
        symbol = model.uses.get(held) if isinstance(held, ast.Name) else None
        if symbol is not None and _stays(model, node, end):
            const = model.values[end].const
            ways = _ways(model, node, symbol, op, const)
            if ways is not None and len(ways) == 1 and _meets(symbol, op, const, *ways):
                return True
    return False


def _stays(model: Model, node: ast.While, end: ast.Node) -> bool:
    """Whether a value is a known one that no turn changes."""
    named = {model.uses.get(name) for name in walk(end) if isinstance(name, ast.Name)}
    return end in model.values and named.isdisjoint(symbol for symbol, _ in _moves(model, node))


def _moves(model: Model, node: ast.While) -> Iterator[tuple[Symbol | None, ast.Node]]:
    for each in walk(node):
        made = None if isinstance(each, ast.ScalarInit) else given(each)
        if made is not None:
            yield model.uses.get(made[0]), each
        else:
            yield from ((symbol, each) for symbol in foreign_writes(model, each))


def _ways(model: Model, node: ast.While, symbol: Symbol, op: str, end: int | None) -> set[tuple[str, int]] | None:
    """How the turns move a variable, by operator and constant; None where one may not, or how is not known. What sets
    it to where the comparison with a constant fails ends the loop, too."""
    always = {part for stmt in node.body.stmts if isinstance(stmt, ast.Assign) for part in stmt.parts}
    moves = [
        each for moved, each in _moves(model, node) if moved is symbol and not _sets_to_the_end(model, each, op, end)
    ]
    found = [_way(model, each, symbol) for each in moves]
    if not always.intersection(moves):
        return None
    ways = {way for way in found if way is not None}
    return ways if len(ways) == len(set(found)) else None


def _sets_to_the_end(model: Model, move: ast.Node, op: str, end: int | None) -> bool:
    known = model.values.get(move.value) if isinstance(move, ast.AssignPart) and move.op == "=" else None
    if end is None or known is None or known.const is None:
        return False
    return op in ("<", "<=") and known.const > end


def _way(model: Model, move: ast.Node, symbol: Symbol) -> tuple[str, int] | None:
    found: tuple[str, ast.Node] | None = None
    match move:
        case ast.IncDec(op=op):
            return op[0], 1
        case ast.AssignPart(op="=", value=ast.Binary(op=op, left=ast.Name() as left, right=right)):
            found = (op, right) if model.uses.get(left) is symbol else None
        case ast.AssignPart(op=op, value=value):
            found = op[:-1], value
    by = None if found is None else model.values.get(found[1])
    if found is None or by is None or by.const is None or found[0] not in ("+", "-", "/", ">>"):
        return None
    return found[0], by.const


def _meets(symbol: Symbol, op: str, end: int | None, way: tuple[str, int]) -> bool:
    """Whether a value that is moved in a way comes to where the comparison fails."""
    elem = elem_of(symbol.type)
    move, by = way
    if elem is None or by < 1:
        return False
    if end is not None and end < 0 and ELEMENTS[elem].kind == "unsigned" and not is_narrow(elem):
        end += 1 << ELEMENTS[elem].bits  # what it is compared as
    least, most = limits(elem)
    if is_narrow(elem) and (end is None or not 0 <= end <= most - by):
        return False
    nothing = {">": 0, ">=": 1}.get(op)  # the smallest end at which nothing is left below it
    if move == "+":
        return op in ("<", "<=") and (end is None or end + by - (op == "<") <= most)
    if move == "-" and ELEMENTS[elem].kind == "signed":
        return nothing is not None and (end is None or end - by + (op == ">") >= least)
    if move == "-":
        return nothing is not None and by == 1 and end is not None and end >= nothing
    if end is None or (by < 2 and move == "/"):
        return False
    if nothing is not None:
        return end >= nothing
    return op == "!=" and end == 0 and (move == "/" or ELEMENTS[elem].kind == "unsigned")  # -1 >> 1 stays -1
