"""Scalars and control flow as C++: what the host part and kernels print alike. Must not decide anything."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from croqc.codegen.words import printf, type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import ONE, Expr
from croqc.pipe.walk import Body


class Control(ABC):
    """`body` prints statements of every kind, `spell` an expression for an operand position of the given binding."""

    w: Writer

    @abstractmethod
    def body(self, body: Body) -> None: ...

    @abstractmethod
    def spell(self, expr: Expr, binding: int = 0) -> str: ...

    def let(self, stmt: ir.Let) -> None:
        qualifier = "" if stmt.changes else "const "
        self.w.line(f"{qualifier}{type_word(stmt.elem)} {stmt.name} = {self.spell(stmt.value)};")

    def set(self, stmt: ir.Set) -> None:
        self.w.line(f"{stmt.name} = {self.spell(stmt.value)};")

    def loop(self, stmt: ir.Loop) -> None:
        step = f"++{stmt.name}" if stmt.step == ONE else f"{stmt.name} += {self.spell(stmt.step)}"
        head = f"int {stmt.name} = {self.spell(stmt.start)}; {stmt.name} < {self.spell(stmt.stop, 9)}; {step}"
        with self.w.block(f"for ({head})"):
            self.body(stmt.body)

    def while_(self, stmt: ir.While) -> None:
        with self.w.block(f"while ({self.spell(stmt.cond)})"):
            self.body(stmt.body)

    def if_(self, stmt: ir.If) -> None:
        with self.w.block(f"if ({self.spell(stmt.cond)})"):
            self.body(stmt.then)
        if stmt.other:
            with self.w.block("else"):
                self.body(stmt.other)

    def jump(self, stmt: ir.Jump) -> None:
        self.w.line(f"{stmt.word};")

    def scope(self, stmt: ir.Scope) -> None:
        self.body(stmt.body)  # names are unique in a function: no braces are needed

    def print(self, stmt: ir.Print) -> None:
        self.w.line(printf(stmt, self.spell))

    def text(self, stmt: ir.Text) -> None:
        for line in stmt.text.splitlines():
            self.w.line(line, passed=True)


CONTROL: Final[dict[type, Callable[[Any, Any], None]]] = {
    ir.Let: Control.let,
    ir.Set: Control.set,
    ir.Loop: Control.loop,
    ir.While: Control.while_,
    ir.If: Control.if_,
    ir.Jump: Control.jump,
    ir.Scope: Control.scope,
    ir.Print: Control.print,
    ir.Text: Control.text,
}
"""How each of these kinds is printed; who overrides a handler names its own in its table."""
