"""The copy that a role leaves out: its source, place and destination, where each can only be one. Must not word.

It is written as its neighbour is, which loads the other operand of the same turn.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.refactor.base import Code, subscript
from croqc.rules.credit_edits import Edits, behind, suffix_of
from croqc.rules.credit_words import fix
from croqc.rules.flow_places import nodes_at, symbols
from croqc.sema.model import Symbol, SymbolKind, ViewKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, Data, Storage
from croqc.syntax import ast
from croqc.text.diagnostics import Fix
from croqc.text.edits import Edit
from croqc.text.span import Span


def left_out_copy(code: Code, place: Span) -> tuple[Fix, ...]:
    """Load the buffer that is read at a place and that nothing writes, beside the one copy of its ring."""
    views = [view for node in nodes_at(code, place) if (view := code.model.views.get(node)) is not None]
    buffer = views[0].base if views else None
    if buffer is None or buffer.kind is not SymbolKind.BUFFER or not isinstance(buffer.type, Data):
        return ()
    if any(info.dest.base is buffer for info in code.model.copies.values()):
        return ()
    beside = [copy for copy in code.around if isinstance(copy, ast.Copy) and _loads_alike(code, copy, buffer.type)]
    sources = _unread(code, buffer.type)
    if len(beside) != 1 or len(sources) != 1:
        return ()
    (copy,), (source,) = beside, sources
    edits = _written(code, copy, buffer, source)
    return fix(f"Copy '{source.name}' to '{buffer.name}', too", edits)


def _loads_alike(code: Code, copy: ast.Copy, wanted: Data) -> bool:
    """Whether a copy loads a tile of a parameter into a slot of a buffer with as many slots."""
    info = code.model.copies.get(copy)
    if info is None or info.dest_storage is not Storage.SHARED or info.source.base.kind is not SymbolKind.PARAM:
        return False
    dest, view = info.dest.base.type, info.source
    whole = not info.dest.ops and isinstance(copy.dest, ast.Name if not wanted.array else ast.Chain)
    plain = len(view.ops) == 1 and view.ops[0].kind is ViewKind.SUBSPAN
    plain = plain and not (view.ops[0].strides or view.ops[0].step) and copy.config is None and copy.after is None
    return plain and whole and isinstance(dest, Data) and dest.array == wanted.array and code.written(copy)


def _unread(code: Code, wanted: Data) -> list[Symbol]:
    """The parameters in global memory that nothing names and whose tiles the buffer can hold."""
    named = [symbol for name, symbol in code.model.uses.items() if name.span != symbol.name_span]
    return [
        symbol
        for symbol in code.model.symbols
        if symbol.kind is SymbolKind.PARAM
        and isinstance(symbol.type, Data)
        and symbol.type.storage is Storage.GLOBAL
        and (symbol.type.elem, len(symbol.type.shape)) == (wanted.elem, len(wanted.shape))
        and symbol not in named
        and symbol not in code.model.mentioned
    ]


def _written(code: Code, copy: ast.Copy, buffer: Symbol, source: Symbol) -> Edits | None:
    assert isinstance(buffer.type, Data)
    assert isinstance(source.type, Data)
    extents = _extents(code, buffer)
    indices = [
        _index(code, copy, whole, tile) for whole, tile in zip(source.type.shape, buffer.type.shape, strict=True)
    ]
    if extents is None or None in indices:
        return None
    dest = buffer.name
    if isinstance(copy.dest, ast.Chain):
        if subscript(copy.dest) is None:
            return None
        dest += suffix_of(code, copy.dest)
    tile = f"{source.name}.subspan({extents}).at({', '.join(map(str, indices))})"
    own = code.of(copy)
    at = [(copy.source.span, tile), (copy.dest.span, dest)]
    future = code.model.uses.get(copy.target) if copy.target is not None else None
    name = ""
    if copy.target is not None:
        name = code.fresh(f"{source.name}_{copy.target.id}")
        at.append((copy.target.span, name))
    for span, text in sorted(at, reverse=True):
        own = own[: span.start - copy.span.start] + text + own[span.end - copy.span.start :]
    return (behind(code, copy, [own]), *(() if future is None else _joined(code, copy, future, name)))


def _extents(code: Code, buffer: Symbol) -> str | None:
    """The extents of a tile as the buffer's declaration writes them."""
    for node in code.around:
        if isinstance(node, ast.BufferDecl) and any(name is buffer.decl for name in node.names) and node.shape:
            return code.slice(Span(node.shape[0].span.start, node.shape[-1].span.end))
    return None


def _index(code: Code, copy: ast.Copy, whole: Int, tile: Int) -> str | None:
    """The one index at the copy that runs over all tiles of a dimension."""
    found = {
        symbol.name
        for symbol in code.model.symbols
        if symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP)
        and isinstance(symbol.type, Bounded)
        and symbol.type.bound in (whole.cdiv(tile), whole.floordiv(tile))
        and any(node.span.start <= symbol.name_span.start < _body(node) for node in code.around[copy].chain)
    }
    return found.pop() if len(found) == 1 else None


def _body(node: ast.Node) -> int:
    body = getattr(node, "body", None)
    return body.span.start if isinstance(body, ast.Block) else node.span.start


def _joined(code: Code, copy: ast.Copy, future: Symbol, name: str) -> Iterable[Edit]:
    """The wait or trigger of the turn that ends the neighbour ends this one, too."""
    for stmt in code.blocks[copy].stmts:
        if isinstance(stmt, ast.Wait | ast.Trigger):
            refs = stmt.after if isinstance(stmt, ast.Trigger) else stmt.refs
            if future in symbols(code, refs):
                end = refs[-1].span.end
                yield Edit(Span(end, end), f", {name}")
