"""Checks of events, waits and triggers (reference, chapter 7; rows Q01 to Q05, Q09 and Q15).

Needs types, levels, kernels and copies. Counts (Q07) need paths and stand in `flow`; Q10 to Q14 are verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.describe import describe
from croqc.sema.elements import INTEGERS
from croqc.sema.model import Level, Symbol
from croqc.sema.nesting import Around, statements
from croqc.sema.roots import base_name
from croqc.sema.types import Event, Future, Scalar, Storage, Unknown
from croqc.syntax import ast
from croqc.syntax.visit import walk

_FREE_BARRIERS, _WARP = range(1, 15), 32


def check_events(builder: Builder) -> None:
    told: set[ast.Node] = set()  # the `if`s that are meant as roles
    for node, around in statements(builder.function.body):
        match node:
            case ast.EventDecl():
                _check_declaration(builder, node, around)
            case ast.Trigger():
                _check_trigger(builder, node, around, told)
            case ast.Wait():
                _check_outside(builder, "wait", node, around, told)
                _check_orders(builder, node.refs)
            case ast.CallStmt(call=call):
                _check_named_barrier(builder, call)


def _check_declaration(builder: Builder, node: ast.EventDecl, around: Around) -> None:
    storage = node.storage or "global"
    if around.on_host and storage != "global":
        builder.report(rules.EVENT_STORAGE, node.span, storage=storage, level="host")
    if not around.on_host and storage == "global":
        builder.report(rules.EVENT_STORAGE, node.span, storage=node.storage or "", level="device")
    if around.regions:
        for one in node.names:
            builder.report(rules.EVENT_IN_REGION, one.name.span, name=one.name.id)


def _check_trigger(builder: Builder, node: ast.Trigger, around: Around, told: set[ast.Node]) -> None:
    for ref in node.refs:
        type_ = builder.type_of(ref)
        if not isinstance(type_, Event | Unknown):
            builder.report(rules.TRIGGER_OPERAND, ref.span, found=describe(type_))
    _check_outside(builder, "trigger", node, around, told)
    _check_orders(builder, node.refs)
    if node.after:
        _check_joined(builder, node)


def _check_outside(
    builder: Builder, word: str, node: ast.Wait | ast.Trigger, around: Around, told: set[ast.Node]
) -> None:
    """Outside every region, a statement that several paths of the block reach (Q03); the first one of an `if`."""
    if around.on_host or around.regions or not is_of_events(builder, node):
        return
    condition = next((one for one in around.chain if isinstance(one, ast.If)), None)
    if condition in told:
        return
    refs = node.refs
    paths = 1
    for axis in around.axes:
        if builder.levels.get(axis) not in (Level.GROUP4, Level.GROUP):
            continue
        for bound in axis.bounds:
            paths *= builder.static(bound) or 1
    indexed = {symbol for ref in refs for symbol in _indices(builder, ref)}
    unit_indices = {
        builder.uses.get(name)
        for axis in around.axes
        if builder.levels.get(axis) in (Level.GROUP4, Level.GROUP)
        for name in axis.names
    }
    if paths > 1 and not indexed & unit_indices:
        builder.report(rules.EVENT_OUTSIDE_ROLE, node.span, word=word, paths=paths)
        told |= set() if condition is None else {condition}


def is_of_events(builder: Builder, node: ast.Wait | ast.Trigger) -> bool:
    return any(isinstance(builder.type_of(ref), Event) for ref in node.refs)


def _indices(builder: Builder, ref: ast.Expr) -> Iterable[Symbol]:
    for inner in walk(ref):
        if isinstance(inner, ast.Name) and (symbol := builder.uses.get(inner)) is not None:
            yield symbol


def _check_orders(builder: Builder, refs: Iterable[ast.Expr]) -> None:
    """`e.at(order)`: one order on an array of rank 1, an update only as the direct argument (Q05)."""
    for ref in refs:
        order = order_of(ref)
        name = base_name(ref)
        symbol = builder.uses.get(name) if name is not None else None
        if not isinstance(ref, ast.Chain) or order is None or symbol is None or not isinstance(symbol.type, Event):
            continue
        type_ = builder.type_of(order)
        if len(ref.suffixes) > 1:
            builder.report(rules.EVENT_ORDER, ref.suffixes[-1].span, reason="slot")
        elif not symbol.type.array:
            builder.report(rules.EVENT_ORDER, ref.span, reason="array")
        elif len(symbol.type.array) > 1:
            builder.report(rules.EVENT_ORDER, ref.span, reason="rank")
        elif isinstance(type_, Scalar) and type_.elem not in INTEGERS:
            builder.report(rules.EVENT_ORDER, order.span, reason="integer")
        elif not isinstance(order, ast.IncDec) and any(isinstance(inner, ast.IncDec) for inner in walk(order)):
            builder.report(rules.EVENT_ORDER, order.span, reason="update")


def order_of(ref: ast.Expr) -> ast.Expr | None:
    """The order of `e.at(order)`, None for any other reference."""
    match ref:
        case ast.Chain(suffixes=(*_, ast.Member(name="at", args=(order,)))):
            return order
    return None


def _check_joined(builder: Builder, node: ast.Trigger) -> None:
    """`trigger e after f, …`: one shared event; futures of asynchronous copies into shared memory (Q09)."""
    types = [builder.type_of(ref) for ref in node.refs]
    if len(node.refs) > 1:
        builder.report(rules.JOINED_TRIGGER, node.span, reason="events", name="")
    for ref, type_ in zip(node.refs, types, strict=True):
        if isinstance(type_, Event) and type_.storage is not Storage.SHARED:
            builder.report(rules.JOINED_TRIGGER, ref.span, reason="storage", name="")
    for future in node.after:
        type_ = builder.type_of(future)
        name = base_name(future)
        text = name.id if name is not None else ""
        if isinstance(type_, Unknown):
            continue
        if not isinstance(type_, Future):
            builder.report(rules.JOINED_TRIGGER, future.span, reason="name", name=text)
        elif type_.multiply:
            builder.report(rules.JOINED_TRIGGER, future.span, reason="multiply", name=text)
        elif not type_.is_async and not type_.placeholder:
            builder.report(rules.JOINED_TRIGGER, future.span, reason="sync", name=text)
        elif type_.data is not None and type_.data.storage in (Storage.GLOBAL, Storage.HOST):
            builder.report(rules.JOINED_TRIGGER, future.span, reason="store", name=text)


def _check_named_barrier(builder: Builder, call: ast.Call) -> None:
    if call.kind != "barrier" or len(call.args) != 2:
        return
    number, count = (builder.static(arg) for arg in call.args)
    if number is not None and number not in _FREE_BARRIERS:
        builder.report(rules.NAMED_BARRIER, call.args[0].span, reason="id", value=number)
    if count is not None and count % _WARP:
        builder.report(rules.NAMED_BARRIER, call.args[1].span, reason="count", value=count)
