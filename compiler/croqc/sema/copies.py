"""Copies, resolved: sides, box, bytes, swizzle, executing unit (reference, chapter 5). Fills `copies` and `swizzles`.

Needs types, views, levels and kernels. The checks stand in `copy_checks`, `tma_checks` and `swizzles`.
"""

from __future__ import annotations

from math import prod

from croqc.sema import copy_checks, tma_checks
from croqc.sema.builder import Builder
from croqc.sema.elements import ELEMENTS
from croqc.sema.indices import Indices
from croqc.sema.model import UNITS, CopyInfo, Level, Unit, View
from croqc.sema.nesting import Around, statements
from croqc.sema.roots import Roots
from croqc.sema.swizzles import Swizzles
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Storage
from croqc.syntax import ast


def resolve_copies(builder: Builder) -> None:
    """One CopyInfo for each copy whose two sides are understood; findings D01 to D18 and M06."""
    indices = Indices(builder)
    swizzles = Swizzles(builder, Roots(builder, builder.anonymous))
    builder.swizzles = swizzles.settled
    for node, around in statements(builder.function.body):
        if not isinstance(node, ast.Copy):
            continue
        copy_checks.check_modifiers(builder, node)
        source, dest = builder.views.get(node.source), destination(builder, node)
        if source is None or dest is None:
            if source is not None:
                copy_checks.check_lists(builder, node, source)
            continue
        info = _describe(builder, node, around, source, dest, indices, swizzles)
        builder.copies[node] = info
        copy_checks.check_copy(builder, node, info, around)
        copy_checks.check_thread_tile(builder, node, info, around, indices)
        if node.engine == "tma":
            tma_checks.check_tma(builder, node, info, around, indices)


def destination(builder: Builder, node: ast.Copy) -> View | None:
    """The view written: of a made buffer for `=> shared`, of the first candidate for `select`."""
    match node.dest:
        case ast.StorageDest():
            made = builder.anonymous.get(node)
            return View(made, (), (), None, made.type) if made is not None and isinstance(made.type, Data) else None
        case ast.Select(options=options):
            return builder.views.get(options[0]) if options else None
        case dest:
            return builder.views.get(dest)


def _describe(
    builder: Builder,
    node: ast.Copy,
    around: Around,
    source: View,
    dest: View,
    indices: Indices,
    swizzles: Swizzles,
) -> CopyInfo:
    storages = source.data.storage, dest.data.storage
    box = _box(node, source.data, dest.data)
    zero = node.source_zfill or any(modifier.name == "zfill" for modifier in node.modifiers)
    filled_by_tma = node.engine == "tma" and storages[1] is Storage.SHARED
    return CopyInfo(
        source=source,
        dest=dest,
        source_storage=storages[0],
        dest_storage=storages[1],
        box=box,
        bytes=_bytes(source.data.elem, box),
        swizzle=swizzles.of_copy(node),
        zero_fill=zero or filled_by_tma,
        unit=_unit(builder, node, around, storages, indices),
    )


def _box(node: ast.Copy, source: Data, dest: Data) -> tuple[Int, ...]:
    """The copied extents, as the source has them; TMA moves the whole box of its shared side."""
    if node.engine == "tma" and dest.storage is Storage.SHARED and len(dest.shape) == len(source.shape):
        return tuple(
            extent if extent.const is not None else there
            for extent, there in zip(source.shape, dest.shape, strict=True)
        )
    return source.shape


def _bytes(elem: str, box: tuple[Int, ...]) -> int | None:
    extents = [extent.const for extent in box]
    known = [extent for extent in extents if extent is not None]
    if len(known) != len(extents) or elem not in ELEMENTS:
        return None
    return prod(known) * ELEMENTS[elem].bits // 8


def _unit(
    builder: Builder,
    node: ast.Copy,
    around: Around,
    storages: tuple[Storage, Storage],
    indices: Indices,
) -> Unit:
    """Who executes the copy (table of 5.3)."""
    if around.on_host:
        return Unit.HOST
    if Storage.LOCAL in storages:
        return Unit.THREAD
    units = [level for axis in around.axes if (level := builder.levels.get(axis)) in (Level.GROUP4, Level.GROUP)]
    if around.regions:
        kernel = builder.masks.get(around.parallels[0])
        mask = kernel.of_regions(around.regions) if kernel is not None else None
        return _region_unit(None if mask is None else mask.bit_count(), units[-1] if units else None)
    source, dest = builder.views.get(node.source), destination(builder, node)
    depends = indices.units(*(view for view in (source, dest) if view is not None))
    for level in (Level.THREAD, Level.GROUP, Level.GROUP4):
        if level in depends:
            return UNITS[level]
    return Unit.BLOCK


def _region_unit(threads: int | None, enclosing: Level | None) -> Unit:
    """A region's copy is made by each unit that it selects whole, else by the threads that it names."""
    if threads is None:
        return UNITS[enclosing] if enclosing is not None else Unit.BLOCK
    if enclosing is Level.GROUP:
        return Unit.GROUP if threads % 32 == 0 else Unit.THREAD
    if threads % 128 == 0:
        return Unit.GROUP4
    return Unit.GROUP if threads % 32 == 0 and enclosing is None else Unit.THREAD
