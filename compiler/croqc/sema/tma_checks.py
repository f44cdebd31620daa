"""Limits of TMA copies (reference, 5.5; rows D08, D09, D10 and D18). Only what is provable is reported."""

from __future__ import annotations

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.copy_checks import head_span
from croqc.sema.elements import ELEMENTS
from croqc.sema.indices import Indices
from croqc.sema.model import CopyInfo, Level, View
from croqc.sema.nesting import Around
from croqc.sema.tma_boxes import MOST, in_boxes, widest_swizzle
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.targets import offering
from croqc.targets.table import Feature

_MAX_RANK, _UNIT_BYTES = 5, 16


def check_tma(builder: Builder, node: ast.Copy, info: CopyInfo, around: Around, indices: Indices) -> None:
    if not builder.context.target.has(Feature.TMA):
        _limit(builder, node, "target", 0)
        return
    if node.op in ("pad", "transp"):
        _limit(builder, node, "op", 0)
        return
    outside = info.source if info.dest_storage is Storage.SHARED else info.dest
    _check_box(builder, node, info, outside)
    _check_strides(builder, node, outside)
    _check_indices(builder, node, outside, around, indices)
    if info.source_storage is Storage.SHARED:
        _check_padded_rows(builder, node, info.source)


def _limit(builder: Builder, node: ast.Copy, reason: str, value: int, dim: int = 0) -> None:
    builder.report(
        rules.TMA_LIMIT,
        head_span(node),
        reason=reason,
        value=value,
        target=builder.context.target.name,
        needs=offering(Feature.TMA),
        dim=dim,
    )


def _bits(elem: str) -> int | None:
    return ELEMENTS[elem].bits if elem in ELEMENTS else None


def _check_box(builder: Builder, node: ast.Copy, info: CopyInfo, outside: View) -> None:
    box, bits = info.box, _bits(outside.data.elem)
    if not box or bits is None:
        return
    if len(box) > _MAX_RANK:
        _limit(builder, node, "rank", len(box))
        return
    inner = box[-1].const
    if inner is not None and inner * bits % (_UNIT_BYTES * 8):
        _limit(builder, node, "row", inner * bits // 8)
        return
    extents = tuple(extent.const for extent in box if extent.const is not None)
    if len(extents) == len(box) and not info.swizzle and bits >= 8 and not in_boxes(extents, bits // 8):
        dim = max(dim for dim, extent in enumerate(extents) if extent > MOST)
        _limit(builder, node, "rows" if len(extents) == 2 else "extent", extents[dim], dim)


def _check_strides(builder: Builder, node: ast.Copy, outside: View) -> None:
    """Rows of the global tensor start on 16-byte boundaries; decided where its innermost extent is static."""
    base, bits = outside.base.type, _bits(outside.data.elem)
    if not isinstance(base, Data) or bits is None or len(base.shape) < 2:
        return
    row = base.shape[-1].const
    if row is not None and row * bits % (_UNIT_BYTES * 8):
        _limit(builder, node, "stride", row * bits // 8)


def _check_indices(builder: Builder, node: ast.Copy, outside: View, around: Around, indices: Indices) -> None:
    for extent in outside.data.shape:
        varying = indices.of_int(extent)
        if varying:
            builder.report(rules.TMA_BOX_VARIES, node.span, index=min(symbol.name for symbol in varying))
            return
    for symbol in sorted(indices.of_view(outside), key=lambda one: one.name_span):
        level = indices.level(symbol)
        in_unit = level in (Level.GROUP4, Level.GROUP)  # inside a region one thread of that unit issues
        if level is Level.THREAD or (in_unit and not around.regions):
            builder.report(rules.TMA_THREAD_INDEX, node.span, index=symbol.name)
            return


def _check_padded_rows(builder: Builder, node: ast.Copy, source: View) -> None:
    """Not of whole groups of columns, as a swizzled buffer of two dimensions has them: these lie without gaps."""
    base = source.base.type
    if not source.ops or not isinstance(base, Data) or source.data.contiguous is not False:
        return
    row, stride = source.data.shape[-1].const, base.shape[-1].const
    if row is None or stride is None or row >= stride or len(source.data.shape) < 2:
        return
    bits = _bits(base.elem)
    swizzle = builder.swizzles.get(source.base, 0) or (widest_swizzle(stride * bits // 8) if bits else 0)
    if not (bits and swizzle and len(base.shape) == 2 and row * bits % (swizzle * 8) == 0):
        builder.report(rules.PADDED_STORE, node.span, row=row, stride=stride)
