"""Suffix chains: picks, spans, derivations, array subscripts, views and elements (2.5.3, 2.6)."""

from __future__ import annotations

from croqc.sema import rulenames as rules
from croqc.sema import shapes, views
from croqc.sema.access import check_index, check_integers, check_subscript, countable, items_of
from croqc.sema.assumed_sizes import note_reach
from croqc.sema.describe import describe
from croqc.sema.model import Symbol, View, ViewOp
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    INT,
    UNKNOWN,
    Bounded,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Scalar,
    ShapeType,
    TupleType,
    Type,
    Unknown,
    data_of,
)
from croqc.sema.walk import NOTHING, ExprTable, Value, Walk
from croqc.syntax import ast
from croqc.text.record import replace
from croqc.text.span import Span

_VIEW_OPS = frozenset(("chunkat", "chunk", "subspan", "modspan", "view", "span_as", "sqz"))
_FOLLOWERS = {
    "chunk": ("at",),
    "subspan": ("step", "stride", "at"),
    "modspan": ("step", "stride", "at"),
    "view": ("from",),
}


class _Cursor:
    """Where a chain stands: the value so far and, for data, how it resolves."""

    def __init__(self, node: ast.Chain, value: Value, symbol: Symbol | None = None) -> None:
        self.node = node
        self.value = value
        self.symbol = symbol
        self.slots: list[ast.Expr] = []
        self.ops: list[ViewOp] = []
        self.element: tuple[ast.Expr, ...] | None = None
        self.data: Data | None = None
        self.mdata = False

    @property
    def name(self) -> str:
        return self.symbol.name if self.symbol else ""

    def become(self, type_: Type, value: Int | None = None) -> None:
        self.value = Value(type_, value)


def _chain(walk: Walk, node: ast.Chain) -> Value:
    cursor = _Cursor(node, walk.expr(node.base))
    if isinstance(node.base, ast.Name):
        cursor.symbol = walk.b.uses.get(node.base)
    cursor.data = data_of(cursor.value.type)
    place = 0
    while place < len(node.suffixes):
        suffix = node.suffixes[place]
        place += 1
        if isinstance(suffix, ast.Member) and suffix.name in _VIEW_OPS:
            place = _view(walk, cursor, suffix, place)
        elif isinstance(suffix, ast.Member):
            _member(walk, cursor, suffix)
        elif isinstance(suffix, ast.Index):
            _index(walk, cursor, suffix)
        else:
            _pick(walk, cursor, suffix)
    if cursor.data is not None and cursor.symbol is not None and not cursor.mdata:
        walk.b.views[node] = View(
            cursor.symbol, tuple(cursor.slots), tuple(cursor.ops), cursor.element, cursor.data, cursor.mdata
        )
    return cursor.value


def _until(cursor: _Cursor, suffix: ast.Suffix) -> Span:
    """The place of the chain up to a suffix."""
    return cursor.node.base.span.cover(suffix.span)


def _visit(walk: Walk, nodes: tuple[ast.Expr, ...]) -> None:
    """Type arguments whose place is not understood, so that their names are resolved."""
    items_of(walk, nodes)


# --- picks and subscripts ------------------------------------------------------------------------


def _pick(walk: Walk, cursor: _Cursor, suffix: ast.Pick) -> None:
    index = walk.expr(suffix.arg)
    value = cursor.value
    match value.type:
        case Bounded(bound=bound):
            cursor.value = Value(value.type, _selected(index.int, bound))
        case BoundedTuple(bounds=bounds):
            place = shapes.pick(walk, suffix.arg, bounds, index.int)
            cursor.value = NOTHING if place is None else Value(Bounded(bounds[place]), value.items[place])
        case ShapeType() | TupleType():
            parts = shapes.entries(value) or ()
            place = shapes.pick(walk, suffix.arg, parts, index.int)
            cursor.become(INT, None if place is None else parts[place])
        case Unknown():
            pass
        case type_:
            walk.b.report(rules.NO_SHAPE, _until(cursor, suffix), what="pick", t=describe(type_))
            cursor.become(UNKNOWN)
    cursor.data = None


