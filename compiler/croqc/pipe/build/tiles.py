"""Data references as tiles: which box of which tensor a view names (reference, 3.5). Must not move data."""

from __future__ import annotations

from collections.abc import Callable

from croqc.pipe.build.context import Context
from croqc.pipe.build.integers import of_int
from croqc.pipe.errors import LoweringError, SizesNeededError
from croqc.pipe.exprs import (
    ONE,
    ZERO,
    Cast,
    Expr,
    Fn,
    Lit,
    Op,
    Read,
    Tile,
    Var,
    add,
    integer,
    multiply,
    product,
    subtract,
    total,
    whole,
)
from croqc.pipe.ir import If, Stmt
from croqc.pipe.wide import is_small, widened
from croqc.sema.masks import defining_value
from croqc.sema.model import Symbol, SymbolKind, View, ViewKind, ViewOp
from croqc.sema.symbolic import Int
from croqc.sema.types import TupleType
from croqc.syntax import ast
from croqc.text.record import replace
from croqc.text.span import Span


def tile(c: Context, node: ast.Node) -> Tile:
    """The tile that an operand names. Raises LoweringError for views that are no boxes."""
    while isinstance(node, ast.Paren):
        node = node.inner
    if isinstance(node, ast.Select):
        return _selected(c, node)
    view = c.model.views.get(node)
    if view is not None:
        return of_view(c, view, node.span)
    if isinstance(node, ast.Name):
        return _of_symbol(c, c.symbol(node), ZERO, node.span)
    raise LoweringError("this is no data: name a buffer, a parameter or a view of one", node.span)


def _selected(c: Context, node: ast.Select) -> Tile:
    """`select(k, v0, v1, …)`: slots of one tensor, of which the index chooses."""
    options = [tile(c, option) for option in node.options]
    if any(replace(option, slot=ZERO) != replace(options[0], slot=ZERO) for option in options):
        raise LoweringError(
            "a choice between views is not lowered: choose a whole buffer, and then its part", node.span
        )
    index = c.expr(node.index)
    slot = options[-1].slot
    numbers = [integer(option.slot) for option in options]
    if all(number is not None and number == (numbers[0] or 0) + at for at, number in enumerate(numbers)):
        slot = add(index, options[0].slot)
    else:
        for at in reversed(range(len(options) - 1)):
            slot = Op("?:", (Op("==", (index, Lit(at)), "bool"), options[at].slot, slot))
    return replace(options[0], slot=slot)


def element(c: Context, node: ast.Chain) -> Read:
    """`t.at(i, j)`: the element, with the tile that it belongs to."""
    view = c.model.views[node]
    return Read(of_view(c, view, node.span), tuple(_flat(c, view.element or ())))


def of_view(c: Context, view: View, span: Span) -> Tile:
    if view.mdata:
        raise LoweringError("'.mdata' is not lowered yet: keep the metadata in a buffer of its own", span)
    found = _of_symbol(c, view.base, _slot(c, view), span)
    for op in view.ops:
        found = _apply(c, found, op)
    return found


def _slot(c: Context, view: View) -> Expr:
    """The number of the slot: subscripts of an array of buffers, row by row."""
    array = getattr(view.base.type, "array", ())
    number: Expr = ZERO
    for subscript, extent in zip(view.slots, array, strict=False):
        number = add(multiply(number, Lit(extent)), c.expr(subscript))
    return number


def _of_symbol(c: Context, symbol: Symbol, slot: Expr, span: Span) -> Tile:
    if symbol in c.tiles:
        found = c.tiles[symbol]
        return replace(found, slot=add(found.slot, slot))
    if symbol in c.handles:
        name, tensor = c.handles[symbol]
        return whole(tensor, Var(name))
    if symbol in c.tensors:
        return whole(c.tensors[symbol], slot)
    defined = defining_value(symbol) if symbol.kind is SymbolKind.VARIABLE else None
    if defined is not None:
        return tile(c, defined)
    raise LoweringError(f"'{symbol.name}' has no memory here: name a buffer, a parameter or a future", span)


# --- view operations ---------------------------------------------------------------------------


def _flat(c: Context, nodes: tuple[ast.Expr, ...]) -> list[Expr]:
    """The expressions of a list, with tuples as what they consist of (3.5)."""
    found: list[Expr] = []
    for node in nodes:
        symbol = c.model.uses.get(node) if isinstance(node, ast.Name) else None
        kind = c.model.types.get(node)
        if _is_wild(node):
            found.append(ZERO)
        elif symbol is not None and symbol in c.tuples:
            found += c.tuples[symbol]
        elif isinstance(node, ast.TupleLit):
            found += _flat(c, node.items)
        elif isinstance(kind, TupleType) and all(item is not None for item in kind.items):
            found += [of_int(item, c.sizes) for item in kind.items if item is not None]
        else:
            found.append(c.expr(node))
    return found


