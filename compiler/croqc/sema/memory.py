"""Buffers inside kernels and the memory they take (reference, 3.6 to 3.8; rows M04 and M05). Fills `buffers`.

Needs types, copies and kernels. Counted is every buffer for itself; whether buffers that are never in use together
share bytes is the lowering's to decide, so more than the limit is an error where not even that helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import BufferInfo, Kernel, Symbol
from croqc.sema.together import least_bytes
from croqc.sema.types import Data, Event, Storage
from croqc.syntax import ast
from croqc.text.span import Span

_INSIDE: Final = (Storage.SHARED, Storage.LOCAL)
STATIC_LIMIT: Final = 48 * 1024
_SWIZZLED_ALIGN, _LOCAL_ALIGN, _BARRIER_BYTES = 1024, 16, 8


def resolve_memory(builder: Builder) -> None:
    """One BufferInfo for each shared or local buffer and event of static size, in order of declaration."""
    for symbol in builder.symbols:
        info = _buffer(builder, symbol, builder.swizzles.get(symbol, 0))
        if info is not None:
            builder.buffers.append(info)
    by_symbol = {info.symbol: info for info in builder.buffers}
    for kernel in builder.kernels:
        used = [by_symbol[symbol] for symbol in _declared(builder, kernel) if symbol in by_symbol]
        _check_limit(builder, kernel, used, Storage.SHARED, builder.context.target.shared_limit)
        _check_limit(builder, kernel, used, Storage.LOCAL, builder.context.target.local_limit)


def _buffer(builder: Builder, symbol: Symbol, swizzle: int) -> BufferInfo | None:
    match symbol.type:
        case Event(storage=Storage.SHARED, array=array):
            return BufferInfo(symbol, prod(array), _BARRIER_BYTES, _BARRIER_BYTES)
        case Data(elem=elem, shape=shape, storage=storage, array=array) if storage in _INSIDE:
            if not isinstance(symbol.decl, ast.BufferName | ast.Copy) or elem not in ELEMENTS:
                return None
            extents = [extent.const for extent in shape]
            known = [extent for extent in extents if extent is not None]
            if len(known) != len(extents):
                return None
            size = -(-prod(known) * ELEMENTS[elem].bits // 8)
            align = _LOCAL_ALIGN if storage is Storage.LOCAL else builder.context.target.shared_align
            return BufferInfo(symbol, prod(array), size, _SWIZZLED_ALIGN if swizzle else align, swizzle)
    return None


def _declared(builder: Builder, kernel: Kernel) -> Iterator[Symbol]:
    """Symbols declared inside the kernel, buffers made by `=> shared` included, in source order."""
    span = kernel.node.span
    for symbol in builder.symbols:
        if span.start <= symbol.decl.span.start and symbol.decl.span.end <= span.end:
            yield symbol


def placed(sizes: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, ...], int]:
    """Where buffers of (alignment, slots, bytes a slot) begin, and where the last one ends, in bytes.

    Those with the largest alignment stand first, so that little is lost between them; every slot keeps it, too. The
    lowering places shared memory by this, so that `croq check` and a launch say one number.
    """
    starts, end = [0] * len(sizes), 0
    for number in sorted(range(len(sizes)), key=lambda one: -sizes[one][0]):
        alignment, slots, size = sizes[number]
        starts[number] = -(-end // alignment) * alignment
        end = starts[number] + -(-size // alignment) * alignment * slots
    return tuple(starts), end


def placed_bytes(buffers: list[BufferInfo]) -> int:
    """The bytes that buffers and barriers take together."""
    return placed([(info.alignment, info.slots, info.slot_bytes) for info in buffers])[1]


def _check_limit(builder: Builder, kernel: Kernel, used: list[BufferInfo], storage: Storage, limit: int) -> None:
    own = [info for info in used if getattr(info.symbol.type, "storage", None) is storage]
    total = placed_bytes(own)
    listed = tuple((info.symbol.name or "unnamed", info.bytes) for info in sorted(own, key=lambda one: -one.bytes))
    least = least_bytes(builder, kernel, own) if total > limit and storage is Storage.SHARED else total
    if least > limit:
        builder.report(
            rules.SHARED_LIMIT,
            _largest_span(own, kernel),
            used=total,
            least=min(least, total),
            limit=limit,
            storage=storage.value,
            target=builder.context.target.name,
            buffers=listed,
        )
    elif storage is Storage.SHARED and total > STATIC_LIMIT:
        builder.report(rules.DYNAMIC_SHARED, _largest_span(own, kernel), used=total, limit=limit, buffers=listed)


def _largest_span(own: list[BufferInfo], kernel: Kernel) -> Span:
    largest = max(own, key=lambda info: info.bytes, default=None)
    if largest is None:
        return kernel.node.span
    return largest.symbol.name_span if largest.symbol.name_span.length else largest.symbol.decl.span
