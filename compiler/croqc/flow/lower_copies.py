"""Copies of a kernel as steps, and the futures that hold them. Must not know control."""

from __future__ import annotations

from croqc.flow.exprs import const
from croqc.flow.joins import meets_block
from croqc.flow.lower import Lowering
from croqc.flow.lower_events import event_ref
from croqc.flow.ops_control import Fail, Meet
from croqc.flow.ops_data import Copy, Dest
from croqc.flow.ops_futures import Rotate
from croqc.flow.ops_select import Take
from croqc.sema.model import Symbol, Unit
from croqc.sema.types import Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk


def copy(lowering: Lowering, node: ast.Copy) -> None:
    info = lowering.model.copies.get(node)
    if info is None:
        lowering.emit(Fail(node.span, "this copy is not understood"))
        return
    source = lowering.buffers.operand(node.source, info.source)
    op = Copy(node.span, source, _dest(lowering, node), lowering.loops)
    op.asynchronous = (node.is_async or node.old_async) and node.target is not None
    op.bytes = info.bytes
    op.shared_out = any(modifier.name == "multicast" for modifier in node.modifiers)
    if op.shared_out and lowering.blocks > 1:
        op.blocks, lowering.program.crosses = lowering.blocks, True
        op.meets = _follows_rank(lowering, node.source) and not _follows_rank(lowering, node.dest)
    traced = lowering.buffers.trace(info.source) if source is None else None
    to_chip = info.dest_storage in (Storage.SHARED, Storage.LOCAL)
    op.short = node.op == "copy" and not info.zero_fill and lowering.buffers.is_short(info)
    op.even = node.op != "transp" and node.op != "pad" and lowering.buffers.is_even(info)
    if source is not None and op.dest.operand is None:
        op.outlet = lowering.buffers.outlet(info)
    op.origin = traced.root if traced is not None and to_chip else None
    if node.event is not None:
        op.event = event_ref(lowering, node.event)
    target = lowering.model.uses.get(node.target) if node.target is not None else None
    if target is not None and lowering.buffers.is_handle(target):
        op.handle = lowering.buffers.handle(target)
    follows = lowering.model.uses.get(node.after) if node.after is not None else None
    if follows is not None and lowering.buffers.is_handle(follows):
        op.follows = lowering.buffers.handle(follows)
    together = info.unit is Unit.BLOCK and lowering.inside and len(lowering.paths) > 1
    op.together = together
    if together and (not op.asynchronous or meets_block(node, info.unit)):
        lowering.emit(Meet(node.span, lowering.loops))
    lowering.emit(op)
    if together and not op.asynchronous:
        lowering.emit(Meet(node.span, lowering.loops))


def _follows_rank(lowering: Lowering, node: ast.Node) -> bool:
    values = (lowering.model.values.get(each) for each in walk(node))
    return any(value is not None and not lowering.ranks.isdisjoint(value.names()) for value in values)


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


def rotate(lowering: Lowering, node: ast.Rotate) -> None:
    symbols = [lowering.model.uses.get(name) for name in node.names]
    if len(symbols) > 1 and all(symbol is not None and lowering.buffers.is_handle(symbol) for symbol in symbols):
        handles = tuple(lowering.buffers.handle(symbol) for symbol in symbols if symbol is not None)
        lowering.emit(Rotate(node.span, handles, lowering.loops, node.word))


def any_future(lowering: Lowering, node: ast.AnyFuture) -> None:
    symbol = lowering.model.uses.get(node.target)
    if symbol is not None:
        lowering.emit(Rotate(node.span, (lowering.buffers.handle(symbol),), lowering.loops))


def take(lowering: Lowering, part: ast.AssignPart, symbol: Symbol) -> None:
    """`f = select(k, f0, f1)`, or another name for one future."""
    value = part.value
    options = value.options if isinstance(value, ast.Select) else (value,)
    meant = [lowering.model.uses.get(option) if isinstance(option, ast.Name) else None for option in options]
    handles = [lowering.buffers.handle(one) for one in meant if one is not None and lowering.buffers.is_handle(one)]
    if part.op != "=" or len(handles) < len(options) or not lowering.buffers.is_handle(symbol):
        lowering.emit(Fail(part.span, "which transfer this names is not understood"))
        return
    choice = lowering.exprs.of(value.index) if isinstance(value, ast.Select) else const(0)
    lowering.emit(Take(part.span, lowering.buffers.handle(symbol), handles, choice, lowering.loops))
