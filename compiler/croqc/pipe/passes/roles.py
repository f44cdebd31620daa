"""Pass roles: roles stand outside the loops that they share.

A persistent kernel enters its roles anew for every tile. Where nothing but scalars stands around them, each role runs
the whole loop by itself instead: no thread walks through another role's code, and registers can be moved between roles.
Paths never meet inside such a loop, so their order of events is what it was.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import variables
from croqc.pipe.walk import Body, rewrite, statements
from croqc.text.record import replace

_SCALAR = (ir.Let, ir.Set, ir.Loop, ir.If, ir.Scope, ir.Role)


def roles(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    names = {index.name for index in kernel.indices}
    found: list[ir.Stmt] = []
    for stmt in kernel.body:
        found += _apart(stmt, names)
    return replace(kernel, body=tuple(found))


def _apart(stmt: ir.Stmt, names: set[str]) -> Body:
    """A loop with several roles as several roles with a loop each; any other statement as it is."""
    if not isinstance(stmt, ir.Loop | ir.Scope):
        return (stmt,)
    inside = _outermost(stmt)
    plain = all(isinstance(each, _SCALAR) for each in _around(stmt))
    fixed = all(set(variables(role.cond)) <= names for role in inside)
    loops = any(isinstance(each, ir.Loop) for each in _around(stmt))
    if _overlap(inside) or _changes_outer(stmt):
        return (stmt,)
    if len(inside) < 2 or not (plain and fixed and loops) or len({role.path for role in inside}) != len(inside):
        return (stmt,)
    return tuple(replace(role, body=_only(stmt, role)) for role in inside)


def _overlap(inside: list[ir.Role]) -> bool:
    """Whether two roles share a warpgroup: they would run one after the other instead of turn by turn."""
    groups = [group for role in inside for group in role.groups]
    return len(groups) != len(set(groups))


def _changes_outer(stmt: ir.Stmt) -> bool:
    """Whether the loop itself changes a variable from outside: threads in no role would not."""
    around = _around(stmt)
    declared = {each.name for each in around if isinstance(each, ir.Let | ir.Loop)}
    return any(isinstance(each, ir.Set) and each.name not in declared for each in around)


def _outermost(stmt: ir.Stmt) -> list[ir.Role]:
    """The roles under a statement that stand in no other role."""
    inner = {id(each) for role in _roles(stmt) for each in statements(role.body)}
    return [role for role in _roles(stmt) if id(role) not in inner]


def _roles(stmt: ir.Stmt) -> list[ir.Role]:
    return [each for each in statements((stmt,)) if isinstance(each, ir.Role)]


def _around(stmt: ir.Stmt) -> list[ir.Stmt]:
    """The statements under one that stand in no role."""
    inner = {id(each) for role in _roles(stmt) for each in statements(role.body)}
    return [each for each in statements((stmt,)) if id(each) not in inner]


def _only(stmt: ir.Stmt, role: ir.Role) -> Body:
    """The statement with one role's body in its place and the other roles left out."""

    def change(each: ir.Stmt) -> Body:
        if not isinstance(each, ir.Role):
            return (each,)
        return each.body if each.path == role.path else ()

    return rewrite((stmt,), change)
