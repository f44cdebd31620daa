"""What roles, phases, elect, registers, barriers, stored and dependents promise of paths and of how their threads
meet, each other and the launches in front."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.again import overtaken
from croqc.pipe.late import Late
from croqc.pipe.published import otherwise_used
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import Body, bodies, flat, statements
from croqc.sema.model import THREADS, Unit
from croqc.targets.registers import FILE, LEAST, STEP

_MOST = 256  # what a role may set (PTX ISA, setmaxnreg)
_BITS = 64


def roles(kernel: ir.Kernel) -> Iterator[str]:
    """Outermost roles that stand in one list are different paths."""
    for body in _lists(kernel.body):
        paths = [stmt.path for stmt in body if isinstance(stmt, ir.Role)]
        for path in sorted({path for path in paths if paths.count(path) > 1 and body is kernel.body}):
            yield f"{path} has two roles at the top"
    for role in _roles(kernel):
        if role.unit is Unit.GROUP4 and role.threads * max(len(role.groups), 1) > kernel.threads:
            yield f"{role.path} has more threads than the block"


def phases(kernel: ir.Kernel) -> Iterator[str]:
    """Every wait by number has its bit."""
    bits = dict(kernel.phases)
    events = {event.name: event for event in kernel.events}
    for stmt in statements(kernel.body):
        if not isinstance(stmt, ir.Wait) or stmt.slot.ordered:
            continue
        if stmt.phase is None:
            yield f"a wait for {stmt.slot.event} has no phase"
        elif bits.get(stmt.phase) != stmt.slot.event:
            yield f"a wait for {stmt.slot.event} tests {stmt.phase}, which is another's"
        elif events[stmt.slot.event].slots > _BITS:
            yield f"{stmt.slot.event} has more slots than a word has bits"


def elect(kernel: ir.Kernel) -> Iterator[str]:
    """Nothing in an elected role needs other threads than the one that runs it."""
    for role in _roles(kernel):
        for stmt in statements(role.body) if role.elected else ():
            alone = not isinstance(stmt, ir.Copy | ir.Arrive | ir.Sync | ir.Await) or stmt.unit is Unit.THREAD
            if not alone or isinstance(stmt, ir.Multiply | ir.StoreTile):
                yield f"{role.path} is run by one thread, and a {type(stmt).__name__} needs more"


def registers(kernel: ir.Kernel) -> Iterator[str]:
    """What roles take is possible, and all of it together is there."""
    taken = [role for role in _roles(kernel) if role.registers is not None]
    for role in taken:
        count = role.registers or 0
        whole = role.unit is Unit.GROUP4 or (role.gives and len(role.groups) == 1)  # else a part of its warps sets them
        if count % STEP or not LEAST <= count <= _MOST or not whole:
            yield f"{role.path} cannot have {count} registers a thread"
    total = sum((role.registers or 0) * THREADS[Unit.GROUP4] * len(role.groups) for role in taken)
    if total > FILE:
        yield f"the roles take {total} registers of {FILE}"


def barriers(kernel: ir.Kernel) -> Iterator[str]:
    """Threads meet where there are several, and before one tells others that they have passed a wait; a store by TMA
    that is waited for where it stands is waited for."""
    for body in (tuple(flat(body)) for body in _lists(kernel.body)):
        for at, stmt in enumerate(body):
            if isinstance(stmt, ir.Arrive) and stmt.meets and (stmt.unit is Unit.THREAD or stmt.by_threads):
                yield f"nobody meets in front of an arrival on {stmt.slot.event}"
            waits = isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA and not stmt.is_async
            if waits and not is_load(stmt) and not any(isinstance(each, ir.StoresRead) for each in body[at + 1 :]):
                yield "nothing waits until a store by TMA has read its source"
    for role in _roles(kernel):
        if role.unit is Unit.BLOCK and role.threads < kernel.threads and not role.barrier:
            yield f"the {role.threads} threads of {role.path} have no barrier to meet at"
    for stmt in Late(kernel).told_too_early(kernel.body):
        yield f"threads that a {type(stmt).__name__} tells of may not have passed their wait"


def stored(kernel: ir.Kernel) -> Iterator[str]:
    """Where the kernel looks at what TMA stores, or stores there again, waits are for writes."""
    used = otherwise_used(kernel) | overtaken(kernel)
    into = {
        stmt.dest.tensor.name
        for stmt in statements(kernel.body)
        if isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA and not is_load(stmt)
    }
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.StoresRead) and not stmt.written and into & used:
            yield f"{min(into & used)} may be used again before it is written"


def dependents(kernel: ir.Kernel) -> Iterator[str]:
    """Launches in front are waited for once, by every thread, before anything else is done."""
    for number, stmt in enumerate(statements(kernel.body)):
        if isinstance(stmt, ir.AwaitLaunches) and number:
            yield "something stands in front of the wait for the launches in front"


def _roles(kernel: ir.Kernel) -> Iterator[ir.Role]:
    return (stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Role))


def _lists(body: Body) -> Iterator[Body]:
    yield body
    for stmt in flat(body):
        for inner in bodies(stmt):
            yield from _lists(inner)
