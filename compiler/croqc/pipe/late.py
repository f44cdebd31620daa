"""Whether a thread may come too late to a generation because another one has already told others that it passed.

All threads of a path poll the mbarrier that it waits at; one of them arrives for all. If it does so before the others
have looked, the path's partners may complete the next generation, and a late thread waits for a parity that has gone by
(PTX ISA, mbarrier, phases): the elected arrival must come after all lanes (reference, 7.3). A forward analysis of the
IR; must not decide where threads meet for other reasons.

A multiply of wgmma is complete only when all four warps have issued it, and one of mma.sync holds up its warp: what a
path waited for in front of it all of its threads have passed. That holds of groups that stay in flight too, for the
slot that their multiplies read is given back a turn later.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.exprs import integer
from croqc.pipe.walk import Body
from croqc.sema.model import THREADS, Unit
from croqc.text.record import record, replace

_WARPGROUP = THREADS[Unit.GROUP4]
_WARP = THREADS[Unit.GROUP]


@record
class Polled:
    """An event that threads of some warpgroups (None: of all) have waited for, how many of them that belong together
    have met since, and whether they have multiplied."""

    event: str
    groups: tuple[int, ...] | None
    met: int = 1
    multiplied: bool = False


@record
class State:
    """What may have been polled. `groups`: the warpgroups that run the place, None: all; `alone`: one thread does."""

    polled: frozenset[Polled] = frozenset()
    groups: tuple[int, ...] | None = None
    alone: bool = False


class Late:
    """Answers for one kernel."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.threads = kernel.threads
        self.own = {event.name for event in kernel.events if event.own}
        self.flow = Dataflow[State | None](self._behind, _either, None, _entered, _left)

    def told_too_early(self, body: Body) -> Iterator[ir.Stmt]:
        """The statements by which one thread tells others that its unit has come so far, and some may not have."""
        return (stmt for stmt, state in self.flow.fronts(body, State()) if self._tells_too_early(stmt, state))

    def met(self, body: Body) -> Body:
        """The statements, with a barrier in front of each of these."""
        return self.flow.changed(body, State(), self._met)

    def _tells_too_early(self, stmt: ir.Stmt, state: State | None) -> bool:
        match stmt:
            case ir.Arrive(by_threads=False, meets=False, slot=slot):
                return self._misses(slot.event, _teller(stmt), state)
            case ir.Copy(multicast=True, completes=ir.SlotRef(event=event)):  # its bytes tell other blocks
                return self._misses(event, _teller(stmt), state)
            case ir.ArriveCommitted(slot=slot) | ir.Complete(slot=slot):
                return self._misses(slot.event, _teller(stmt), state)
        return False

    def _misses(self, told: str, unit: Unit, state: State | None) -> bool:
        """Nothing but an arrival on a barrier of the path's own completes its next generation."""
        return state is not None and any(
            each.met < self._size(unit)
            and _overlap(each.groups, state.groups)
            and (each.event == told or not {each.event, told} & self.own)
            for each in state.polled
        )

    def _met(self, stmt: ir.Stmt, following: Body, state: State | None) -> Body:
        if not self._tells_too_early(stmt, state):
            return (stmt,)
        return (
            (replace(stmt, meets=True),) if isinstance(stmt, ir.Arrive) else (ir.Sync(stmt.span, _teller(stmt)), stmt)
        )

    def _behind(self, stmt: ir.Stmt, following: Body, state: State | None) -> State | None:
        if state is None:
            return None
        if self._tells_too_early(stmt, state):  # they meet
            state = _together(state, self._size(_teller(stmt)))
        match stmt:
            case ir.Wait(slot=slot) | ir.Complete(slot=slot) if not state.alone:
                return replace(state, polled=state.polled | {Polled(slot.event, state.groups)})
            case ir.Sync(unit=unit) | ir.Arrive(meets=True, unit=unit):
                return _together(state, self._size(unit))
            case ir.Call(name="bar_sync", args=(_, count)):
                return _together(state, integer(count) or 1)
            case ir.Multiply(instruction=ir.Instruction.WGMMA):
                return replace(state, polled=frozenset(replace(each, multiplied=True) for each in state.polled))
            case ir.Multiply() if not stmt.instruction.is_async:
                return _together(state, _WARP)
            case ir.Commit():
                multiplied = frozenset(each for each in state.polled if each.multiplied)
                return replace(state, polled=(state.polled - multiplied) | _with(multiplied, _WARPGROUP))
        return state

    def _size(self, unit: Unit) -> int:
        return THREADS.get(unit, self.threads)


def _teller(stmt: ir.Stmt) -> Unit:
    """The unit that a thread tells of."""
    return stmt.unit if isinstance(stmt, ir.Arrive | ir.Copy) else Unit.GROUP4


def _together(state: State, threads: int) -> State:
    return replace(state, polled=_with(state.polled, threads))


def _with(polled: frozenset[Polled], threads: int) -> frozenset[Polled]:
    return frozenset(replace(each, met=max(each.met, threads)) for each in polled)


def _entered(role: ir.Role, state: State | None) -> State | None:
    return None if state is None else replace(state, groups=role.groups, alone=role.elected or state.alone)


def _left(state: State | None, front: State | None) -> State | None:
    return None if state is None or front is None else replace(front, polled=state.polled)


def _either(one: State | None, other: State | None) -> State | None:
    if one is None or other is None:
        return other if one is None else one
    return replace(one, polled=one.polled | other.polled)


def _overlap(one: tuple[int, ...] | None, other: tuple[int, ...] | None) -> bool:
    return one is None or other is None or not set(one).isdisjoint(other)
