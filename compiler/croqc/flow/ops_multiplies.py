"""Multiplies, their commit, and names of their operands (credit-flow, section 3). Must not copy.

Multiplies end in the order of their issue (PTX ISA, wgmma.wait_group).
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import Expr, closure
from croqc.flow.program import Loop, Op
from croqc.flow.referents import name_handle, resolve
from croqc.flow.regions import Operand
from croqc.flow.state import Access, Alias, Issued, PathState, Place, Transfer
from croqc.flow.steps import Step, Walk
from croqc.text.span import Span


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


def end_up_to(machine: Walk, path: PathState, transfer: Transfer) -> None:
    """A wait for a multiply ends all older ones, too."""
    places = [place for place, each in enumerate(path.uncommitted) if each.transfer is transfer]
    if places:  # else something has ended it before
        _end_first(machine, path, places[-1] + 1)


def _end_first(machine: Walk, path: PathState, count: int) -> None:
    ended = [each.access for each in path.uncommitted[:count] if each.access is not None]
    machine.accesses.end(path, ended)
    del path.uncommitted[:count]
