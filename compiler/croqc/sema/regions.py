"""Checks of `inthreads` regions: place, predicate, overlap (reference, 4.4; rows L11 to L15).

Needs levels and kernels. Must not fill tables: who asks for masks evaluates them (`masks`).
"""

from __future__ import annotations

from collections.abc import Iterator

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.masks import Mask, defining_value
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.nesting import Around, statements
from croqc.sema.types import BOOL, Unknown
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Related
from croqc.text.span import Span


def check_regions(builder: Builder) -> None:
    found: list[tuple[ast.InThreads, Around, Mask | None]] = []
    for node, around in statements(builder.function.body):
        if isinstance(node, ast.InThreads):
            found.append((node, around, _check_region(builder, node, around)))
    _check_overlap(builder, found)


def word_span(node: ast.InThreads) -> Span:
    """The word that opens a region, `.async` included."""
    return Span(node.span.start, node.span.start + len("inthreads.async" if node.is_async else "inthreads"))


def _check_region(builder: Builder, node: ast.InThreads, around: Around) -> Mask | None:
    if around.on_host:
        builder.report(rules.REGION_AT_HOST, word_span(node))
        return None
    if node.is_async and around.regions:
        place = Related("inside this region", word_span(around.regions[-1]))
        builder.report(rules.NESTED_ASYNC_REGION, word_span(node), (place,))
    uniform = tuple(_uniform_parts(builder, node.cond))
    for part in uniform:
        builder.report(rules.UNIFORM_PREDICATE, part.span)
    kernel = builder.masks.get(around.parallels[0])
    if kernel is None:
        return None
    mask = kernel.of_regions((*around.regions, node))
    known = isinstance(builder.type_of(node.cond), type(BOOL)) and not uniform
    if mask is None and known:
        builder.report(rules.UNKNOWN_THREADS, node.cond.span)
    if mask == 0 and not uniform and kernel.of_regions(around.regions) != 0:
        configured = any(map(_is_configured, (node.cond, *around.parallels)))
        builder.report(rules.EMPTY_REGION, node.cond.span, threads=kernel.threads, configured=configured)
    return mask


def _is_configured(node: ast.Node) -> bool:
    """Whether a macro has a part in a condition, or in the extents of a `parallel`."""
    parts = (bound for axis in node.axes for bound in axis.bounds) if isinstance(node, ast.Parallel) else (node,)
    inner = (one for part in parts for one in walk(part))
    return any(isinstance(one, ast.Name | ast.IntLit) and one.macro is not None for one in inner)


def _check_overlap(builder: Builder, found: list[tuple[ast.InThreads, Around, Mask | None]]) -> None:
    """Sibling asynchronous regions of one body that share threads run one after the other there (L15)."""
    for position, (node, around, mask) in enumerate(found):
        if mask is None or not node.is_async:
            continue
        for other, others_around, other_mask in found[:position]:
            if other_mask is None or not other.is_async or others_around.chain != around.chain:
                continue
            both = (mask & other_mask).bit_count()
            if both:
                place = Related("the other region", other.cond.span)
                builder.report(rules.OVERLAPPING_REGIONS, node.cond.span, (place,), threads=both)
                break


def _uniform_parts(builder: Builder, cond: ast.Node) -> Iterator[ast.Node]:
    """The operands of `&&` and `||` that depend on no parallel index (L12), in source order."""
    stack = [cond]
    while stack:
        match stack.pop():
            case ast.Paren(inner=inner) | ast.Unary(op="!", operand=inner):
                stack.append(inner)
            case ast.Binary(op="&&" | "||", left=left, right=right):
                stack += [right, left]
            case part if _depends(builder, part, frozenset()) is False:
                yield part


def _depends(builder: Builder, node: ast.Node, seen: frozenset[Symbol]) -> bool | None:
    """Whether a parallel index decides the value; None where a name is not understood."""
    unknown = isinstance(node, ast.Missing)
    for inner in walk(node):
        if isinstance(inner, ast.Missing):
            unknown = True
        if not isinstance(inner, ast.Name):
            continue
        symbol = builder.uses.get(inner)
        if symbol is None or isinstance(symbol.type, Unknown):
            unknown = True
        elif symbol.kind is SymbolKind.PARALLEL:
            return True
        elif symbol not in seen and (value := defining_value(symbol)) is not None:
            inside = _depends(builder, value, seen | {symbol})
            if inside:
                return True
            unknown = unknown or inside is None
    return None if unknown else False
