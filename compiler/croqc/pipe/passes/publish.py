"""Pass publish: cp.async loads of a role complete on the events that publish them.

Each thread of the role arrives when its own copies have landed (PTX ISA, cp.async.mbarrier.arrive.noinc), so the event
counts threads where the model counts paths. A load that no arrival takes, that stands elsewhere than the arrival which
names it, or that wgmma or TMA reads, which would need a fence behind it, is made with ordinary instructions instead.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.handles import spread, together
from croqc.pipe.joining import Joining
from croqc.pipe.transfers import taken_by_async_proxy
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.model import THREADS
from croqc.text.record import replace


def publish(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    body = _Publishing(kernel).walked(kernel.body)
    counted = {stmt.slot.event for stmt in statements(body) if isinstance(stmt, ir.Arrive) and stmt.by_threads}
    body = rewrite(body, lambda stmt: (_by_threads(stmt, counted),))
    _check_told_once(body)
    late = spread(
        (handle for stmt in statements(body) if isinstance(stmt, ir.Arrive) for handle in stmt.after), together(kernel)
    )
    body = rewrite(body, lambda stmt: _complete(stmt, late))
    return replace(kernel, body=body, events=tuple(_event(event, body, counted) for event in kernel.events))


def _check_told_once(body: Body) -> None:
    """Raises LoweringError where a trigger names a copy that another one has taken: it would be told too early."""
    copies = [stmt for stmt in statements(body) if isinstance(stmt, ir.Copy)]
    told = {copy.handle for copy in copies if copy.handle and copy.completes is not None}
    for stmt in statements(body):
        if isinstance(stmt, ir.Arrive) and (twice := sorted(told.intersection(stmt.after))):
            raise LoweringError(f"two triggers tell of the copy '{twice[0]}': trigger one event after it", stmt.span)


class _Publishing(Joining):
    def __init__(self, kernel: ir.Kernel) -> None:
        super().__init__(kernel)
        self.taken = {name for stmt in statements(kernel.body) for name in taken_by_async_proxy(stmt)}

    def takes(self, copy: ir.Copy) -> bool:
        return copy.mechanism is ir.Mechanism.CP_ASYNC and copy.unit in THREADS

    def lands_with(self, copy: ir.Copy, arrive: ir.Arrive) -> bool:
        asked = copy.is_async or copy.completes is not None
        lands = copy.dest.tensor.name not in self.taken and not arrive.cluster
        return lands and (asked or not arrive.bytes)

    def told(self, arrive: ir.Arrive, copies: list[ir.Copy]) -> ir.Arrive:
        return replace(arrive, by_threads=True) if copies else arrive

    def alone(self, copy: ir.Copy) -> Body:
        return (copy if copy.is_async else replace(copy, mechanism=ir.Mechanism.VECTOR),)  # or its future is waited for

    def elsewhere(self, copy: ir.Copy) -> Body:
        return self.alone(replace(copy, is_async=False, completes=None))


def _complete(stmt: ir.Stmt, late: set[str]) -> Body:
    """Copies that an arrival names which they cannot join become ordinary ones, complete at their statement."""
    match stmt:
        case ir.Copy(handle=handle) if handle in late:
            return (replace(stmt, mechanism=ir.Mechanism.VECTOR, is_async=False),)
        case ir.Arrive(after=after) if after:
            return (replace(stmt, after=()),)
        case ir.Await(handles=handles):
            rest = tuple(handle for handle in handles if handle not in late)
            return (replace(stmt, handles=rest),) if rest else ()
    return (stmt,)


def _by_threads(stmt: ir.Stmt, counted: set[str]) -> ir.Stmt:
    if isinstance(stmt, ir.Arrive) and stmt.slot.event in counted:
        return replace(stmt, by_threads=True)
    return stmt


def _event(event: ir.Event, body: Body, counted: set[str]) -> ir.Event:
    if event.name not in counted:
        return event
    units = {stmt.unit for stmt in statements(body) if isinstance(stmt, ir.Arrive) and stmt.slot.event == event.name}
    if len(units) != 1 or not units <= THREADS.keys():
        raise LoweringError(
            f"units of several sizes arrive on '{event.name}': let equally many threads trigger it everywhere",
            event.span,
        )
    threads = THREADS[units.pop()]
    return replace(event, arrivals=tuple(count * threads for count in event.arrivals))
