"""What an operand of a step means now: slots, or what a future or a name holds. Must not touch them: steps do."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.program import Op
from croqc.flow.regions import Operand
from croqc.flow.state import PathState, Place, Transfer
from croqc.flow.steps import Walk


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