def _selected(index: Int | None, bound: Int) -> Int | None:
    """`x(k)`: k, or the bound plus k where k is negative (table of 3.4)."""
    if index is None or index.const is None:
        return index
    return index if index.const >= 0 else bound + index


def _index(walk: Walk, cursor: _Cursor, suffix: ast.Index) -> None:
    match cursor.value.type:
        case ShapeType() | TupleType():
            parts = shapes.entries(cursor.value) or ()
            items = shapes.derive(walk, parts, suffix.args)
            shapes.check_members(walk, items, "shape")
            dims = tuple(shapes.known(walk, item.node, item.value) for item in items)
            shapes.check_positive(walk, dims, [item.node for item in items])
            cursor.become(ShapeType(dims))
        case Data() | Event() | Fragment():
            _subscript(walk, cursor, suffix, cursor.value.type)
        case Unknown():
            _visit(walk, suffix.args)
        case type_:
            _visit(walk, suffix.args)
            walk.b.report(rules.NO_SHAPE, _until(cursor, suffix), what="[]", t=describe(type_))
            cursor.become(UNKNOWN)


def _subscript(walk: Walk, cursor: _Cursor, suffix: ast.Index, type_: Data | Event | Fragment) -> None:
    """`a[k]`: one subscript takes one array dimension (3.6)."""
    if not type_.array or cursor.ops:
        _visit(walk, suffix.args)
        walk.b.report(
            rules.INDEX_OUT_OF_RANGE,
            suffix.span,
            kind="subscripts",
            r=len(cursor.slots),
            k=len(cursor.slots) + 1,
            name=cursor.name,
        )
        cursor.become(UNKNOWN)
        cursor.data = None
        return
    kind = "event" if isinstance(type_, Event) else "slot"
    for arg in suffix.args:
        check_subscript(walk, arg, type_.array[0], kind, len(cursor.slots), cursor.name)
    cursor.slots += suffix.args[:1]
    inner = replace(type_, array=type_.array[1:])
    cursor.become(inner)
    cursor.data = inner if isinstance(inner, Data) else None


def _needs_slot(walk: Walk, cursor: _Cursor, node: ast.Node) -> bool:
    """A whole array of buffers has no elements to view (V17)."""
    if cursor.data is None or not cursor.data.array:
        return False
    walk.b.report(
        rules.INDEX_OUT_OF_RANGE,
        node.span,
        kind="subscripts",
        r=len(cursor.slots) + len(cursor.data.array),
        k=len(cursor.slots),
        name=cursor.name,
    )
    cursor.become(UNKNOWN)
    cursor.data = None
    return True


# --- members -------------------------------------------------------------------------------------


def _member(walk: Walk, cursor: _Cursor, suffix: ast.Member) -> None:
    type_ = cursor.value.type
    if isinstance(type_, Unknown):
        _visit(walk, suffix.args)
    elif suffix.name == "span" and not suffix.called:
        _span(walk, cursor, suffix)
    elif suffix.name == "data" and not suffix.called:
        _data(walk, cursor, suffix)
    elif suffix.name == "mdata":
        cursor.mdata = True
        cursor.become(UNKNOWN)
    elif suffix.name == "at" and suffix.called:
        _at(walk, cursor, suffix)
    else:
        _visit(walk, suffix.args)
        walk.not_understood(suffix, f"'.{suffix.name}'")
        cursor.become(UNKNOWN)
        cursor.data = None


