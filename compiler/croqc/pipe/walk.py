"""Walking and rewriting statements of the IR. Must not know what any statement means."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from croqc.pipe import ir
from croqc.text.record import replace

Body = tuple[ir.Stmt, ...]


def bodies(stmt: ir.Stmt) -> tuple[Body, ...]:
    """The statement lists inside a statement."""
    match stmt:
        case ir.If(then=then, other=other):
            return then, other
        case ir.Loop() | ir.While() | ir.Scope() | ir.Role() | ir.Visit() | ir.Probe():
            return (stmt.body,)
    return ()


def statements(body: Body) -> Iterator[ir.Stmt]:
    """Every statement in and under a list, in source order."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from statements(inner)


def flat(body: Body) -> Iterator[ir.Stmt]:
    """The statements of a list, those inside scopes and probes among them: nothing comes between."""
    for stmt in body:
        if isinstance(stmt, ir.Scope | ir.Probe):
            yield from flat(stmt.body)
        else:
            yield stmt


def with_bodies(stmt: ir.Stmt, changed: Callable[[Body], Body]) -> ir.Stmt:
    """The statement with each list inside replaced; itself where nothing changes."""
    match stmt:
        case ir.If(then=then, other=other):
            new_then, new_other = changed(then), changed(other)
            return stmt if (new_then, new_other) == (then, other) else replace(stmt, then=new_then, other=new_other)
        case ir.Loop() | ir.While() | ir.Scope() | ir.Role() | ir.Visit():
            new = changed(stmt.body)
            return stmt if new is stmt.body else replace(stmt, body=new)
    return stmt


def rewrite(body: Body, change: Callable[[ir.Stmt], Body]) -> Body:
    """Every statement replaced by what `change` gives for it, inner ones first."""
    found: list[ir.Stmt] = []
    for stmt in body:
        found += change(with_bodies(stmt, lambda inner: rewrite(inner, change)))
    return tuple(found)


def rewrite_lists(body: Body, change: Callable[[Body], Body]) -> Body:
    """Every list of statements replaced as a whole, inner lists first."""
    return change(tuple(with_bodies(stmt, lambda inner: rewrite_lists(inner, change)) for stmt in body))
