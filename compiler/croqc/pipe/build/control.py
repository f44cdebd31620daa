"""Scalars, loops, conditions, jumps and islands (reference, 2.4, 4.4, 4.5). Must not know events or tensor cores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.effects import EFFECTS, call, called, once
from croqc.pipe.build.fragments import assigned
from croqc.pipe.build.held import element_of, is_element
from croqc.pipe.build.islands import island
from croqc.pipe.build.scalars import combined, convert, printable, steady, value
from croqc.pipe.build.tiles import element, guarded, tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ONE, ZERO, Cast, Expr, Lit, Space, Var, add, plain_names
from croqc.sema.elements import ELEMENTS, canonical
from croqc.sema.model import Symbol, Unit
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, BoundedTuple, Data, Fragment, Future, Scalar, Type, Unknown
from croqc.syntax import ast
from croqc.text.record import record, replace
from croqc.text.span import Span

# --- scalars -----------------------------------------------------------------------------------


def _scalar_decl(c: Context, node: ast.ScalarDecl) -> Built:
    found: Built = []
    for init in node.inits:
        symbol = c.symbol(init.name)
        start = ZERO if init.value is None else _given(c, init.value, symbol.type)
        found += _declared(c, symbol, start, node.span)
    return found


def _given(c: Context, node: ast.Node, into: Type) -> Expr:
    """A value for a place of some type: what a device function gives, whatever that is, is converted to it."""
    if not (isinstance(node, ast.Call) and node.kind == "call" and isinstance(into, Scalar)):
        return value(c, node)
    elem = canonical(into.elem)
    if elem in ELEMENTS and ELEMENTS[elem].bits <= 32 and ELEMENTS[elem].kind == "float":
        return Cast(called(c, node, "f64" if elem == "f32" else "f32"), elem)  # narrow floats convert only when asked
    return called(c, node, elem)


def _declared(c: Context, symbol: Symbol, start: Expr, span: Span) -> Built:
    elem = canonical(symbol.type.elem) if isinstance(symbol.type, Scalar) else start.elem
    elem = printable(elem, span)
    return [ir.Let(span, c.name_of(symbol), elem, convert(start, elem), symbol.mutable)]


def _assign(c: Context, node: ast.Assign) -> Built:
    found: Built = []
    for part in node.parts:
        found += _part(c, part, node.span)
    return found


def _part(c: Context, part: ast.AssignPart, span: Span) -> Built:
    if not isinstance(part.target, ast.Name):
        return _element(c, part, span)
    symbol = c.symbol(part.target)
    if isinstance(symbol.type, Future) and symbol.decl is not part:
        raise LoweringError(
            f"'{symbol.name}' is given another copy, which is not lowered yet: give what is chosen a new name", span
        )
    if isinstance(part.value, ast.Select) and isinstance(symbol.type, Data | Future):
        return _choice(c, symbol, part.value, span)
    if isinstance(symbol.type, Data):
        if part.op == "=":
            c.tiles[symbol] = tile(c, part.value)
            return []
        raise LoweringError(
            "arithmetic on whole data is not lowered yet: write its elements in a level of threads", span
        )
    if isinstance(symbol.type, Fragment):
        return assigned(c, part, symbol, span)
    if isinstance(part.value, ast.Call) and isinstance(symbol.type, Unknown):
        reason = f"what '{part.value.callee}' gives has no type here"
        raise LoweringError(f"{reason}: declare it, as 's32 {symbol.name} = call {part.value.callee}(…)'", span)
    if not isinstance(symbol.type, Scalar | Bounded):
        return []  # shapes and tuples are read through the model
    new = _given(c, part.value, symbol.type)
    if symbol not in c.known:
        return _declared(c, symbol, new, span)
    elem = symbol.type.elem if isinstance(symbol.type, Scalar) else "s32"
    return [ir.Set(span, c.name_of(symbol), combined(Var(c.name_of(symbol), elem), part.op, new, elem))]


def _choice(c: Context, symbol: Symbol, node: ast.Select, span: Span) -> Built:
    """A name for the one of several buffers that an index chooses now."""
    chosen = tile(c, node)
    if isinstance(chosen.slot, Lit):
        c.tiles[symbol] = chosen
        return []
    name = c.names.fresh(f"{symbol.name}_slot")
    c.tiles[symbol] = replace(chosen, slot=Var(name))
    return [ir.Let(span, name, "s32", chosen.slot)]


def _element(c: Context, part: ast.AssignPart, span: Span) -> Built:
    if not isinstance(part.target, ast.Chain):
        raise LoweringError("this is nothing to assign to: name a variable, or an element ('t.at(i)')", span)
    if is_element(c, part.target):
        held = element_of(c, part.target)
        return [ir.Put(span, held, combined(held, part.op, _given(c, part.value, Scalar(held.elem)), held.elem))]
    place = element(c, part.target)
    new = combined(place, part.op, _given(c, part.value, Scalar(place.elem)), place.elem)
    written = guarded(place, [ir.Write(span, place.tile, place.index, new)], span)
    return written if place.tile.tensor.space is Space.LOCAL else once(c, written, span)


def _nothing(c: Context, node: ast.Node) -> Built:
    return []


# --- loops -------------------------------------------------------------------------------------


def _with(c: Context, node: ast.With) -> Built:
    """Its names are 0 until a `foreach` runs over them, and again behind it."""
    if node.where:
        raise LoweringError("'where' is not lowered yet: use one index for those that move together", node.span)
    lets: Built = []
    for binding in node.bindings:
        for index in _indices(c, binding):
            lets += [*_end(c, index, binding), ir.Let(binding.span, index.name, "s32", ZERO)]
    return [ir.Scope(node.span, (*lets, *c.body(node.body)))]


@record
class _Index:
    """A variable of a loop, what it stays below, and which extent of its binding says so."""

    name: str
    bound: Int
    position: int


def _indices(c: Context, binding: ast.Binding) -> list[_Index]:
    """The variables that a binding makes: one a name, those of a tuple in turn (3.4)."""
    found: list[_Index] = []
    for position, name in enumerate(binding.names):
        symbol = c.symbol(name)
        bounds = _bounds(c, symbol, binding.span)
        names = [c.name_of(symbol)] if len(bounds) == 1 else [c.names.fresh(symbol.name) for _ in bounds]
        if len(names) > 1:
            c.tuples[symbol] = tuple(Var(each) for each in names)
        found += [
            _Index(each, bound, position + place) for place, (each, bound) in enumerate(zip(names, bounds, strict=True))
        ]
    if binding.tuple_name is not None:
        c.tuples[c.symbol(binding.tuple_name)] = tuple(Var(index.name) for index in found)
    return found


def _bounds(c: Context, symbol: Symbol, span: Span) -> tuple[Int, ...]:
    match symbol.type:
        case Bounded(bound=bound):
            return (bound,)
        case BoundedTuple(bounds=bounds):
            return bounds
    raise LoweringError(f"'{symbol.name}' is no index: name one of 'with' or 'foreach'", span)


def _end(c: Context, index: _Index, binding: ast.Binding) -> Built:
    """A name for a bound that the model has none for, such as one that a variable holds: what it is in front of the
    loop, whatever its turns assign (reference, 4.5)."""
    if c.is_known(index.bound):
        return []
    extent = binding.extent.items[index.position] if isinstance(binding.extent, ast.ShapeLit) else binding.extent
    let, name = _let(c, steady(c, extent), extent.span)
    c.sizes |= {atom: name for atom in index.bound.names() if not c.is_known(Int.of(atom))}
    return [let]


def _let(c: Context, start: Expr, span: Span) -> tuple[ir.Stmt, Var]:
    elem = printable(start.elem, span)
    name = c.names.fresh("bound")
    return ir.Let(span, name, elem, start), Var(name, elem)


def _foreach(c: Context, node: ast.Foreach) -> Built:
    heads: list[tuple[Built, str, Expr, Expr, Expr]] = []
    for binding in node.bindings:
        indices = _indices(c, binding)
        lets = [let for index in indices for let in _end(c, index, binding)]
        for index in indices:
            heads.append((lets, index.name, ZERO, c.integer(index.bound, binding.span), ONE))
            lets = []
    for each in node.ranges:
        heads += _ranges(c, each)
    body = c.body(node.body)
    for lets, name, start, stop, step in reversed(heads):
        body = (*lets, ir.Loop(node.span, name, start, stop, step, body, _unrolled(node)))
    return list(body)


def _unrolled(node: ast.Foreach) -> int | None:
    """How often `unroll` asks for: 0 is "entirely", None is the compiler's choice."""
    for hint in node.hints:
        if hint.name == "unroll":
            first = hint.args[0] if hint.args else None
            return first.value if isinstance(first, ast.IntLit) else 0
    return None


