"""Checks of one copy: types, shapes, direction, modifiers (reference, 5.1 to 5.3; rows D01 to D06, D11, D15, M06)."""

from __future__ import annotations

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.describe import extents
from croqc.sema.indices import Indices
from croqc.sema.model import CopyInfo, Level, SymbolKind, View, ViewKind
from croqc.sema.nesting import Around
from croqc.sema.symbolic import Int, is_multiple, same
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.text.span import Span

_DEVICE_MEMORY = (Storage.HOST, Storage.GLOBAL)
_MAX_PAD = 2048


def check_copy(builder: Builder, node: ast.Copy, info: CopyInfo, around: Around) -> None:
    source, dest = info.source.data, info.dest.data
    if source.elem != dest.elem:
        builder.report(rules.COPY_TYPES, node.span, source=source.elem, dest=dest.elem)
    rank = len(source.shape)
    if rank != len(dest.shape):
        builder.report(rules.COPY_RANKS, node.span, source=rank, dest=len(dest.shape))
    elif (needed := _needed_shape(builder, node, source.shape)) is not None:
        _check_shape(builder, node, info, needed)
    _check_direction(builder, node, info, around)
    _check_zero_fill(builder, node, info)
    _note_divisible(builder, node, info)


def head_span(node: ast.Copy) -> Span:
    """The operation with its modifiers: what stands in front of the source."""
    start = node.op_span.start - len(node.engine) if node.op_span.length else node.span.start
    return Span(start, max(node.source.span.start - 1, start + 1))


# --- shapes -------------------------------------------------------------------------------------


def _needed_shape(builder: Builder, node: ast.Copy, source: tuple[Int, ...]) -> tuple[Int, ...] | None:
    """The destination's shape that the source asks for (table of 5.1); None after a finding or where unknown."""
    match node.config:
        case ast.TransConfig(order=order):
            if sorted(order) != list(range(len(source))):
                builder.report(rules.TRANSPOSE_ORDER, head_span(node), order=order, rank=len(source))
                return None
            return tuple(source[axis] for axis in order)
        case ast.PadConfig():
            return _padded_shape(builder, node.config, source)
        case _:
            return source


def check_lists(builder: Builder, node: ast.Copy, source: View) -> None:
    """The lists of `transp` and `pad` alone, of a copy whose destination is not known (D04, D05)."""
    _needed_shape(builder, node, source.data.shape)


def _padded_shape(builder: Builder, config: ast.PadConfig, source: tuple[Int, ...]) -> tuple[Int, ...] | None:
    lists = {"low": config.low, "high": config.high, "mid": config.mid}
    fine = True
    for name, items in lists.items():
        if len(items) != len(source):
            builder.report(rules.PAD_LISTS, config.span, reason="rank", list=name, rank=len(source))
            fine = False
        for item in items:
            value = builder.static(item)
            limit = 0 if name == "mid" else _MAX_PAD
            if value is not None and not 0 <= value <= limit:
                builder.report(
                    rules.PAD_LISTS, item.span, reason="mid" if name == "mid" else "range", list=name, rank=len(source)
                )
                fine = False
    amounts = [[builder.values.get(item) for item in items] for items in lists.values()]
    if not fine or any(None in column for column in amounts):
        return None
    return tuple(
        sum((amount for amount in column if amount is not None), start=extent)
        for extent, column in zip(source, zip(*amounts, strict=True), strict=True)
    )


def _check_shape(builder: Builder, node: ast.Copy, info: CopyInfo, needed: tuple[Int, ...]) -> None:
    """Static differences are errors unless the source is short between global and shared memory ([R] of 5.1)."""
    have = info.dest.data.shape
    sides = (info.source_storage, info.dest_storage)
    short_allowed = node.config is None and Storage.SHARED in sides and any(side in _DEVICE_MEMORY for side in sides)
    for dim, (want, room) in enumerate(zip(needed, have, strict=True)):
        a, b = want.const, room.const
        different = same(want, room) is False and a is not None and b is not None
        if different and not (short_allowed and a is not None and b is not None and a <= b):
            builder.report(
                rules.COPY_SHAPES, node.span, source=f"[{extents(needed)}]", dest=f"[{extents(have)}]", dim=dim
            )
            return


def _incoming(view: View) -> tuple[Int, ...] | None:
    """The shape that the last view operation cuts; None for a plain reference."""
    if not view.ops:
        return None
    if len(view.ops) > 1:
        return view.ops[-2].shape
    base = view.base.type
    return base.shape if isinstance(base, Data) else None


