"""Pass barriers: barriers of units and proxy fences, where they are needed and only there (reference, 5.3, 5.5, 6.6).

- A synchronous copy that several threads make stands between two barriers of its unit; the first is spared where no
  thread has touched shared memory since the last barrier.
- Before a TMA transfer takes what threads wrote with ordinary instructions, each of them fences (generic to async
  proxy) and the unit meets.
- So it is where TMA loads, or stores over, what the kernel itself has written to global memory (`crossing`).
- An arrival after ordinary accesses stands for the whole path: its threads meet first. After multiplies none is
  needed: their completion is the warpgroup's.
- So does one after a wait that not all threads of the path have passed for certain (`late`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from croqc.pipe import ir
from croqc.pipe.between import passed_between
from croqc.pipe.crossing import Crossing
from croqc.pipe.env import Env
from croqc.pipe.exprs import Space
from croqc.pipe.late import Late
from croqc.pipe.named_barriers import first_barrier, with_team_barriers
from croqc.pipe.published import read, touched
from croqc.pipe.tiles import handed_on, reads_of
from croqc.pipe.transfers import is_load, taken_by_async_proxy
from croqc.pipe.walk import Body, bodies, statements, with_bodies
from croqc.sema.model import THREADS, Unit
from croqc.sema.register_hint import register_hint
from croqc.targets.table import Feature
from croqc.text.record import replace


def barriers(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    placing = _Placing(kernel, env.target.has(Feature.TMA))
    body = _without_last(Late(kernel).met(placing.placed(kernel.body, State(Unit.BLOCK))))
    first = first_barrier(body, kernel.threads)
    return replace(kernel, body=with_team_barriers(body, kernel.threads, first), first_barrier=first)


@dataclass(slots=True)
class State:
    """What its `unit` did since its last barrier: `touched` shared memory by any means; by `ordinary` instructions, it
    or global memory that passes between paths; `wrote` shared memory that the async proxy reads; `stored` to global
    memory where that proxy works too."""

    unit: Unit
    touched: bool = False
    ordinary: bool = False
    wrote: bool = False
    stored: bool = False

    def join(self, other: State) -> None:
        self.touched |= other.touched
        self.ordinary |= other.ordinary
        self.wrote |= other.wrote
        self.stored |= other.stored

    def copy(self) -> State:
        return State(self.unit, self.touched, self.ordinary, self.wrote, self.stored)

    def met(self, unit: Unit) -> None:
        """Behind a barrier: one of a part of the unit orders nothing for the other parts."""
        if _size(unit) >= _size(self.unit):
            self.touched = self.ordinary = self.wrote = self.stored = False


def _size(unit: Unit) -> float:
    return THREADS.get(unit, inf)


class _Placing:
    def __init__(self, kernel: ir.Kernel, has_proxy: bool) -> None:
        self.has_proxy = has_proxy
        self.taken = {name for stmt in statements(kernel.body) for name in taken_by_async_proxy(stmt)}
        self.exchanged = _exchanged(kernel)
        self.crossing = Crossing.of(kernel)
        self.passed = passed_between(kernel)

    def placed(self, body: Body, state: State) -> Body:
        found: list[ir.Stmt] = []
        for stmt in body:
            found += self._stmt(stmt, state)
        return tuple(_merged(found))

    def _stmt(self, stmt: ir.Stmt, state: State) -> list[ir.Stmt]:
        match stmt:
            case ir.Role():
                inner = State(stmt.unit)
                inner.join(state)
                result = with_bodies(stmt, lambda body: self.placed(body, inner))
                state.join(inner)
                return [result]
            case ir.Loop() | ir.While():
                end = state.copy()
                with_bodies(stmt, lambda body: self.placed(body, end))
                state.join(end)  # what a turn leaves behind meets the next one
                return [with_bodies(stmt, lambda body: self.placed(body, state))]
            case ir.If():
                return [self._branches(stmt, state)]
            case ir.Scope():
                return [with_bodies(stmt, lambda body: self.placed(body, state))]
            case ir.Copy():
                return self._copy(stmt, state)
            case ir.Arrive():
                return [self._arrival(stmt, state)]
            case ir.Await():
                return self._await(stmt, state)
            case ir.Visit():
                return self._visit(stmt, state)
            case ir.Sync():
                published = replace(stmt, publishes=stmt.publishes or state.wrote, publishes_global=state.stored)
                state.met(stmt.unit)
                return [published]
        state.join(self._effect(stmt))
        return [stmt]

    def _branches(self, stmt: ir.If, state: State) -> ir.Stmt:
        before = state.copy()
        then = self.placed(stmt.then, state)
        other = self.placed(stmt.other, before)
        state.join(before)
        return replace(stmt, then=then, other=other)

    def _copy(self, copy: ir.Copy, state: State) -> list[ir.Stmt]:
        if copy.mechanism is ir.Mechanism.CP_ASYNC and copy.completes is not None:
            first: list[ir.Stmt] = [self._sync(copy, state)] if state.ordinary and copy.unit is not Unit.THREAD else []
            state.touched = True
            return [*first, copy]
        if is_load(copy) or (copy.unit is Unit.THREAD and copy.mechanism is not ir.Mechanism.TMA):
            needs = is_load(copy) and (state.stored or (copy.unit is not Unit.THREAD and state.touched))
            before: list[ir.Stmt] = [self._sync(copy, state)] if needs else []
            if not is_load(copy):
                state.join(self._effect(copy))
            return [*before, copy]
        stores = copy.mechanism is ir.Mechanism.TMA
        found: list[ir.Stmt] = [self._sync(copy, state)] if state.touched or stores else []
        found.append(copy)
        if copy.is_async:  # nobody comes to what it writes before a wait, and there its unit meets
            return found
        state.join(self._effect(copy))
        if stores:
            found.append(ir.StoresRead(copy.span, copy.unit))
        found.append(self._sync(copy, state))
        return found

    def _await(self, stmt: ir.Await, state: State) -> list[ir.Stmt]:
        publishes, stored = self.has_proxy and bool(self.taken), state.stored
        state.met(stmt.unit)
        return [stmt, ir.Sync(stmt.span, stmt.unit, publishes, stored)]

    def _visit(self, visit: ir.Visit, state: State) -> list[ir.Stmt]:
        """Its threads meet around what some write and others read: each has elements of its own (6.5)."""
        inside = tuple(statements(visit.body))
        touches = any(touched(stmt) & self.exchanged for stmt in inside)
        writes = any(name in self.exchanged for stmt in inside for name in _written(stmt))
        unit = visit.acc.unit
        before = [self._meeting(visit, unit, state)] if touches else []
        state.join(self._effect(visit))
        return [*before, visit, *([self._meeting(visit, unit, state)] if writes else [])]

    def _sync(self, copy: ir.Copy, state: State) -> ir.Stmt:
        return self._meeting(copy, copy.unit, state)

    def _meeting(self, stmt: ir.Stmt, unit: Unit, state: State) -> ir.Stmt:
        made = ir.Sync(stmt.span, unit, publishes=state.wrote, publishes_global=state.stored)
        state.met(unit)
        return made

    def _arrival(self, arrive: ir.Arrive, state: State) -> ir.Stmt:
        if not (state.ordinary or state.stored) or (arrive.by_threads and not state.stored):
            return arrive
        if arrive.unit is Unit.THREAD or arrive.by_threads:
            return replace(arrive, publishes=state.wrote, publishes_global=state.stored)
        found = replace(arrive, meets=True, publishes=state.wrote, publishes_global=state.stored)
        state.met(arrive.unit)
        return found

    def _effect(self, stmt: ir.Stmt) -> State:
        """What a statement and those inside it do to shared memory."""
        state = State(Unit.BLOCK)
        for inner in bodies(stmt):
            for each in inner:
                state.join(self._effect(each))
        match stmt:
            case ir.Text(text=text) if register_hint(text) is None:  # an island may read and write all memory (4.6)
                state.touched = state.ordinary = True
                state.wrote |= bool(self.taken)
                state.stored |= bool(self.crossing.read)
            case ir.Multiply() if stmt.instruction.is_async:
                state.touched = True
            case ir.Multiply(a_registers=""):
                self._enter(state, stmt.a.tensor.name, Space.SHARED, False)
            case ir.LoadFragment(tile=tile) | ir.LoadMetadata(tile=tile):
                self._enter(state, tile.tensor.name, tile.tensor.space, False)
            case ir.Copy() if is_load(stmt):
                state.touched = True
            case ir.Copy():
                self._enter(state, stmt.source.tensor.name, stmt.source.tensor.space, False)
                self._enter(state, stmt.dest.tensor.name, stmt.dest.tensor.space, True)
            case ir.StoreTile(dest=dest) | ir.Write(tile=dest):
                self._enter(state, dest.tensor.name, dest.tensor.space, True)
        for tensor in reads_of(stmt):
            self._enter(state, tensor.name, tensor.space, False)
        for tensor in handed_on(stmt):
            self._enter(state, tensor.name, tensor.space, True)
        state.stored |= self.crossing.writes(stmt)
        return state

    def _enter(self, state: State, name: str, space: Space, writes: bool) -> None:
        if space is Space.SHARED:
            state.touched = state.ordinary = True
            state.wrote |= writes and name in self.taken
        state.ordinary |= name in self.passed


def _exchanged(kernel: ir.Kernel) -> frozenset[str]:
    """What threads write by ordinary code and others read. Copies bring their own barriers."""
    written: set[str] = set()
    found: set[str] = set()
    for stmt in statements(kernel.body):
        found |= read(stmt)
        written |= _written(stmt)
        if isinstance(stmt, ir.StoreTile):
            written.add(stmt.dest.tensor.name)
    return frozenset(found & written) - {tensor.name for tensor in kernel.locals}


def _written(stmt: ir.Stmt) -> set[str]:
    """What a statement writes element by element, itself or by a function that gets it."""
    found = {tensor.name for tensor in handed_on(stmt)}
    return found | {stmt.tile.tensor.name} if isinstance(stmt, ir.Write) else found


def _merged(found: list[ir.Stmt]) -> list[ir.Stmt]:
    """Two barriers of one unit in a row are one."""
    result: list[ir.Stmt] = []
    for stmt in found:
        last = result[-1] if result else None
        if isinstance(stmt, ir.Sync) and isinstance(last, ir.Sync) and last.unit is stmt.unit:
            result[-1] = replace(
                last,
                publishes=last.publishes or stmt.publishes,
                publishes_global=last.publishes_global or stmt.publishes_global,
            )
        else:
            result.append(stmt)
    return result


def _without_last(body: Body) -> Body:
    """A barrier at the very end of a kernel orders nothing."""
    return body[:-1] if body and isinstance(body[-1], ir.Sync) else body
