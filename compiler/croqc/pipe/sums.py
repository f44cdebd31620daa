"""What the variables of a kernel are sums of multiples of, as the text says it. Must not know sizes."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, plain_names
from croqc.pipe.walk import Body, statements


def sums_of(body: Body) -> dict[str, tuple[Expr, ...]]:
    """For each scalar that keeps its value that value; for each variable of a loop where it starts and its step. A name
    that several of them have is left out."""
    found: dict[str, tuple[Expr, ...]] = {}
    several: set[str] = set()
    for stmt in statements(body):
        match stmt:
            case ir.Let():
                parts: tuple[Expr, ...] = (stmt.value,)
                several |= {stmt.name} if stmt.changes or stmt.name in found else set()
            case ir.Loop():
                parts = (stmt.start, stmt.step)
                several |= {stmt.name} if stmt.name in found else set()
            case _:
                continue
        found[stmt.name] = parts
    return {name: parts for name, parts in found.items() if name not in several}


def kept(body: Body) -> tuple[tuple[str, Expr], ...]:
    """The scalars that keep their values, with what these are made of, where that keeps its values as well."""
    stmts = tuple(statements(body))
    changing = {stmt.name for stmt in stmts if isinstance(stmt, ir.Set) or (isinstance(stmt, ir.Let) and stmt.changes)}
    lets = [stmt for stmt in stmts if isinstance(stmt, ir.Let)]
    found = ((stmt, plain_names(stmt.value)) for stmt in lets)
    return tuple((stmt.name, stmt.value) for stmt, names in found if names is not None and not names & changing)
