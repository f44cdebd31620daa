"""Events of a kernel as steps: references to their slots, waits and triggers. Must not know copies or control."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from croqc.flow.exprs import Expr, apply, const
from croqc.flow.limit import OUTER_EVENT
from croqc.flow.lower import Lowering
from croqc.flow.lower_exprs import defined_at
from croqc.flow.ops_control import Fail, Meet, Set
from croqc.flow.ops_events import EventRef, Trigger, WaitEvent
from croqc.flow.ops_futures import WaitFuture
from croqc.sema.events import order_of
from croqc.sema.model import Symbol
from croqc.sema.types import Event
from croqc.syntax import ast


def event_ref(lowering: Lowering, ref: ast.Expr) -> EventRef | None:
    event = lowering.event_of(ref)
    if event is None:
        return None
    order = order_of(ref)
    if order is not None:
        return EventRef(ref.span, event, _order(lowering, order), ordered=True)
    suffixes = ref.suffixes if isinstance(ref, ast.Chain) else ()
    subscripts = [arg for suffix in suffixes if isinstance(suffix, ast.Index) for arg in suffix.args]
    if not subscripts:
        return EventRef(ref.span, event, None, ordered=False)
    type_ = event.symbol.type
    assert isinstance(type_, Event)
    number = const(0)
    for node, extent in zip(subscripts, type_.array, strict=False):
        number = apply("+", apply("*", number, const(extent)), lowering.exprs.of(node))
    found = EventRef(ref.span, event, number, ordered=False)
    found.where = defined_at(lowering.model, subscripts[0])
    return found


def _order(lowering: Lowering, order: ast.Expr) -> Any:
    """`order++` counts with the value before."""
    if isinstance(order, ast.IncDec):
        symbol = lowering.model.uses.get(order.name)
        if symbol is None:
            return lowering.exprs.of(order)
        return _moved(lowering, order, symbol) if order.prefix else lowering.exprs.held(symbol, order.span)
    return lowering.exprs.of(order)


def _moved(lowering: Lowering, order: ast.IncDec, symbol: Symbol) -> Expr:
    """A variable behind its `++` or `--`."""
    before = lowering.exprs.held(symbol, order.span)
    return lowering.exprs.widths.moved(symbol, apply(order.op[0], before, const(1)))


def _advance(lowering: Lowering, refs: Iterable[ast.Expr]) -> None:
    """The update of `e.at(order++)`, behind the statement."""
    for ref in refs:
        order = order_of(ref)
        if isinstance(order, ast.IncDec) and (symbol := lowering.model.uses.get(order.name)) is not None:
            slot = lowering.exprs.slot(symbol)
            lowering.emit(Set(order.span, slot, _moved(lowering, order, symbol), lowering.loops))


def wait(lowering: Lowering, node: ast.Wait) -> None:
    for ref in node.refs:
        type_ = lowering.model.types.get(ref)
        event = event_ref(lowering, ref)
        symbol = lowering.symbol_of(ref)
        if event is not None:
            event.phase = node.phase.value if isinstance(node.phase, ast.IntLit) else None
            lowering.emit(WaitEvent(event, lowering.loops))
            _advance(lowering, (ref,))
        elif symbol is not None and lowering.buffers.is_handle(symbol):
            lowering.emit(WaitFuture(ref.span, lowering.buffers.handle(symbol), lowering.loops))
        elif isinstance(type_, Event):
            lowering.emit(Fail(ref.span, OUTER_EVENT))
    if node in lowering.block_waits:
        lowering.emit(Meet(node.span, lowering.loops))


def trigger(lowering: Lowering, node: ast.Trigger) -> None:
    refs = [found for ref in node.refs if (found := event_ref(lowering, ref)) is not None]
    symbols = [lowering.symbol_of(future) for future in node.after]
    buffers = lowering.buffers
    handles = [buffers.handle(symbol) for symbol in symbols if symbol is not None and buffers.is_handle(symbol)]
    for over_blocks, group in groupby(refs, lambda ref: lowering.model.reaches_cluster(node, ref.event.symbol)):
        blocks = lowering.blocks if over_blocks else 1
        lowering.program.crosses |= blocks > 1
        lowering.emit(Trigger(node.span, tuple(group), tuple(handles), blocks, lowering.loops))
    _advance(lowering, node.refs)
