"""What of a list of statements somebody reads: values with a name that nobody does are left out. Must not know passes.

A value is read behind it in its list, also in lists inside of what follows, where no other has its name.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.held import named_in
from croqc.pipe.mentioned import calls_foreign, mentioned
from croqc.pipe.walk import Body, bodies, with_bodies

Names = frozenset[str]


def live_part(body: Body, read: Names) -> tuple[Body, Names]:
    """A list without what nobody reads, and the names that it reads of those around it. `read`: what is read behind."""
    found: list[ir.Stmt] = []
    for stmt in reversed(body):
        if isinstance(stmt, ir.Let) and stmt.name not in read and not stmt.changes and not calls_foreign((stmt,)):
            continue
        made, used = _inside(stmt)
        found.append(made)
        read = (read - {stmt.name} if isinstance(stmt, ir.Let) else read) | used
    return tuple(reversed(found)), read


def _inside(stmt: ir.Stmt) -> tuple[ir.Stmt, Names]:
    """A statement with its own lists so, and the names that it reads of those around it."""
    inner: list[Names] = []

    def kept(body: Body) -> Body:
        made, read = live_part(body, frozenset())
        inner.append(read)
        return made if made != body else body

    made = with_bodies(stmt, kept)
    if isinstance(stmt, ir.Probe):
        inner.append(named_in(stmt.body) | mentioned(stmt.body))
    alone = (_without_bodies(stmt),)
    own = named_in(alone) | mentioned(alone)  # places of register elements; extents of tensors
    words = stmt.words if isinstance(stmt, ir.Text) else frozenset()
    within = frozenset().union(*inner) - ({stmt.name} if isinstance(stmt, ir.Loop) else set())
    return made, own | words | within


def _without_bodies(stmt: ir.Stmt) -> ir.Stmt:
    return with_bodies(stmt, lambda body: ()) if bodies(stmt) and not isinstance(stmt, ir.Probe) else stmt
