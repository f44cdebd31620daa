"""Copies and stores of tiles as C++. Must not choose how they are made."""

from __future__ import annotations

from math import prod

from croqc.codegen.places import Places
from croqc.codegen.units import Team, first_of, rank_in
from croqc.codegen.words import type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import (
    ZERO,
    Expr,
    Lit,
    Op,
    Space,
    Tile,
    Var,
    add,
    divide,
    integer,
    modulo,
    multiply,
    product,
    subtract,
)
from croqc.pipe.tiles import bound


class Copies:
    def __init__(self, writer: Writer, places: Places, kernel: ir.Kernel) -> None:
        self.w, self.places, self.kernel = writer, places, kernel
        self.headers: set[str] = set()
        self.team = Team.whole(kernel.threads)

    def copy(self, stmt: ir.Copy) -> None:
        if stmt.mechanism is ir.Mechanism.TMA:
            self._tma(stmt)
        else:
            self._by_threads(stmt)

    # --- TMA -------------------------------------------------------------------------------------

    def _tma(self, stmt: ir.Copy) -> None:
        self.headers.add("tma")
        loads = stmt.dest.tensor.space is Space.SHARED
        issue = self._loads if loads else self._stores
        one = first_of(stmt.unit, self.team)
        if not one:
            issue(stmt)
            return
        with self.w.block(f"if ({one})"):
            issue(stmt)

    def _coordinates(self, outside: Tile, box: ir.Box) -> str:
        at = list(outside.origin)
        for dim, start in zip(outside.dims, box.at, strict=True):
            at[dim] = add(at[dim], Lit(start))
        return ", ".join(self.places.spell(value) for value in reversed(at))

    def _loads(self, stmt: ir.Copy) -> None:
        assert stmt.completes is not None
        barrier = self.barrier(stmt.completes)
        word = "tma_load"
        if stmt.multicast:
            self.headers.add("cluster")
            word = f"tma_multicast<{blocks_of(self.kernel)}>"
        for box in stmt.boxes:
            to, of = self.places.pointer(stmt.dest, box.at), map_name(self.kernel, box.map)
            self.w.line(f"{word}({to}, {of}, {barrier}, {self._coordinates(stmt.source, box)});")

    def _stores(self, stmt: ir.Copy) -> None:
        for box in stmt.boxes:
            source, of = self.places.pointer(stmt.source, box.at), map_name(self.kernel, box.map)
            self.w.line(f"tma_store({of}, {source}, {self._coordinates(stmt.dest, box)});")
        self.w.line("tma_store_commit();")

    def barrier(self, slot: ir.SlotRef) -> str:
        """A pointer to the mbarrier of a slot."""
        event = self.kernel.event(slot)
        at = modulo(slot.at, Lit(event.slots)) if slot.ordered else slot.at
        return event.name if event.slots == 1 or at == ZERO else f"{event.name} + {self.places.spell(at, 10)}"

    # --- threads ---------------------------------------------------------------------------------

    def _by_threads(self, stmt: ir.Copy) -> None:
        """Vectors of the destination, one thread after the other; a pad or transposition finds its source element."""
        size = stmt.dest.tensor.elem_bytes
        per = max(stmt.vector // size, 1)
        shape = list(stmt.dest.shape)
        shape[-1] = divide(shape[-1], Lit(per))
        rank, count = rank_in(stmt.unit, self.team)
        length = product(tuple(shape))
        v = self.places.own("v")
        with self.w.block(self._turns(v, rank, count, length)):
            index = self._unflattened(shape, per)
            self._element(stmt, index, per)
        if stmt.mechanism is ir.Mechanism.CP_ASYNC:
            self.headers.add("cp_async")
        if stmt.mechanism is ir.Mechanism.CP_ASYNC and stmt.completes is None:
            self.w.line("cp_async_commit();")

    def _turns(self, v: str, rank: str, count: int, length: Expr) -> str:
        """The head of a loop over the vectors of a thread; one that has at most one needs no loop."""
        below = f"{v} < {self.places.spell(length, 9)}"
        if (known := integer(length)) is not None and known <= count:
            return f"if (const int {v} = {rank}; {below})"
        return f"for (int {v} = {rank}; {below}; {f'{v} += {count}' if count > 1 else f'++{v}'})"

    def _unflattened(self, shape: list[Expr], per: int) -> list[Expr]:
        """The index of the v-th vector; its names are declared."""
        index: list[Expr] = []
        for dim in range(len(shape)):
            inner = product(tuple(shape[dim + 1 :]))
            value: Expr = divide(Var(self.places.own("v")), inner)
            if dim:
                value = modulo(value, shape[dim])
            if dim == len(shape) - 1:
                value = multiply(value, Lit(per))
            if isinstance(value, Var | Lit):
                index.append(value)
                continue
            name = self.places.own(f"i{dim}")
            self.w.line(f"const int {name} = {self.places.spell(value)};")
            index.append(Var(name))
        return index

    def _element(self, stmt: ir.Copy, index: list[Expr], per: int) -> None:
        source_index, inside = self._source_index(stmt, index)
        within = stmt.dest.shape if stmt.form is ir.Form.COPY else stmt.source.shape
        source_tests = [*inside, *self._tests(stmt.source, source_index, within)]
        dest_tests = self._tests(stmt.dest, index, stmt.dest.shape)
        to = self.places.element(stmt.dest, tuple(index))
        source = self.places.element(stmt.source, tuple(source_index))
        self._guarded(stmt, dest_tests, source_tests, to, source, per)

    def _tests(self, tile: Tile, index: list[Expr], extents: tuple[Expr, ...]) -> list[Expr]:
        """What an element's index must stay below for it to exist; `extents`: what it stays below anyhow."""
        pairs = zip(index, tile.valid, extents, strict=True)
        return [Op("<", (value, bound(limit, extent)), "bool") for value, limit, extent in pairs if limit is not None]

    def _source_index(self, stmt: ir.Copy, index: list[Expr]) -> tuple[list[Expr], list[Expr]]:
        """The element of the source, and what must hold for it to exist beside its bounds."""
        if stmt.form is ir.Form.TRANSPOSE:
            found: list[Expr] = [ZERO] * len(index)
            for dim, axis in enumerate(stmt.order):
                found[axis] = index[dim]
            return found, []
        if stmt.form is ir.Form.PAD:
            moved = [subtract(value, low) for value, low in zip(index, stmt.low, strict=True)]
            tests: list[Expr] = []
            for value, extent in zip(moved, stmt.source.shape, strict=True):
                tests += [Op(">=", (value, ZERO), "bool"), Op("<", (value, extent), "bool")]
            return moved, tests
        return list(index), []

    def _guarded(
        self, stmt: ir.Copy, dest_tests: list[Expr], source_tests: list[Expr], to: str, source: str, per: int
    ) -> None:
        fill = stmt.form is ir.Form.PAD or stmt.zero_fill
        if dest_tests or (source_tests and not fill):
            tests = dest_tests if fill else [*dest_tests, *source_tests]
            with self.w.block(f"if ({self._all(tests)})"):
                self._move(stmt, source_tests if fill else [], to, source, per)
            return
        self._move(stmt, source_tests if fill else [], to, source, per)

    def _move(self, stmt: ir.Copy, tests: list[Expr], to: str, source: str, per: int) -> None:
        elem = type_word(stmt.dest.tensor.elem)
        size = stmt.dest.tensor.elem_bytes
        if stmt.mechanism is ir.Mechanism.CP_ASYNC:
            there = "".join(f", {self._all(tests)}" for _ in tests[:1])
            self.w.line(f"cp_async<{per * size}>(&{to}, &{source}{there});")
            return
        if per > 1:
            word = {16: "uint4", 8: "uint2", 4: "u32", 2: "u16"}[per * size]
            to, source = f"*reinterpret_cast<{word}*>(&{to})", f"*reinterpret_cast<const {word}*>(&{source})"
            zero = f"{word}{{}}"
        else:
            zero = self.places.spell(stmt.value) if stmt.value is not None else "0"
            zero = f"{elem}({zero}{'.0f' if zero == '0' and elem.startswith(('f', 'bf')) else ''})"
        if tests:
            source = f"{self._all(tests)} ? {source} : {zero}"
        self.w.line(f"{to} = {source};")

    def _all(self, tests: list[Expr]) -> str:
        return " && ".join(self.places.spell(test, 4) for test in tests)


def map_name(kernel: ir.Kernel, number: int) -> str:
    """The parameter of a tensor map: the tensor's name, with a number where it has several."""
    tensor = kernel.maps[number].tensor.name
    same = [at for at, item in enumerate(kernel.maps) if item.tensor.name == tensor]
    return f"{tensor}_map" if len(same) == 1 else f"{tensor}_map_{same.index(number) + 1}"


def blocks_of(kernel: ir.Kernel) -> int:
    """How many blocks a cluster of the kernel has."""
    return prod(extent for _, extent in kernel.cluster)
