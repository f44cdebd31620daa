"""Buffers, copies, futures and events (reference, chapters 3.6, 5 and 7). Must not choose how a copy is executed."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.effects import thread_of
from croqc.pipe.build.scalars import convert, value
from croqc.pipe.build.tiles import tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ONE, ZERO, Expr, Lit, Space, Tile, Var, add, divide, modulo, multiply, variables, whole
from croqc.sema.events import order_of
from croqc.sema.masks import defining_value
from croqc.sema.model import Unit
from croqc.sema.roots import base_name
from croqc.sema.types import Event, Future, Storage
from croqc.syntax import ast
from croqc.text.span import Span


def _nothing(c: Context, node: ast.Node) -> Built:
    """Declarations are collected before the body is built."""
    return []


def _buffer(c: Context, node: ast.BufferDecl) -> Built:
    found: Built = []
    for name in node.names:
        if name.fill is not None:
            symbol = c.symbol(name.name)
            tensor = c.tensors[symbol]
            first, array = (c.tiles[symbol].slot if symbol in c.tiles else ZERO), getattr(symbol.type, "array", ())
            slots = [add(first, Lit(slot)) for slot in range(prod(array))]
            found += _filled(c, [whole(tensor, slot) for slot in slots], value(c, name.fill), node)
    return found


def _filled(c: Context, tiles: list[Tile], start: Expr, node: ast.BufferDecl) -> Built:
    """Every element gets the value: of local data by its thread, of shared data by the unit's threads in turn, which
    meet behind it, and before it where the turn of a loop before may still look at it (reference, 3.6)."""
    tensor = tiles[0].tensor
    shared = tensor.space is Space.SHARED and c.unit is not Unit.THREAD
    first, step = thread_of(c) if shared else (ZERO, ONE)
    name = c.names.fresh("element")
    index: list[Expr] = []
    rest: Expr = Var(name)
    for extent in reversed(tensor.shape[1:]):
        index.append(modulo(rest, extent))
        rest = divide(rest, extent)
    at = (rest, *reversed(index))
    new = convert(start, tensor.elem)
    writes = tuple(ir.Write(node.span, each, at, new) for each in tiles)
    loop = ir.Loop(node.span, name, first, Lit(prod(tensor.extents)), step, writes, None if shared else 0)
    meets: Built = [ir.Sync(node.span, c.unit)] if shared else []
    return [*(meets if node in c.looped else []), loop, *meets]


# --- copies ------------------------------------------------------------------------------------


def _copy(c: Context, node: ast.Copy) -> Built:
    info = c.model.copies.get(node)
    if info is None:
        raise LoweringError("this copy is not understood: 'croq check' says why", node.span)
    if isinstance(node.dest, ast.StorageDest) and node.target is None:
        return []  # nobody can look at what has no name
    source = tile(c, node.source)
    dest = _destination(c, node)
    form, order, low, pad = form_of(c, node)
    fills = info.dest_storage is Storage.SHARED and info.source_storage is not Storage.SHARED
    private = Storage.LOCAL in (info.source_storage, info.dest_storage) or c.unit is Unit.THREAD
    unit = Unit.THREAD if private else c.unit if c.in_team else info.unit
    return [
        *([] if node.after is None else _awaited(c, node.after, node.span)),
        *_named_slot(c, node, source, dest),
        ir.Copy(
            node.span,
            source,
            dest,
            form,
            unit,
            node.engine,
            node.is_async or node.old_async,
            _future(c, node, dest),
            order,
            low,
            pad,
            info.zero_fill or node.source_zfill or (node.engine == "tma" and fills),
            any(item.name == "multicast" for item in node.modifiers),
            None if node.event is None else slot_ref(c, node.event)[0],
        ),
    ]


def _future(c: Context, node: ast.Copy, dest: Tile) -> str:
    """The name of the copy's future; one without a slot of its own stands for the destination."""
    if node.target is None:
        return ""
    symbol = c.symbol(node.target)
    if symbol not in c.handles:
        c.tiles[symbol] = dest
    return c.name_of(symbol)


def _named_slot(c: Context, node: ast.Copy, source: Tile, dest: Tile) -> Built:
    """A future that may stand for another one's buffer stands, from its copy on, for the one that the copy names."""
    symbol = None if node.target is None else c.symbol(node.target)
    if symbol not in c.handles or isinstance(node.dest, ast.StorageDest):
        return []
    name = c.handles[symbol][0]
    if name in variables(source.slot) or name in variables(dest.slot):
        raise LoweringError(f"this copy reads the data of '{name}', its own future: name the buffer", node.span)
    return [ir.Set(node.span, name, dest.slot)]


def _destination(c: Context, node: ast.Copy) -> Tile:
    if isinstance(node.dest, ast.StorageDest):
        assert node.target is not None
        return tile(c, node.target)
    return tile(c, node.dest)


def form_of(c: Context, node: ast.Copy) -> tuple[ir.Form, tuple[int, ...], tuple[Expr, ...], Expr | None]:
    """What a copy does besides moving: the form, the order of dimensions, where the source lies in a padded box."""
    match node.config:
        case ast.TransConfig(order=order):
            return ir.Form.TRANSPOSE, order, (), None
        case ast.PadConfig(low=low, mid=mid, value=pad):
            if any(not (isinstance(item, ast.IntLit) and item.value == 0) for item in mid):
                raise LoweringError(
                    "padding between elements is not lowered: pad the sides, and write the rest by elements", node.span
                )
            return ir.Form.PAD, (), tuple(value(c, item) for item in low), value(c, pad)
    return ir.Form.COPY, (), (), None


