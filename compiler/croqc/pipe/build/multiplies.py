"""Accumulators and multiplies (reference, chapter 6). Must not choose instructions beyond what sema found."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.fragments import filled
from croqc.pipe.build.held import accumulator
from croqc.pipe.build.scalars import value
from croqc.pipe.build.scales import scale
from croqc.pipe.build.tiles import squeezed, tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Lit, Space, Tensor, Tile, whole
from croqc.sema.model import MmaInfo, OperandKind, Symbol
from croqc.sema.roots import base_name
from croqc.sema.types import Fragment
from croqc.syntax import ast


def collect(c: Context, nodes: list[ast.Mma]) -> None:
    """Gives every accumulator its shape, from the multiplies that use it."""
    for node in nodes:
        info, name = c.model.multiplies.get(node), base_name(node.acc)
        if info is None or name is None:
            raise LoweringError("this multiply is not understood: 'croq check' says why", node.span)
        symbol = c.symbol(name)
        if symbol not in c.accumulators:
            c.accumulators[symbol] = _made(c, symbol, info)


def _made(c: Context, symbol: Symbol, info: MmaInfo) -> ir.Accumulator:
    array = symbol.type.array if isinstance(symbol.type, Fragment) else ()
    return ir.Accumulator(c.name_of(symbol), info.elem_acc, info.m, info.n, info.unit, prod(array))


def _fill(c: Context, node: ast.MmaFill) -> Built:
    acc, index = accumulator(c, node.acc if not node.declares else _named(node.acc))
    first = acc.name not in c.declared
    c.declared.add(acc.name)
    fill = ir.Fill(node.span, acc, index, filled(value(c, node.value), acc), first)
    # Its registers may belong to multiplies in flight: a write of them ends the group, as a read does (6.6).
    return [fill] if first else [ir.Commit(node.span), fill]


def _named(node: ast.Expr) -> ast.Expr:
    """`c = mma.fill.T[n] v` names all accumulators of the array; a subscript there is its extent."""
    return node.base if isinstance(node, ast.Chain) else node


def _load(c: Context, node: ast.MmaLoad) -> Built:
    if not isinstance(node.target, ast.Name):
        raise LoweringError("load an operand into a plain name", node.span)
    symbol = c.symbol(node.target)
    c.tiles[symbol] = tile(c, node.source)
    if c.model.loads.get(node) is OperandKind.SHARED:
        return []
    use = _use_of(c, symbol)
    if use is None:
        raise LoweringError(f"no multiply takes '{symbol.name}': leave this load out", node.span)
    name = c.fragments[symbol] = c.name_of(symbol)
    first = name not in c.declared
    c.declared.add(name)
    multiply, info, operand = use
    if operand == "metadata":
        steps, tile_ = info.k // info.k_step, c.tiles[symbol]
        return [ir.LoadMetadata(node.span, name, tile_, info.m, info.k_step, steps, info.elem_a, info.unit, first)]
    is_a = operand == "a"
    depth = info.k // 2 if is_a and multiply.form == "sp" else info.k
    along = (multiply.layout_a if is_a else multiply.layout_b) == "row"
    rows = info.m if is_a else info.n
    return [ir.LoadFragment(node.span, name, c.tiles[symbol], rows, depth, along, info.unit, first)]


def _use_of(c: Context, symbol: Symbol) -> tuple[ast.Mma, MmaInfo, str] | None:
    """The first multiply that takes an operand, its facts, and which one of its operands that is."""
    for node, info in c.model.multiplies.items():
        metadata = node.extra[:1] if node.form == "sp" else ()
        for operand, which in ((node.a, "a"), (node.b, "b"), *((each, "metadata") for each in metadata)):
            if isinstance(operand, ast.Name) and c.model.uses.get(operand) is symbol:
                return node, info, which
    return None


def _multiply(c: Context, node: ast.Mma) -> Built:
    info = c.model.multiplies[node]
    acc, index = accumulator(c, node.acc)
    (a, a_registers), (b, b_registers) = _operand(c, node.a), _operand(c, node.b)
    at_once = c.model.ends_at_statement and node.form != "async"
    ends: Built = [ir.Commit(node.span, movable=True)] if at_once else []
    # An operand in registers may be what multiplies in flight write: its read ends the group (6.6).
    written = any(each.tensor.space is Space.LOCAL for each in (a, b))
    return [
        *([ir.Commit(node.span)] if written else []),
        ir.Multiply(
            node.span,
            acc,
            index,
            a,
            b,
            node.layout_a == "row",
            node.layout_b == "row",
            info.instruction,
            info.m,
            info.n,
            info.k,
            info.k_step,
            a_registers,
            b_registers,
            _metadata(c, node) if node.form == "sp" else "",
        ),
        *([scale(c, node, *node.extra)] if node.form == "scale" else []),
        *ends,
    ]


def _operand(c: Context, node: ast.Expr) -> tuple[Tile, str]:
    """The data of an operand, and the registers that hold it, empty for one in shared memory."""
    symbol = c.symbol(node) if isinstance(node, ast.Name) else None
    if symbol is None or symbol not in c.accumulators:
        return tile(c, node), "" if symbol is None else c.fragments.get(symbol, "")
    held = c.accumulators[symbol]
    shape = (Lit(held.m), Lit(held.n))
    return whole(Tensor(held.name, held.elem, shape, Space.LOCAL)), held.name


def _metadata(c: Context, node: ast.Mma) -> str:
    symbol = c.symbol(node.extra[0]) if node.extra and isinstance(node.extra[0], ast.Name) else None
    found = None if symbol is None else c.fragments.get(symbol)
    if found is None:
        raise LoweringError("a sparse multiply wants its metadata loaded: 'e = mma.load …;' and 'e' as last", node.span)
    return found


def _commit(c: Context, node: ast.MmaCommit) -> Built:
    return [ir.Commit(node.span, node.keep or 0)]


def _store(c: Context, node: ast.MmaStore) -> Built:
    acc, index = accumulator(c, node.acc)
    limits = tuple(value(c, each) for each in node.limits)
    dest = tile(c, node.dest)
    return [
        ir.Commit(node.span),
        ir.StoreTile(
            node.span, acc, index, squeezed(dest) if len(dest.shape) > 2 else dest, node.form == "transp", limits
        ),
    ]


MULTIPLIES: dict[type, Callable[[Context, Any], Built]] = {
    ast.MmaFill: _fill,
    ast.MmaLoad: _load,
    ast.Mma: _multiply,
    ast.MmaCommit: _commit,
    ast.MmaStore: _store,
}
