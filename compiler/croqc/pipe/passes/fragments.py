"""Pass fragments: where the elements of register tiles lie, and which of its own a thread means (reference, 6.5).

All tiles of a unit lie as accumulators do: rows go over the warps and their quads of threads, columns over the threads
of a quad. So an element of a tile is its visitor's own where the other tile has the same shape; that of a vector of its
rows, or of its columns, is the visitor's too, for every thread that holds an element of a row holds the row's entry.
Vectors that nothing says anything of lie along rows. What a vector's visit does to memory one of its holders does.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Held, Lit, Op, Var
from croqc.pipe.held import held_in, map_held
from croqc.pipe.owned import column_entry, row_entry
from croqc.pipe.tiles import reads_of
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import Span

Tiles = dict[str, ir.Accumulator]
_ROWS, _COLUMNS, _TILE = ir.Spread.ROWS, ir.Spread.COLUMNS, ir.Spread.TILE
_EFFECTS = (ir.Write, ir.Print, ir.Call, ir.Text)


def fragments(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    tiles = {tile.name: tile for tile in kernel.accumulators}
    if not any(isinstance(stmt, ir.Visit | ir.Reduce) or _is_vector(stmt) for stmt in statements(kernel.body)):
        return kernel
    _decide(kernel.body, tiles)
    body = rewrite(kernel.body, lambda stmt: (_resolved(_with_tiles(stmt, tiles), tiles),))
    return replace(kernel, body=body, accumulators=tuple(tiles.values()))


def _is_vector(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Fill) and stmt.acc.vector


# --- where vectors lie -------------------------------------------------------------------------


def _decide(body: Body, tiles: Tiles) -> None:
    """Settles the spread of every vector; what one visit says may decide for another."""
    while True:
        before = dict(tiles)
        for stmt in statements(body):
            if isinstance(stmt, ir.Reduce) and tiles[stmt.acc.name].spread is None:
                tiles[stmt.acc.name] = _along(tiles[stmt.acc.name], _ROWS)
            elif isinstance(stmt, ir.Visit):
                _from_visit(stmt, tiles)
        if tiles == before:
            break
    for name, tile in tiles.items():
        if tile.spread is None:
            tiles[name] = _along(tile, _ROWS)


def _along(tile: ir.Accumulator, spread: ir.Spread) -> ir.Accumulator:
    return replace(tile, spread=spread, m=1, n=tile.m) if spread is _COLUMNS else replace(tile, spread=spread)


def _from_visit(visit: ir.Visit, tiles: Tiles) -> None:
    seen = tiles[visit.acc.name]
    for element in (each for stmt in statements(visit.body) for each in held_in(stmt)):
        other = tiles[element.name]
        if other.spread is None and len(element.index) == 1:
            if seen.vector and seen.spread is not None:
                tiles[other.name] = _along(other, seen.spread)
            elif not seen.vector and element.index[0] in (found := [Var(name) for name in visit.names]):
                tiles[other.name] = _along(other, _ROWS if element.index[0] == found[0] else _COLUMNS)
        elif seen.spread is None and other.vector and other.spread is not None:
            seen = tiles[seen.name] = _along(seen, other.spread)


# --- which element -----------------------------------------------------------------------------


def _with_tiles(stmt: ir.Stmt, tiles: Tiles) -> ir.Stmt:
    """A statement with its tiles as they are decided."""
    changes = {
        name: tiles[value.name]
        for name in type(stmt).__match_args__
        if isinstance(value := getattr(stmt, name), ir.Accumulator)
    }
    return replace(stmt, **changes) if changes else stmt


def _resolved(stmt: ir.Stmt, tiles: Tiles) -> ir.Stmt:
    match stmt:
        case ir.Reduce():
            _check_reduction(stmt)
        case ir.Visit():
            _check_extents(stmt.acc, stmt.span)
            _check_names(stmt)
            body = rewrite(stmt.body, lambda each: (_of_visit(each, stmt, tiles),))
            return replace(stmt, body=body if stmt.acc.spread is _TILE else _by_one(body, stmt))
        case ir.StoreTile() if stmt.acc.spread is not _TILE:
            raise LoweringError(f"'{stmt.acc.name}' is a vector: store its elements in an 'apply'", stmt.span)
    return stmt


def _check_names(visit: ir.Visit) -> None:
    dimensions = 1 if visit.acc.vector else 2
    if len(visit.names) != dimensions:
        raise LoweringError(f"'{visit.acc.name}' has {dimensions} dimensions: name as many indices", visit.span)


def _check_extents(tile: ir.Accumulator, span: Span) -> None:
    """A group-4 has 64 rows, a group any sixteen; columns go eight at a time. A warp's tile of 8 rows has no vectors
    along it, for they would lie otherwise."""
    by_sixteen = tile.m % 16 == 0 or (tile.m == 8 and tile.spread is _TILE)
    rows = tile.m == 64 if tile.unit is Unit.GROUP4 else by_sixteen
    if (tile.spread is _COLUMNS or rows) and (tile.spread is _ROWS or tile.n % 8 == 0):
        return
    have = "64 rows" if tile.unit is Unit.GROUP4 else "a multiple of 16 rows"
    shape = f"{tile.m}" if tile.vector and tile.spread is _ROWS else f"{tile.m} x {tile.n}"
    reason = f"'{tile.name}' of {shape} does not spread over a {tile.unit.value}"
    raise LoweringError(f"{reason}: use {have} and a multiple of 8 columns", span)


def _check_reduction(stmt: ir.Reduce) -> None:
    _check_extents(stmt.source, stmt.span)
    _check_extents(stmt.acc, stmt.span)
    if stmt.source.spread is not _TILE:
        raise LoweringError(f"'{stmt.source.name}' is a vector: a reduction takes the rows of a tile", stmt.span)
    if stmt.acc.spread is not _ROWS or stmt.acc.m != stmt.source.m or stmt.acc.unit is not stmt.source.unit:
        reason = f"a reduction of rows of '{stmt.source.name}' gives {stmt.source.m} elements along its rows"
        raise LoweringError(f"{reason}: declare 'frag {stmt.acc.elem} [{stmt.source.m}] …' for them", stmt.span)


def _of_visit(stmt: ir.Stmt, visit: ir.Visit, tiles: Tiles) -> ir.Stmt:
    if isinstance(stmt, ir.Put):
        target = tiles[stmt.element.name]
        if target.spread is not visit.acc.spread:
            reason = f"several elements of '{visit.acc.name}' would write one of '{target.name}'"
            way = f"'reduce_sum({target.name}, {visit.acc.name}, 1)', or an 'apply' over '{target.name}'"
            raise LoweringError(f"{reason}: use {way}", stmt.span)
    changed = map_held(stmt, lambda element: _own(element, visit, tiles[element.name], stmt.span))
    return _with_tiles(changed, tiles)


def _own(element: Held, visit: ir.Visit, tile: ir.Accumulator, span: Span) -> Held:
    """The element with the number of the visitor's own one. Raises LoweringError where another thread holds it."""
    _check_extents(tile, span)
    seen, r = visit.acc, Var(visit.counter)
    rows: list[Expr] = [Var(visit.names[0]), *([ZERO] if seen.m == 1 else [])]
    columns: list[Expr] = [Var(visit.names[-1]), *([ZERO] if seen.n == 1 else [])]
    along_rows = tile.m == seen.m and element.index[0] in rows
    along_columns = tile.n == seen.n and element.index[-1] in columns
    if tile.unit is seen.unit and len(element.index) == (1 if tile.vector else 2):
        if tile.spread is _TILE and seen.spread is _TILE and along_rows and along_columns:
            return replace(element, register=r)
        single = tile.vector or element.index[1 if tile.spread is _ROWS else 0] in (ZERO, Var(visit.names[-1]))
        if seen.m == 8 and tile.vector:
            reason = f"'{seen.name}' has 8 rows, and no vector lies along them or its columns"
            raise LoweringError(f"{reason}: use 16 rows, or go through shared memory", span)
        if tile.spread is _ROWS and along_rows and single and seen.spread is not _COLUMNS:
            return replace(element, register=r if seen.spread is _ROWS else row_entry(seen, r))
        if tile.spread is _COLUMNS and along_columns and single and seen.spread is not _ROWS:
            return replace(element, register=r if seen.spread is _COLUMNS else column_entry(seen, r))
    reason = f"this element of '{element.name}' may be in the registers of another thread"
    raise LoweringError(f"{reason}: use the place of the visited element, or go through shared memory", span)


