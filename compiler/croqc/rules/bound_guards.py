"""The guard that keeps an index inside its data, where it is simple. Must not word findings.

A guard more in an `if` that stands around all uses, else an `if` in front of the one statement that has them all.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.refactor.base import Code
from croqc.rules.base import Subject
from croqc.rules.credit_sites import code_of
from croqc.rules.mends import insert, is_written
from croqc.rules.rewrites import node_at
from croqc.sema.nesting import statements
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span

_PLAIN = (ast.Assign, ast.Foreach, ast.If)


def guarded(subject: Subject, uses: Sequence[Span], test: str) -> tuple[Fix, ...]:
    """A fix that tests `test`, which is of the first of the uses, in front of all of them; or none."""
    code = code_of(subject)
    over = [node for node in code.around if all(node.span.contains(use.start) for use in uses)]
    if not uses or not over or not is_written(subject, uses[0]):
        return ()
    first = uses[0]
    stmt = over[-1]  # the innermost one
    names = [name for name in nodes_of_kind(stmt, ast.Name) if first.start <= name.span.start < first.end]
    if not all(_is_known_before(code, name, stmt) for name in names) or not code.written(stmt):
        return ()
    if isinstance(stmt, ast.If) and stmt.other is None and node_at(subject, first, ast.Block) is not None:
        return _tested_too(subject, stmt, test)
    block = code.blocks.get(stmt)
    bare = block is not None and not block.braced and isinstance(code.around[stmt].chain[-1], ast.If)
    if bare or not _is_one_use(code, stmt):  # `bare`: an `else` may follow
        return ()
    return insert(f"Guard with 'if ({test})'", stmt.span.start, f"if ({test}) ")


def _is_known_before(code: Code, name: ast.Name, stmt: ast.Node) -> bool:
    symbol = code.model.uses.get(name)
    return symbol is not None and symbol.name_span.start < stmt.span.start


def _is_one_use(code: Code, stmt: ast.Node) -> bool:
    """Whether a statement changes elements and variables alone, declares none and holds no thread up."""
    inner = [stmt, *(node for node, _ in statements(stmt))]
    if not all(isinstance(node, _PLAIN) for node in inner):
        return False
    declared = {symbol.decl for symbol in code.model.symbols}
    parts = stmt.parts if isinstance(stmt, ast.Assign) else ()
    return not any(part in declared for part in parts)


def _tested_too(subject: Subject, stmt: ast.If, test: str) -> tuple[Fix, ...]:
    """`if (r < M)` becomes `if (r < M && q < N)`."""
    cond = stmt.cond
    if not is_written(subject, cond.span):
        return ()
    ends = Edit(Span(cond.span.end, cond.span.end), f" && {test}")
    if isinstance(cond, ast.Binary) and cond.op == "||":
        start = Edit(Span(cond.span.start, cond.span.start), "(")
        return (Fix(f"Test '{test}', too", (start, Edit(ends.span, f") && {test}")), safe=False),)
    return (Fix(f"Test '{test}', too", (ends,), safe=False),)
