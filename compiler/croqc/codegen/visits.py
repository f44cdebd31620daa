"""Ordinary code on the elements of register tiles as C++: visits, reductions. Must not decide whose an element is."""

from __future__ import annotations

from collections.abc import Callable

from croqc.codegen import registers
from croqc.codegen.places import Places
from croqc.codegen.words import type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Var
from croqc.pipe.held import named_in
from croqc.pipe.owned import row_entry
from croqc.pipe.walk import Body
from croqc.sema.elements import ELEMENTS

_QUADS = {"sum": "quad_sum", "max": "quad_max"}


class Visits:
    """`body` prints statements."""

    def __init__(self, writer: Writer, places: Places, body: Callable[[Body], None]) -> None:
        self.w, self.places, self.body = writer, places, body

    def visit(self, stmt: ir.Visit) -> None:
        """A loop over the thread's own elements, which becomes straight code: registers have no addresses."""
        r, used = stmt.counter, named_in(stmt.body)
        self.w.line("#pragma unroll")
        with self.w.block(f"for (int {r} = 0; {r} < {stmt.acc.owned}; ++{r})"):
            row, column = registers.places(stmt.acc, r)
            place = (row, column) if not stmt.acc.vector else (row if stmt.acc.spread is ir.Spread.ROWS else column,)
            for name, text in zip(stmt.names, place, strict=True):
                if name in used:
                    self.w.line(f"const int {name} = {text};")
            self.body(stmt.body)

    def reduce(self, stmt: ir.Reduce) -> None:
        """Each thread takes its own elements of its rows together, then the quad of threads that shares them meets."""
        source, tile = stmt.source, stmt.acc
        kind, first = _start(stmt)
        part, r, i = (self.places.own(wish) for wish in ("part", "r", "i"))
        row = self.places.spell(row_entry(source, Var(r)))
        value = registers.element(source, self.places.registers(source, stmt.at), r)
        value = value if type_word(source.elem) == kind else f"{kind}({value})"
        both = f"+= {value}" if stmt.op == "sum" else f"= max({part}[{row}], {value})"
        with self.w.block(""):
            self.w.line(f"{kind} {part}[{tile.owned}];  // of each of the thread's rows")
            self.w.line("#pragma unroll")
            self.w.line(f"for (auto& {i} : {part}) {i} = {first};")
            self.w.line("#pragma unroll")
            self.w.line(f"for (int {r} = 0; {r} < {source.owned}; ++{r}) {part}[{row}] {both};")
            self.w.line("#pragma unroll")
            whole = f"{_QUADS[stmt.op]}({part}[{i}])"
            whole = whole if type_word(tile.elem) == kind else f"{type_word(tile.elem)}({whole})"
            put = registers.put(tile, self.places.registers(tile, stmt.index), i, whole)
            self.w.line(f"for (int {i} = 0; {i} < {tile.owned}; ++{i}) {put}")


def _start(stmt: ir.Reduce) -> tuple[str, str]:
    """The C++ type that a reduction computes in, and what it starts with."""
    row = ELEMENTS[stmt.source.elem]
    kind = "double" if row.bits == 64 and row.kind == "float" else "float" if row.kind == "float" else "int"
    kind = "u32" if stmt.source.elem == "u32" else kind
    least = {
        "float": "__int_as_float(0xff800000)",
        "double": "double(__int_as_float(0xff800000))",
        "int": "-2147483647 - 1",
        "u32": "0",
    }
    return kind, "0" if stmt.op == "sum" else least[kind]
