"""Pass elect: roles that one thread can run alone.

A role that only waits, arrives and starts TMA loads is run by one elected thread of its unit: the others would only
spin on the same barriers. Its copies and arrivals are then that thread's own. Nothing of it may be left to the others:
no variable from outside that it changes, no `yield`, no event that is waited for elsewhere too, by bits that all of
them keep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import rewrite, statements
from croqc.sema.model import Unit
from croqc.text.record import replace

_PLAIN = (ir.Let, ir.Set, ir.Loop, ir.While, ir.If, ir.Scope, ir.Jump, ir.Wait, ir.Arrive, ir.Expect)


def elect(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    waits = Counter(_bits(statements(kernel.body)))
    return replace(kernel, body=rewrite(kernel.body, lambda stmt: (_elected(stmt, waits),)))


def _elected(stmt: ir.Stmt, waits: Counter[str]) -> ir.Stmt:
    if not isinstance(stmt, ir.Role) or stmt.unit not in (Unit.GROUP4, Unit.GROUP, Unit.THREAD):
        return stmt
    inner = list(statements(stmt.body))
    if not any(is_load(each) for each in inner) or not all(isinstance(each, _PLAIN) or is_load(each) for each in inner):
        return stmt
    if not _is_alone(inner, waits):
        return stmt
    return replace(stmt, elected=stmt.unit is not Unit.THREAD, body=rewrite(stmt.body, _own))


def _is_alone(inner: list[ir.Stmt], waits: Counter[str]) -> bool:
    """Whether what a role does to variables and phase bits stays in it."""
    declared = {stmt.name for stmt in inner if isinstance(stmt, ir.Let | ir.Loop)}
    changed = {stmt.name for stmt in inner if isinstance(stmt, ir.Set)}
    leaves = any(isinstance(stmt, ir.Jump) and stmt.word == "return" for stmt in inner)
    own = Counter(_bits(inner))
    return changed <= declared and not leaves and all(waits[bit] == count for bit, count in own.items())


def _bits(found: Iterable[ir.Stmt]) -> Iterator[str]:
    """The phase bits of the waits among statements, one an occurrence."""
    return (stmt.phase for stmt in found if isinstance(stmt, ir.Wait) and stmt.phase is not None)


def _own(stmt: ir.Stmt) -> tuple[ir.Stmt, ...]:
    return (replace(stmt, unit=Unit.THREAD),) if isinstance(stmt, ir.Copy | ir.Arrive | ir.Expect) else (stmt,)
