"""How accumulators leave their registers, as C++. Must not choose the way."""

from __future__ import annotations

from croqc.codegen.copies import first_of, map_name
from croqc.codegen.places import Places
from croqc.codegen.wgmma import register_count
from croqc.codegen.words import type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Lit, Op, Tensor, Var, add, integer
from croqc.sema.model import Unit

_WARPGROUP = ("fragment_row", "fragment_column")
_PANEL = 64  # columns of a tensor map's box


class Stores:
    def __init__(self, writer: Writer, places: Places, kernel: ir.Kernel, headers: set[str]) -> None:
        self.w, self.places, self.kernel, self.headers = writer, places, kernel, headers

    def store(self, stmt: ir.StoreTile, registers: str) -> None:
        if stmt.by_matrix:
            tile = stmt.dest
            row, column = (self.places.spell(value, 10) for value in tile.origin)
            to = self.places.slot(tile.tensor, tile.slot)
            self._matrices(stmt, registers, to, row, column, tile.tensor, stmt.acc.n, "0")
            return
        self.headers.add("fragment")
        r = self.places.own("r")
        self.w.line("#pragma unroll")
        with self.w.block(f"for (int {r} = 0; {r} < {register_count(stmt.acc)}; ++{r})"):
            if stmt.acc.elem == "f16":
                self._stored_pair(stmt, registers, r)
            else:
                self._stored(stmt, r, f"{registers}[{r}]")

    # --- by matrices -----------------------------------------------------------------------------

    def _matrices(
        self,
        stmt: ir.StoreTile | ir.StoreStaged,
        registers: str,
        to: str,
        row: str,
        column: str,
        tensor: Tensor,
        columns: int,
        first: str,
    ) -> None:
        """`columns` of the accumulator from column `first` on, sixteen at a time."""
        self.headers.add("stmatrix")
        swizzle = self.places.shared[tensor.name].swizzle
        self.w.line("#pragma unroll")
        j = self.places.own("j")
        with self.w.block(f"for (int {j} = 0; {j} < {columns}; {j} += 16)"):
            start = j if first == "0" else f"({first} + {j})"
            values = ", ".join(self._pair(stmt, registers, start, number) for number in range(4))
            where = j if column == "0" else f"{column} + {j}"
            self.w.line(f"store_matrix<{tensor.extents[0]}, {swizzle}>({to}, {row}, {where}, {values});")

    def _pair(self, stmt: ir.StoreTile | ir.StoreStaged, registers: str, start: str, number: int) -> str:
        """A register with two neighbours of the accumulator; `start` is their first column."""
        if stmt.acc.elem == "f16":
            return f"{registers}[{start} / 4 + {number}]"
        low, high = (f"{registers}[{start} / 2 + {2 * number + side}]" for side in (0, 1))
        return f"pack_{stmt.dest.tensor.elem}({low}, {high})"

    def staged(self, stmt: ir.StoreStaged, registers: str, groups: tuple[int, ...]) -> None:
        self.headers |= {"tma", "stmatrix"}
        group = "threadIdx.x / 128" if groups[0] == 0 else f"(threadIdx.x / 128 - {groups[0]})"
        slot = self.places.slot(stmt.stage, Var(group)) if stmt.stage.slots > 1 else stmt.stage.name
        one, c = first_of(Unit.GROUP4, self.kernel.threads), self.places.own("c")
        self.w.line("#pragma unroll")
        with self.w.block(f"for (int {c} = 0; {c} < {stmt.acc.n}; {c} += {stmt.columns})"):
            self.w.line(f"if ({one}) tma_store_wait_read();")
            self.w.line("bar_sync(1 + threadIdx.x / 128, 128);")
            self._matrices(stmt, registers, slot, "0", "0", stmt.stage, stmt.columns, c)
            self.w.line("fence_async_proxy();")
            self.w.line("bar_sync(1 + threadIdx.x / 128, 128);")
            with self.w.block(f"if ({one})"):
                self._transfers(stmt, slot, c)

    def _transfers(self, stmt: ir.StoreStaged, slot: str, column: str) -> None:
        row, start = self.places.spell(stmt.dest.origin[0]), add(stmt.dest.origin[1], Var(column))
        for panel in range(0, stmt.columns, _PANEL):
            source = f"{slot} + {panel // _PANEL * _PANEL * stmt.acc.m}" if panel else slot
            at = self.places.spell(add(start, Lit(panel)))
            self.w.line(f"tma_store({map_name(self.kernel, stmt.map)}, {source}, {at}, {row});")
        self.w.line("tma_store_commit();")

    # --- by elements -----------------------------------------------------------------------------

    def _stored_pair(self, stmt: ir.StoreTile, registers: str, r: str) -> None:
        value = self.places.own("value")
        for half, bits in ((0, f"u16({registers}[{r}])"), (1, f"u16({registers}[{r}] >> 16)")):
            with self.w.block(""):
                self.w.line(f"f16 {value};")
                self.w.line(f"{value}.bits = {bits};")
                self._stored(stmt, f"2 * {r} + {half}" if half else f"2 * {r}", value)

    def _stored(self, stmt: ir.StoreTile, number: str, value: str) -> None:
        warp = stmt.acc.unit is Unit.GROUP
        row, column = (f"warp_row<{stmt.acc.n}>", f"warp_column<{stmt.acc.n}>") if warp else _WARPGROUP
        m, n = Var(f"{row}({number})"), Var(f"{column}({number})")
        index: tuple[Expr, ...] = (n, m) if stmt.transposed else (m, n)
        tests = [Op("<", (at, limit), "bool") for at, limit in zip((m, n), stmt.limits, strict=False)]
        for at, limit, extent in zip(index, stmt.dest.valid, stmt.dest.shape, strict=True):
            size = stmt.acc.m if at is m else stmt.acc.n
            if limit is not None:
                tests.append(Op("<", (at, limit), "bool"))
            elif (known := integer(extent)) is None or known < size:
                tests.append(Op("<", (at, extent), "bool"))
        elem = type_word(stmt.dest.tensor.elem)
        have = type_word(stmt.acc.elem)
        if have != elem:
            value = f"{elem}({value})" if have == "float" or elem == "float" else f"{elem}(float({value}))"
        head = f"if ({' && '.join(self.places.spell(test, 4) for test in tests)}) " if tests else ""
        self.w.line(f"{head}{self.places.element(stmt.dest, index)} = {value};")
