"""Statements of a kernel as steps: events, copies, multiplies, assignments, barriers. Must not know control."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from croqc.flow.exprs import apply, closure, const, var
from croqc.flow.islands import Effect, effect_of
from croqc.flow.lower import Lowering
from croqc.flow.lower_exprs import defined_at
from croqc.flow.ops_control import Bar, Fail, Meet, Set
from croqc.flow.ops_data import (
    Accumulator,
    Commit,
    Copy,
    Dest,
    Multiply,
    Name,
    Rotate,
    Touch,
    WaitFuture,
)
from croqc.flow.ops_events import EventRef, Trigger, WaitEvent
from croqc.flow.regions import Operand, each_of
from croqc.sema.events import order_of
from croqc.sema.model import OperandKind, Symbol, SymbolKind, Unit
from croqc.sema.roots import base_name
from croqc.sema.types import Data, Event, Fragment, Future, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk

# --- events ----------------------------------------------------------------------------------------


def _event_ref(lowering: Lowering, ref: ast.Expr) -> EventRef | None:
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
        here = var(lowering.exprs.slot(symbol))
        return apply("+" if order.op == "++" else "-", here, const(1)) if order.prefix else here
    return lowering.exprs.of(order)


def _advance(lowering: Lowering, refs: Iterable[ast.Expr]) -> None:
    """The update of `e.at(order++)`, behind the statement."""
    for ref in refs:
        order = order_of(ref)
        if isinstance(order, ast.IncDec) and (symbol := lowering.model.uses.get(order.name)) is not None:
            slot = lowering.exprs.slot(symbol)
            changed = apply("+" if order.op == "++" else "-", var(slot), const(1))
            lowering.emit(Set(order.span, slot, changed, lowering.loops))


def _wait(lowering: Lowering, node: ast.Wait) -> None:
    for ref in node.refs:
        type_ = lowering.model.types.get(ref)
        event = _event_ref(lowering, ref)
        symbol = _symbol(lowering, ref)
        if event is not None:
            lowering.emit(WaitEvent(event, lowering.loops))
            _advance(lowering, (ref,))
        elif symbol is not None and lowering.buffers.is_handle(symbol):
            lowering.emit(WaitFuture(ref.span, lowering.buffers.handle(symbol), lowering.loops))
        elif isinstance(type_, Event):
            lowering.emit(Fail(ref.span, "an event that is declared outside the kernel"))


def _trigger(lowering: Lowering, node: ast.Trigger) -> None:
    refs = [found for ref in node.refs if (found := _event_ref(lowering, ref)) is not None]
    symbols = [_symbol(lowering, future) for future in node.after]
    buffers = lowering.buffers
    handles = [buffers.handle(symbol) for symbol in symbols if symbol is not None and buffers.is_handle(symbol)]
    blocks = lowering.blocks if node.cluster else 1
    if refs:
        lowering.emit(Trigger(node.span, tuple(refs), tuple(handles), blocks, lowering.loops))
    _advance(lowering, node.refs)


def _symbol(lowering: Lowering, ref: ast.Node) -> Symbol | None:
    name = base_name(ref)
    return lowering.model.uses.get(name) if name is not None else None


# --- copies ----------------------------------------------------------------------------------------


def _copy(lowering: Lowering, node: ast.Copy) -> None:
    info = lowering.model.copies.get(node)
    if info is None:
        lowering.emit(Fail(node.span, "this copy is not understood"))
        return
    source = lowering.buffers.operand(node.source, info.source)
    op = Copy(node.span, source, _dest(lowering, node), lowering.loops)
    op.asynchronous = (node.is_async or node.old_async) and node.target is not None
    op.bytes = info.bytes
    op.shared_out = any(modifier.name == "multicast" for modifier in node.modifiers)
    traced = lowering.buffers.trace(info.source) if source is None else None
    to_chip = info.dest_storage in (Storage.SHARED, Storage.LOCAL)
    op.even = node.op != "transp" and node.op != "pad" and lowering.buffers.is_even(info)
    if source is not None and op.dest.operand is None:
        op.outlet = lowering.buffers.outlet(info)
    op.origin = traced.root if traced is not None and to_chip else None
    if node.event is not None:
        op.event = _event_ref(lowering, node.event)
    target = lowering.model.uses.get(node.target) if node.target is not None else None
    if target is not None and lowering.buffers.is_handle(target):
        op.handle = lowering.buffers.handle(target)
    follows = lowering.model.uses.get(node.after) if node.after is not None else None
    if follows is not None and lowering.buffers.is_handle(follows):
        op.follows = lowering.buffers.handle(follows)
    together = info.unit is Unit.BLOCK and lowering.inside and len(lowering.paths) > 1
    op.together = together
    if together and not op.asynchronous:
        lowering.emit(Meet(node.span, lowering.loops))
    lowering.emit(op)
    if together and not op.asynchronous:
        lowering.emit(Meet(node.span, lowering.loops))


def _dest(lowering: Lowering, node: ast.Copy) -> Dest:
    info = lowering.model.copies[node]
    buffers = lowering.buffers
    match node.dest:
        case ast.StorageDest():
            dest = Dest(buffers.whole(info.dest.base, node.dest))
            dest.made = True
            return dest
        case ast.Select() as select:
            return Dest(buffers.selected(select))
        case other:
            return Dest(buffers.operand(other, info.dest))


def _rotate(lowering: Lowering, node: ast.Rotate) -> None:
    symbols = [lowering.model.uses.get(name) for name in node.names]
    if len(symbols) > 1 and all(symbol is not None and lowering.buffers.is_handle(symbol) for symbol in symbols):
        handles = tuple(lowering.buffers.handle(symbol) for symbol in symbols if symbol is not None)
        lowering.emit(Rotate(node.span, handles, lowering.loops))


def _any_future(lowering: Lowering, node: ast.AnyFuture) -> None:
    symbol = lowering.model.uses.get(node.target)
    if symbol is not None:
        lowering.emit(Rotate(node.span, (lowering.buffers.handle(symbol),), lowering.loops))


# --- multiplies ------------------------------------------------------------------------------------


def _accumulator(lowering: Lowering, node: ast.Expr) -> Accumulator | None:
    symbol = _symbol(lowering, node)
    if symbol is None or not isinstance(symbol.type, Fragment):
        return None
    number = lowering.fragments.setdefault(symbol, len(lowering.fragments))
    suffixes = node.suffixes if isinstance(node, ast.Chain) else ()
    index = [arg for suffix in suffixes if isinstance(suffix, ast.Index) for arg in suffix.args]
    return Accumulator(number, tuple(closure(lowering.exprs.of(arg)) for arg in index))


def _operand(lowering: Lowering, node: ast.Expr) -> Iterable[Operand]:
    """What a multiply reads from shared memory: a view, or the tile that a name stands for."""
    symbol = _symbol(lowering, node)
    if symbol is not None and symbol.kind is SymbolKind.FRAGMENT:
        if any(
            kind is OperandKind.SHARED and _symbol(lowering, load.target) is symbol
            for load, kind in lowering.model.loads.items()
        ):
            operand = Operand(node.span, symbol.name)
            operand.alias = lowering.fragments.setdefault(symbol, len(lowering.fragments))
            return (operand,)
        return ()
    return tuple(lowering.buffers.reads_in(node))


def _multiply(lowering: Lowering, node: ast.Mma) -> None:
    accumulator = _accumulator(lowering, node.acc)
    if accumulator is None:
        lowering.emit(Fail(node.span, "this multiply is not understood"))
        return
    operands = [operand for part in (node.a, node.b, *node.extra) for operand in _operand(lowering, part)]
    ends = lowering.model.ends_at_statement or node.form == "scale"
    op = Multiply(node.span, accumulator, operands, ends, lowering.loops)
    target = lowering.model.uses.get(node.target) if node.target is not None else None
    if target is not None:
        op.handle = lowering.buffers.handle(target)
        op.ends = False
    if operands or target is not None:
        lowering.emit(op)


def _load(lowering: Lowering, node: ast.MmaLoad) -> None:
    operand = lowering.buffers.operand(node.source)
    if operand is None:
        return
    symbol = _symbol(lowering, node.target)
    if lowering.model.loads.get(node) is OperandKind.SHARED and symbol is not None:
        alias = lowering.fragments.setdefault(symbol, len(lowering.fragments))
        lowering.emit(Name(node.span, alias, operand, lowering.loops))
    else:
        lowering.emit(Touch(node.span, (operand,), (), lowering.loops))


def _store(lowering: Lowering, node: ast.MmaStore) -> None:
    dest = lowering.buffers.operand(node.dest)
    op = Touch(node.span, (), () if dest is None else (dest,), lowering.loops)
    op.closes = _accumulators(lowering, node.acc)
    lowering.emit(op)


def _accumulators(lowering: Lowering, *nodes: ast.Node) -> tuple[Accumulator, ...]:
    """Every fragment that an expression names."""
    found = []
    stack = list(nodes)
    while stack:
        here = stack.pop()
        accumulator = _accumulator(lowering, here) if isinstance(here, ast.Chain | ast.Name) else None
        if accumulator is not None:
            found.append(accumulator)
        elif isinstance(here, ast.Chain):
            stack += [arg for suffix in here.suffixes for arg in getattr(suffix, "args", ())]
        else:
            stack += [inner for inner in walk(here) if inner is not here and isinstance(inner, ast.Chain | ast.Name)]
    return tuple(found)


def _scale(lowering: Lowering, node: ast.MmaScale) -> None:
    reads = [operand for part in (node.scale_a, node.scale_b) for operand in lowering.buffers.reads_in(part)]
    op = Touch(node.span, reads, (), lowering.loops)
    op.closes = _accumulators(lowering, node.acc)
    lowering.emit(op)


def _commit(lowering: Lowering, node: ast.MmaCommit) -> None:
    if not node.keep:
        lowering.emit(Commit(node.span, lowering.loops))
    else:
        lowering.emit(Fail(node.span, "a wait that leaves multiplies running"))


def _apply(lowering: Lowering, node: ast.Apply) -> None:
    op = Touch(node.frag.span, (), (), lowering.loops)
    op.closes = _accumulators(lowering, node.frag)
    lowering.emit(op)
    lowering.block(node.body)


def _fragment_op(lowering: Lowering, node: ast.FragOp) -> None:
    reads = [operand for arg in node.args for operand in lowering.buffers.reads_in(arg)]
    op = Touch(node.span, reads, (), lowering.loops)
    op.closes = _accumulators(lowering, *node.args)
    if reads or op.closes:
        lowering.emit(op)


# --- assignments and calls -------------------------------------------------------------------------


def _assign(lowering: Lowering, node: ast.Assign) -> None:
    for part in node.parts:
        _assign_part(lowering, part)


def _assign_part(lowering: Lowering, part: ast.AssignPart) -> None:
    model, buffers = lowering.model, lowering.buffers
    if isinstance(part.value, ast.Call):
        _call(lowering, part.value)
    symbol = model.uses.get(part.target) if isinstance(part.target, ast.Name) else None
    if symbol is not None and isinstance(symbol.type, Future):
        lowering.emit(Fail(part.span, "a handle that is assigned"))
        return
    moves = not (symbol is not None and isinstance(model.types.get(part.value), Data) and _is_view(symbol))
    reads = list(buffers.reads_in(part.value)) if moves and not isinstance(part.value, ast.Call) else []
    target = None if symbol is not None and _is_view(symbol) else buffers.target(part.target)
    if target is not None and part.op != "=":
        reads.append(target)
    closes = _accumulators(lowering, part.value, part.target)
    if reads or target is not None or closes:
        op = Touch(part.span, reads, () if target is None else (target,), lowering.loops)
        op.closes = closes
        lowering.emit(op)
    if symbol is not None and symbol in lowering.exprs.changing:
        _set(lowering, part, symbol)


def _is_view(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.VARIABLE and isinstance(symbol.type, Data)


def _set(lowering: Lowering, part: ast.AssignPart, symbol: Symbol) -> None:
    slot = lowering.exprs.slot(symbol)
    value = lowering.exprs.of(part.value)
    if part.op != "=":
        value = apply(part.op[0], var(slot), value)
    lowering.emit(Set(part.span, slot, value, lowering.loops))


def _call_stmt(lowering: Lowering, node: ast.CallStmt) -> None:
    _call(lowering, node.call)


def _call(lowering: Lowering, call: ast.Call) -> None:
    if call.kind == "barrier":
        if len(call.args) == 2:
            number, count = (lowering.exprs.of(arg) for arg in call.args)
            lowering.emit(Bar(call.span, number, count, call.callee == "__bar_sync", lowering.loops))
        return
    operands = [operand for arg in call.args for operand in lowering.buffers.reads_in(arg)]
    if not operands:
        return
    if call.kind == "atomic":
        op = Touch(call.span, (), operands, lowering.loops)
        op.atomic = True
        lowering.emit(op)
        return
    for operand in each_of(operands):
        if operand.stage is not None:
            operand.stage.written = True
    lowering.emit(Touch(call.span, operands, (), lowering.loops))
    given = [found for arg in call.args if _is_handed(lowering, arg) for found in lowering.buffers.reads_in(arg)]
    if given:
        op = Touch(call.span, (), given, lowering.loops)
        op.maybe = f"whether '{call.callee}' writes what it is given is not known"
        lowering.emit(op)


def _is_handed(lowering: Lowering, arg: ast.Node) -> bool:
    """Whether a function gets the place of the data; of an element it gets the value."""
    view = lowering.model.views.get(arg)
    return view is not None and view.element is None


def _reading(lowering: Lowering, node: ast.Node) -> None:
    lowering.reads(node)


# --- barriers and islands --------------------------------------------------------------------------


def _sync(lowering: Lowering, node: ast.Sync) -> None:
    whole = node.kind == "shared" or (node.kind == "barrier" and node.level == "block")
    if whole and len(lowering.paths) > 1:
        lowering.emit(Meet(node.span, lowering.loops))


def _island(lowering: Lowering, node: ast.Cpp | ast.Asm) -> None:
    match effect_of(node.text.value if isinstance(node, ast.Cpp) else node.template.value):
        case Effect.CONTROL:
            lowering.emit(Fail(node.span, "foreign code"))
        case Effect.COMMIT:
            lowering.emit(Commit(node.span, lowering.loops))
        case Effect.NOTHING:
            lowering.note(node.span, "read as empty")


STATEMENTS: Final[dict[type, Callable[[Lowering, Any], None]]] = {
    ast.Wait: _wait,
    ast.Trigger: _trigger,
    ast.Copy: _copy,
    ast.Rotate: _rotate,
    ast.AnyFuture: _any_future,
    ast.Mma: _multiply,
    ast.MmaLoad: _load,
    ast.MmaStore: _store,
    ast.MmaScale: _scale,
    ast.MmaCommit: _commit,
    ast.Apply: _apply,
    ast.FragOp: _fragment_op,
    ast.Assign: _assign,
    ast.Call: _call,
    ast.CallStmt: _call_stmt,
    ast.Print: _reading,
    ast.Sync: _sync,
    ast.Cpp: _island,
    ast.Asm: _island,
}
