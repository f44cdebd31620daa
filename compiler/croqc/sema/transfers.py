"""Names and types of events, copies and tensor-core statements (5.1, 5.4, 6.1). Legality is checked by later stages."""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema.declarations import STORAGES, array_of
from croqc.sema.describe import describe
from croqc.sema.model import SymbolKind, View
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    UNKNOWN,
    Data,
    Fragment,
    FragRole,
    Future,
    Storage,
    Type,
    Unknown,
    data_of,
)
from croqc.sema.walk import StmtTable, Walk
from croqc.syntax import ast
from croqc.text.record import replace


def _refs(walk: Walk, node: ast.Wait | ast.Trigger) -> None:
    if isinstance(node, ast.Wait) and node.phase is not None:
        walk.expr(node.phase)
    for ref in node.refs + (node.after if isinstance(node, ast.Trigger) else ()):
        walk.expr(ref)


def _rotate(walk: Walk, node: ast.Rotate) -> None:
    """A placeholder takes the type of what is rotated into it (5.4)."""
    symbols = [walk.scopes.use(name) for name in node.names]
    types = [symbol.type for symbol in symbols if symbol is not None]
    known = next((type_.data for type_ in types if isinstance(type_, Future) and type_.data is not None), None)
    for symbol in symbols:
        if symbol is not None and isinstance(symbol.type, Future) and symbol.type.data is None and known is not None:
            symbol.type = replace(symbol.type, data=known)


# --- copies --------------------------------------------------------------------------------------


def _copy(walk: Walk, node: ast.Copy) -> None:
    if node.event is not None:
        walk.expr(node.event)
    if isinstance(node.config, ast.PadConfig):
        for item in (*node.config.low, *node.config.high, *node.config.mid, node.config.value):
            walk.expr(item)
    source = _place(walk, node.source)
    dest = _destination(walk, node, source)
    if node.after is not None:
        walk.expr(node.after)
    if node.target is not None:
        bind_future(walk, node.target, Future(dest, node.is_async or node.old_async), node)


def _place(walk: Walk, node: ast.Expr | ast.Select) -> Data | None:
    """The data that a copy reads or writes (V01, V17)."""
    type_ = walk.expr(node).type
    data = data_of(type_)
    if data is not None and data.array:
        name = node.id if isinstance(node, ast.Name) else ""
        walk.b.report(rules.INDEX_OUT_OF_RANGE, node.span, kind="subscripts", r=len(data.array), k=0, name=name)
        return None
    if data is None and not isinstance(type_, Unknown | Future | Fragment):
        name = node.id if isinstance(node, ast.Name) else ""
        walk.b.report(rules.VIEW_OF_NON_DATA, node.span, name=name, t=describe(type_), op="copy")
    return data


def _destination(walk: Walk, node: ast.Copy, source: Data | None) -> Data | None:
    dest = node.dest
    if not isinstance(dest, ast.StorageDest):
        return _place(walk, dest)
    storage = STORAGES.get(dest.storage, Storage.HOST)
    if storage is Storage.GLOBAL and walk.on_device:
        walk.b.report(rules.STORAGE_AT_DEVICE, dest.span, s=dest.storage, name="")
    elif storage in (Storage.SHARED, Storage.LOCAL) and not walk.on_device:
        walk.b.report(rules.STORAGE_AT_HOST, dest.span, s=dest.storage, name="")
    shape = None if source is None else shape_after(walk, node, source.shape)
    data = None if source is None or shape is None else Data(source.elem, shape, storage)
    name = node.target.id if node.target is not None else dest.storage
    symbol = walk.scopes.anonymous(data or UNKNOWN, node, name)
    walk.b.anonymous[node] = symbol
    if data is not None:
        walk.b.views[dest] = View(symbol, (), (), None, data)
    return data


def shape_after(walk: Walk, node: ast.Copy, shape: tuple[Int, ...]) -> tuple[Int, ...] | None:
    """The shape that a copy makes of its source (table of 5.1); None where its lists do not fit."""
    config = node.config
    if isinstance(config, ast.TransConfig):
        if sorted(config.order) != list(range(len(shape))):
            return None
        return tuple(shape[place] for place in config.order)
    if isinstance(config, ast.PadConfig):
        lists = (config.low, config.high, config.mid)
        if any(len(items) != len(shape) for items in lists):
            return None
        grown = list(shape)
        for items in lists:
            for dim, item in enumerate(items):
                amount = walk.b.values.get(item)
                if amount is None:
                    return None
                grown[dim] = grown[dim] + amount
        return tuple(grown)
    return shape


