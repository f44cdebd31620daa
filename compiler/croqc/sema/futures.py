"""Checks of futures: names of asynchronous copies, reuse, swap, select, wait (reference, 5.4; F01 to F10).

Needs types and copies. Whether a future is waited for in time belongs to the credit-flow rules.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.describe import describe
from croqc.sema.elements import INTEGERS
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.nesting import Around, statements
from croqc.sema.symbolic import same
from croqc.sema.types import Data, Event, Future, Scalar, Unknown, data_of
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind, walk


def check_futures(builder: Builder) -> None:
    filled: set[Symbol] = set()
    for node, around in statements(builder.function.body):
        match node:
            case ast.Copy():
                _check_copy(builder, node, filled)
            case ast.Rotate():
                _check_rotate(builder, node, around)
            case ast.Wait():
                _check_wait(builder, node)
        for inner in walk(node) if isinstance(node, ast.Assign | ast.Copy) else ():
            if isinstance(inner, ast.Select):
                _check_select(builder, inner)


def _check_copy(builder: Builder, node: ast.Copy, filled: set[Symbol]) -> None:
    if (node.is_async or node.old_async) and node.target is None and node.event is None:
        builder.report(rules.UNNAMED_ASYNC, node.span)
    symbol = builder.uses.get(node.target) if node.target is not None else None
    if symbol is None or node.target is None or not isinstance(symbol.type, Future):
        return
    placeholder = isinstance(symbol.decl, ast.AnyFuture)
    if not placeholder and symbol.decl is not node and isinstance(symbol.decl, ast.Copy):
        builder.report(rules.FUTURE_REUSE, node.target.span, name=symbol.name, reason="redefined")
    if placeholder and symbol in filled and (reason := _difference(symbol.type.data, _written(builder, node))):
        builder.report(rules.FUTURE_REUSE, node.target.span, name=symbol.name, reason=reason)
    filled.add(symbol)


def _written(builder: Builder, node: ast.Copy) -> Data | None:
    info = builder.copies.get(node)
    return None if info is None else info.dest.data


def _difference(a: Data | None, b: Data | None) -> str:
    """How the data of two transfers differ, as far as that is proved: "type", "shape", "storage" or nothing."""
    if a is None or b is None:
        return ""
    if a.elem != b.elem:
        return "type"
    if a.storage is not b.storage:
        return "storage"
    if len(a.shape) != len(b.shape):
        return "shape"
    return "shape" if any(same(x, y) is False for x, y in zip(a.shape, b.shape, strict=True)) else ""


def _check_rotate(builder: Builder, node: ast.Rotate, around: Around) -> None:
    symbols = [builder.uses.get(name) for name in node.names]
    if around.on_host:
        builder.report(rules.SWAP_OPERANDS, node.span, word=node.word, reason="host", name="")
        return
    known: list[Symbol] = []
    for name, symbol in zip(node.names, symbols, strict=True):
        if symbol is None or isinstance(symbol.type, Unknown):
            return
        if not isinstance(symbol.type, Future):
            builder.report(rules.SWAP_OPERANDS, name.span, word=node.word, reason="future", name=symbol.name)
            return
        known.append(symbol)
    _check_alike(builder, node, known)


def _check_alike(builder: Builder, node: ast.Rotate, symbols: Sequence[Symbol]) -> None:
    for name, symbol in zip(node.names[1:], symbols[1:], strict=True):
        first = symbols[0]
        reason = ""
        if isinstance(first.type, Future) and isinstance(symbol.type, Future):
            reason = "type" if _difference(first.type.data, symbol.type.data) else ""
        if symbol.scope != first.scope:
            reason = "scope"
        if reason:
            builder.report(rules.SWAP_OPERANDS, name.span, word=node.word, reason=reason, name=symbol.name)
            return


def _check_wait(builder: Builder, node: ast.Wait) -> None:
    for ref in node.refs:
        type_ = builder.type_of(ref)
        match type_:
            case Future(is_async=False, placeholder=False, multiply=False):
                name = ref.id if isinstance(ref, ast.Name) else ""
                if not _may_become_async(builder, ref):
                    builder.report(rules.COMPLETE_FUTURE, ref.span, name=name)
            case Data() if not _is_buffer(builder, ref):
                continue
            case Future() | Event() | Unknown():
                continue
            case _:
                builder.report(rules.WAIT_OPERAND, ref.span, found=describe(type_))


def _is_buffer(builder: Builder, ref: ast.Node) -> bool:
    """Whether the name is that of a buffer or parameter, which no transfer stands behind."""
    symbol = builder.uses.get(ref) if isinstance(ref, ast.Name) else None
    return symbol is not None and symbol.kind in (SymbolKind.BUFFER, SymbolKind.PARAM)


def _may_become_async(builder: Builder, ref: ast.Node) -> bool:
    """Whether the name takes part in a swap or was made by `dma.any`: it may hold another transfer."""
    symbol = builder.uses.get(ref) if isinstance(ref, ast.Name) else None
    if symbol is None or not isinstance(symbol.decl, ast.Copy):
        return True
    swaps = nodes_of_kind(builder.function, ast.Rotate)
    return any(builder.uses.get(name) is symbol for swap in swaps for name in swap.names)


def _check_select(builder: Builder, node: ast.Select) -> None:
    count = len(node.options)
    type_ = builder.type_of(node.index)
    if isinstance(type_, Scalar) and type_.elem not in INTEGERS:
        builder.report(rules.SELECT_OPERANDS, node.index.span, reason="index", value=describe(type_), count=count)
    types = [builder.type_of(option) for option in node.options]
    for option, option_type in zip(node.options, types, strict=True):
        if not isinstance(option_type, Future | Data | Unknown):
            builder.report(rules.SELECT_OPERANDS, option.span, reason="kind", value=describe(option_type), count=count)
            return
        if types and _difference(data_of(types[0]), data_of(option_type)):
            builder.report(rules.SELECT_OPERANDS, option.span, reason="type", value=describe(option_type), count=count)
            return