def _note_divisible(builder: Builder, node: ast.Copy, info: CopyInfo) -> None:
    """A chunk of a symbolic extent copied into a static tile has that size only where the extent divides (5.2)."""
    ops, outer = info.source.ops, _incoming(info.source)
    if not ops or ops[-1].kind is not ViewKind.CHUNKAT or outer is None or info.dest_storage is not Storage.SHARED:
        return
    for dim, (chunk, tile, extent) in enumerate(zip(info.source.data.shape, info.dest.data.shape, outer, strict=False)):
        if chunk.const is None and tile.const is not None and extent.const is None:
            if same(chunk, tile) is not True:
                builder.report(rules.ASSUMED_DIVISIBLE, node.source.span, tile=tile.const, extent=str(extent), dim=dim)
            return


def _check_zero_fill(builder: Builder, node: ast.Copy, info: CopyInfo) -> None:
    """`.zfill` is redundant where every tile is proved to lie inside its buffer (5.2)."""
    if not any(modifier.name == "zfill" for modifier in node.modifiers) or node.config is not None:
        return
    shapes = zip(info.source.data.shape, info.dest.data.shape, strict=False)
    if all(same(a, b) for a, b in shapes) and _never_overhangs(info.source):
        builder.report(rules.ZERO_FILL, head_span(node), reason="redundant")


def _never_overhangs(view: View) -> bool:
    base = view.base.type
    if not isinstance(base, Data):
        return False
    shape = base.shape
    for op in view.ops:
        whole = op.kind in (ViewKind.CHUNKAT, ViewKind.CHUNK)
        tiles = op.kind is ViewKind.SUBSPAN and not op.step and len(op.shape) == len(shape)
        if not whole and not (tiles and all(is_multiple(s, e) for s, e in zip(shape, op.shape, strict=True))):
            return False
        shape = op.shape
    return True


# --- direction and modifiers --------------------------------------------------------------------


def _check_direction(builder: Builder, node: ast.Copy, info: CopyInfo, around: Around) -> None:
    sides = info.source_storage, info.dest_storage
    is_async = node.is_async or node.old_async
    misplaced = isinstance(node.dest, ast.StorageDest) and around.on_host == (node.dest.storage != "global")
    if not misplaced and not _possible(node, sides, is_async, around.on_host):
        builder.report(
            rules.COPY_DIRECTION,
            head_span(node),
            source=sides[0].value,
            dest=sides[1].value,
            op=f"{node.engine}.{node.op}",
            is_async=is_async,
        )


def _possible(node: ast.Copy, sides: tuple[Storage, Storage], is_async: bool, on_host: bool) -> bool:
    outside = [side in _DEVICE_MEMORY for side in sides]
    if on_host:
        return all(outside) and node.engine == "dma"
    if all(outside):
        return False
    if node.engine == "tma":
        into = outside[0] and sides[1] is Storage.SHARED
        out_of = sides[0] is Storage.SHARED and outside[1]
        return into if node.op == "load" else into or out_of
    if not is_async or Storage.LOCAL in sides:
        return True
    return outside[0]


def check_modifiers(builder: Builder, node: ast.Copy) -> None:
    """Modifiers that need the other engine or exclude each other (1.4.1; D11); the grammar checks their order."""
    names = [modifier.name for modifier in node.modifiers]
    for modifier in node.modifiers:
        if node.engine == "dma" and modifier.name == "multicast":
            builder.report(rules.COPY_MODIFIER, modifier.span, modifier=modifier.name, reason="tma-only")
        elif node.engine == "tma" and modifier.name in ("evict_first", "evict_last") and "multicast" in names:
            builder.report(rules.COPY_MODIFIER, modifier.span, modifier=modifier.name, reason="multicast")


def check_thread_tile(builder: Builder, node: ast.Copy, info: CopyInfo, around: Around, indices: Indices) -> None:
    """Threads that copy different data into one shared buffer overwrite each other's tile (M06)."""
    if around.on_host or around.regions or info.dest_storage is not Storage.SHARED:
        return
    own = indices.of_view(info.dest)
    for symbol in sorted(indices.of_view(info.source), key=lambda one: one.name_span):
        inner = symbol.kind is SymbolKind.PARALLEL and indices.level(symbol) in (
            Level.GROUP4,
            Level.GROUP,
            Level.THREAD,
        )
        if inner and symbol not in own:
            builder.report(rules.THREAD_TILE, node.span, index=symbol.name, buffer=info.dest.base.name)
            return
