"""What is known behind statements from which control may leave: `break`, `continue`, `yield`, `return` (4.5).

Must not report, and must not tell where a jump may stand (see `jumps`).
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema.guards import assume, doubt
from croqc.sema.symbolic import Int
from croqc.sema.walk import Walk
from croqc.syntax import ast
from croqc.syntax.visit import children, nodes_of_kind

_NEVER = (Int.of(-1),)
_LOOPS = (ast.Foreach, ast.While)


def assume_passed(walk: Walk, node: ast.If) -> None:
    """Behind an `if`: its condition failed where it leaves, and held where its `else` does."""
    others = node.other is not None and _leaves(node.other)
    if _leaves(node.then):
        walk.ranges.assume(_NEVER if others else ())
        assume(walk, node.cond, holds=False)
    elif others:
        assume(walk, node.cond)
    elif _may_leave(walk, node):
        doubt(walk, node.cond)
    doubt_passed(walk, node)


def doubt_passed(walk: Walk, node: ast.Stmt) -> None:
    """Behind any other: who has left under a condition in it is not worked out."""
    if not _may_leave(walk, node):
        return
    rest: list[tuple[ast.Node, bool]] = [(node, isinstance(node, _LOOPS))]
    while rest:
        inner, looped = rest.pop()
        for below in children(inner):
            if isinstance(below, ast.If) and any(_jumps(below, looped)):
                doubt(walk, below.cond)
            if not isinstance(below, ast.Parallel | ast.Expr):
                rest.append((below, looped or isinstance(below, _LOOPS)))


def may_stop_short(walk: Walk, loop: ast.Foreach) -> bool:
    """Whether a loop may end before its last turn."""
    return _has_jumps(walk) and any(
        not isinstance(jump, ast.Jump) or jump.word != "continue" for jump in _jumps(loop.body, looped=False)
    )


def _leaves(body: ast.Block) -> bool:
    """Whether control never runs off the end of a body."""
    last = body.stmts[-1] if body.stmts else None
    if isinstance(last, ast.If):
        return last.other is not None and _leaves(last.then) and _leaves(last.other)
    return isinstance(last, ast.Jump | ast.Return)


def _may_leave(walk: Walk, node: ast.Stmt) -> bool:
    return _has_jumps(walk) and any(_jumps(node, isinstance(node, _LOOPS)))


def _has_jumps(walk: Walk) -> bool:
    """Most functions have none, which spares another walk over each statement."""
    function = walk.b.function
    return bool(nodes_of_kind(function, ast.Jump) or nodes_of_kind(function, ast.Return))


def _jumps(node: ast.Node, looped: bool) -> Iterator[ast.Jump | ast.Return]:
    """The jumps under a statement that lead out of it; `looped`: those of the loop around do not."""
    rest = [(node, looped)]
    while rest:
        one, inside = rest.pop()
        if isinstance(one, ast.Return) or (isinstance(one, ast.Jump) and (one.word == "yield" or not inside)):
            yield one
        elif not isinstance(one, ast.Parallel | ast.Expr):
            rest += [(below, inside or isinstance(one, _LOOPS)) for below in children(one)]
