"""Pass mirror: where the blocks of a cluster load alike for each other, each expects for itself what all of them send.

`trigger.cluster` behind a copy to every block is an arrival and an announcement of bytes in each of them: messages
between blocks in every turn. Where all blocks make the same copies of that kind, on the same slots and equally often, a
block knows what the others send: its own arrival expects the bytes of all (PTX ISA, mbarrier, transaction count).

Equal where a loader does nothing but wait, load and arrive, alike whatever its rank: then the bytes of a block have
landed only if it has been where it would have arrived, and its next ones go to a slot that all blocks have given back.
A part of a tile may follow the rank; a slot, a condition or a bound may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.ranked import Ranked
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import Body, bodies, rewrite_lists
from croqc.text.record import replace

_LOADING = (ir.Let, ir.Set, ir.Loop, ir.If, ir.Scope, ir.Wait, ir.Expect, ir.Arrive)


def mirror(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    blocks = prod(extent for _, extent in kernel.cluster)
    ranked = Ranked(kernel)
    if blocks < 2 or ranked.unknown:
        return kernel
    for event in kernel.events:
        lists = list(_lists(kernel.body, event.name, ranked, False))
        if event.arrivals == (blocks,) * event.slots and lists and all(lists):
            kernel = _changed(kernel, event, blocks)
    return kernel


def _lists(body: Body, name: str, ranked: Ranked, alike: bool) -> Iterator[bool]:
    """Whether each list that gives something to an event is part of a loader, and runs alike in all blocks. `alike`:
    whether what stands around the list is, and does."""
    if any(_is_of(stmt, name) for stmt in body):
        slots = [stmt.slot.at for stmt in body if isinstance(stmt, ir.Arrive | ir.Expect) and stmt.slot.event == name]
        yield alike and sent(body, name) is not None and not any(map(ranked.differs, slots))
    for stmt in body:
        inside = _only_loads(stmt.body) if isinstance(stmt, ir.Role) else alike
        for part in bodies(stmt):
            yield from _lists(part, name, ranked, inside and not ranked.decides(stmt))


def _is_of(stmt: ir.Stmt, name: str) -> bool:
    """Whether a statement gives something to an event."""
    completes = isinstance(stmt, ir.Copy) and stmt.completes is not None and stmt.completes.event == name
    return completes or (isinstance(stmt, ir.Arrive | ir.Expect) and stmt.slot.event == name)


def _only_loads(body: Body) -> bool:
    return all((isinstance(stmt, _LOADING) or is_load(stmt)) and all(map(_only_loads, bodies(stmt))) for stmt in body)


def sent(body: Body, name: str) -> dict[int, int] | None:
    """The bytes that a block sends to all of them with each arrival of a list on an event, by the arrival's place; None
    where an arrival has none, or something comes between."""
    found: dict[int, int] = {}
    slot, count = None, 0
    for number, stmt in enumerate(body):
        match stmt:
            case ir.Expect(slot=ir.SlotRef(event=event), cluster=True) if event == name:
                if slot not in (None, stmt.slot):
                    return None
                slot, count = stmt.slot, count + stmt.bytes
            case ir.Arrive(slot=ir.SlotRef(event=event)) if event == name:
                if slot != stmt.slot or not stmt.cluster or stmt.after or stmt.by_threads:
                    return None
                found[number] = count
                slot, count = None, 0
            case ir.Let() | ir.Copy() | ir.Expect():
                pass
            case _ if slot is not None:
                return None
    return found if slot is None else None


def _changed(kernel: ir.Kernel, event: ir.Event, blocks: int) -> ir.Kernel:
    def change(body: Body) -> Body:
        return tuple(_own(stmt, count * blocks) for stmt, count in _counted(body, event.name))

    events = tuple(replace(each, arrivals=(1,) * each.slots) if each is event else each for each in kernel.events)
    return replace(kernel, body=rewrite_lists(kernel.body, change), events=events)


def _counted(body: Body, name: str) -> Iterator[tuple[ir.Stmt, int]]:
    """The statements that stay, with the bytes of one block that an arrival is to expect from each of them."""
    found = sent(body, name) or {}
    for number, stmt in enumerate(body):
        if isinstance(stmt, ir.Expect) and stmt.cluster and stmt.slot.event == name:
            continue
        if isinstance(stmt, ir.Wait) and stmt.slot.event == name:
            yield replace(stmt, cluster=False), 0
        else:
            yield stmt, found.get(number, 0)


def _own(stmt: ir.Stmt, count: int) -> ir.Stmt:
    return replace(stmt, cluster=False, bytes=stmt.bytes + count) if isinstance(stmt, ir.Arrive) and count else stmt