def _ranges(c: Context, node: ast.Range) -> list[tuple[Built, str, Expr, Expr, Expr]]:
    """A loop over an index of a `with`, or over each index of a tuple in turn: what to declare in front of it, its
    name, ends and step, which hold for all turns."""
    symbol = c.symbol(node.name)
    stops = [c.integer(bound, node.span) for bound in _bounds(c, symbol, node.span)]
    if len(stops) > 1:
        if node.local is not None:
            raise LoweringError(
                "a tuple of indices keeps its name: loop over it as it is, or over its parts", node.span
            )
        names = [part.name for part in c.tuples[symbol] if isinstance(part, Var)]
        return [([], name, ZERO, stop, ONE) for name, stop in zip(names, stops, strict=True)]
    name = c.name_of(symbol if node.local is None else c.symbol(node.local))
    low = ZERO if node.lo is None else value(c, node.lo)
    stop = stops[0] if node.hi is None else add(stops[0], value(c, node.hi))
    step = ONE if node.step is None else value(c, node.step)
    lets: Built = []
    ends: list[Expr] = []
    for end in (low, stop, step):
        if _may_change(c, end):
            let, end = _let(c, end, node.span)
            lets.append(let)
        ends.append(end)
    low, stop, step = ends
    return [(lets, name, low, stop, step)]


