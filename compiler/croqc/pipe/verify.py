"""The rules of the IR, checked before and after each pass. A breach is a mistake of a pass, never of the program."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.alive import apart, lifetimes
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.passes.memory import extent, overlapping
from croqc.pipe.walk import statements
from croqc.sema.model import Unit


def verify(kernel: ir.Kernel) -> None:
    """Raises InvalidIrError for the first rule that does not hold."""
    for problem in _problems(kernel):
        after = kernel.passed[-1] if kernel.passed else "build"
        raise InvalidIrError(f"{kernel.name} after {after}: {problem}")


def _problems(kernel: ir.Kernel) -> Iterator[str]:
    events = {event.name: event for event in kernel.events}
    done = set(kernel.passed)
    for event in kernel.events:
        if len(event.arrivals) != event.slots or min(event.arrivals, default=1) < 1:
            yield f"event {event.name} has {event.slots} slots and the counts {event.arrivals}"
    for item in kernel.shared:
        if "memory" in done and (item.offset < 0 or item.offset % item.alignment):
            yield f"{item.tensor.name} lies at {item.offset}, its alignment is {item.alignment}"
    if "memory" in done:
        yield from _memory(kernel)
    if "fold" in done:
        yield from _awaits(kernel)
    for stmt in statements(kernel.body):
        yield from _statement(stmt, events, done, kernel)


def _awaits(kernel: ir.Kernel) -> Iterator[str]:
    """What is left of the waits for handles is for cp.async: a transfer by TMA lands on a barrier."""
    copies = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy)]
    transfers = {copy.handle for copy in copies if copy.mechanism is ir.Mechanism.TMA}
    for stmt in statements(kernel.body):
        for handle in stmt.handles if isinstance(stmt, ir.Await) else ():
            if handle in transfers:
                yield f"a wait for {handle} does not wait for its transfer"


def _memory(kernel: ir.Kernel) -> Iterator[str]:
    alive = lifetimes(kernel)
    for one, other in overlapping(kernel):
        both = [alive.get(item.tensor.name) for item in (one, other)]
        if both[0] is None or both[1] is None or not apart(both[0], both[1]):
            yield f"{one.tensor.name} and {other.tensor.name} share bytes and are in use together"
    if any(extent(item)[1] > kernel.barriers_at for item in kernel.shared):
        yield "a tensor reaches into the barriers"


def _statement(stmt: ir.Stmt, events: dict[str, ir.Event], done: set[str], kernel: ir.Kernel) -> Iterator[str]:
    match stmt:
        case ir.Wait(slot=slot) | ir.Arrive(slot=slot) | ir.Expect(slot=slot) if slot.event not in events:
            yield f"there is no event {slot.event}"
        case ir.Wait() if "phases" in done and not stmt.slot.ordered and stmt.phase is None:
            yield f"a wait for {stmt.slot.event} has no phase"
        case ir.Role(unit=Unit.BLOCK, threads=count, barrier=0) if "barriers" in done and count < kernel.threads:
            yield f"the {count} threads of {stmt.path} have no barrier to meet at"
        case ir.Copy(multicast=True) if "fold" in done and stmt.completes is None:
            yield f"nothing says when the copy into every block's {stmt.dest.tensor.name} has landed"
        case ir.Arrive(cluster=True, by_threads=True):
            yield f"threads arrive one by one on {stmt.slot.event} in the block alone"
        case ir.Copy() if "mechanism" in done:
            yield from _copy(stmt, done, kernel)
        case ir.Multiply() if "rows" in done and stmt.steps * stmt.k_step != stmt.k:
            yield f"{stmt.steps} steps of {stmt.k_step} are not K = {stmt.k}"


def _copy(copy: ir.Copy, done: set[str], kernel: ir.Kernel) -> Iterator[str]:
    tma = copy.mechanism is ir.Mechanism.TMA
    if copy.mechanism is None:
        yield f"the copy into {copy.dest.tensor.name} has no mechanism"
    if tma and "layout" in done and not 0 <= copy.map < len(kernel.maps):
        yield f"the copy into {copy.dest.tensor.name} has no tensor map"
    loads = tma and copy.dest.tensor.name in {item.tensor.name for item in kernel.shared}
    if loads and "fold" in done and copy.completes is None:
        yield f"nothing says when the copy into {copy.dest.tensor.name} has landed"
