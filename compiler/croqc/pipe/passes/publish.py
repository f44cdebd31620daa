"""Pass publish: cp.async loads of a role complete on the events that publish them.

Each thread of the role arrives when its own copies have landed (PTX ISA, cp.async.mbarrier.arrive.noinc), so the event
counts threads where the model counts paths. A load that no arrival takes, or that wgmma or TMA reads, which would need
a fence behind it, is made with ordinary instructions instead.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.published import Published
from croqc.pipe.transfers import taken_by_async_proxy
from croqc.pipe.walk import Body, rewrite, rewrite_lists, statements
from croqc.sema.model import THREADS
from croqc.text.record import replace


def publish(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    taken = {name for stmt in statements(kernel.body) for name in taken_by_async_proxy(stmt)}
    published = Published(kernel)
    body = rewrite_lists(kernel.body, lambda part: _joined(part, taken, published))
    counted = {stmt.slot.event for stmt in statements(body) if isinstance(stmt, ir.Arrive) and stmt.by_threads}
    body = rewrite(body, lambda stmt: (_by_threads(stmt, counted),))
    rest = [stmt for stmt in statements(body) if isinstance(stmt, ir.Arrive) and stmt.after]
    if rest:
        raise LoweringError("a trigger after copies that stand elsewhere is not lowered yet", rest[0].span)
    return replace(kernel, body=body, events=tuple(_event(event, body, counted) for event in kernel.events))


def _joined(body: Body, taken: set[str], published: Published) -> Body:
    found: list[ir.Stmt] = []
    pending: list[int] = []  # loads that wait for an arrival, by their place in `found`
    for stmt in body:
        if isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.CP_ASYNC and stmt.unit in THREADS:
            pending.append(len(found))
        elif isinstance(stmt, ir.Arrive) and pending:
            stmt = _arrival(stmt, found, pending, taken, published)
            pending = _made_plain(found, pending)
        elif pending and not isinstance(stmt, ir.Let | ir.Wait):
            _made_plain(found, pending)
            pending = []
        found.append(stmt)
    _made_plain(found, pending)
    return tuple(found)


def _arrival(
    arrive: ir.Arrive, found: list[ir.Stmt], pending: list[int], taken: set[str], published: Published
) -> ir.Arrive:
    handles: set[str] = set()
    plain = [copy for copy in (found[at] for at in pending) if isinstance(copy, ir.Copy) and not copy.is_async]
    lands = all(published.may_land_with(copy, arrive.slot.event) for copy in plain)
    for at in tuple(pending):
        copy = found[at]
        assert isinstance(copy, ir.Copy)
        joins = copy.handle in arrive.after if copy.is_async else lands and not arrive.bytes
        if copy.completes is not None:
            joins = copy.completes.event == arrive.slot.event
        if joins and copy.dest.tensor.name not in taken:
            found[at] = replace(copy, completes=arrive.slot)
            handles.add(copy.handle)
            pending.remove(at)
    if not handles:
        return arrive
    after = tuple(handle for handle in arrive.after if handle not in handles)
    return replace(arrive, after=after, by_threads=True)


def _made_plain(found: list[ir.Stmt], pending: list[int]) -> list[int]:
    """Synchronous loads without an arrival become ordinary copies. Gives the others: what they wait for comes later."""
    rest = []
    for at in pending:
        copy = found[at]
        assert isinstance(copy, ir.Copy)
        if copy.is_async or copy.completes is not None:
            rest.append(at)
        else:
            found[at] = replace(copy, mechanism=ir.Mechanism.VECTOR)
    return rest


def _by_threads(stmt: ir.Stmt, counted: set[str]) -> ir.Stmt:
    if isinstance(stmt, ir.Arrive) and stmt.slot.event in counted:
        return replace(stmt, by_threads=True)
    return stmt


def _event(event: ir.Event, body: Body, counted: set[str]) -> ir.Event:
    if event.name not in counted:
        return event
    units = {stmt.unit for stmt in statements(body) if isinstance(stmt, ir.Arrive) and stmt.slot.event == event.name}
    if len(units) != 1 or not units <= THREADS.keys():
        raise LoweringError(f"arrivals on '{event.name}' by units of several sizes are not lowered yet", event.span)
    threads = THREADS[units.pop()]
    return replace(event, arrivals=tuple(count * threads for count in event.arrivals))
