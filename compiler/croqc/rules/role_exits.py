"""A role that leaves its loop early, while its partner goes on and waits. Must not word findings.

The edits are candidates, as those of `credit_candidates` are.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.refactor.base import Code
from croqc.rules.credit_edits import is_plain
from croqc.rules.credit_words import fix
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix
from croqc.text.span import Span


def left_early(code: Code) -> Iterator[Fix]:
    """`if (k == 5) break;` of one role at the front or at the end of the same turn of another."""
    for guard in code.around:
        if not isinstance(guard, ast.If) or not _leaves(guard) or not is_plain(code, guard, "if"):
            continue
        loop, regions = code.around[guard].chain[-1], code.around[guard].regions
        if not regions or not isinstance(loop, ast.Foreach) or not _means_the_same(code, guard, loop, regions[-1]):
            continue
        for other in _turns_alike(code, loop, regions[-1]):
            title, stmts = "Leave the loop of the other role in the same turn", other.body.stmts
            yield from fix(title, (code.before(stmts[0], code.of(guard)),))
            yield from fix(title, (code.after(stmts[-1], code.of(guard)),))


def _leaves(guard: ast.If) -> bool:
    """Whether a condition does nothing but leave the loop; `yield` has no place there (reference, 4.5)."""
    jump = guard.then.stmts[0] if len(guard.then.stmts) == 1 and guard.other is None else None
    return isinstance(jump, ast.Jump) and jump.word == "break"


def _means_the_same(code: Code, guard: ast.If, loop: ast.Foreach, region: ast.InThreads) -> bool:
    """Whether a condition is about the loop's indices and what stands outside the role."""
    for name in walk(guard.cond):
        symbol = code.model.uses.get(name) if isinstance(name, ast.Name) else None
        if symbol is None:
            if isinstance(name, ast.Name):
                return False
            continue
        place = symbol.name_span.start
        own = region.span.start <= place < region.span.end
        if own and not loop.span.start <= place < loop.body.span.start:
            return False
    return True


def _turns_alike(code: Code, loop: ast.Foreach, region: ast.InThreads) -> Iterator[ast.Foreach]:
    """The loops of other roles with the same head."""
    for other, around in code.around.items():
        if isinstance(other, ast.Foreach) and around.regions and region not in around.chain:
            ends = other.body.stmts[:1] + other.body.stmts[-1:]
            shown = other.body.braced and bool(ends) and all(code.written(stmt) for stmt in ends)
            if shown and _head(code, other) == _head(code, loop):
                yield other


def _head(code: Code, loop: ast.Foreach) -> str:
    return code.slice(Span(loop.span.start, loop.body.span.start))