def _is_wild(node: ast.Expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "_"


def _shape(c: Context, op: ViewOp) -> tuple[Expr, ...]:
    return tuple(c.integer(extent, op.span) for extent in op.shape)


def _apply(c: Context, base: Tile, op: ViewOp) -> Tile:
    return _OPERATIONS[op.kind](c, base, op)


def _chunkat(c: Context, base: Tile, op: ViewOp) -> Tile:
    return _cut(c, base, op, _scaled(_flat(c, op.args), _shape(c, op)))


def _chunk(c: Context, base: Tile, op: ViewOp) -> Tile:
    return _cut(c, base, op, _scaled(_flat(c, op.at), _shape(c, op)))


def _subspan(c: Context, base: Tile, op: ViewOp) -> Tile:
    if op.strides:
        raise LoweringError("a subspan with strides is not lowered yet: name its elements one by one", op.span)
    steps = tuple(c.expr(node) for node in op.step) if op.step else _shape(c, op)
    return _cut(c, base, op, _scaled(_flat(c, op.at), steps))


def _modspan(c: Context, base: Tile, op: ViewOp) -> Tile:
    sizes = [full if _is_wild(node) else c.expr(node) for node, full in zip(op.args, base.shape, strict=True)]
    if op.at:
        return _cut(c, base, op, _scaled(_flat(c, op.at), tuple(sizes)))
    rest = [subtract(full, extent) for full, extent in zip(base.shape, _shape(c, op), strict=True)]
    return _cut(c, base, op, tuple(rest))


def _window(c: Context, base: Tile, op: ViewOp) -> Tile:
    start = tuple(_flat(c, op.at)) or (ZERO,) * len(base.shape)
    if op.strides:
        return _strided(base, start, _shape(c, op), tuple(_flat(c, op.strides)), op.span)
    return _cut(c, base, op, start)


def _strided(base: Tile, start: tuple[Expr, ...], shape: tuple[Expr, ...], steps: tuple[Expr, ...], span: Span) -> Tile:
    """A view with element strides of its own: of the same elements in one row. All of it exists (3.5)."""
    if base.scales:
        raise LoweringError(
            "a view with strides of one with strides is not lowered: cut it from the whole buffer", span
        )
    shape_of = base.tensor.shape
    rows = [product(shape_of[dim + 1 :]) for dim in range(len(shape_of))]
    first = total(tuple(multiply(at, row) for at, row in zip(base.origin, rows, strict=True)))
    first = add(first, total(tuple(multiply(at, step) for at, step in zip(start, steps, strict=True))))
    row = replace(base.tensor, shape=(product(shape_of),))
    return Tile(row, base.slot, (first,), shape, (0,) * len(shape), (None,) * len(shape), steps)


def _scaled(indices: list[Expr], extents: tuple[Expr, ...]) -> tuple[Expr, ...]:
    if not indices:
        return (ZERO,) * len(extents)
    return tuple(multiply(index, extent) for index, extent in zip(indices, extents, strict=True))


def _cut(c: Context, base: Tile, op: ViewOp, start: tuple[Expr, ...]) -> Tile:
    shape = _shape(c, op)
    if len(start) != len(shape) or len(shape) != len(base.shape):
        raise LoweringError("this view has indices of another rank than its data: give an index a dimension", op.span)
    origin = list(base.origin)
    valid: list[Expr | None] = []
    for dim, (by, extent, before) in enumerate(zip(start, shape, base.valid, strict=True)):
        axis = base.dims[dim]
        origin[axis] = add(origin[axis], multiply(by, base.steps[dim]))
        room = base.shape[dim] if before is None else before
        valid.append(_valid(room, by, extent, op, before is None))
    return replace(base, origin=tuple(origin), shape=shape, valid=tuple(valid))


def _valid(room: Expr, start: Expr, extent: Expr, op: ViewOp, complete: bool) -> Expr | None:
    """How much of an extent lies inside `room`; None where all of it does, as the language's own checks see to it."""
    if op.kind in (ViewKind.CHUNKAT, ViewKind.CHUNK, ViewKind.MODSPAN) and complete:
        return None
    known, size = integer(room), integer(extent)
    if complete and op.kind is ViewKind.SUBSPAN and not op.step and known is not None and size and known % size == 0:
        return None
    if room == extent and start == ZERO:
        return None
    rest = subtract(room, start)
    if is_small(room):
        return Fn("__min", (Fn("__max", (rest, ZERO), "s32"), extent), "s32")
    left = widened(Fn("__min", (Fn("__max", (rest, ZERO), "s32"), extent), "s32"))
    return Cast(left, "s32") if is_small(extent) else left


def _span_as(c: Context, base: Tile, op: ViewOp) -> Tile:
    shape = _shape(c, op)
    if shape == tuple(extent for extent in base.shape if integer(extent) != 1):  # as `.sqz()` has it
        return _squeeze(c, base, op)
    if base == whole(base.tensor, base.slot):
        return whole(replace(base.tensor, shape=shape), base.slot)
    found = _rows_as(base, shape) or _run_as(base, shape)
    if found is None:
        reason = "span_as of a part of a buffer takes elements that lie one behind the other, and all of which exist"
        raise LoweringError(f"{reason}: take the part of the whole buffer's span_as", op.span)
    return found


def _run_as(base: Tile, shape: tuple[Expr, ...]) -> Tile | None:
    """Elements one behind the other, in another shape: a run of the tensor as one row. None where there are gaps
    between them, or some may not exist."""
    old = base.tensor.shape
    if base.dims != tuple(range(len(old))) or base.scales or any(limit is not None for limit in base.valid):
        return None
    cut = next((dim for dim, extent in enumerate(base.shape) if extent != ONE), len(old))
    if base.shape[cut + 1 :] != old[cut + 1 :] or any(at != ZERO for at in base.origin[cut + 1 :]):
        return None
    first = total(tuple(multiply(at, product(old[dim + 1 :])) for dim, at in enumerate(base.origin)))
    row = replace(base.tensor, shape=(product(old),))
    steps = tuple(product(shape[dim + 1 :]) for dim in range(len(shape))) if len(shape) > 1 else ()
    return Tile(row, base.slot, (first,), shape, (0,) * len(shape), (None,) * len(shape), steps)


def _rows_as(base: Tile, shape: tuple[Expr, ...]) -> Tile | None:
    """Whole rows of a tensor in another shape: a tile of the tensor in rows of that shape. None where the part is not
    made of whole rows, or an old row not of new ones."""
    old, origin = base.tensor.shape, base.origin
    whole_rows = base.dims == tuple(range(len(old))) and base.shape[1:] == old[1:] and not base.scales
    if not whole_rows or any(at != ZERO for at in origin[1:]) or any(limit is not None for limit in base.valid[1:]):
        return None
    row, new = product(old[1:]), product(shape[1:])
    size, width = integer(row), integer(new)
    if new == ONE:
        times = row
    elif size and width and size % width == 0:
        times = Lit(size // width)
    else:
        return None
    tensor = replace(base.tensor, shape=(multiply(old[0], times), *shape[1:]))
    limit = None if base.valid[0] is None else multiply(base.valid[0], times)
    rest = (ZERO,) * (len(shape) - 1)
    valid = (limit, *(None for _ in rest))
    return Tile(tensor, base.slot, (multiply(origin[0], times), *rest), shape, tuple(range(len(shape))), valid)


def _squeeze(c: Context, base: Tile, op: ViewOp) -> Tile:
    return squeezed(base)


def squeezed(base: Tile) -> Tile:
    """A tile without its dimensions of one element, but for one."""
    keep = [dim for dim, extent in enumerate(base.shape) if integer(extent) != 1] or [0]
    return replace(
        base,
        shape=tuple(base.shape[dim] for dim in keep),
        dims=tuple(base.dims[dim] for dim in keep),
        valid=tuple(base.valid[dim] for dim in keep),
        scales=tuple(base.scales[dim] for dim in keep) if base.scales else (),
    )


_OPERATIONS: dict[ViewKind, Callable[[Context, Tile, ViewOp], Tile]] = {
    ViewKind.CHUNKAT: _chunkat,
    ViewKind.CHUNK: _chunk,
    ViewKind.SUBSPAN: _subspan,
    ViewKind.MODSPAN: _modspan,
    ViewKind.WINDOW: _window,
    ViewKind.SPAN_AS: _span_as,
    ViewKind.SQUEEZE: _squeeze,
}


def guarded(place: Read, then: list[Stmt], span: Span) -> list[Stmt]:
    """Statements behind the test that an element exists, where it may not."""
    cond = inside(place.tile, place.index)
    return then if cond is None else [If(span, cond, tuple(then))]


def inside(tile_: Tile, index: tuple[Expr, ...]) -> Expr | None:
    """The condition that an element of the tile exists; None where all do."""
    tests = [Op("<", (at, limit), "bool") for at, limit in zip(index, tile_.valid, strict=True) if limit is not None]
    if not tests:
        return None
    cond: Expr = tests[0]
    for test in tests[1:]:
        cond = Op("&&", (cond, test), "bool")
    return cond


def static(c: Context, shape: tuple[Int, ...], span: Span) -> tuple[int, ...]:
    """Extents that must be known when compiling. Raises SizesNeededError."""
    found = [integer(of_int(extent, c.sizes)) for extent in shape]
    unknown = (extent.names() for extent, value in zip(shape, found, strict=True) if value is None)
    if names := frozenset[str]().union(*unknown):
        raise SizesNeededError("an extent here hangs on the sizes of the run", span, names)
    return tuple(extent for extent in found if extent is not None)
