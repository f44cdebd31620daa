"""Declarations: scalars, buffers, shapes, tuples, events, fragments (2.3, 3.1, 3.2, 3.6, 7.2)."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.sema import rulenames as rules
from croqc.sema import shapes
from croqc.sema.convert import check_supported, convert, is_integer, number
from croqc.sema.describe import describe
from croqc.sema.elements import FLOATS, canonical, is_known
from croqc.sema.model import SymbolKind
from croqc.sema.symbolic import Int
from croqc.sema.types import (
    UNKNOWN,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    FragRole,
    Future,
    Pointer,
    Scalar,
    ShapeType,
    Storage,
    Text,
    TupleType,
    Type,
    Unknown,
    Void,
)
from croqc.sema.walk import StmtTable, Value, Walk
from croqc.syntax import ast

STORAGES = {"global": Storage.GLOBAL, "shared": Storage.SHARED, "local": Storage.LOCAL}


# --- scalars -------------------------------------------------------------------------------------


def _scalar_decl(walk: Walk, node: ast.ScalarDecl) -> None:
    for init in node.inits:
        value = None if init.value is None else walk.expr(init.value)
        if value is None:
            _check_initialised(walk, node, init.name)
            type_ = _scalar(node.elem or "s32", _is_mutable(node))
            walk.scopes.declare(init.name, SymbolKind.VARIABLE, type_, init, _is_mutable(node))
        else:
            _initialised(walk, node, init, value)


def _scalar(elem: str, mutable: bool) -> Type:
    return Scalar(canonical(elem), mutable) if is_known(elem) else UNKNOWN


def _is_mutable(node: ast.ScalarDecl) -> bool:
    """Element-typed scalars are mutable by default, `int` and `bool` are not (3.1, rule 3)."""
    return node.mutable or node.elem not in (None, "int", "bool")


def _check_initialised(walk: Walk, node: ast.ScalarDecl, name: ast.Name) -> None:
    if node.elem in (None, "int") and name.id:
        walk.b.report(rules.MISSING_INITIALISER, name.span, name=name.id, type=node.elem or "")


def _initialised(walk: Walk, node: ast.ScalarDecl, init: ast.ScalarInit, value: Value) -> None:
    mutable = _is_mutable(node)
    source = init.value or init
    if node.storage == "shared":
        walk.b.report(rules.SHARED_SCALAR_INIT, init.span, name=init.name.id, s=node.storage)
    storable = check_storable(walk, source, value.type)
    type_ = value.type
    if node.elem is not None:
        check_supported(walk, init, canonical(node.elem))
        _check_annotation(walk, node.elem, init, source, value)
        type_ = _scalar(node.elem, mutable)
    elif storable:
        type_ = _mutable_type(walk, init, type_)
    symbol = walk.scopes.declare(init.name, SymbolKind.VARIABLE, type_, init, mutable)
    if not mutable and is_integer(type_):
        walk.set_atom(symbol, value.int)


def _mutable_type(walk: Walk, init: ast.ScalarInit, type_: Type) -> Type:
    """`mutable` is for scalars; a bounded integer decays to a plain one (3.1, rule 4)."""
    elem = "bool" if isinstance(type_, Scalar) and type_.elem == "bool" else number(type_)
    if isinstance(type_, Unknown):
        return type_
    if elem is None or isinstance(type_, BoundedTuple):
        walk.b.report(rules.MUTABLE_NON_SCALAR, init.name.span, name=init.name.id, t=describe(type_))
        return UNKNOWN
    return Scalar(elem, True)


def _check_annotation(walk: Walk, elem: str, init: ast.ScalarInit, source: ast.Node, value: Value) -> None:
    """The initialiser agrees with the type written (T06); numbers convert (T13, T14)."""
    if isinstance(value.type, Unknown | Text | Pointer | Void):
        return
    have = number(value.type)
    truth = isinstance(value.type, Scalar) and value.type.elem == "bool"
    wrong = have is None if elem != "bool" else not truth
    if wrong or (elem == "int" and have in FLOATS):
        walk.b.report(rules.INITIALISER_TYPE, source.span, name=init.name.id, t1=elem, t2=describe(value.type))
    elif have is not None:
        convert(walk, source, value, canonical(elem))


def check_storable(walk: Walk, node: ast.Node, type_: Type) -> bool:
    """Strings, pointers, void values and empty placeholders initialise no variable (T07)."""
    empty = isinstance(type_, Future) and type_.placeholder and type_.data is None
    if empty or isinstance(type_, Text | Pointer | Void):
        walk.b.report(rules.UNSTORABLE_VALUE, node.span, t=describe(type_))
        return False
    if isinstance(type_, Event):
        walk.b.report(rules.NOT_A_VALUE, node.span, name="", t=describe(type_))
        return False
    return True


# --- buffers -------------------------------------------------------------------------------------


def _buffer_decl(walk: Walk, node: ast.BufferDecl) -> None:
    check_supported(walk, node, node.elem)
    storage = STORAGES.get(node.storage or "", Storage.HOST)
    walk.scopes.dimension = True
    shape = None if node.shape is None else shapes.extents_of(walk, node.shape)
    walk.scopes.dimension = False
    if shape is None:
        walk.not_understood(node, "a buffer whose shape is inferred")
    for entry in node.names:
        placed = _check_place(walk, node, entry)
        array = array_of(walk, entry.array)
        type_: Type = UNKNOWN
        if placed and shape is not None and array is not None and is_known(node.elem):
            type_ = Data(canonical(node.elem), shape, storage, array)
            _check_static(walk, node, entry.name.id, shape)
        if entry.fill is not None:
            _check_fill(walk, node.elem, entry)
        walk.scopes.declare(entry.name, SymbolKind.BUFFER, type_, entry)


def _check_place(walk: Walk, node: ast.BufferDecl, entry: ast.BufferName) -> bool:
    """Device storage inside `parallel` only, host-visible storage outside only (M01, M02). What is at the wrong
    place stays unknown: nothing else is said because of it."""
    if walk.on_device and node.storage in (None, "global"):
        walk.b.report(rules.STORAGE_AT_DEVICE, entry.name.span, s=node.storage or "", name=entry.name.id)
    elif not walk.on_device and node.storage in ("shared", "local"):
        walk.b.report(rules.STORAGE_AT_HOST, entry.name.span, s=node.storage, name=entry.name.id)
    else:
        return True
    return False


def _check_static(walk: Walk, node: ast.BufferDecl, name: str, shape: tuple[Int, ...]) -> None:
    """Device buffers have constant shapes (S11). Extents that stand for unknown names are silent."""
    if node.storage not in ("shared", "local") or not walk.on_device:
        return
    items = node.shape or ()
    for dim, extent in enumerate(shape):
        if extent.const is None and "?" not in str(extent):
            place = items[dim] if len(items) == len(shape) else node
            walk.b.report(
                rules.DYNAMIC_DEVICE_BUFFER, place.span, name=name, storage=node.storage, extent=str(extent), d=dim
            )
            return


def array_of(walk: Walk, nodes: Sequence[ast.Expr]) -> tuple[int, ...] | None:
    """Array extents, static and at least 1 (S10); None if one is unknown or wrong."""
    sizes: list[int] = []
    for node in nodes:
        walk.scopes.guess, guess = 2, walk.scopes.guess
        value = walk.expr(node)
        walk.scopes.guess = guess
        size = None if value.int is None else value.int.const
        if size is not None and size >= 1:
            sizes.append(size)
        elif not isinstance(value.type, Unknown):
            shown = describe(value.type) if value.int is None else str(value.int)
            walk.b.report(rules.ARRAY_SIZE, node.span, v=shown)
    return tuple(sizes) if len(sizes) == len(nodes) else None


def _check_fill(walk: Walk, elem: str, entry: ast.BufferName) -> None:
    if entry.fill is None:
        return
    value = walk.expr(entry.fill)
    if number(value.type) is not None:
        convert(walk, entry.fill, value, elem)
    elif not isinstance(value.type, Unknown):
        walk.b.report(rules.FILL_VALUE, entry.fill.span, name=entry.name.id, t=describe(value.type))


# --- shapes and tuples ---------------------------------------------------------------------------


def _shape_decl(walk: Walk, node: ast.ShapeDecl) -> None:
    value = walk.expr(node.value)
    type_ = value.type
    if isinstance(type_, ShapeType):
        _check_rank(walk, node.name, node.rank, len(type_.dims))
    elif not isinstance(type_, Unknown):
        walk.b.report(rules.SHAPE_BRACKETS, node.value.span, what="shape", got=describe(type_))
        type_ = UNKNOWN
    walk.scopes.declare(node.name, SymbolKind.VARIABLE, type_, node)


def _tuple_decl(walk: Walk, node: ast.TupleDecl) -> None:
    value = walk.expr(node.value)
    type_ = value.type
    if isinstance(type_, TupleType):
        _check_rank(walk, node.name, node.rank, len(type_.items))
    elif not isinstance(type_, Unknown | BoundedTuple):
        walk.b.report(rules.SHAPE_BRACKETS, node.value.span, what="tuple", got=describe(type_))
        type_ = UNKNOWN
    walk.scopes.declare(node.name, SymbolKind.VARIABLE, type_, node)


def _check_rank(walk: Walk, name: ast.Name, declared: int | None, rank: int) -> None:
    if declared is not None and declared != rank:
        walk.b.report(rules.DECLARED_RANK, name.span, a=declared, b=rank)


# --- events and fragments ------------------------------------------------------------------------


def _event_decl(walk: Walk, node: ast.EventDecl) -> None:
    count = None if node.count is None else walk.expr(node.count).int
    storage = STORAGES.get(node.storage or "", Storage.GLOBAL)
    for entry in node.names:
        array = array_of(walk, entry.array)
        type_: Type = UNKNOWN
        if array is not None:
            type_ = Event(storage, array, entry.ready, None if count is None else count.const)
        walk.scopes.declare(entry.name, SymbolKind.EVENT, type_, entry)


def _frag_decl(walk: Walk, node: ast.FragDecl) -> None:
    shape = None if node.shape is None else shapes.extents_of(walk, node.shape)
    role = FragRole.ACCUMULATOR if shape is None else FragRole.REGISTER
    for entry in node.names:
        array = array_of(walk, entry.array)
        if entry.fill is not None:
            _check_fill(walk, node.elem or "f64", entry)
        type_ = UNKNOWN if array is None else Fragment(node.elem, shape, role, array)
        walk.scopes.declare(entry.name, SymbolKind.FRAGMENT, type_, entry)


def is_plain_integer(type_: Type) -> bool:
    """An immutable integer, whose value later statements may rely on."""
    return is_integer(type_) and not (isinstance(type_, Scalar) and type_.mutable)


def inferred(type_: Type) -> Type:
    """The type of an immutable name declared by assignment (3.1, rules 1 to 3)."""
    if isinstance(type_, Scalar):
        return Scalar(type_.elem)
    return type_


def kind_of(type_: Type) -> SymbolKind:
    """What a name declared by assignment is."""
    if isinstance(type_, Future):
        return SymbolKind.FUTURE
    return SymbolKind.FRAGMENT if isinstance(type_, Fragment) else SymbolKind.VARIABLE


DECLARATIONS: StmtTable = {
    ast.ScalarDecl: _scalar_decl,
    ast.BufferDecl: _buffer_decl,
    ast.ShapeDecl: _shape_decl,
    ast.TupleDecl: _tuple_decl,
    ast.EventDecl: _event_decl,
    ast.FragDecl: _frag_decl,
}
