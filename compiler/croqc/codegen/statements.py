"""Statements of the IR as C++, one handler a kind. Must not decide anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.codegen.control import CONTROL, Control
from croqc.codegen.copies import Copies
from croqc.codegen.delays import Delays
from croqc.codegen.events import Events
from croqc.codegen.multiplies import PRINTED, Multiplies
from croqc.codegen.places import Places
from croqc.codegen.probes import ProbeWords
from croqc.codegen.report import Sites
from croqc.codegen.stores import Stores
from croqc.codegen.units import Team, by_first, first_of, number_of
from croqc.codegen.visits import Visits
from croqc.codegen.words import OWN_MATHS, type_word
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Expr
from croqc.pipe.mentioned import functions_of
from croqc.pipe.walk import Body, statements
from croqc.sema.model import THREADS, Unit


class Statements(Control):
    """Prints the statements of one kernel."""

    def __init__(self, writer: Writer, kernel: ir.Kernel, sites: Sites | None = None, delays: bool = False) -> None:
        self.w, self.kernel, self.sites = writer, kernel, sites
        self.delays = Delays(writer, kernel, delays)
        self.places = Places(kernel)
        self.copies = Copies(writer, self.places, kernel)
        self.multiplies = Multiplies(writer, self.places, kernel, self.copies)
        self.headers = self.copies.headers
        self.stores = Stores(writer, self.places, kernel, self.headers)
        if OWN_MATHS.keys() & functions_of(kernel.body):
            self.headers.add("maths")
        self.over_blocks = any(_over_blocks(stmt) for stmt in statements(kernel.body))
        if self.over_blocks:
            self.headers |= {"cluster", "tma"}  # a tensor map is a type of the one, used in the other
        self.events = Events(writer, self.copies, kernel, sites)
        self.visits = Visits(writer, self.places, self.body)
        self.probes = None if kernel.probes is None else ProbeWords(kernel, kernel.probes)
        if self.probes is not None:
            self.headers |= {"clock", "probe"}

    def body(self, body: Body) -> None:
        for stmt in body:
            with self.w.at(stmt.span), self.delays.around(stmt):
                if type(stmt) in PRINTED:
                    self.multiplies.print(stmt)
                else:
                    _HANDLERS[type(stmt)](self, stmt)

    def spell(self, expr: Expr, binding: int = 0) -> str:
        return self.places.spell(expr, binding)

    # --- scalars and control ----------------------------------------------------------------------

    def write(self, stmt: ir.Write) -> None:
        self.w.line(f"{self.places.element(stmt.tile, stmt.index)} = {self.spell(stmt.value)};")

    def atomic(self, stmt: ir.Atomic) -> None:
        place = self.places.element(stmt.tile, stmt.index)
        word = {"exch": "Exch", "cas": "CAS"}.get(stmt.op, stmt.op.capitalize())
        values = ", ".join(self.spell(value) for value in (stmt.value, *stmt.more))
        wide = {"u64": "unsigned long long", "s64": "long long"}.get(stmt.tile.tensor.elem)
        target = f"reinterpret_cast<{wide}*>(&{place})" if wide else f"&{place}"
        elem = stmt.tile.tensor.elem
        if elem == "f16":
            self.headers.add("atomics")
        found = f"{'atomic_add_f16' if elem == 'f16' else f'atomic{word}'}({target}, {values})"
        self.w.line(f"const {type_word(elem)} {stmt.old} = {found};" if stmt.old else f"{found};")

    def loop(self, stmt: ir.Loop) -> None:
        if stmt.unroll is not None:
            self.w.line("#pragma unroll" + (f" {stmt.unroll}" if stmt.unroll else ""))
        super().loop(stmt)

    def role(self, stmt: ir.Role) -> None:
        self.w.line(f"// {stmt.path}")
        cond = self.spell(stmt.cond, 4)
        if stmt.registers is not None:
            self._role_with_registers(stmt, cond)
            return
        if stmt.elected:
            cond = f"{cond} && {first_of(stmt.unit, self.copies.team)}"
        around, self.copies.team = self.copies.team, self._team(stmt)
        with self.w.block(f"if ({cond})"):
            self.body(stmt.body)
        self.copies.team = around

    def _team(self, stmt: ir.Role) -> Team:
        if stmt.unit is not Unit.BLOCK:
            return self.copies.team
        return Team(self.kernel.threads, stmt.threads, stmt.first, stmt.barrier)

    def _role_with_registers(self, stmt: ir.Role, cond: str) -> None:
        """A warpgroup sets its registers together, also where one of its threads runs the role."""
        self.headers.add("registers")
        word = "give" if stmt.gives else "take"
        inside = first_of(stmt.unit, self.copies.team) if stmt.elected else ""
        if stmt.unit is not Unit.GROUP4:
            part = f"{cond} && {inside}" if inside else self.spell(stmt.cond)
            cond = self._is_warpgroup(stmt.groups[0])
            inside = part.removeprefix(f"{cond} && ")
        with self.w.block(f"if ({cond})"):
            self.w.line(f"{word}_registers<{stmt.registers}>();")
            if not inside:
                self.body(stmt.body)
                return
            with self.w.block(f"if ({inside})"):
                self.body(stmt.body)

    def _is_warpgroup(self, number: int) -> str:
        size = THREADS[Unit.GROUP4]
        names = (each.name for each in self.kernel.indices if each.unit == size == self.kernel.threads // each.bound)
        return f"{next(names, number_of(Unit.GROUP4))} == {number}"

    def call(self, stmt: ir.Call) -> None:
        self.w.line(f"{stmt.name}({', '.join(self.spell(arg) for arg in stmt.args)});")

    # --- events -----------------------------------------------------------------------------------

    def wait(self, stmt: ir.Wait) -> None:
        self.events.wait(stmt)

    def arrive(self, stmt: ir.Arrive) -> None:
        self.events.arrive(stmt)

    def expect(self, stmt: ir.Expect) -> None:
        self.events.expect(stmt)

    def sync(self, stmt: ir.Sync) -> None:
        self.events.sync(stmt)

    def probe(self, stmt: ir.Probe) -> None:
        assert self.probes is not None
        self.w.line(self.probes.before())
        self.body(stmt.body)
        self.w.line(self.probes.after(stmt.site, self.spell(stmt.slot), self.spell(stmt.turn)))

    # --- movement ---------------------------------------------------------------------------------

    def copy(self, stmt: ir.Copy) -> None:
        self.copies.copy(stmt)

    def await_(self, stmt: ir.Await) -> None:
        self.headers.add("cp_async")
        self.w.line(f"cp_async_wait<{stmt.keep}>();")

    def empty_group(self, stmt: ir.EmptyGroup) -> None:
        self.headers.add("cp_async")
        self.w.line("cp_async_commit();")

    def rotate(self, stmt: ir.Rotate) -> None:
        first, *rest = stmt.handles
        saved = self.places.own("first")
        with self.w.block(""):
            self.w.line(f"const int {saved} = {first};")
            for to, source in zip(stmt.handles, rest, strict=False):
                self.w.line(f"{to} = {source};")
            self.w.line(f"{stmt.handles[-1]} = {saved};")

    # --- register tiles ---------------------------------------------------------------------------

    def visit(self, stmt: ir.Visit) -> None:
        self.headers.add("fragment")
        self.visits.visit(stmt)

    def put(self, stmt: ir.Put) -> None:
        self.w.line(self.places.put(stmt.element, self.spell(stmt.value)))

    def reduce(self, stmt: ir.Reduce) -> None:
        self.headers.add("fragment")
        self.visits.reduce(stmt)

    def store(self, stmt: ir.StoreTile) -> None:
        self.stores.store(stmt, self.places.registers(stmt.acc, stmt.index))

    def await_launches(self, stmt: ir.AwaitLaunches) -> None:
        self.headers.add("griddepcontrol")
        self.w.line("griddepcontrol_wait();")

    def stores_read(self, stmt: ir.StoresRead) -> None:
        self.headers.add("tma")
        word = "tma_store_wait" if stmt.written else "tma_store_wait_read"
        self.w.line(by_first(stmt.unit, self.copies.team, f"{word}<{stmt.keep}>();"))


def _over_blocks(stmt: ir.Stmt) -> bool:
    """Whether a block of a cluster does something in the others."""
    if isinstance(stmt, ir.Copy):
        return stmt.multicast
    return isinstance(stmt, ir.Arrive | ir.Expect) and stmt.cluster


_HANDLERS: dict[type, Callable[[Statements, Any], None]] = {
    **CONTROL,
    ir.Write: Statements.write,
    ir.Atomic: Statements.atomic,
    ir.Loop: Statements.loop,
    ir.Role: Statements.role,
    ir.Call: Statements.call,
    ir.Wait: Statements.wait,
    ir.Arrive: Statements.arrive,
    ir.Expect: Statements.expect,
    ir.Sync: Statements.sync,
    ir.Probe: Statements.probe,
    ir.Copy: Statements.copy,
    ir.Await: Statements.await_,
    ir.EmptyGroup: Statements.empty_group,
    ir.Rotate: Statements.rotate,
    ir.Visit: Statements.visit,
    ir.Put: Statements.put,
    ir.Reduce: Statements.reduce,
    ir.StoreTile: Statements.store,
    ir.StoresRead: Statements.stores_read,
    ir.AwaitLaunches: Statements.await_launches,
}
