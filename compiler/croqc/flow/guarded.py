"""Reads behind a condition on sizes alone, run as if it held for all of them: it chooses none (credit-flow, section 5).

That no read conflicts with anything says the same of fewer reads, and a read lets nobody on. A run in which such a
read makes a difference says nothing of the kernel: then the condition has to be asked. Must not choose sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from croqc.flow.coverage import coverage_of
from croqc.flow.exprs import Expr
from croqc.flow.machine import Machine
from croqc.flow.ops_data import Touch
from croqc.flow.program import Op, Program
from croqc.flow.regions import Operand
from croqc.flow.state import PathState
from croqc.flow.steps import Walk


class Guarded(Touch):
    """Accesses that may not happen. `either`: if not these, then others in their stead."""

    __slots__ = ("either",)
    ASKED = False

    def __init__(self, op: Touch, either: bool) -> None:
        super().__init__(op.span, op.reads, op.writes, op.loops)
        self.either = either

    @classmethod
    def of(cls, op: Touch, either: bool) -> Guarded:
        found = cls(op, either)
        found.role, found.top, found.only, found.guards = op.role, op.top, op.only, op.guards
        found.together, found.maybe = op.together, op.maybe
        return found

    def step(self, machine: Walk, path: PathState) -> bool:
        bare = not path.touched and not self.either  # triggers behind it count as steady ones if it happens
        if bare and machine.program.events:
            machine.fault("guarded", path.at(self))
        return super().step(machine, path)


def surely_touches(ops: Iterable[Op]) -> bool:
    """Whether some of them happen in any case."""
    touches = (op for op in ops if isinstance(op, Touch))
    return any(op.either if isinstance(op, Guarded) else op.reads or op.writes for op in touches)


def is_loosened(condition: Expr, body: Sequence[Op], program: Program, parts: bool) -> bool:
    """Whether a condition that needs sizes guards nothing but reads of stages; or one that `parts` threads, of which
    `guards` tell, nothing but accesses."""
    if not parts and condition.variables().isdisjoint(size.var for size in program.sizes):
        return False
    return all(_only_touches(op, parts) for op in body)


def _only_touches(op: Op, writes: bool) -> bool:
    if not isinstance(op, Touch) or op.closes or (op.writes and not writes):
        return False
    return all(map(_is_plain, (*op.reads, *op.writes)))


def _is_plain(operand: Operand) -> bool:
    """A part of a stage, named as such."""
    return operand.stage is not None and operand.choice is None and operand.handle < 0 and operand.alias < 0


def is_loose(program: Program) -> bool:
    """Whether some condition is not asked."""
    return any(isinstance(op, Guarded) for op in program.ops)


def makes_a_difference(machine: Machine) -> bool:
    """Whether a run may have come out otherwise without its guarded reads."""
    if machine.undecided is not None or machine.accesses.unclear is not None:
        return True
    for fault in machine.faults.values():
        if isinstance(fault.at.op, Guarded) or (fault.other is not None and isinstance(fault.other.op, Guarded)):
            return True
    coverage = coverage_of(machine)
    unsaid = coverage.unsaid()
    if unsaid is not None and isinstance(unsaid.read.op, Guarded):
        return True
    return any(isinstance(gap.access.op, Guarded) for gap in coverage.gaps())
