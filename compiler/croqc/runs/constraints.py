"""What a kernel asks of its sizes, as conditions over the values of its dimensions. Must not choose sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from croqc.runs.elements import ELEMENTS
from croqc.sema.model import Level, Model, Symbol, SymbolKind, View, ViewKind, ViewOp
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, BoundedTuple, Data, Event, Storage, data_of
from croqc.syntax import ast
from croqc.syntax.visit import walk

Env = Mapping[str, int]
_ONE = Int.of(1)
_COMPARE: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition over the sizes `names`; `text` completes "no sizes make …"."""

    names: frozenset[str]
    holds: Callable[[Env], bool]
    text: str


def _relation(left: Int, op: str, right: Int, text: str) -> Constraint:
    def holds(env: Env) -> bool:
        a, b = left.evaluate(env), right.evaluate(env)
        return a is None or b is None or _COMPARE[op](a, b)

    return Constraint(left.names() | right.names(), holds, text)


def _divides(value: Int, by: Int, text: str) -> Constraint:
    def holds(env: Env) -> bool:
        a, b = value.evaluate(env), by.evaluate(env)
        return a is None or b is None or (b > 0 and a % b == 0)

    return Constraint(value.names() | by.names(), holds, text)


def constraints_of(model: Model) -> Iterator[Constraint]:
    """Every condition that the model states in sizes alone; those over indices and run-time data are left out."""
    guarded = _guarded(model)
    for node in walk(model.function):
        if isinstance(node, ast.Binary) and node.op == "/":
            yield from _exact_division(model, node)
        elif isinstance(node, ast.Assert):
            yield from _assertion(model, node.cond)
        elif isinstance(node, ast.Copy):
            yield from _copy(model, node)
        elif isinstance(node, ast.Parallel):
            yield from _threads(model, node)
        elif isinstance(node, ast.Foreach):
            yield from _ring(model, node)
        elif isinstance(node, ast.AssignPart) and node not in guarded:
            yield from _coverage(model, model.views.get(node.target))
        view = model.views.get(node)
        if view is not None:
            yield from _view(model, view, node in guarded)


def _guarded(model: Model) -> frozenset[ast.Node]:
    """The nodes under an `if`, `while` or `inthreads`: what they index is no statement about sizes."""
    inside: set[ast.Node] = set()
    for node in walk(model.function):
        if isinstance(node, ast.If | ast.While | ast.InThreads):
            inside.update(walk(node))
    return frozenset(inside)


def _exact_division(model: Model, node: ast.Binary) -> Iterator[Constraint]:
    left, right = model.values.get(node.left), model.values.get(node.right)
    if left is not None and right is not None and left.const is None:
        yield _divides(left, right, f"{left} a multiple of {right}")


def _assertion(model: Model, cond: ast.Expr) -> Iterator[Constraint]:
    if isinstance(cond, ast.Paren):
        yield from _assertion(model, cond.inner)
    elif isinstance(cond, ast.Binary) and cond.op == "&&":
        yield from _assertion(model, cond.left)
        yield from _assertion(model, cond.right)
    elif isinstance(cond, ast.Binary) and cond.op in _COMPARE:
        left, right = model.values.get(cond.left), model.values.get(cond.right)
        if left is not None and right is not None:
            yield _relation(left, cond.op, right, f"the assertion {left} {cond.op} {right} true")


def _bounds_of(model: Model, args: tuple[ast.Expr, ...]) -> list[Int | None]:
    """The exclusive bound of each index among view arguments, tuples flattened; None where it has none."""
    found: list[Int | None] = []
    for arg in args:
        kind = model.types.get(arg)
        if isinstance(kind, BoundedTuple):
            found.extend(kind.bounds)
        elif isinstance(arg, ast.Name) and arg.id == "_":
            found.append(_ONE)
        else:
            plain = isinstance(arg, ast.Name) or (isinstance(arg, ast.Binary) and arg.op == "#")
            found.append(kind.bound if isinstance(kind, Bounded) and plain else None)
    return found


