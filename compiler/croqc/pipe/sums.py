"""What the variables of a kernel are sums of multiples of, as the text says it. Must not know sizes."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Expr
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
