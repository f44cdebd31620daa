"""The barrier that parts two accesses of one shared element. Must not word findings."""

from __future__ import annotations

from croqc.rules.base import Subject
from croqc.rules.credit_sites import code_of
from croqc.sema.nesting import Around
from croqc.syntax import ast
from croqc.text.diagnostics import Fix
from croqc.text.span import Span


def barrier_between(subject: Subject, first: Span, then: Span, turns: bool = False) -> tuple[Fix, ...]:
    """`sync.shared;` in front of the outermost statement that has the access `then`, and not `first`.

    There it stands between them in each turn of a loop around both. Where one statement has both, they are parted by
    `turns` of the loop around it, or by nothing. No fix where not all threads come.
    """
    code = code_of(subject)
    over = [node for node in code.around if _covers(node, then)]  # source order: outer ones first
    apart = [node for node in over if not _covers(node, first)]
    in_loop = [node for node in over if turns and isinstance(_holder(code.around[node]), ast.Foreach)]
    if not apart and not in_loop:
        return ()
    stmt = apart[0] if apart else in_loop[-1]
    block = code.blocks.get(stmt)
    conditions = [node for node in code.around[stmt].chain if not isinstance(node, ast.Parallel | ast.Foreach)]
    if conditions or block is None or not block.braced or not code.written(stmt):
        return ()
    return (Fix("Let the threads wait with 'sync.shared'", (code.before(stmt, "sync.shared;"),)),)


def _holder(around: Around) -> ast.Node | None:
    return around.chain[-1] if around.chain else None


def _covers(node: ast.Node, span: Span) -> bool:
    return node.span.start <= span.start and span.end <= node.span.end