# --- what one thread does for all --------------------------------------------------------------


def _by_one(body: Body, visit: ir.Visit) -> Body:
    """Effects on memory behind the test that the thread is the first of those that hold the element."""
    written = {stmt.tile.tensor.name for stmt in statements(body) if isinstance(stmt, ir.Write)}
    thread = Var("threadIdx.x")
    unit = Lit(128 if visit.acc.unit is Unit.GROUP4 else 32)
    if visit.acc.spread is _ROWS:
        first: Expr = Op("==", (Op("%", (thread, Lit(4))), ZERO), "bool")
    else:
        first = Op("<", (Op("%", (thread, unit)), Lit(4)), "bool")

    def guarded(stmt: ir.Stmt) -> Body:
        return (ir.If(stmt.span, first, (stmt,)),) if isinstance(stmt, _EFFECTS) else (stmt,)

    _check_read_back(body, written)
    return rewrite(body, guarded)


def _check_read_back(body: Body, written: set[str]) -> None:
    """The other holders of an element do not see what one of them has written in the same visit."""
    for stmt in statements(body):
        read = {tensor.name for tensor in reads_of(stmt)} & written
        if read and not isinstance(stmt, _EFFECTS):
            raise LoweringError(f"'{min(read)}' is written in this 'apply' too: read it in another one", stmt.span)
