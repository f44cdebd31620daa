"""The rules of the IR, checked before and after each pass. A breach is a mistake of a pass, never of the program.

What holds from the start stands here; what a pass promises stands in `promises` and is checked from that pass on.
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.exprs import variables
from croqc.pipe.held import held_in, named_in
from croqc.pipe.promises.table import PROMISES
from croqc.pipe.walk import statements


def verify(kernel: ir.Kernel) -> None:
    """Raises InvalidIrError for the first rule that does not hold."""
    for problem in _problems(kernel):
        after = kernel.passed[-1] if kernel.passed else "build"
        raise InvalidIrError(f"{kernel.name} after {after}: {problem}")


def _problems(kernel: ir.Kernel) -> Iterator[str]:
    names = {event.name for event in kernel.events}
    for event in kernel.events:
        if len(event.arrivals) != event.slots or min(event.arrivals, default=1) < 1:
            yield f"event {event.name} has {event.slots} slots and the counts {event.arrivals}"
    for stmt in statements(kernel.body):
        for slot in _slots(stmt):
            if slot.event not in names:
                yield f"there is no event {slot.event}"
    yield from (f"'{name}' is no name" for name in _names(kernel) if not name.replace(".", "_").isidentifier())
    tiles = {tile.name for tile in kernel.accumulators}
    visited = {
        id(inner) for stmt in statements(kernel.body) if isinstance(stmt, ir.Visit) for inner in statements(stmt.body)
    }
    for stmt in statements(kernel.body):
        for element in held_in(stmt):
            if element.name not in tiles:
                yield f"there is no register tile {element.name}"
            elif id(stmt) not in visited:
                yield f"an element of {element.name} outside of a visit"
    for name in kernel.passed:
        yield from PROMISES[name](kernel)


def _names(kernel: ir.Kernel) -> list[str]:
    """The variables that a kernel uses anywhere. One that is no name, as those of CUDA (`threadIdx.x`) and of
    the source are, stands for a size that nobody knows."""
    extents = [*kernel.grid, *(extent for tensor in kernel.tensors for extent in tensor.shape)]
    return sorted(named_in(kernel.body).union(*map(variables, extents)))


def _slots(stmt: ir.Stmt) -> Iterator[ir.SlotRef]:
    """The slots of events that a statement names."""
    match stmt:
        case ir.Wait(slot=slot) | ir.Arrive(slot=slot) | ir.ArriveCommitted(slot=slot) | ir.Complete(slot=slot):
            yield slot
        case ir.Expect(slot=slot):
            yield slot
        case ir.Copy(completes=slot) if slot is not None:
            yield slot
