"""Events: declaration, wait, trigger (reference, chapter 7; credit-flow, section 2).

Waits test one parity bit, as the hardware does; arrivals beyond a generation's count end the run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from math import prod
from typing import Any

from croqc.engines.sim.code.compiler import Code, Compiler, sequence
from croqc.engines.sim.code.declare import extents
from croqc.engines.sim.code.sync import device, meet, step, unit_together
from croqc.engines.sim.code.values import single
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.barrier import Arrival, MBarrier, OverrunError
from croqc.engines.sim.machine.scheduler import Block
from croqc.engines.sim.state import BlockState, Event, Frame, FutureState, PathState, Transfer
from croqc.sema.collectives import unit_of
from croqc.sema.model import Symbol
from croqc.sema.nesting import Around
from croqc.sema.slot_text import subscripts
from croqc.syntax import ast
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot of an event as a statement names it. `order`: the generation counter of `.at(order)`, else None."""

    event: Event
    index: int
    order: int | None

    @property
    def barrier(self) -> MBarrier:
        return self.event.slots[self.index]

    def generation(self, path: PathState) -> int:
        """Which generation the path's next wait on the slot is for, counted from 0."""
        if self.order is not None:
            return self.order // len(self.event.slots)
        return path.phases.get(self.barrier, 0)


@dataclass(frozen=True, slots=True)
class Awaited:
    """What a path waits for. `slot` is None for an event without slots, `symbol` and `barrier` for a future."""

    event: str
    symbol: Symbol | None = None
    slot: int | None = None
    generation: int = 0
    barrier: MBarrier | None = None


def _event_decl(c: Compiler, node: ast.EventDecl) -> Code:
    return sequence([_declare(c, node, name) for name in node.names])


def _declare(c: Compiler, node: ast.EventDecl, name: ast.EventName) -> Code:
    """A block has one instance of a declaration each time its paths pass it: they share what the first one makes."""
    symbol = c.symbol(name.name)
    slot, array = c.slot(symbol), extents(c, name.array)

    def run(frame: Frame) -> None:
        block, path = device(frame, name.span)
        round_ = path.declared[symbol] = path.declared.get(symbol, 0) + 1
        event = block.events.get((symbol, round_))
        if event is None:
            sizes = array(frame)
            slots = [MBarrier(c.arrivals(symbol, index), int(name.ready)) for index in range(prod(sizes))]
            event = block.events[symbol, round_] = Event(symbol, round_, sizes, slots)
        frame.vars[slot] = event

    return Code(run)


def slots_fn(c: Compiler, node: ast.Expr) -> Callable[[Frame], list[Slot]]:
    """The slots that a reference names: one, or all of an array without subscript."""
    targets = targets_fn(c, node)

    def run(frame: Frame) -> list[Slot]:
        found = targets(frame)
        if isinstance(found, FutureState):
            raise SimError("an event is needed here, this is a future", node.span)
        return found

    return run


def targets_fn(c: Compiler, node: ast.Expr) -> Callable[[Frame], list[Slot] | FutureState]:
    """What a `wait` or `trigger` operand names: slots of an event, or a future."""
    while isinstance(node, ast.Paren):
        node = node.inner
    base, suffixes = (node.base, node.suffixes) if isinstance(node, ast.Chain) else (node, ())
    value, span = c.expr(base), node.span
    subscripts = [c.expr(each.args[0]) for each in suffixes if isinstance(each, ast.Index)]
    order = next(
        (c.expr(each.args[0]) for each in suffixes if isinstance(each, ast.Member) and each.name == "at"), None
    )

    def run(frame: Frame) -> list[Slot] | FutureState:
        event = value(frame)
        if isinstance(event, FutureState):
            return event
        if not isinstance(event, Event):
            raise SimError("this is no event and no future", span)
        if order is not None:
            number = _uniform(order(frame), span)
            return [Slot(event, number % len(event.slots), number)]
        if not subscripts:
            return [Slot(event, index, None) for index in range(len(event.slots))]
        return [Slot(event, _index(event, [_uniform(each(frame), span) for each in subscripts], span), None)]

    return run


def _uniform(value: Any, span: Span) -> int:
    one = single(value)
    if one is None:
        raise SimError("the slot differs from thread to thread", span)
    return int(one)


def _index(event: Event, subscripts: list[int], span: Span) -> int:
    number = 0
    for subscript, extent in zip(subscripts, event.array, strict=True):
        if not 0 <= subscript < extent:
            raise SimError(f"index {subscript} of '{event.symbol.name}' is out of range: {extent} slots", span)
        number = number * extent + subscript
    return number


