"""When each shared tensor of a block is in use, and so which may lie in the same bytes (reference, 3.8). Must not place
them.

The block's own statements are numbered; what stands in a loop, a condition or a role counts as one. Two tensors may
share their bytes where a barrier of the whole block stands between the last statement that touches the one and the
first that touches the other, and at that barrier nothing asynchronous of the first is in flight. Roles run side by
side: no barrier of the block stands between them. What other blocks of the cluster load into is in use from the start,
for no barrier of this block holds them back. In doubt a tensor is in use to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TypeGuard

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit
from croqc.pipe.published import touched
from croqc.pipe.ranked import Ranked
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import Body, bodies, flat, statements
from croqc.sema.model import Unit
from croqc.sema.register_hint import register_hint
from croqc.text.record import record

_OWN = ("multiply", "store", "cp.async")  # what only the path itself can wait for


@record
class Lifetime:
    """`first` statement that touches a tensor. `free`: the statement behind which it is not in use any more, and the
    `barrier` of the block that this is, or that ends each turn of the loop that this is; None where there is none."""

    first: int
    free: int | None = None
    barrier: ir.Sync | None = None


def lifetimes(kernel: ir.Kernel) -> dict[str, Lifetime]:
    """Those of the shared tensors that are used; empty where foreign code may use any of them at any time."""
    body = tuple(flat(kernel.body))
    if any(isinstance(stmt, ir.Text) and register_hint(stmt.text) is None for stmt in statements(body)):
        return {}
    users = [_names(stmt) for stmt in body]
    ranked = Ranked(kernel)
    sent = dict(sorted(_sent(body, ranked, ranked.unknown))) if kernel.cluster else {}
    found = {}
    for item in kernel.shared:
        name = item.tensor.name
        used = [number for number, names in enumerate(users) if name in names]
        if used:
            first = 0 if name in sent else used[0]
            found[name] = Lifetime(first) if sent.get(name) else _lifetime(kernel, body, name, first, used[-1])
    return found


def _sent(body: Body, ranked: Ranked, apart: bool) -> Iterator[tuple[str, bool]]:
    """What blocks load for each other, and whether some may do so oftener (`apart`): then no wait of this block tells
    that the last of it has landed."""
    for stmt in body:
        if isinstance(stmt, ir.Copy) and stmt.multicast:
            yield stmt.dest.tensor.name, apart
        for part in bodies(stmt):
            yield from _sent(part, ranked, apart or ranked.decides(stmt))


def apart(one: Lifetime, other: Lifetime) -> bool:
    """Whether two tensors are never in use together."""
    return _ends_before(one, other) or _ends_before(other, one)


def _ends_before(one: Lifetime, other: Lifetime) -> bool:
    return one.free is not None and one.free < other.first


def extent(item: ir.Shared) -> tuple[int, int]:
    """Where a placed tensor begins and ends, in bytes from the block's base."""
    return item.offset, item.offset + item.slot_stride * item.tensor.slots


def overlapping(kernel: ir.Kernel) -> list[tuple[ir.Shared, ir.Shared]]:
    """The pairs of placed tensors that share bytes."""
    found = []
    for one, other in combinations(kernel.shared, 2):
        (start, end), (begin, stop) = extent(one), extent(other)
        if start < stop and begin < end:
            found.append((one, other))
    return found


def _lifetime(kernel: ir.Kernel, body: Body, name: str, first: int, last: int) -> Lifetime:
    flight = _Flight(kernel, name)
    pending: Pending = {}
    for number, stmt in enumerate(body[first:], first):
        if number > last and not pending and _is_barrier(stmt):
            return Lifetime(first, number, stmt)
        if number == first == last and isinstance(stmt, ir.Loop | ir.While):  # not run, it has used nothing either
            barrier = _ending(stmt, flight, pending)
            if barrier is not None:
                return Lifetime(first, number, barrier)
        pending = flight.after(stmt, pending)
    return Lifetime(first)


def _is_barrier(stmt: ir.Stmt) -> TypeGuard[ir.Sync]:
    return isinstance(stmt, ir.Sync) and stmt.unit is Unit.BLOCK


def _ending(loop: ir.Loop | ir.While, flight: _Flight, pending: Pending) -> ir.Sync | None:
    """The barrier behind the last use of the tensor in each turn, where nothing is in flight there."""
    if any(isinstance(inner, ir.Jump) for inner in statements(loop.body)):
        return None
    behind = len(loop.body)
    while behind and flight.name not in _names(loop.body[behind - 1]):
        behind -= 1
    state = flight.after(loop, pending)  # what any turn may begin with
    for number, stmt in enumerate(loop.body):
        if number >= behind and not state and _is_barrier(stmt):
            return stmt
        state = flight.after(stmt, state)
    return None


