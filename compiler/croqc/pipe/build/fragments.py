"""Register tiles as data: `frag`, `apply`, reductions, copies, arithmetic on whole tiles (reference, 6.5).

A tile has one value an element, whoever holds it: where several threads hold the same, their copies are always equal,
and `all_reduce_sum` has nothing to do. Must not decide where elements lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.held import accumulator, element_of_whole
from croqc.pipe.build.scalars import combined, convert, printable, value
from croqc.pipe.build.tiles import static
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Held, Lit, Var
from croqc.pipe.walk import Body, bodies, statements
from croqc.sema.elements import canonical
from croqc.sema.model import Symbol, Unit
from croqc.sema.types import Fragment
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.record import replace
from croqc.text.span import Span

_OF_BLOCK = {128: Unit.GROUP4, 32: Unit.GROUP}

# --- declarations ------------------------------------------------------------------------------


def _declared(c: Context, node: ast.FragDecl) -> Built:
    found: Built = []
    for entry in node.names:
        symbol = c.symbol(entry.name)
        if node.shape is not None and symbol not in c.accumulators:
            c.accumulators[symbol] = _made(c, node, symbol)
        tile, _ = accumulator(c, entry.name)
        start = Lit(0, "s32") if entry.fill is None else value(c, entry.fill)
        c.declared.add(tile.name)
        found.append(ir.Fill(node.span, tile, ZERO, filled(start, tile), True))
    return found


def filled(start: Expr, tile: ir.Accumulator) -> Expr:
    """The value that fills a tile; pairs are packed from f32."""
    return convert(start, "f32" if tile.packed else tile.elem)


def _made(c: Context, node: ast.FragDecl, symbol: Symbol) -> ir.Accumulator:
    """A tile that is declared with its shape."""
    kind = symbol.type
    assert isinstance(kind, Fragment) and kind.shape is not None
    extents = static(c, kind.shape, node.span)
    elem = printable(canonical(kind.elem or "f32"), node.span)
    if len(extents) not in (1, 2):
        raise LoweringError(f"'{symbol.name}' has {len(extents)} dimensions: a register tile has one or two", node.span)
    tile = ir.Accumulator(c.name_of(symbol), elem, extents[0], 1, _unit(c, node.span), prod(kind.array))
    if len(extents) == 1:
        return replace(tile, vector=True, spread=None)
    if 1 in extents:
        return replace(tile, n=extents[1], spread=ir.Spread.ROWS if extents[1] == 1 else ir.Spread.COLUMNS)
    return replace(tile, n=extents[1])


def _unit(c: Context, span: Span) -> Unit:
    unit = c.unit if c.in_team or c.unit is not Unit.BLOCK else _OF_BLOCK.get(c.threads, c.unit)
    if unit not in _OF_BLOCK.values() or c.per_thread:
        raise LoweringError("a register tile belongs to a group or a group-4: declare it inside one", span)
    return unit


# --- statements --------------------------------------------------------------------------------


def _apply(c: Context, node: ast.Apply) -> Built:
    if c.visiting:
        raise LoweringError("an 'apply' inside another one has no elements of its own: put it behind", node.span)
    tile, index = accumulator(c, node.frag)
    names = tuple(c.name_of(c.symbol(name)) for name in node.names)
    saved = c.per_thread
    c.per_thread, c.visiting = True, tuple(Var(name) for name in names)
    body = c.body(node.body)
    c.per_thread, c.visiting = saved, ()
    _check_body(body)
    return _visit(c, node.span, tile, index, names, body)


_COMPUTING = (
    ir.Let, ir.Set, ir.Write, ir.Print, ir.Loop, ir.While, ir.If, ir.Scope, ir.Jump, ir.Text, ir.Call, ir.Put
)  # fmt: skip


def _check_body(body: Body) -> None:
    """Each element is computed by itself: nothing that threads do together, and nothing that elements share."""
    own = {stmt.name for stmt in statements(body) if isinstance(stmt, ir.Let | ir.Loop)}
    for stmt in statements(body):
        if not isinstance(stmt, _COMPUTING):
            raise LoweringError("an 'apply' computes elements one by one: do this in front of it or behind", stmt.span)
        if isinstance(stmt, ir.Set) and stmt.name not in own:
            reason = f"'{stmt.name}' would get the elements of each thread alone"
            raise LoweringError(f"{reason}: use reduce_sum or reduce_max, or a fragment", stmt.span)
    for jump in _leaving(body):
        reason = f"elements of an 'apply' have no order, so none can {jump.word} the loop around it"
        raise LoweringError(
            f"{reason}: compute the element under an 'if', and jump in front of it or behind", jump.span
        )


def _leaving(body: Body) -> Iterator[ir.Jump]:
    """The jumps of a body to a loop around it."""
    for stmt in body:
        if isinstance(stmt, ir.Jump) and stmt.word != "return":
            yield stmt
        elif not isinstance(stmt, ir.Loop | ir.While):
            for inner in bodies(stmt):
                yield from _leaving(inner)


def _visit(
    c: Context, span: Span, tile: ir.Accumulator, index: Expr, names: tuple[str, ...], body: Iterable[ir.Stmt]
) -> Built:
    """Its elements are read by ordinary code: the groups of multiplies end first (6.6)."""
    return [ir.Commit(span), ir.Visit(span, tile, index, names, c.names.fresh("r"), tuple(body))]


def _operation(c: Context, node: ast.FragOp) -> Built:
    if node.op == "all_reduce_sum":
        accumulator(c, node.args[0])
        return []
    (tile, index), (source, at) = (accumulator(c, arg) for arg in node.args)
    if node.op == "copy":
        names = _places(c, tile)
        place = tuple(Var(name) for name in names)
        old = Held(source.name, source.elem, at, place)
        put = ir.Put(node.span, Held(tile.name, tile.elem, index, place), convert(old, tile.elem))
        return _visit(c, node.span, tile, index, names, [put])
    return [ir.Commit(node.span), ir.Reduce(node.span, node.op.removeprefix("reduce_"), tile, index, source, at)]


def _places(c: Context, tile: ir.Accumulator) -> tuple[str, ...]:
    """Names for the place of an element that the program does not name."""
    return tuple(c.names.fresh(wish) for wish in ("i", "j")[: 1 if tile.vector else 2])


# --- whole tiles -------------------------------------------------------------------------------


def assigned(c: Context, part: ast.AssignPart, symbol: Symbol, span: Span) -> Built:
    """`c = c * a + d`, `c += d`: element by element. A name for another tile is a name."""
    if isinstance(part.value, ast.Name) and part.op == "=":
        if symbol in c.accumulators:
            raise LoweringError(f"write 'copy({symbol.name}, {part.value.id})' for the elements", span)
        c.accumulators[symbol], _ = accumulator(c, part.value)
        return []
    first = _first_tile(c, part.value)
    if first is None and part.op == "=":
        raise LoweringError(f"write 'mma.fill {symbol.name}, …' for one value in all elements", span)
    new = symbol not in c.accumulators
    shape = c.accumulators[first if new and first is not None else symbol]
    names = _places(c, shape)
    c.visiting = tuple(Var(name) for name in names)
    result = value(c, part.value)
    if new:
        made = replace(shape, name=c.name_of(symbol), elem=printable(canonical(result.elem), span), count=1)
        c.accumulators[symbol] = made
    target = element_of_whole(c, symbol, span)
    put = ir.Put(span, target, combined(target, part.op, result, target.elem))
    c.visiting = ()
    tile = c.accumulators[symbol]
    declares: Built = [ir.Fill(span, tile, ZERO, filled(Lit(0), tile), True)] if new else []
    c.declared.add(tile.name)
    return [*declares, *_visit(c, span, tile, ZERO, names, [put])]


def _first_tile(c: Context, node: ast.Node) -> Symbol | None:
    symbols = (c.model.uses.get(name) for name in walk(node) if isinstance(name, ast.Name))
    return next((symbol for symbol in symbols if symbol is not None and symbol in c.accumulators), None)


FRAGMENTS: dict[type, Callable[[Context, Any], Built]] = {
    ast.FragDecl: _declared,
    ast.Apply: _apply,
    ast.FragOp: _operation,
}
