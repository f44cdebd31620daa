"""Which values may differ between the blocks of a cluster. Must not know copies or events.

A block's rank differs, and what is computed from it, assigned or left under a condition on it, or read from memory.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, plain_names
from croqc.pipe.walk import Body, bodies, statements


class Ranked:
    """The names of a kernel that may differ; `unknown`: foreign code or a jump may make anything differ."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.names = {name for name, _ in kernel.cluster}
        self.unknown = any(isinstance(stmt, ir.Text) for stmt in statements(kernel.body))
        known = -1
        while known != len(self.names):
            known = len(self.names)
            self._visit(kernel.body, False)

    def differs(self, expr: Expr) -> bool:
        names = plain_names(expr)
        return names is None or not names.isdisjoint(self.names)

    def decides(self, stmt: ir.Stmt) -> bool:
        """Whether the lists inside a statement may run in some of the blocks alone, or more often."""
        match stmt:
            case ir.If(cond=cond) | ir.While(cond=cond) | ir.Role(cond=cond):
                return self.differs(cond)
            case ir.Loop():
                return any(map(self.differs, (stmt.start, stmt.stop, stmt.step)))
        return False

    def _visit(self, body: Body, apart: bool) -> None:
        """`apart`: the list runs under a condition that differs."""
        for stmt in body:
            match stmt:
                case ir.Let(name=name, value=value) | ir.Set(name=name, value=value):
                    if apart or self.differs(value):
                        self.names.add(name)
                case ir.Loop(name=name) if apart or self.decides(stmt):
                    self.names.add(name)
                case ir.Atomic(old=old) if old:
                    self.names.add(old)
                case ir.Rotate(handles=handles) if apart:
                    self.names.update(handles)
                case ir.Jump() if apart:
                    self.unknown = True
            for part in bodies(stmt):
                self._visit(part, apart or self.decides(stmt))
