"""What a path knows of the other blocks of its cluster: enough for what it gives them? Must not move a path.

All blocks do alike (see `clusters`), so that each path has its like in every other block. Behind the components of a
clock that tell of the own block stand as many that tell of any other one. They grow by events that all blocks give
alone. An arrival in another block must come behind that block's generation before, a copy into it behind whatever is
done there with the slot: else the blocks are not held together, and the one that is run does not speak for the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from croqc.flow.program import Program
from croqc.flow.regions import Operand, overlap
from croqc.flow.state import Access, Clock, EventSlot, PathState
from croqc.flow.steps import Walk
from croqc.text.span import Span

_ARRIVES: Final = (
    "nothing holds the blocks of the cluster together here: a block can arrive in another one before that one has "
    "completed the generation before"
)
_WRITES: Final = (
    "nothing holds the blocks of the cluster together here: a block can write into another one before that one has "
    "given the slot back"
)
_MEETS: Final = "every block of the cluster writes this part in all of them, each with data of its own"


def told_to_all(machine: Walk, clock: Clock) -> Clock:
    """What who waits for an arrival of every block knows, in each of them: what the giving path knows of its own block
    is known of the block itself by its own arrival, of the others by theirs."""
    own = machine.own
    known = list(map(max, clock[:own], clock[own:]))
    return known + known


def note_arrival(machine: Walk, path: PathState, slot: EventSlot, span: Span) -> None:
    """Before an arrival in all blocks: whether the generation before is complete in the other ones, too."""
    of_others = path.clock[machine.own :]
    known = all(of_others[number] >= epoch for number, epoch in slot.before)
    if slot.before and slot.landed:  # its bytes come later than its arrivals
        known = known and of_others[slot.component] >= slot.landed
    if not known:
        _doubt(machine, span, _ARRIVES)


def note_write(machine: Walk, path: PathState, operand: Operand, slots: Iterable[int], span: Span, meets: bool) -> None:
    """Before a copy into all blocks: whether what was done with the slots is over in the other ones, too. Of what goes
    on in the own block the usual comparison tells. `meets`: as of a `Copy`."""
    if meets:
        _doubt(machine, span, _MEETS)
    own, clock = machine.own, path.clock
    for slot in slots:
        for other in machine.accesses.live.get(slot, ()):
            known = clock[own + other.index] >= other.end
            if not known and other.over(clock) and _may_meet(machine, path, operand, other):
                _doubt(machine, span, _WRITES)
                return


def _may_meet(machine: Walk, path: PathState, operand: Operand, other: Access) -> bool:
    """Whether a part that a block writes in another one may be a part that is touched there."""
    if any(_follows_rank(machine.program, each) for each in (operand, other.operand)):
        return True
    over = machine.accesses.over
    return overlap(operand, path.env, over(path.number), other.operand, other.env, over(other.path)) is not False


def _follows_rank(program: Program, operand: Operand) -> bool:
    bounds = [expr for each in operand.extents() for expr in (each.low, each.length) if expr is not None]
    return any(program.ranks & expr.variables() for expr in (*operand.exprs(), *bounds))


def _doubt(machine: Walk, span: Span, reason: str) -> None:
    machine.accesses.unclear = machine.accesses.unclear or (span, reason)
