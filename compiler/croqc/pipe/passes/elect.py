"""Pass elect: roles that one thread can run alone.

A role that only waits, arrives and starts TMA loads is run by one elected thread of its unit: the others would only
spin on the same barriers. Its copies and arrivals are then that thread's own.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.passes.fold import is_load
from croqc.pipe.walk import rewrite, statements
from croqc.sema.model import Unit
from croqc.text.record import replace

_PLAIN = (ir.Let, ir.Set, ir.Loop, ir.While, ir.If, ir.Scope, ir.Jump, ir.Wait, ir.Arrive)


def elect(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    return replace(kernel, body=rewrite(kernel.body, lambda stmt: (_elected(stmt),)))


def _elected(stmt: ir.Stmt) -> ir.Stmt:
    if not isinstance(stmt, ir.Role) or stmt.unit not in (Unit.GROUP4, Unit.GROUP, Unit.THREAD):
        return stmt
    inner = list(statements(stmt.body))
    if not any(is_load(each) for each in inner) or not all(isinstance(each, _PLAIN) or is_load(each) for each in inner):
        return stmt
    return replace(stmt, elected=stmt.unit is not Unit.THREAD, body=rewrite(stmt.body, _own))


def _own(stmt: ir.Stmt) -> tuple[ir.Stmt, ...]:
    return (replace(stmt, unit=Unit.THREAD),) if isinstance(stmt, ir.Copy | ir.Arrive) else (stmt,)
