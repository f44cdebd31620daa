"""Kernels that the host part of a function needs of its own: one that fills an array, one that copies between arrays
(reference, 3.6, 4.2). One thread an element, neighbours side by side. Must not read statements of the host part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from croqc.pipe import ir
from croqc.pipe.build.context import Context
from croqc.pipe.build.integers import ceiling
from croqc.pipe.build.movement import form_of
from croqc.pipe.build.names import Names
from croqc.pipe.build.scalars import convert, printable
from croqc.pipe.build.tiles import inside, tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Lit, Op, Read, Space, Tensor, Tile, Var, divide, modulo, product, whole
from croqc.pipe.mentioned import mentioned
from croqc.pipe.wide import is_small, widened
from croqc.sema.elements import canonical
from croqc.sema.model import Symbol
from croqc.sema.types import Data
from croqc.syntax import ast
from croqc.text.record import record, replace
from croqc.text.span import Span

_THREADS = 256


def array_tensor(c: Context, symbol: Symbol, data: Data) -> Tensor:
    """An array of the host part under its name there. Raises LoweringError for one that has no tensor."""
    elem = printable(canonical(data.elem), symbol.name_span)
    shape = tuple(c.integer(extent, symbol.name_span) for extent in data.shape)
    return Tensor(c.name_of(symbol), elem, shape, Space.GLOBAL, prod(data.array))


@record
class OwnKernel:
    """Name and place of a kernel, and the values that it may take, with their types."""

    name: str
    span: Span
    scalars: tuple[tuple[str, str], ...]


def filling(own: OwnKernel, array: tuple[Tensor, str], value: Expr) -> ir.Kernel:
    """Sets every element of an array, given with what `sources` call it; slots lie one behind the other."""
    tensor, _ = array
    slots = (Lit(tensor.slots),) if tensor.slots > 1 else ()
    box = whole(Tensor(tensor.name, tensor.elem, (*slots, *tensor.shape), Space.GLOBAL))
    start = convert(value, tensor.elem)
    return _each(own, box.shape, lambda index: [ir.Write(own.span, box, index, start)], (array,))


def copying(c: Context, own: OwnKernel, node: ast.Copy, arrays: Mapping[str, tuple[Tensor, str]]) -> ir.Kernel:
    """A copy between `arrays`, by the names of their tensors; with `.zfill` what the source does not cover becomes 0
    (reference, 5.2)."""
    form, order, _, _ = form_of(c, node)
    if form is ir.Form.PAD:
        raise LoweringError("padding outside a parallel is not lowered: pad in a kernel", node.span)
    source = tile(c, node.source)
    dest = tile(c, node.target if isinstance(node.dest, ast.StorageDest) and node.target is not None else node.dest)
    zeros = c.model.copies[node].zero_fill or node.source_zfill

    def moved(index: tuple[Expr, ...]) -> list[ir.Stmt]:
        at, extents = (_permuted(each, order) for each in (index, dest.shape))
        write: list[ir.Stmt] = [ir.Write(node.span, dest, index, Read(source, at))]
        there = _within(source, at, extents)
        if there is not None:
            zero: tuple[ir.Stmt, ...] = (ir.Write(node.span, dest, index, convert(Lit(0), dest.tensor.elem)),)
            write = [ir.If(node.span, there, tuple(write), zero if zeros else ())]
        room = inside(dest, index)
        return write if room is None else [ir.If(node.span, room, tuple(write))]

    used = dict.fromkeys((source.tensor.name, dest.tensor.name))
    return _each(own, dest.shape, moved, tuple(arrays[each] for each in used))


def _permuted(values: tuple[Expr, ...], order: tuple[int, ...]) -> tuple[Expr, ...]:
    """What belongs to each dimension of the source, from what belongs to those of the destination."""
    return tuple(values[order.index(dim)] for dim in range(len(values))) if order else values


def _within(source: Tile, at: tuple[Expr, ...], dest: tuple[Expr, ...]) -> Expr | None:
    """The condition that an index exists in the source. `dest`: the extents that the index runs over."""
    limits = tuple(
        (None if own == other else own) if limit is None else limit
        for limit, own, other in zip(source.valid, source.shape, dest, strict=True)
    )
    return inside(replace(source, valid=limits), at)


def _each(
    own: OwnKernel,
    shape: tuple[Expr, ...],
    body: Callable[[tuple[Expr, ...]], list[ir.Stmt]],
    arrays: tuple[tuple[Tensor, str], ...],
) -> ir.Kernel:
    """A kernel that runs a body for each index of a shape, row by row."""
    names = Names()
    for taken in (*(tensor.name for tensor, _ in arrays), *(each for each, _ in own.scalars)):
        names.reserve(taken)
    block, thread, number = (names.fresh(word) for word in ("block", "thread", "element"))
    total = product(shape)
    elem = "s32" if is_small(total) else "s64"
    start = Op("+", (Op("*", (Var(block), Lit(_THREADS))), Var(thread)))
    at = Var(number, elem)
    room = Op("<", (at, total if elem == "s32" else widened(total)), "bool")
    stmts: tuple[ir.Stmt, ...] = (
        ir.Let(own.span, number, elem, start if elem == "s32" else widened(start)),
        ir.If(own.span, room, tuple(body(_unfolded(at, shape)))),
    )
    used = mentioned((*stmts, *(tensor for tensor, _ in arrays)))
    return ir.Kernel(
        own.name,
        own.span,
        (ceiling(total, Lit(_THREADS)),),
        (block,),
        _THREADS,
        (ir.Index(thread, 1, _THREADS),),
        tuple(tensor for tensor, _ in arrays),
        tuple(source for _, source in arrays),
        tuple((each, kind) for each, kind in own.scalars if each in used),
        (),
        (),
        (),
        (),
        (),
        stmts,
    )


def _unfolded(number: Expr, shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The index of an element of a shape, from its number row by row."""
    index: list[Expr] = []
    for extent in reversed(shape[1:]):
        index.append(modulo(number, extent))
        number = divide(number, extent)
    return (number, *reversed(index))
