"""An `if` over the index of warps or warpgroups, where a role is meant. Must not word findings.

All paths go through an `if`: what needs a whole unit, or counts paths, does not see whom it lets in. `inthreads.async`
chooses the threads that take part.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.rules.base import Subject
from croqc.rules.mends import around
from croqc.sema.model import Level, SymbolKind
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span

_UNITS = (Level.GROUP4, Level.GROUP)


def meant_role(subject: Subject, place: Span) -> tuple[str, tuple[Fix, ...]]:
    """The region that a statement's outermost such `if` should be, and the fix; empty where there is none."""
    nodes = around(subject, place)
    if any(isinstance(node, ast.InThreads) for node in nodes):
        return "", ()
    guard = next((node for node in nodes if isinstance(node, ast.If) and _chooses(subject, node.cond)), None)
    if guard is None or not guard.then.braced or not _is_written(subject, guard):
        return "", ()
    word = Span(guard.span.start, guard.span.start + len("if"))
    cond = subject.slice(guard.cond.span)
    role = f"inthreads.async {cond}" if isinstance(guard.cond, ast.Paren) else f"inthreads.async ({cond})"
    edits = [Edit(word, "inthreads.async")]
    if guard.other is not None:
        between = Span(guard.then.span.end, guard.other.span.start)
        if not isinstance(guard.other, ast.Block) or not guard.other.braced or subject.slice(between).strip() != "else":
            return "", ()
        start = between.start + subject.slice(between).index("else")
        others = f"inthreads.async (!({role.removeprefix('inthreads.async ')[1:-1]}))"
        edits.append(Edit(Span(start, start + len("else")), others))
        role += f" {{ … }} {others}"
    return role, (Fix("Change 'if' to 'inthreads.async'", tuple(edits), safe=False),)


def _is_written(subject: Subject, guard: ast.If) -> bool:
    """Whether the text shows the `if` with its condition in parentheses."""
    text = subject.slice(guard.span)
    return text.startswith("if") and text[2:].lstrip().startswith("(")


def _chooses(subject: Subject, cond: ast.Node) -> bool:
    """Whether each part of a condition follows the index of a warp or warpgroup."""
    return all(any(_is_unit(subject, node) for node in walk(part)) for part in _parts(cond))


def _parts(cond: ast.Node) -> Iterator[ast.Node]:
    match cond:
        case ast.Paren(inner=inner):
            yield from _parts(inner)
        case ast.Binary(op="&&" | "||", left=left, right=right):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield cond


def _is_unit(subject: Subject, node: ast.Node) -> bool:
    model = subject.analysis.model
    symbol = model.uses.get(node) if isinstance(node, ast.Name) else None
    if symbol is None or symbol.kind is not SymbolKind.PARALLEL:
        return False
    return isinstance(symbol.decl, ast.Axis) and model.levels.get(symbol.decl) in _UNITS
