"""Which dialect a function's own forms vote for (reference, chapter 0, "Recognising the dialect"). Must not report."""

from __future__ import annotations

from collections import Counter

from croqc.sema.builder import Builder
from croqc.sema.events import order_of
from croqc.sema.model import OperandKind
from croqc.sema.roots import base_name
from croqc.sema.types import Event
from croqc.syntax import ast
from croqc.syntax.visit import walk

_LEGACY_SWIZZLE = (0, 1, 2, 3)


def resolve_dialect(builder: Builder) -> None:
    """Set `dialect`: "classic", "course", "current", or "any" without evidence. Needs `loads`."""
    votes = Counter(vote for node in walk(builder.function) if (vote := _vote(builder, node)))
    if votes["classic"]:
        del votes["course"]
    if votes:
        builder.dialect = max(votes, key=lambda one: (votes[one], one))
    elif _publishes_plainly(builder):
        builder.dialect = "course"


def _vote(builder: Builder, node: ast.Node) -> str:
    match node:
        case ast.Copy():
            return _copy_vote(node)
        case ast.Trigger(after=after) if after:
            return "current"
        case ast.Wait(refs=refs) | ast.Trigger(refs=refs):
            return "current" if any(order_of(ref) is not None and _is_event(builder, ref) for ref in refs) else ""
        case ast.EventName(ready=True) | ast.Mma(form="async"):
            return "current"
        case ast.Mma(schedule=schedule) if schedule is not None:
            return "current"
        case ast.MmaCommit():
            return "course"
        case ast.MmaLoad():
            return "course" if builder.loads.get(node) is OperandKind.SHARED else ""
    return ""


def _copy_vote(node: ast.Copy) -> str:
    if node.event is not None:
        return "classic"
    if node.op == "load":
        return "current"
    legacy = any(m.name == "swiz" and m.args and m.args[0] in _LEGACY_SWIZZLE for m in node.modifiers)
    return "course" if legacy or node.source_zfill else ""


def _is_event(builder: Builder, ref: ast.Expr) -> bool:
    name = base_name(ref)
    symbol = builder.uses.get(name) if name is not None else None
    return symbol is not None and isinstance(symbol.type, Event)


def _publishes_plainly(builder: Builder) -> bool:
    """Whether some body has a trigger behind a synchronous copy: the course's way, nothing else telling."""
    for body in walk(builder.function):
        if not isinstance(body, ast.Block):
            continue
        copied = False
        for stmt in body.stmts:
            copied = copied or (isinstance(stmt, ast.Copy) and not stmt.is_async)
            if copied and isinstance(stmt, ast.Trigger):
                return True
    return False