def _names(stmt: ir.Stmt) -> frozenset[str]:
    return frozenset(name for inner in statements((stmt,)) for name in touched(inner))


# --- what is in flight -------------------------------------------------------------------------

Pending = dict[object, str]
"""Operations that may be in flight, with how far they are: "issued", "counted" (its barrier knows of it), or "lost",
where nobody certainly waits for it."""


class _Flight:
    """Follows the asynchronous operations on one tensor. A load is over behind a wait for its barrier, where that
    completes for this load alone: it has one arrival in the text, and starts incomplete."""

    def __init__(self, kernel: ir.Kernel, name: str) -> None:
        self.name = name
        arrivals = [stmt.slot.event for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive)]
        self.single = {event.name for event in kernel.events if not event.ready and arrivals.count(event.name) == 1}

    def after(self, stmt: ir.Stmt, pending: Pending) -> Pending:
        match stmt:
            case ir.Role():
                own: Pending = {key: state for key, state in pending.items() if key not in _OWN}
                inside = self._list(stmt.body, own)
                outside: Pending = {key: state for key, state in pending.items() if key in _OWN}
                left: Pending = {key: "lost" if key in _OWN else state for key, state in inside.items()}
                return _merged(outside, left)
            case ir.Loop() | ir.While():
                return self._loop(stmt, pending)
            case ir.If() | ir.Scope() | ir.Visit() | ir.Probe():
                return self._branches(stmt, pending)
            case ir.Jump():
                return dict.fromkeys(pending, "lost")
        return self._operation(stmt, dict(pending))

    def _list(self, body: Body, pending: Pending) -> Pending:
        for stmt in body:
            pending = self.after(stmt, pending)
        return pending

    def _branches(self, stmt: ir.Stmt, pending: Pending) -> Pending:
        ways = [self._list(body, pending) for body in bodies(stmt)]
        merged = ways[0]
        for way in ways[1:]:
            merged = _merged(merged, way)
        return merged

    def _loop(self, stmt: ir.Stmt, pending: Pending) -> Pending:
        """Any number of turns, none too; one that is left in its middle waits for nothing certainly."""
        leaves = any(isinstance(inner, ir.Jump) for inner in statements((stmt,)))
        while True:
            turn = pending
            for body in bodies(stmt):
                turn = self._list(body, turn)
            if leaves:
                turn = dict.fromkeys(turn, "lost")
            merged = _merged(pending, turn)
            if merged == pending:
                return merged
            pending = merged

    def _operation(self, stmt: ir.Stmt, pending: Pending) -> Pending:
        match stmt:
            case ir.Multiply() if stmt.instruction.is_async and self._read_by(stmt):
                pending["multiply"] = "issued" if stmt.instruction is ir.Instruction.WGMMA else "lost"
            case ir.Commit(keep=0) if pending.get("multiply") == "issued":
                del pending["multiply"]
            case ir.Copy() if self.name in (stmt.source.tensor.name, stmt.dest.tensor.name):
                self._copy(stmt, pending)
            case ir.StoresRead() if pending.get("store") == "issued":
                del pending["store"]
            case ir.Await(keep=0) if pending.get("cp.async") == "issued":
                del pending["cp.async"]
            case ir.Arrive(slot=slot) if slot in pending:
                pending[slot] = "counted" if pending[slot] == "issued" and stmt.bytes else "lost"
            case ir.Wait(slot=slot) if slot in pending:
                if pending[slot] == "counted":
                    del pending[slot]
                else:
                    pending[slot] = "lost"
        return pending

    def _read_by(self, stmt: ir.Multiply) -> bool:
        sides = ((stmt.a, stmt.a_registers), (stmt.b, stmt.b_registers))
        return any(tile.tensor.name == self.name and not held for tile, held in sides)

    def _copy(self, copy: ir.Copy, pending: Pending) -> None:
        if is_load(copy):
            slot = copy.completes
            known = slot is not None and slot.event in self.single and _fixed(slot.at) and not slot.ordered
            pending[slot] = "issued" if known and pending.get(slot, "issued") == "issued" else "lost"
        elif copy.mechanism is ir.Mechanism.TMA:
            pending["store"] = "issued" if pending.get("store") != "lost" else "lost"
        elif copy.mechanism is ir.Mechanism.CP_ASYNC:
            pending["cp.async"] = "issued" if copy.completes is None and pending.get("cp.async") != "lost" else "lost"


def _fixed(at: Expr) -> bool:
    """Whether a slot is the same one each time that a path comes there."""
    return isinstance(at, Lit) or (isinstance(at, Fn) and at.name in ("warpgroup", "warp"))


def _merged(one: Pending, other: Pending) -> Pending:
    """What may be in flight where either may have happened."""
    found = dict(one)
    for key, state in other.items():
        found[key] = state if found.get(key, state) == state else "lost"
    return found
