"""What a kernel asks of its sizes, as conditions over the values of its dimensions. Must not choose sizes."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from croqc.runs.conditions import COMPARE, Constraint, divides, relation
from croqc.runs.elements import ELEMENTS
from croqc.runs.placement import bounds_of, view_constraints, whole_tiles
from croqc.runs.reach import Reach, reaches
from croqc.sema.model import CopyInfo, Level, Model, Symbol, SymbolKind, View, ViewKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Event, Storage, bound_of, data_of
from croqc.syntax import ast
from croqc.syntax.visit import walk

_ZERO, _ONE = Int.of(0), Int.of(1)


def constraints_of(model: Model) -> Iterator[Constraint]:
    """Every condition that the model states in sizes and indices; those over run-time data are left out."""
    for node, reach in reaches(model):
        view = model.views.get(node)
        if view is not None:
            yield from view_constraints(model, view, reach)
        match node:
            case ast.Binary(op="/"):
                yield from _exact_division(model, node)
            case ast.Assert():
                yield from _assertion(model, node.cond)
            case ast.Copy():
                yield from _copy(model, node)
            case ast.Parallel():
                yield from _parallel(model, node)
            case ast.Foreach():
                yield from _turns(model, node, reach)
                yield from _ring(model, node)
            case ast.AssignPart() if not reach.guarded:
                yield from _coverage(model, model.views.get(node.target))
            case _:
                pass


def _exact_division(model: Model, node: ast.Binary) -> Iterator[Constraint]:
    left, right = model.values.get(node.left), model.values.get(node.right)
    if left is not None and right is not None and left.const is None:
        yield divides(left, right, f"{left} a multiple of {right}")


def _assertion(model: Model, cond: ast.Expr) -> Iterator[Constraint]:
    if isinstance(cond, ast.Paren):
        yield from _assertion(model, cond.inner)
    elif isinstance(cond, ast.Binary) and cond.op == "&&":
        yield from _assertion(model, cond.left)
        yield from _assertion(model, cond.right)
    elif isinstance(cond, ast.Binary) and cond.op in COMPARE:
        left, right = model.values.get(cond.left), model.values.get(cond.right)
        if left is not None and right is not None:
            yield relation(left, cond.op, right, f"the assertion {left} {cond.op} {right} true")


def _is_output(symbol: Symbol) -> bool:
    return symbol.kind in (SymbolKind.PARAM, SymbolKind.BUFFER) and (
        isinstance(symbol.type, Data) and symbol.type.storage in (Storage.GLOBAL, Storage.HOST)
    )


def _coverage(model: Model, view: View | None) -> Iterator[Constraint]:
    """Every element of an output is written: the indices reach its last element, the tiles its end."""
    if view is None or not _is_output(view.base):
        return
    shape = view.base.type.shape if isinstance(view.base.type, Data) else ()
    if not view.ops and view.element is not None:
        for extent, bound in zip(shape, bounds_of(model, view.element), strict=False):
            if bound is not None:
                yield relation(bound, ">=", extent, f"{bound} indices reach all of {extent}", wish=True)
    elif len(view.ops) == 1 and view.ops[0].kind is ViewKind.SUBSPAN and not view.ops[0].step:
        op = view.ops[0]
        for extent, tile, bound in zip(shape, op.shape, bounds_of(model, op.at), strict=False):
            if bound is not None:
                yield relation(bound * tile, ">=", extent, f"{bound} tiles of {tile} reach all of {extent}", wish=True)


def _copy(model: Model, node: ast.Copy) -> Iterator[Constraint]:
    info = model.copies.get(node)
    if info is None:
        return
    if node.op in ("copy", "load", "store"):
        for have, want in zip(info.source.data.shape, info.dest.data.shape, strict=False):
            if have.const is None or want.const is None:
                yield relation(have, "==", want, f"{have} equal to {want}")
    yield from _coverage(model, info.dest)
    if node.engine == "tma":
        for view in (info.source, info.dest):
            data = data_of(view.base.type)
            if data is not None and data.storage in (Storage.GLOBAL, Storage.HOST):
                yield from _tma_strides(data)
    elif not _fills(node, info):
        yield from whole_tiles(info.source)


def _fills(node: ast.Copy, info: CopyInfo) -> bool:
    """Whether what a tile lacks is set to 0, or what it is copied to takes less; else it stays undefined (5.2)."""
    return info.zero_fill or node.source_zfill or info.dest_storage in (Storage.GLOBAL, Storage.HOST)


def _tma_strides(data: Data) -> Iterator[Constraint]:
    """Global strides of a tensor map are multiples of 16 bytes (reference, 5.5)."""
    row = Int.of(ELEMENTS[data.elem].dtype.itemsize)
    for extent in reversed(data.shape[1:]):
        row = row * extent
        yield divides(row, Int.of(16), f"the stride of {row} bytes a multiple of 16")


def _parallel(model: Model, node: ast.Parallel) -> Iterator[Constraint]:
    """Bounds of at least 1 (3.9) and a block of at most 1024 threads."""
    for bound in (model.values.get(bound) for axis in node.axes for bound in axis.bounds):
        if bound is not None and bound.const is None:
            yield relation(bound, ">=", _ONE, f"{bound} at least 1")
    bounds = [
        model.values[bound]
        for axis in node.axes
        if model.levels.get(axis) is Level.THREAD
        for bound in axis.bounds
        if bound in model.values
    ]
    names = frozenset().union(*(bound.names() for bound in bounds))
    if names:
        yield Constraint(
            names,
            lambda env: prod(bound.evaluate(env) or 1 for bound in bounds) <= 1024,
            "a block of at most 1024 threads",
        )


def _trips(model: Model, node: ast.Foreach) -> Iterator[tuple[Int, Int]]:
    """For each index of a loop its extent and its number of turns, counted by steps of 1."""
    names = [(name, _ZERO) for binding in node.bindings for name in binding.names]
    for each in node.ranges:
        low, high = (_ZERO if part is None else model.values.get(part) for part in (each.lo, each.hi))
        names.append((each.name, _ZERO if low is None or high is None else high - low))
    for name, offset in names:
        symbol = model.uses.get(name)
        bound = None if symbol is None else bound_of(symbol.type)
        if bound is not None:
            yield bound, bound + offset


def _turns(model: Model, node: ast.Foreach, reach: Reach) -> Iterator[Constraint]:
    for bound, _ in _trips(model, node):
        if bound.const is None and not reach.guarded:
            yield relation(bound, ">=", _ONE, f"{bound} at least 1")


def _ring(model: Model, node: ast.Foreach) -> Iterator[Constraint]:
    """A loop that goes through N events or N buffers, and holds no inner loop that does, takes 2N + 1 turns."""
    slots = [count for inner in walk(node.body) for count in _ring_slots(model, inner)]
    inner_loops = [loop for loop in walk(node.body) if isinstance(loop, ast.Foreach)]
    if not slots or any(isinstance(item, ast.Wait) for loop in inner_loops for item in walk(loop.body)):
        return
    rounds = 2 * max(slots) + 1
    for _, turns in _trips(model, node):
        yield relation(turns, ">=", Int.of(rounds), f"{turns} at least {rounds}")


def _ring_slots(model: Model, node: ast.Node) -> Iterator[int]:
    if isinstance(node, ast.Rotate):
        yield len(node.names)
    elif isinstance(node, ast.Wait):
        symbols = (model.uses.get(name) for name in walk(node) if isinstance(name, ast.Name))
        yield from (prod(symbol.type.array) for symbol in symbols if symbol and isinstance(symbol.type, Event))
