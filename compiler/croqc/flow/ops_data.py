"""Steps that touch buffers for a while: accesses and copies (credit-flow, section 3). Must not know futures' names.

Must not know events: a copy that named an event slot is left with the path until that slot's next trigger.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import Expr
from croqc.flow.neighbours import note_write
from croqc.flow.ops_events import EventRef
from croqc.flow.ops_futures import home, wait_handle
from croqc.flow.ops_multiplies import Accumulator
from croqc.flow.program import Loop
from croqc.flow.referents import resolve
from croqc.flow.regions import Extent, Operand
from croqc.flow.state import Access, PathState, Place, Transfer
from croqc.flow.steps import Step, Walk
from croqc.sema.model import Symbol
from croqc.text.span import Span


class Touch(Step):
    """Reads and writes that are over at the statement. `closes`: accumulators that it reads."""

    __slots__ = ("closes", "reads", "writes")

    def __init__(
        self, span: Span, reads: Sequence[Operand], writes: Sequence[Operand], loops: tuple[Loop, ...] = ()
    ) -> None:
        super().__init__(span, loops)
        self.reads = tuple(reads)
        self.writes = tuple(writes)
        self.closes: tuple[Accumulator, ...] = ()

    def exprs(self) -> Sequence[Expr]:
        return [expr for operand in (*self.reads, *self.writes) for expr in operand.exprs()]

    def step(self, machine: Walk, path: PathState) -> bool:
        for accumulator in self.closes:
            accumulator.close(machine, path, self)
        for operands, write in ((self.reads, False), (self.writes, True)):
            for operand in operands:
                found = resolve(machine, path, self, operand)
                if found is None:
                    continue
                machine.accesses.touch(path, self, found[0], found[1], write)
                if machine.record is not None:
                    machine.note(path, self, "write" if write else "read", operand=found[0], slots=found[1])
        path.touched = path.touched or bool(self.reads or self.writes)
        path.pc += 1
        return True


class Dest:
    """Where a copy writes: a part of a stage, what its handle names (`made`, if it names nothing yet), or nowhere
    that matters."""

    __slots__ = ("made", "operand")

    def __init__(self, operand: Operand | None = None) -> None:
        self.operand = operand
        self.made = False

    def exprs(self) -> Sequence[Expr]:
        return () if self.operand is None else self.operand.exprs()


class Copy(Step):
    """A copy. `handle` takes it (-1 for none); `event`: the slot that it names in the classic dialect; `follows`: a
    handle that it waits for. `even`: it moves the whole of both sides as they are;
    `short`: it leaves some of the destination as it was. `outlet`: the part of a global
    tensor that it writes, with the tensor's extents."""

    __slots__ = (
        "asynchronous", "blocks", "bytes", "dest", "even", "event", "follows", "handle", "meets", "origin", "outlet",
        "shared_out", "short", "source",
    )  # fmt: skip
    WORD = "copy"

    def __init__(self, span: Span, source: Operand | None, dest: Dest, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.source = source
        self.dest = dest
        self.handle = -1
        self.asynchronous = False
        self.event: EventRef | None = None
        self.follows = -1
        self.bytes: int | None = None
        self.origin: Symbol | None = None  # what is loaded, where that is no stage
        self.even = self.short = False
        self.shared_out = False  # into other blocks of the cluster, too
        self.blocks = 1  # in which it writes
        self.meets = False  # each block writes there, with data of its own
        self.outlet: tuple[tuple[Extent, Expr], ...] = ()

    def exprs(self) -> Sequence[Expr]:
        source = () if self.source is None else self.source.exprs()
        return [*source, *self.dest.exprs(), *(self.event.exprs() if self.event is not None else ())]

    def step(self, machine: Walk, path: PathState) -> bool:
        if self.follows >= 0:
            wait_handle(machine, path, self, self.follows)
        lasting = self.asynchronous or self.event is not None
        made: list[Access] = []
        read: Sequence[int] = ()
        if self.source is not None:
            found = resolve(machine, path, self, self.source)
            if found is not None:
                read = found[1]
                made += machine.accesses.touch(path, self, found[0], read, False, lasting)
        operand = None if self.dest.operand is None else self.dest.operand.chosen(path.env)
        held = path.handles.get(self.handle) if self.handle >= 0 else None
        slots: Sequence[int] = ()
        if operand is not None:
            kept = self._kept(machine, path, held) if self.dest.made else ()
            found = (operand, kept) if kept else resolve(machine, path, self, operand)
            slots = () if found is None else found[1]
            if self.blocks > 1:
                note_write(machine, path, operand, slots, self.span, self.meets)
            made += machine.accesses.touch(path, self, operand, slots, True, lasting)
        if machine.record is not None:
            machine.note(path, self, operand=operand or self.source, slots=slots, read=read)
        if self.handle >= 0 or self.event is not None:
            self._keep(machine, path, made, tuple(slots), held)
        path.touched = True
        path.pc += 1
        return True

    def _kept(self, machine: Walk, path: PathState, held: Transfer | None) -> tuple[int, ...]:
        """The slots that the handle's name stands for already."""
        return home(machine, path, self.handle) if held is None else held.slots

    def _keep(
        self, machine: Walk, path: PathState, made: list[Access], slots: tuple[int, ...], held: Transfer | None
    ) -> None:
        """The transfer goes to the handle, and to the event slot that it names."""
        transfer = Transfer(self, path.keep(), slots, self.asynchronous or self.event is not None)
        transfer.local = self.dest.operand is None
        transfer.accesses = made
        if not transfer.done:
            for access in made:
                access.transfer = transfer
        if self.event is not None:
            named, _ = self.event.slots(path)
            if not named:
                machine.fault("range", path.at(self), ref=self.event)
            for slot in named:
                path.tagged.setdefault(slot, []).append(transfer)
        elif self.asynchronous:
            path.flying.append(transfer)
        if self.handle >= 0:
            if held is not None and held.asynchronous and not held.done and held.bound is None and self.event is None:
                machine.fault("overwritten", path.at(self), Place(path.number, held.op, held.env), handle=self.handle)
                held.done = True
            path.handles[self.handle] = transfer
            machine.held.append((path.number, self.handle, transfer))
            path.stamp += 1