# --- wait --------------------------------------------------------------------------------------


def _wait(c: Compiler, node: ast.Wait) -> Code:
    refs, span = [(targets_fn(c, ref), ref) for ref in node.refs], node.span
    unit = unit_of(c.model, node, Around())
    meets = any(node in plan.block_waits for plan in c.plans.values())

    def run(frame: Frame) -> Generator[Any, None, None]:
        _, path = device(frame, span)
        if unit is not None:
            yield from unit_together(frame, span, unit)
        for targets, ref in refs:
            yield from step(frame, span)
            found = targets(frame)
            if isinstance(found, FutureState):
                yield from wait_future(found, span, getattr(ref, "id", "the future"))
                continue
            for slot in found:
                yield from _wait_slot(path, slot, span)
        if meets:
            yield from meet(frame, span)

    return Code(run, True)


def wait_future(future: FutureState, span: Span, name: str) -> Generator[Any, None, None]:
    """Until the transfer has landed, or the multiply has ended."""
    operation = future.transfer.operation if future.transfer is not None else future.operation
    if operation is not None and not operation.done:
        yield Block(lambda: operation.done, span, Awaited(name))


def _wait_slot(path: PathState, slot: Slot, span: Span) -> Generator[Any, None, None]:
    barrier, generation = slot.barrier, slot.generation(path)
    parity = generation & 1
    if not barrier.passes(parity):
        index = slot.index if slot.event.array else None
        about = Awaited(slot.event.symbol.name, slot.event.symbol, index, generation, barrier)
        yield Block(lambda: barrier.passes(parity), span, about)
    path.phases[barrier] = path.phases.get(barrier, 0) + 1


# --- trigger -----------------------------------------------------------------------------------


def _trigger(c: Compiler, node: ast.Trigger) -> Code:
    refs, after = [slots_fn(c, ref) for ref in node.refs], [targets_fn(c, ref) for ref in node.after]
    span, model = node.span, c.model

    def run(frame: Frame) -> Generator[Any, None, None]:
        block, path = device(frame, span)
        yield from step(frame, span)
        transfers = _transfers([each(frame) for each in after], span)
        for slots in refs:
            for slot in slots(frame):
                bound = [*path.bound.pop(slot.barrier, ()), *transfers]
                everywhere = model.reaches_cluster(node, slot.event.symbol)
                if everywhere or any(transfer.everywhere for transfer in bound):
                    yield from _until_declared(block, slot, span)
                _bind(block, slot, bound)
                for event in _instances(block, slot) if everywhere else [slot.event]:
                    _arrive(event, slot.index, Arrival(path.name, span))
        yield from step(frame, span)

    return Code(run, True)


def _transfers(found: list[list[Slot] | FutureState], span: Span) -> list[Transfer]:
    if any(not isinstance(each, FutureState) or each.transfer is None for each in found):
        raise SimError("'after' needs futures of asynchronous copies", span)
    return [each.transfer for each in found if isinstance(each, FutureState) and each.transfer is not None]


def _bind(block: BlockState, slot: Slot, transfers: list[Transfer]) -> None:
    """The bytes of copies named by this trigger, or that named this slot, belong to the present generation."""
    for transfer in transfers:
        events = _instances(block, slot) if transfer.everywhere else [slot.event]
        transfer.bind(*(event.slots[slot.index] for event in events))


def _until_declared(block: BlockState, slot: Slot, span: Span) -> Generator[Any, None, None]:
    """A cluster's blocks declare their events before anybody arrives there."""
    key = (slot.event.symbol, slot.event.round)
    if not all(key in peer.events for peer in block.peers):
        yield Block(lambda: all(key in peer.events for peer in block.peers), span, "the cluster's other blocks")


def _instances(block: BlockState, slot: Slot) -> list[Event]:
    """The event in every block of the cluster."""
    return [peer.events[slot.event.symbol, slot.event.round] for peer in block.peers] or [slot.event]


def _arrive(event: Event, index: int, who: Arrival) -> None:
    try:
        event.slots[index].arrive(who)
    except OverrunError as error:
        name = event.symbol.name + (subscripts(index, event.array) if event.array else "")
        count = event.slots[index].count
        raise SimError(f"an arrival on '{name}' beyond the {count} of its generation", who.span) from error


EVENTS: dict[type, Callable[[Compiler, Any], Code]] = {
    ast.EventDecl: _event_decl,
    ast.Wait: _wait,
    ast.Trigger: _trigger,
}
