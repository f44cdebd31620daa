"""What a condition says of values: facts for `Ranges`, and the symbols it speaks of without being understood."""

from __future__ import annotations

from croqc.sema.symbolic import Int
from croqc.sema.walk import Walk
from croqc.syntax import ast
from croqc.syntax.visit import walk as walk_tree

_ONE = Int.of(1)
_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def assume(walk: Walk, cond: ast.Expr | ast.Call, holds: bool = True) -> None:
    """Narrow the ranges by a condition that was typed before."""
    rest: list[tuple[ast.Expr | ast.Call, bool]] = [(cond, holds)]
    while rest:
        cond, holds = rest.pop()
        if isinstance(cond, ast.Paren):
            rest.append((cond.inner, holds))
        elif isinstance(cond, ast.Unary) and cond.op == "!":
            rest.append((cond.operand, not holds))
        elif isinstance(cond, ast.Binary) and cond.op == ("&&" if holds else "||"):
            rest += [(cond.right, holds), (cond.left, holds)]
        elif not (isinstance(cond, ast.Binary) and cond.op in _FLIPPED and _compare(walk, cond, holds)):
            doubt(walk, cond)


def _compare(walk: Walk, cond: ast.Binary, holds: bool) -> bool:
    left, right = walk.b.values.get(cond.left), walk.b.values.get(cond.right)
    if left is None or right is None:
        return False
    op = cond.op if holds else _FLIPPED[cond.op]
    gap = right - left
    if op == "!=":
        return _unequal(walk, gap)
    facts = {
        "<": [gap - _ONE],
        "<=": [gap],
        ">": [-gap - _ONE],
        ">=": [-gap],
        "==": [gap, -gap],
    }[op]
    walk.ranges.assume(facts)
    return True


def _unequal(walk: Walk, gap: Int) -> bool:
    """`i != k` only matters where k is an end of the index: then that end moves by one."""
    atoms = [atom for atom in walk.ranges.limits if atom in gap.names()]
    if not atoms:
        return True
    if len(atoms) > 1 or dict(gap.terms).get((atoms[0],)) not in (1, -1):
        return False
    index = Int.of(atoms[0])
    place = gap + index if dict(gap.terms)[(atoms[0],)] < 0 else index - gap
    low, high = walk.ranges.limits[atoms[0]]
    if place == low:
        walk.ranges.assume([index - low - _ONE])
    elif place == high:
        walk.ranges.assume([high - _ONE - index])
    elif place.const is None:
        return False
    return True


def doubt(walk: Walk, cond: ast.Node) -> None:
    """Claim nothing of the ends of the indices that a condition mentions."""
    for node in walk_tree(cond):
        if isinstance(node, ast.Name) and (value := walk.b.values.get(node)) is not None:
            walk.ranges.doubt(value.names())


def leaves(body: ast.Block) -> bool:
    """Whether control never runs off the end of a body."""
    return bool(body.stmts) and isinstance(body.stmts[-1], ast.Jump | ast.Return)
