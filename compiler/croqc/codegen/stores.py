"""How accumulators leave their registers, as C++. Must not choose the way."""

from __future__ import annotations

from croqc.codegen import registers as held
from croqc.codegen.places import Places
from croqc.codegen.words import type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Op, Var, add


class Stores:
    def __init__(self, writer: Writer, places: Places, kernel: ir.Kernel, headers: set[str]) -> None:
        self.w, self.places, self.kernel, self.headers = writer, places, kernel, headers

    def store(self, stmt: ir.StoreTile, registers: str) -> None:
        if stmt.by_matrix:
            self._matrices(stmt, registers)
            return
        self.headers.add("fragment")
        r = self.places.own("r")
        self.w.line("#pragma unroll")
        with self.w.block(f"for (int {r} = 0; {r} < {held.register_count(stmt.acc)}; ++{r})"):
            if stmt.acc.packed:
                self._stored_pair(stmt, registers, r)
            else:
                self._stored(stmt, r, f"{registers}[{r}]")

    # --- by matrices -----------------------------------------------------------------------------

    def _matrices(self, stmt: ir.StoreTile, registers: str) -> None:
        """The statement's columns of the accumulator, sixteen at a time."""
        self.headers.add("stmatrix")
        tile, j = stmt.dest, self.places.own("j")
        shape = f"{tile.tensor.extents[0]}, {self.places.shared[tile.tensor.name].swizzle}"
        to = self.places.slot(tile.tensor, tile.slot)
        row, column = self.places.spell(tile.origin[0]), self.places.spell(add(tile.origin[1], Var(j)))
        start = f"({stmt.first} + {j})" if stmt.first else j
        values = ", ".join(self._pair(stmt, registers, start, number) for number in range(4))
        self.w.line("#pragma unroll")
        with self.w.block(f"for (int {j} = 0; {j} < {stmt.columns}; {j} += 16)"):
            self.w.line(f"store_matrix<{shape}>({to}, {row}, {column}, {values});")

    def _pair(self, stmt: ir.StoreTile, registers: str, start: str, number: int) -> str:
        """A register with two neighbours of the accumulator; `start` is their first column."""
        if stmt.acc.packed:
            return f"{registers}[{start} / 4 + {number}]"
        low, high = (f"{registers}[{start} / 2 + {2 * number + side}]" for side in (0, 1))
        return f"pack_{stmt.dest.tensor.elem}({low}, {high})"

    # --- by elements -----------------------------------------------------------------------------

    def _stored_pair(self, stmt: ir.StoreTile, registers: str, r: str) -> None:
        value = self.places.own("value")
        for half, bits in ((0, f"u16({registers}[{r}])"), (1, f"u16({registers}[{r}] >> 16)")):
            with self.w.block(""):
                self.w.line(f"const {stmt.acc.elem} {value} = of_bits<{stmt.acc.elem}>({bits});")
                self._stored(stmt, f"2 * {r} + {half}" if half else f"2 * {r}", value)

    def _stored(self, stmt: ir.StoreTile, number: str, value: str) -> None:
        m, n = (Var(place) for place in held.places(stmt.acc, number))
        index: tuple[Expr, ...] = (n, m) if stmt.transposed else (m, n)
        pairs = [(at, limit) for at, limits in ((m, stmt.row_limits), (n, stmt.column_limits)) for limit in limits]
        tests = [Op("<", pair, "bool") for pair in pairs]
        elem = type_word(stmt.dest.tensor.elem)
        have = type_word(stmt.acc.elem)
        if have != elem:
            value = f"{elem}({value})" if have == "float" or elem == "float" else f"{elem}(float({value}))"
        head = f"if ({' && '.join(self.places.spell(test, 4) for test in tests)}) " if tests else ""
        self.w.line(f"{head}{self.places.element(stmt.dest, index)} = {value};")
