"""Steps that touch buffers: accesses, copies, multiplies (credit-flow, section 3). Must not know futures' names.

Must not know events: a copy that named an event slot is left with the path until that slot's next trigger.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import Expr, closure
from croqc.flow.ops_events import EventRef
from croqc.flow.program import Loop, Op
from croqc.flow.regions import Extent, Operand
from croqc.flow.state import Access, Alias, Issued, PathState, Place, Transfer
from croqc.flow.steps import Step, Walk
from croqc.sema.model import Symbol
from croqc.text.span import Span


def resolve(machine: Walk, path: PathState, op: Op, operand: Operand) -> tuple[Operand, Sequence[int]] | None:
    """The slots that a reference means now; None where it means nothing (noted, if that is a fault)."""
    if operand.alias >= 0:
        return _named(machine, path, op, operand)
    chosen = operand.chosen(path.env)
    if chosen is None:
        return None
    operand = chosen
    if operand.handle >= 0:
        transfer = read_handle(machine, path, op, operand)
        return None if transfer is None or transfer.local else (operand, transfer.slots)
    slots = operand.slots(path.env)
    if slots is None:
        machine.fault("range", path.at(op), operand=operand)
        return None
    return operand, slots


def _named(machine: Walk, path: PathState, op: Op, operand: Operand) -> tuple[Operand, Sequence[int]] | None:
    """The tile that a name stands for: it is read now, not where it got its name."""
    alias = path.aliases.get(operand.alias)
    if alias is None:
        return None
    found, transfer = operand.standing_for(alias.operand), alias.transfer
    if transfer is None or transfer.landed(path.clock):
        return found, alias.slots
    place = Place(path.number, transfer.op, transfer.env)
    named = (operand.name, alias.op.span)
    machine.fault("early-read", path.at(op), place, transfer=transfer, operand=found, named=named)
    return None


def read_handle(machine: Walk, path: PathState, op: Op, operand: Operand) -> Transfer | None:
    """What the handle holds, for reading its data."""
    transfer = path.handles.get(operand.handle)
    if transfer is not None and not transfer.landed(path.clock):
        place = Place(path.number, transfer.op, transfer.env)
        machine.fault("early-read", path.at(op), place, transfer=transfer, operand=operand)
        return None
    return name_handle(machine, path, op, operand)


def name_handle(machine: Walk, path: PathState, op: Op, operand: Operand) -> Transfer | None:
    """What the handle holds, whether it is there yet or not: which tile is meant is settled here."""
    transfer = path.handles.get(operand.handle)
    if transfer is None:
        machine.fault("empty-handle", path.at(op), handle=operand.handle, operand=operand)
        return None
    if transfer.stamp != path.stamp or transfer.loops is not op.loops:
        transfer.stamp, transfer.loops = path.stamp, op.loops
        transfer.reads += 1
        if transfer.reads == 2:
            transfer.again = (op, path.keep(), operand)
    return transfer


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
    handle that it waits for. `even`: it moves the whole of both sides as they are. `outlet`: the part of a global
    tensor that it writes, with the tensor's extents."""

    __slots__ = (
        "asynchronous", "bytes", "dest", "even", "event", "follows", "handle", "origin", "outlet", "shared_out",
        "source",
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
        self.even = False
        self.shared_out = False  # into other blocks of the cluster, too
        self.outlet: tuple[tuple[Extent, Expr], ...] = ()

    def exprs(self) -> Sequence[Expr]:
        source = () if self.source is None else self.source.exprs()
        return [*source, *self.dest.exprs(), *(self.event.exprs() if self.event is not None else ())]

    def step(self, machine: Walk, path: PathState) -> bool:
        if self.follows >= 0:
            wait_handle(machine, path, self, self.follows)
        lasting = self.asynchronous or self.event is not None
        made: list[Access] = []
        if self.source is not None:
            found = resolve(machine, path, self, self.source)
            if found is not None:
                made += machine.accesses.touch(path, self, found[0], found[1], False, lasting)
        operand = None if self.dest.operand is None else self.dest.operand.chosen(path.env)
        held = path.handles.get(self.handle) if self.handle >= 0 else None
        slots: Sequence[int] = ()
        if operand is not None:
            kept = held.slots if self.dest.made and held is not None else ()
            found = (operand, kept) if kept else resolve(machine, path, self, operand)
            slots = () if found is None else found[1]
            made += machine.accesses.touch(path, self, operand, slots, True, lasting)
        if machine.record is not None:
            machine.note(path, self, operand=operand or self.source, slots=slots)
        if self.handle >= 0 or self.event is not None:
            self._keep(machine, path, made, tuple(slots), held)
        path.touched = True
        path.pc += 1
        return True

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


def wait_handle(machine: Walk, path: PathState, op: Op, handle: int) -> None:
    """Waiting for what a handle holds; a synchronous copy is complete."""
    transfer = path.handles.get(handle)
    if transfer is None:
        machine.fault("empty-handle", path.at(op), handle=handle)
    elif transfer.asynchronous:
        if transfer.done or transfer.bound is not None:
            place = Place(path.number, transfer.op, transfer.env)
            machine.fault("twice", path.at(op), place, handle=handle, bound=transfer.bound is not None)
        if transfer.multiply:
            _end_up_to(machine, path, transfer)
        elif transfer.bound is None:
            machine.accesses.end(path, transfer.accesses)
        transfer.done = True


def _end_up_to(machine: Walk, path: PathState, transfer: Transfer) -> None:
    """Multiplies end in the order of their issue (PTX ISA, wgmma.wait_group): a wait for one ends all older ones."""
    places = [place for place, each in enumerate(path.uncommitted) if each.transfer is transfer]
    if places:  # else something has ended it before
        _end_first(machine, path, places[-1] + 1)


def _end_first(machine: Walk, path: PathState, count: int) -> None:
    ended = [each.access for each in path.uncommitted[:count] if each.access is not None]
    machine.accesses.end(path, ended)
    del path.uncommitted[:count]


class WaitFuture(Step):
    __slots__ = ("handle",)
    WORD = "wait-future"

    def __init__(self, span: Span, handle: int, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.handle = handle

    def step(self, machine: Walk, path: PathState) -> bool:
        wait_handle(machine, path, self, self.handle)
        path.touched = True
        machine.note(path, self)
        path.pc += 1
        return True


class Rotate(Step):
    """`swap` and `rotate`: each handle gets what the next one held. Without a second name: an empty placeholder."""

    __slots__ = ("handles",)
    WORD = "swap"

    def __init__(self, span: Span, handles: tuple[int, ...], loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.handles = handles

    def step(self, machine: Walk, path: PathState) -> bool:
        if len(self.handles) == 1:
            path.handles[self.handles[0]] = None
        else:
            held = [path.handles.get(handle) for handle in self.handles]
            for handle, transfer in zip(self.handles, [*held[1:], held[0]], strict=True):
                path.handles[handle] = transfer
            path.stamp += 1
            machine.note(path, self)
        path.pc += 1
        return True


class Accumulator:
    """An accumulator as a statement names it: its number, and the subscripts of an array of them."""

    __slots__ = ("codes", "index", "number")

    def __init__(self, number: int, index: tuple[Expr, ...]) -> None:
        self.number = number
        self.index = index
        self.codes = tuple(closure(each) for each in index)

    def key(self, path: PathState) -> tuple[int, ...]:
        if not self.index:
            return (self.number,)
        return (self.number, *(code(path.env) + 0 for code in self.codes))

    def close(self, machine: Walk, path: PathState, op: Op) -> None:
        """It is read: the multiplies into it end, or are still running though nobody waited for them."""
        if not path.uncommitted:
            return
        key = self.key(path)
        own = [each for each in path.uncommitted if each.accumulator == key]
        machine.accesses.end(path, [each.access for each in own if each.access is not None and each.transfer is None])
        path.uncommitted = [each for each in path.uncommitted if each.accumulator != key]
        for each in own:
            transfer = each.transfer
            if transfer is not None and not transfer.done:
                place = Place(path.number, transfer.op, transfer.env)
                machine.fault("early-read", path.at(op), place, transfer=transfer)
                transfer.done = True


class Multiply(Step):
    """`ends`: its operands are read when it is over; else at a commit, a read of the accumulator or its wait."""

    __slots__ = ("accumulator", "ends", "handle", "operands")
    WORD = "multiply"

    def __init__(
        self, span: Span, accumulator: Accumulator, operands: Sequence[Operand], ends: bool, loops: tuple[Loop, ...]
    ) -> None:
        super().__init__(span, loops)
        self.accumulator = accumulator
        self.operands = tuple(operands)
        self.ends = ends
        self.handle = -1

    def exprs(self) -> Sequence[Expr]:
        return [expr for operand in self.operands for expr in operand.exprs()]

    def step(self, machine: Walk, path: PathState) -> bool:
        lasting = not self.ends
        made: list[Access] = []
        for operand in self.operands:
            found = resolve(machine, path, self, operand)
            if found is not None:
                made += machine.accesses.touch(path, self, found[0], found[1], False, lasting)
                if machine.record is not None:
                    machine.note(path, self, operand=found[0], slots=found[1])
        transfer = self._fly(machine, path, made) if self.handle >= 0 else None
        if lasting:
            key = self.accumulator.key(path)
            path.uncommitted += [Issued(key, access, transfer) for access in made]
            if transfer is not None and not made:
                path.uncommitted.append(Issued(key, None, transfer))
        path.touched = path.touched or bool(made)
        path.pc += 1
        return True

    def _fly(self, machine: Walk, path: PathState, made: list[Access]) -> Transfer:
        transfer = Transfer(self, path.keep(), (), True)
        transfer.multiply = transfer.local = True
        transfer.accesses = made
        for access in made:
            access.transfer = transfer
        held = path.handles.get(self.handle)
        if held is not None and not held.done:
            machine.fault("overwritten", path.at(self), Place(path.number, held.op, held.env), handle=self.handle)
            held.done = True
        path.handles[self.handle] = transfer
        path.flying.append(transfer)
        return transfer


class Commit(Step):
    """All multiplies of the path have read their operands."""

    __slots__ = ()
    WORD = "commit"

    def step(self, machine: Walk, path: PathState) -> bool:
        _end_first(machine, path, len(path.uncommitted))
        if machine.record is not None:
            machine.note(path, self)
        path.pc += 1
        return True


class Name(Step):
    """`mma.load` of a shared tile: the operand is a name for the tile. Nothing is read: a multiply does that."""

    __slots__ = ("alias", "operand")

    def __init__(self, span: Span, alias: int, operand: Operand, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.alias = alias
        self.operand = operand

    def exprs(self) -> Sequence[Expr]:
        return self.operand.exprs()

    def step(self, machine: Walk, path: PathState) -> bool:
        alias = self._means(machine, path)
        if alias is not None:
            path.aliases[self.alias] = alias
        else:
            path.aliases.pop(self.alias, None)
        path.pc += 1
        return True

    def _means(self, machine: Walk, path: PathState) -> Alias | None:
        operand = self.operand.chosen(path.env)
        if operand is None:
            return None
        if operand.handle < 0:
            found = resolve(machine, path, self, operand)
            return None if found is None else Alias(self, found[0], tuple(found[1]), None)
        transfer = name_handle(machine, path, self, operand)
        return None if transfer is None or transfer.local else Alias(self, operand, transfer.slots, transfer)