def bind_future(walk: Walk, name: ast.Name, type_: Future, node: ast.Node) -> None:
    """Give a transfer to its name: a placeholder anywhere outside takes it, else it is a new name (5.4)."""
    symbol = walk.scopes.lookup(name.id)
    if symbol is not None and isinstance(symbol.type, Future):
        if symbol.type.placeholder:
            walk.b.uses[name] = symbol
            if symbol.type.data is None or type_.is_async:
                data = symbol.type.data or type_.data
                symbol.type = replace(symbol.type, data=data, is_async=symbol.type.is_async or type_.is_async)
            return
        if walk.scopes.here(name.id) is symbol:  # reported with the copies
            walk.b.uses[name] = symbol
            return
    walk.scopes.declare(name, SymbolKind.FUTURE, type_, node)


def _any_future(walk: Walk, node: ast.AnyFuture) -> None:
    walk.scopes.declare(node.target, SymbolKind.FUTURE, Future(None, False, placeholder=True), node)


def _map_buffer(walk: Walk, node: ast.MapBuffer) -> None:
    for part in (node.source, node.offset, node.size):
        walk.expr(part)
    walk.not_understood(node, f"'.{node.op}'")
    walk.scopes.unknown(node.target, SymbolKind.VARIABLE, node)


# --- tensor cores --------------------------------------------------------------------------------


def _fill(walk: Walk, node: ast.MmaFill) -> None:
    """`c = mma.fill v`: in the same `parallel` an existing accumulator is refilled (6.1)."""
    walk.expr(node.value)
    name = node.acc.base if isinstance(node.acc, ast.Chain) else node.acc
    if not node.declares or not isinstance(name, ast.Name):
        walk.expr(node.acc)
        return
    existing = walk.scopes.within_parallel(name.id)
    if existing is not None and isinstance(existing.type, Fragment):
        walk.expr(node.acc)
        return
    suffixes = node.acc.suffixes if isinstance(node.acc, ast.Chain) else ()
    sizes = [arg for suffix in suffixes if isinstance(suffix, ast.Index) for arg in suffix.args]
    array = array_of(walk, sizes)
    type_: Type = UNKNOWN if array is None else Fragment(node.elem, None, FragRole.ACCUMULATOR, array)
    walk.scopes.declare(name, SymbolKind.FRAGMENT, type_, node)


def _load(walk: Walk, node: ast.MmaLoad) -> None:
    """`r = mma.load src`: a new operand, or the same name loaded again."""
    type_ = walk.expr(node.source).type
    data = data_of(type_)
    if not node.assigned or not isinstance(node.target, ast.Name):
        walk.expr(node.target)
        return
    here = walk.scopes.here(node.target.id)
    if here is not None and isinstance(here.type, Fragment | Unknown):
        walk.b.uses[node.target] = here
        return
    loaded: Type = UNKNOWN
    if data is not None and not data.array:
        loaded = Fragment(data.elem, data.shape, FragRole.OPERAND)
    walk.scopes.declare(node.target, SymbolKind.FRAGMENT, loaded, node)


def _multiply(walk: Walk, node: ast.Mma) -> None:
    for operand in (node.acc, node.a, node.b, *node.extra):
        walk.expr(operand)
    if node.target is not None:
        bind_future(walk, node.target, Future(None, True, multiply=True), node)


def _scale(walk: Walk, node: ast.MmaScale) -> None:
    for operand in (node.acc, node.scale_a, node.scale_b):
        walk.expr(operand)


def _store(walk: Walk, node: ast.MmaStore) -> None:
    for operand in (node.acc, node.dest, *node.limits):
        walk.expr(operand)


def _frag_op(walk: Walk, node: ast.FragOp) -> None:
    for arg in node.args:
        walk.expr(arg)


TRANSFERS: StmtTable = {
    ast.Wait: _refs,
    ast.Trigger: _refs,
    ast.Rotate: _rotate,
    ast.Copy: _copy,
    ast.AnyFuture: _any_future,
    ast.MapBuffer: _map_buffer,
    ast.MmaFill: _fill,
    ast.MmaLoad: _load,
    ast.Mma: _multiply,
    ast.MmaScale: _scale,
    ast.MmaStore: _store,
    ast.FragOp: _frag_op,
}
