"""The rules of the IR, checked before and after each pass. A breach is a mistake of a pass, never of the program."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.errors import InvalidIrError
from croqc.pipe.held import held_in
from croqc.pipe.walk import statements


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
    for stmt in statements(kernel.body):
        yield from _statement(stmt, events, done, kernel)
    yield from _tiles(kernel, done)


def _statement(stmt: ir.Stmt, events: dict[str, ir.Event], done: set[str], kernel: ir.Kernel) -> Iterator[str]:
    match stmt:
        case ir.Wait(slot=slot) | ir.Arrive(slot=slot) if slot.event not in events:
            yield f"there is no event {slot.event}"
        case ir.Wait() if "phases" in done and not stmt.slot.ordered and stmt.phase is None:
            yield f"a wait for {stmt.slot.event} has no phase"
        case ir.Copy() if "mechanism" in done:
            yield from _copy(stmt, done, kernel)
        case ir.Multiply() if "rows" in done and stmt.steps * stmt.k_step != stmt.k:
            yield f"{stmt.steps} steps of {stmt.k_step} are not K = {stmt.k}"


def _tiles(kernel: ir.Kernel, done: set[str]) -> Iterator[str]:
    tiles = {tile.name: tile for tile in kernel.accumulators}
    visited = {
        id(inner) for stmt in statements(kernel.body) if isinstance(stmt, ir.Visit) for inner in statements(stmt.body)
    }
    decided = "fragments" in done
    for tile in tiles.values():
        if decided and tile.spread is None:
            yield f"nothing says where the elements of {tile.name} lie"
    for stmt in statements(kernel.body):
        for element in held_in(stmt):
            if element.name not in tiles:
                yield f"there is no register tile {element.name}"
            elif id(stmt) not in visited:
                yield f"an element of {element.name} outside of a visit"
            elif decided and element.register is None:
                yield f"nothing says which element of {element.name} is the thread's own"
        if isinstance(stmt, ir.Reduce) and decided and stmt.acc.spread is not ir.Spread.ROWS:
            yield f"a reduction of rows into {stmt.acc.name}, which does not lie along rows"
        if isinstance(stmt, ir.Scale) and "scales" in done:
            yield f"nothing has placed what scales {stmt.acc.name}"
        if isinstance(stmt, ir.Commit) and kernel.tensor_columns:
            yield "a group of multiplies into tensor memory ends as one of wgmma"


def _copy(copy: ir.Copy, done: set[str], kernel: ir.Kernel) -> Iterator[str]:
    tma = copy.mechanism is ir.Mechanism.TMA
    if copy.mechanism is None:
        yield f"the copy into {copy.dest.tensor.name} has no mechanism"
    if tma and "layout" in done and not 0 <= copy.map < len(kernel.maps):
        yield f"the copy into {copy.dest.tensor.name} has no tensor map"
    loads = tma and copy.dest.tensor.name in {item.tensor.name for item in kernel.shared}
    if loads and "fold" in done and copy.completes is None:
        yield f"nothing says when the copy into {copy.dest.tensor.name} has landed"