def _rotate(c: Context, node: ast.Rotate) -> Built:
    symbols = [c.symbol(name) for name in node.names]
    if all(_is_of_multiply(c, name) for name in node.names):
        return []  # a wait for one of them ends all groups
    if any(symbol not in c.handles for symbol in symbols):
        raise LoweringError(
            f"'{node.word}' of futures of parts of buffers, or of buffers that are not alike, is not lowered: "
            "let the copies name whole buffers, or make them ('=> shared')",
            node.span,
        )
    return [ir.Rotate(node.span, tuple(c.handles[symbol][0] for symbol in symbols))]


# --- events ------------------------------------------------------------------------------------


def slot_ref(c: Context, node: ast.Expr) -> list[ir.SlotRef]:
    """The slots that a reference names: one, or all of an array without subscript."""
    while isinstance(node, ast.Paren):
        node = node.inner
    base, suffixes = (node.base, node.suffixes) if isinstance(node, ast.Chain) else (node, ())
    if not isinstance(base, ast.Name):
        raise LoweringError("this is no event: name one, or one of an array of them ('full[s]')", node.span)
    symbol = c.symbol(base)
    if not isinstance(symbol.type, Event):
        raise LoweringError(f"'{base.id}' is no event: name one that 'shared event' declares", node.span)
    name, array = c.name_of(symbol), symbol.type.array
    order = order_of(node)
    if order is not None:
        return [ir.SlotRef(name, value(c, order), ordered=True)]
    subscripts = [each.args[0] for each in suffixes if isinstance(each, ast.Index)]
    if not subscripts:
        return [ir.SlotRef(name, Lit(number)) for number in range(prod(array))]
    number: Expr = ZERO
    for subscript, extent in zip(subscripts, array, strict=True):
        number = add(multiply(number, Lit(extent)), value(c, subscript))
    return [ir.SlotRef(name, number)]


def _is_future(c: Context, node: ast.Expr) -> bool:
    return isinstance(node, ast.Name) and isinstance(c.symbol(node).type, Future)


def _is_of_multiply(c: Context, node: ast.Expr) -> bool:
    type_ = c.symbol(node).type if isinstance(node, ast.Name) else None
    return isinstance(type_, Future) and type_.multiply


def _awaited(c: Context, node: ast.Expr, span: Span) -> Built:
    """What a copy that comes `after` another one begins with (5.4)."""
    if _is_of_multiply(c, node):
        return [ir.Commit(span)]
    transfers = _transfers(c, node)
    return [ir.Await(span, transfers, c.unit, among=transfers != (_handle(c, node),))]


def _wait(c: Context, node: ast.Wait) -> Built:
    found: Built = []
    futures: list[str] = []
    unit = Unit.BLOCK if node in c.block_waits else c.unit
    for ref in node.refs:
        if not _is_future(c, ref):
            found += _in_turn(c, [ir.Wait(node.span, slot) for slot in slot_ref(c, ref)])
        elif _is_of_multiply(c, ref):  # groups end in order: with all of them, its own
            found.append(ir.Commit(node.span))
        elif (transfers := _transfers(c, ref)) != (_handle(c, ref),):
            found.append(ir.Await(node.span, transfers, unit, among=True))
        else:
            futures += transfers
    if futures:
        found.append(ir.Await(node.span, tuple(futures), unit))
    return [*found, ir.Sync(node.span, Unit.BLOCK)] if node in c.block_waits else found


def _transfers(c: Context, node: ast.Expr) -> tuple[str, ...]:
    """The handles of which a name may stand for one: itself, or those that a `select` has chosen among (5.4)."""
    if not isinstance(node, ast.Name):
        return ()
    value = defining_value(c.symbol(node))
    match value:
        case None:
            return (_handle(c, node),)
        case ast.Select(options=options):
            found = [each for option in options for each in _transfers(c, option)]
        case _:
            found = list(_transfers(c, value)) if isinstance(value, ast.Name) else []
    return tuple(dict.fromkeys(found))


def _handle(c: Context, node: ast.Expr) -> str:
    if not isinstance(node, ast.Name) or not _is_future(c, node):
        raise LoweringError("this is no future of a copy: name one", node.span)
    return c.name_of(c.symbol(node))


def _trigger(c: Context, node: ast.Trigger) -> Built:
    for each in node.after:
        if _is_future(c, each) and _transfers(c, each) != (_handle(c, each),):
            reason = "a trigger for a copy that 'select' has chosen is not lowered yet"
            raise LoweringError(f"{reason}: name the copy itself behind 'after'", each.span)
    after = tuple(_handle(c, each) for each in node.after)
    found: Built = []
    for ref in node.refs:
        slots = slot_ref(c, ref)
        name = base_name(ref)
        over_blocks = c.model.reaches_cluster(node, None if name is None else c.symbol(name))
        found += _in_turn(c, [ir.Arrive(node.span, slot, c.unit, after, over_blocks) for slot in slots])
    return found


def _in_turn(c: Context, built: Built) -> Built:
    """What one reference of several does, with the steps of its order (7.4), before the next is looked at."""
    found = [*c.ahead, *built, *c.behind]
    c.ahead.clear()
    c.behind.clear()
    return found


MOVEMENT: dict[type, Callable[[Context, Any], Built]] = {
    ast.BufferDecl: _buffer,
    ast.EventDecl: _nothing,
    ast.AnyFuture: _nothing,
    ast.Copy: _copy,
    ast.Rotate: _rotate,
    ast.Wait: _wait,
    ast.Trigger: _trigger,
}