def _may_change(c: Context, expr: Expr) -> bool:
    """Whether turns of a loop may see another value than the first: memory, and variables that are assigned."""
    names = plain_names(expr)
    return names is None or any(symbol.mutable and known in names for symbol, known in c.known.items())


def _while(c: Context, node: ast.While) -> Built:
    return [ir.While(node.span, steady(c, node.cond), c.body(node.body))]


def _truth(c: Context, node: ast.Node) -> Expr:
    return _given(c, node, Scalar("bool"))


def _if(c: Context, node: ast.If) -> Built:
    other = () if node.other is None else c.body(node.other)
    return [ir.If(node.span, steady(c, node.cond, _truth), c.body(node.then), other)]


def _jump(c: Context, node: ast.Jump) -> Built:
    return [ir.Jump(node.span, "return" if node.word == "yield" else node.word)]


# --- synchronisation ---------------------------------------------------------------

_LEVELS = {"block": Unit.BLOCK, "group-4": Unit.GROUP4, "group": Unit.GROUP}


def _sync(c: Context, node: ast.Sync) -> Built:
    if node.kind == "shared":
        return [ir.Sync(node.span, Unit.BLOCK)]
    if node.kind == "barrier" and (unit := _LEVELS.get(node.level or "block")) is not None:
        return [ir.Sync(node.span, unit)]
    if node.kind == "fence":
        near = node.level in ("thread", "group", "group-4")
        return [ir.Call(node.span, "__threadfence_block" if near else "__threadfence", ())]
    if node.kind == "local":
        return []
    raise LoweringError(
        "this barrier is not lowered: use 'sync.shared', or 'sync.barrier' of block, group-4 or group", node.span
    )


_HINTS = ("croq::cuda::setreg_inc", "croq::cuda::setreg_dec")


def _call(c: Context, node: ast.CallStmt) -> Built:
    if node.call.callee in _HINTS:
        return []
    if node.call.kind == "barrier":
        number, count = (value(c, arg) for arg in node.call.args)
        return [ir.Call(node.span, node.call.callee.removeprefix("__"), (number, count))]
    return call(c, node)


CONTROL: dict[type, Callable[[Context, Any], Built]] = {
    ast.ScalarDecl: _scalar_decl,
    ast.ShapeDecl: _nothing,
    ast.TupleDecl: _nothing,
    ast.Assign: _assign,
    ast.With: _with,
    ast.Foreach: _foreach,
    ast.While: _while,
    ast.If: _if,
    ast.Jump: _jump,
    ast.Sync: _sync,
    ast.CallStmt: _call,
    ast.Cpp: island,
    ast.Assert: _nothing,
    ast.SetReg: _nothing,
    ast.LaunchBounds: _nothing,
    **EFFECTS,
}
