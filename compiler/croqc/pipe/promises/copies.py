"""What cover, mechanism, fold, publish and groups promise of copies, and of the arrivals that tell of them."""

from __future__ import annotations

from collections.abc import Iterator

from croqc.pipe import ir
from croqc.pipe.exprs import Space
from croqc.pipe.issued import allowed
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import statements
from croqc.sema.model import THREADS

_VECTORS = (4, 8, 16)  # bytes that cp.async takes


def cover(kernel: ir.Kernel) -> Iterator[str]:
    """A store by elements tests whatever of its tile may not exist."""
    for stmt in statements(kernel.body):
        if not isinstance(stmt, ir.StoreTile) or stmt.by_matrix:
            continue
        columns, rows = (0, 1) if stmt.transposed else (1, 0)
        for dim, limits in ((rows, stmt.row_limits), (columns, stmt.column_limits)):
            if stmt.dest.valid[dim] is not None and not limits:
                yield f"the store into {stmt.dest.tensor.name} may overhang and tests nothing"


def mechanism(kernel: ir.Kernel) -> Iterator[str]:
    """Each copy has a mechanism that can make it."""
    for copy in _copies(kernel):
        name, spaces = copy.dest.tensor.name, {copy.source.tensor.space, copy.dest.tensor.space}
        if copy.mechanism is None:
            yield f"the copy into {name} has no mechanism"
        elif copy.mechanism is ir.Mechanism.TMA:
            if spaces != {Space.GLOBAL, Space.SHARED}:
                yield f"TMA does not copy into {name} from there"
        elif copy.multicast:
            yield f"only TMA copies into every block's {name}"
        elif copy.mechanism is ir.Mechanism.CP_ASYNC:
            if copy.vector not in _VECTORS or not _loads(copy):
                yield f"cp.async cannot copy {copy.vector} bytes at a time into {name}"
            if copy.form is not ir.Form.COPY:
                yield f"cp.async does not rearrange what it copies into {name}"
        elif copy.form is ir.Form.COPY and copy.vector < copy.dest.tensor.elem_bytes:
            yield f"the copy into {name} has accesses of {copy.vector} bytes"


def fold(kernel: ir.Kernel) -> Iterator[str]:
    """A TMA load completes on an event whose arrivals expect bytes, and bytes are expected of loads alone."""
    completed = {copy.completes.event for copy in _copies(kernel) if is_load(copy) and copy.completes is not None}
    told = (stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive | ir.Expect) and stmt.bytes)
    expected = {stmt.slot.event for stmt in told}
    transfers = {copy.handle for copy in _copies(kernel) if copy.mechanism is ir.Mechanism.TMA}
    for stmt in statements(kernel.body):
        for handle in stmt.handles if isinstance(stmt, ir.Await) else ():
            if handle in transfers:
                yield f"a wait for {handle} does not wait for its transfer"
    for copy in _copies(kernel):
        if is_load(copy) and copy.completes is None:
            yield f"nothing says when the copy into {copy.dest.tensor.name} has landed"
    for event in sorted(completed - expected):
        yield f"loads complete on {event}, and no arrival expects their bytes"
    for event in sorted(expected - completed):
        yield f"arrivals on {event} expect bytes that no load brings"


def mirror(kernel: ir.Kernel) -> Iterator[str]:
    """What blocks of a cluster load for each other is told by arrivals from all of them, or expected by each alone."""
    arrivals = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive)]
    told = {stmt.slot.event for stmt in statements(kernel.body) if isinstance(stmt, ir.Expect) and stmt.cluster}
    for name in sorted({copy.completes.event for copy in _copies(kernel) if copy.multicast and copy.completes}):
        own = {stmt.cluster for stmt in arrivals if stmt.slot.event == name}
        if own == {True, False}:
            yield f"some arrivals on {name} come from all blocks, others from one"
        if own == {False} and name not in told and any(not stmt.bytes for stmt in arrivals if stmt.slot.event == name):
            yield f"nobody expects the bytes on {name} that other blocks send"


def publish(kernel: ir.Kernel) -> Iterator[str]:
    """An event of cp.async loads counts threads: every arrival on it is one of each thread."""
    events = {event.name: event for event in kernel.events}
    arrivals = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Arrive)]
    counted = {stmt.slot.event for stmt in arrivals if stmt.by_threads}
    for stmt in arrivals:
        name = stmt.slot.event
        if stmt.cluster and stmt.by_threads:
            yield f"threads arrive one by one on {name} in the block alone"
        if stmt.after:
            yield f"an arrival on {name} still waits for {', '.join(stmt.after)}"
        if name in counted and not stmt.by_threads:
            yield f"some arrivals on {name} count threads, others paths"
        if stmt.by_threads and any(count % THREADS[stmt.unit] for count in events[name].arrivals):
            yield f"{name} does not count the {THREADS[stmt.unit]} threads that arrive"
    for copy in _copies(kernel):
        joins = copy.mechanism is ir.Mechanism.CP_ASYNC and copy.completes is not None
        if joins and copy.completes is not None and copy.completes.event not in counted:
            yield f"no thread tells {copy.completes.event} of its part of {copy.dest.tensor.name}"


def groups(kernel: ir.Kernel) -> Iterator[str]:
    """A wait leaves no more groups in flight than every thread has ended behind what it waits for."""
    for stmt, most in allowed(kernel.body):
        if stmt.keep > most:
            yield f"a wait for {', '.join(stmt.handles)} leaves {stmt.keep} groups in flight, and may leave {most}"


def scopes(kernel: ir.Kernel) -> Iterator[str]:
    """Arrivals that order nothing are for other blocks, which do not wait for memory then."""
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Arrive) and stmt.signals and not stmt.cluster:
            yield f"an arrival on {stmt.slot.event} orders nothing in its own block"


def _copies(kernel: ir.Kernel) -> Iterator[ir.Copy]:
    return (stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy))


def _loads(copy: ir.Copy) -> bool:
    return (copy.source.tensor.space, copy.dest.tensor.space) == (Space.GLOBAL, Space.SHARED)
