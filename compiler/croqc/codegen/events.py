"""Waits, arrivals and barriers as C++. Must not decide anything.

A wait that is reported (`report`) says where it stands, in which slot and generation.
"""

from __future__ import annotations

from croqc.codegen.copies import Copies, blocks_of
from croqc.codegen.report import Sites, counter, report_name
from croqc.codegen.units import by_first, meeting, rank_in
from croqc.codegen.writer import Writer
from croqc.pipe import ir
from croqc.pipe.exprs import Lit, divide
from croqc.pipe.walk import statements
from croqc.sema.model import Unit


class Events:
    """Prints those of one kernel; `copies` knows who runs the place."""

    def __init__(self, writer: Writer, copies: Copies, kernel: ir.Kernel, sites: Sites | None) -> None:
        self.w, self.copies, self.kernel, self.sites = writer, copies, kernel, sites
        self.places, self.headers = copies.places, copies.headers
        given = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive | ir.Expect)]
        self.expecting = {stmt.slot.event for stmt in given if stmt.bytes}

    def wait(self, stmt: ir.Wait) -> None:
        barrier = self.copies.barrier(stmt.slot)
        if stmt.phase is None:
            slots = self.kernel.event(stmt.slot).slots
            self._wait(stmt, barrier, f"{self.places.spell(divide(stmt.slot.at, Lit(slots)), 10)} & 1")
            return
        slot = self.places.spell(stmt.slot.at, 10)
        if self.kernel.event(stmt.slot).slots == 1:
            self._wait(stmt, barrier, stmt.phase)
            self.w.line(f"{stmt.phase} ^= 1;")
            return
        self._wait(stmt, barrier, f"{stmt.phase} >> {slot} & 1")
        self.w.line(f"{stmt.phase} ^= 1{'ull' if self.kernel.event(stmt.slot).slots > 32 else 'u'} << {slot};")

    def _wait(self, stmt: ir.Wait, barrier: str, parity: str) -> None:
        """Where waits are reported, with what the record says: site, slot, and which generation it is for the path."""
        scope = "<true>" if stmt.cluster else ""
        if self.sites is None:
            self.w.line(f"mbarrier_wait{scope}({barrier}, {parity});")
            return
        event = self.kernel.event(stmt.slot)
        number = self.sites.add(event, stmt.span)
        slot = self.places.spell(stmt.slot.at, 10)
        generation = f"{counter(self.kernel, event)}[{slot}]"
        if stmt.slot.ordered:
            generation = self.places.spell(divide(stmt.slot.at, Lit(event.slots)))
            slot = f"{slot} % {event.slots}"
        report = report_name(self.kernel)
        self.w.line(f"mbarrier_wait_reported{scope}({barrier}, {parity}, {report}, {number}, {slot}, {generation});")
        if not stmt.slot.ordered:
            self.w.line(f"++{generation};")

    def arrive(self, stmt: ir.Arrive) -> None:
        self._fence(stmt)
        if stmt.meets:
            self._meet(stmt.unit)
        barrier = self.copies.barrier(stmt.slot)
        if stmt.by_threads:
            self.headers.add("cp_async")
            self.w.line(f"cp_async_arrive({barrier});")
            return
        if stmt.cluster:
            self.headers.add("cluster")
            if stmt.bytes:
                self.w.line(by_first(stmt.unit, self.copies.team, f"mbarrier_expect({barrier}, {stmt.bytes});"))
            self.w.line(self._in_every_block(stmt, barrier))
            return
        arrival = f"mbarrier_arrive_expect({barrier}, {stmt.bytes})" if stmt.bytes else f"mbarrier_arrive({barrier})"
        self.w.line(by_first(stmt.unit, self.copies.team, f"{arrival};"))

    def _in_every_block(self, stmt: ir.Arrive, barrier: str) -> str:
        """An arrival in each block of the cluster, by a lane each where the unit has as many.

        Where bytes are expected, by the thread that expects them: nothing orders its message to another block and
        another lane's, and a generation that lacks the bytes would be complete.
        """
        blocks = blocks_of(self.kernel)
        rank, lanes = rank_in(stmt.unit, self.copies.team)
        if blocks > lanes or stmt.slot.event in self.expecting:
            orders = ", false" if stmt.signals else ""
            arrival = f"mbarrier_arrive_cluster<{blocks}{orders}>({barrier});"
            return by_first(stmt.unit, self.copies.team, arrival)
        orders = "<false>" if stmt.signals else ""
        return f"if ({rank} < {blocks}) mbarrier_arrive_block{orders}({barrier}, {rank});"

    def expect(self, stmt: ir.Expect) -> None:
        word = "mbarrier_expect"
        if stmt.cluster:
            self.headers.add("cluster")
            word = f"mbarrier_expect_cluster<{blocks_of(self.kernel)}>"
        barrier = self.copies.barrier(stmt.slot)
        self.w.line(by_first(stmt.unit, self.copies.team, f"{word}({barrier}, {stmt.bytes});"))

    def sync(self, stmt: ir.Sync) -> None:
        self._fence(stmt)
        self._meet(stmt.unit)

    def _fence(self, stmt: ir.Arrive | ir.Sync) -> None:
        if stmt.publishes_global:
            self.w.line("fence_async_proxy_all();")
        elif stmt.publishes:
            self.w.line("fence_async_proxy();")

    def _meet(self, unit: Unit) -> None:
        barrier = meeting(unit, self.copies.team, self.kernel.first_barrier)
        if barrier:
            self.w.line(barrier)
