"""What a condition says of values: facts for `Ranges`, and the symbols it speaks of without being understood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from croqc.sema.masks import defining_value
from croqc.sema.mentioned import mentioned
from croqc.sema.symbolic import Int
from croqc.sema.walk import Walk
from croqc.syntax import ast

_ONE = Int.of(1)
_MOST_VARIABLES: Final = 50  # whose conditions are looked into, for one that names them
_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@contextmanager
def under(walk: Walk, cond: ast.Expr | ast.Call, holds: bool = True) -> Iterator[None]:
    """What is evaluated where a condition that was typed before holds or fails: a side of `?:`, `&&`, `||`."""
    outer, walk.ranges = walk.ranges, walk.ranges.copy()
    try:
        assume(walk, cond, holds)
        yield
    finally:
        walk.ranges = outer


def assume(walk: Walk, cond: ast.Expr | ast.Call, holds: bool = True) -> None:
    """Narrow the ranges by a condition that was typed before; a variable that holds one narrows as it would."""
    rest: list[tuple[ast.Node, bool]] = [(cond, holds)]
    followed = 0
    while rest:
        part, holds = rest.pop()
        if isinstance(part, ast.Paren):
            rest.append((part.inner, holds))
        elif isinstance(part, ast.Unary) and part.op == "!":
            rest.append((part.operand, not holds))
        elif isinstance(part, ast.Binary) and part.op == ("&&" if holds else "||"):
            rest += [(part.right, holds), (part.left, holds)]
        elif isinstance(part, ast.Const):
            walk.ranges.assume([] if holds == (part.word == "true") else [-_ONE])
        elif followed < _MOST_VARIABLES and (source := _source(walk, part)) is not None:
            rest.append((source, holds))
            followed += 1
        elif not (isinstance(part, ast.Binary) and part.op in _FLIPPED and _compare(walk, part, holds)):
            doubt(walk, part)


def _source(walk: Walk, part: ast.Node) -> ast.Node | None:
    return defining_value(walk.b.uses.get(part)) if isinstance(part, ast.Name) else None


def _compare(walk: Walk, cond: ast.Binary, holds: bool) -> bool:
    left, right = walk.b.values.get(cond.left), walk.b.values.get(cond.right)
    if left is None or right is None:
        return False
    op = cond.op if holds else _FLIPPED[cond.op]
    gap = right - left
    _doubt_sources(walk, cond, gap)
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
    """`i != k`, where it says so of one index."""
    atoms = [atom for atom in walk.ranges.limits if atom in gap.names()]
    if not atoms:
        return True
    factor = dict(gap.terms).get((atoms[0],))
    if len(atoms) > 1 or factor not in (1, -1):
        return False
    index = Int.of(atoms[0])
    return walk.ranges.exclude(atoms[0], gap + index if factor < 0 else index - gap)


def _doubt_sources(walk: Walk, cond: ast.Node, gap: Int) -> None:
    """`last == 0` speaks of `t` where `last` was made of it, without telling in which way."""
    spoken = mentioned(walk.b, cond)
    walk.ranges.doubt(walk.ranges.limits if spoken is None else spoken - gap.names())


def doubt(walk: Walk, cond: ast.Node) -> None:
    """Claim nothing of the ends of the indices that a condition depends on."""
    spoken = mentioned(walk.b, cond)
    walk.ranges.doubt(walk.ranges.limits if spoken is None else spoken)