def _span(walk: Walk, cursor: _Cursor, suffix: ast.Member) -> None:
    type_ = cursor.value.type
    dims = type_.shape if isinstance(type_, Fragment) else shapes.shape_of(type_)
    if dims is not None:
        cursor.become(ShapeType(dims))
    elif isinstance(type_, Fragment) or (isinstance(type_, Future) and not type_.multiply):
        cursor.become(UNKNOWN)
    else:
        walk.b.report(rules.NO_SHAPE, _until(cursor, suffix), what="span", t=describe(type_))
        cursor.become(UNKNOWN)
    cursor.data = None


def _data(walk: Walk, cursor: _Cursor, suffix: ast.Member) -> None:
    type_ = cursor.value.type
    if isinstance(type_, Data):
        return
    if isinstance(type_, Future) and not type_.multiply:
        cursor.become(type_.data if type_.data is not None else UNKNOWN)
        return
    walk.b.report(rules.VIEW_OF_NON_DATA, suffix.span, name=cursor.name, t=describe(type_), op="data")
    cursor.become(UNKNOWN)
    cursor.data = None


def _at(walk: Walk, cursor: _Cursor, suffix: ast.Member) -> None:
    type_ = cursor.value.type
    if isinstance(type_, Event):
        for arg in suffix.args:
            walk.expr(arg)
        cursor.become(replace(type_, array=type_.array[1:]))
        return
    if isinstance(type_, Fragment):
        check_integers(walk, items_of(walk, suffix.args))
        cursor.become(Scalar(type_.elem) if type_.elem else UNKNOWN)
        return
    items = items_of(walk, suffix.args)
    if cursor.data is None:
        if not isinstance(type_, Future):
            walk.b.report(rules.VIEW_OF_NON_DATA, suffix.span, name=cursor.name, t=describe(type_), op="at")
        cursor.become(UNKNOWN)
        return
    if _needs_slot(walk, cursor, suffix):
        return
    check_integers(walk, items)
    data = cursor.data
    if len(items) == len(data.shape):
        for dim, (item, extent) in enumerate(zip(items, data.shape, strict=True)):
            check_index(walk, item, extent, "element", dim, cursor.name)
            if not cursor.ops and isinstance(cursor.symbol and cursor.symbol.type, Data):
                note_reach(walk, cursor.node, item, extent)
    elif countable(items):
        walk.b.report(rules.INDEX_COUNT, suffix.span, r=len(data.shape), k=len(items), name=cursor.name)
    cursor.element = suffix.args
    cursor.become(Scalar(data.elem))


# --- views ---------------------------------------------------------------------------------------


def _view(walk: Walk, cursor: _Cursor, op: ast.Member, place: int) -> int:
    """Apply a view operation with the suffixes that belong to it; the place behind them."""
    step: ast.Member | None = None
    at: ast.Member | None = None
    suffixes = cursor.node.suffixes
    while place < len(suffixes) and at is None:
        following = suffixes[place]
        if not isinstance(following, ast.Member) or following.name not in _FOLLOWERS.get(op.name, ()):
            break
        if following.name in ("step", "stride"):
            step = following
        else:
            at = following
        place += 1
    if cursor.data is None:
        parts = [part for part in (op, step, at) if part]
        for part in parts:
            _visit(walk, part.args + part.strides)
        _not_viewable(walk, cursor, op)
    elif not _needs_slot(walk, cursor, op):
        result = views.apply(walk, views.Step(op, step, at, cursor.name, tuple(cursor.ops)), cursor.data)
        cursor.data = None
        cursor.become(UNKNOWN)
        if result is not None:
            cursor.ops.append(result[0])
            cursor.data = result[1]
            cursor.become(result[1])
    return place


def _not_viewable(walk: Walk, cursor: _Cursor, op: ast.Member) -> None:
    type_ = cursor.value.type
    waiting = isinstance(type_, Future) and not type_.multiply
    if not waiting and not isinstance(type_, Unknown | Fragment):
        walk.b.report(rules.VIEW_OF_NON_DATA, op.span, name=cursor.name, t=describe(type_), op=op.name)
    cursor.become(UNKNOWN)


CHAINS: ExprTable = {ast.Chain: _chain}