def _view(model: Model, view: View, guarded: bool) -> Iterator[Constraint]:
    data = data_of(view.base.type)
    if data is None:
        return
    shape = data.shape
    for op in view.ops:
        if op.kind in (ViewKind.CHUNKAT, ViewKind.CHUNK):
            yield from _chunks(model, op, shape)
        elif op.kind is ViewKind.SUBSPAN and not op.step:
            for extent, tile, bound in zip(shape, op.shape, _bounds_of(model, op.at), strict=False):
                if bound is not None and not guarded:
                    yield _relation(bound, "<=", extent.cdiv(tile), f"{bound} tiles of {tile} lie within {extent}")
        shape = op.shape
    if view.element is not None and not guarded:
        for extent, bound in zip(shape, _bounds_of(model, view.element), strict=False):
            if bound is not None:
                yield _relation(bound, "<=", extent, f"{bound} elements lie within {extent}")


def _chunks(model: Model, op: ViewOp, shape: tuple[Int, ...]) -> Iterator[Constraint]:
    values = [model.values.get(arg) for arg in op.args] if op.kind is ViewKind.CHUNK else _bounds_of(model, op.args)
    for extent, factor in zip(shape, values, strict=False):
        if factor is not None and factor != _ONE:
            yield _divides(extent, factor, f"{extent} a multiple of {factor}")
            yield _relation(extent, ">=", factor, f"{extent} at least {factor}")


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
        for extent, bound in zip(shape, _bounds_of(model, view.element), strict=False):
            if bound is not None:
                yield _relation(bound, ">=", extent, f"{bound} indices reach all of {extent}")
    elif len(view.ops) == 1 and view.ops[0].kind is ViewKind.SUBSPAN and not view.ops[0].step:
        op = view.ops[0]
        for extent, tile, bound in zip(shape, op.shape, _bounds_of(model, op.at), strict=False):
            if bound is not None:
                yield _relation(bound * tile, ">=", extent, f"{bound} tiles of {tile} reach all of {extent}")


def _copy(model: Model, node: ast.Copy) -> Iterator[Constraint]:
    info = model.copies.get(node)
    if info is None:
        return
    if node.op in ("copy", "load", "store"):
        for have, want in zip(info.source.data.shape, info.dest.data.shape, strict=False):
            if have.const is None or want.const is None:
                yield _relation(have, "==", want, f"{have} equal to {want}")
    yield from _coverage(model, info.dest)
    if node.engine == "tma":
        for view in (info.source, info.dest):
            data = data_of(view.base.type)
            if data is not None and data.storage in (Storage.GLOBAL, Storage.HOST):
                yield from _tma_strides(data)


def _tma_strides(data: Data) -> Iterator[Constraint]:
    """Global strides of a tensor map are multiples of 16 bytes (reference, 5.5)."""
    row = Int.of(ELEMENTS[data.elem].dtype.itemsize)
    for extent in reversed(data.shape[1:]):
        row = row * extent
        yield _divides(row, Int.of(16), f"the stride of {row} bytes a multiple of 16")


def _threads(model: Model, node: ast.Parallel) -> Iterator[Constraint]:
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


def _ring(model: Model, node: ast.Foreach) -> Iterator[Constraint]:
    """A loop that waits for a ring of N events, and holds no inner loop that does, takes 2N + 1 turns."""
    slots = [
        prod(symbol.type.array)
        for inner in walk(node.body)
        if isinstance(inner, ast.Wait)
        for name in walk(inner)
        if isinstance(name, ast.Name) and (symbol := model.uses.get(name)) is not None
        if isinstance(symbol.type, Event)
    ]
    inner_loops = [loop for loop in walk(node.body) if isinstance(loop, ast.Foreach)]
    if not slots or any(isinstance(item, ast.Wait) for loop in inner_loops for item in walk(loop.body)):
        return
    for binding in node.bindings:
        for name in binding.names:
            symbol = model.uses.get(name)
            if symbol is not None and isinstance(symbol.type, Bounded):
                rounds = 2 * max(slots) + 1
                yield _relation(symbol.type.bound, ">=", Int.of(rounds), f"{symbol.type.bound} at least {rounds}")
