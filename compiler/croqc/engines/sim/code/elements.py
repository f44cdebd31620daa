"""Elements read and written, and references that are values (reference, 2.6.3, 2.5.2). Must not copy blocks of data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from croqc.engines.sim.code.compiler import Compiler, Fn
from croqc.engines.sim.code.exprs import bound_of, derived, pick, shape_of
from croqc.engines.sim.code.refs import ViewFn, as_view, data, flatten, view_fn
from croqc.engines.sim.code.values import Value, cast, lone
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import dtype_of
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.views import OutOfRangeError
from croqc.engines.sim.state import Frame
from croqc.sema.types import Fragment
from croqc.syntax import ast
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Place:
    """An element, for each thread: `address` into `buffer.flat`."""

    buffer: Buffer
    address: Value


def place_fn(c: Compiler, node: ast.Node, every: bool = False) -> Callable[[Frame], Place]:
    """Where an element reference points. Raises SimError where it is out of range."""
    view, indices, span = *_element_parts(c, node, every), node.span

    def run(frame: Frame) -> Place:
        where = view(frame)
        values = flatten([index(frame) for index in indices])
        try:
            return Place(where.buffer, where.element(values, frame.mask))
        except OutOfRangeError as error:
            raise SimError(str(error), span) from error
        except ValueError as error:
            raise SimError(f"{len(values)} indices for data of rank {len(where.shape)}", span) from error

    return run


def _element_parts(c: Compiler, node: ast.Node, every: bool) -> tuple[ViewFn, list[Fn]]:
    """The view and the indices of an element of data, or of a register tile inside `apply`."""
    info = c.model.views.get(node)
    if info is not None and info.element is not None:
        return view_fn(c, info, node.span, every), c.exprs(info.element)
    if is_tile_element(node, c):
        last = node.suffixes[-1]
        return data(c, node.base), c.exprs(last.args if isinstance(last, ast.Member) else ())
    raise SimError("this element is not understood", node.span, unsupported=True)


def is_tile_element(node: ast.Node, c: Compiler) -> TypeGuard[ast.Chain]:
    """Whether a reference is `.at(…)` of a register tile."""
    return (
        isinstance(node, ast.Chain)
        and isinstance(c.model.types.get(node.base), Fragment)
        and len(node.suffixes) == 1
        and isinstance(node.suffixes[0], ast.Member)
        and node.suffixes[0].name == "at"
    )


def load(place: Place, frame: Frame) -> Value:
    """The element's value."""
    flat = place.buffer.flat
    return flat[place.address] if frame.mask is None else flat.take(place.address, mode="clip")


def loader(c: Compiler, node: ast.Expr) -> Callable[[Place, Frame], Value]:
    """`load` of what a reference names, in its own type: a register tile of the exact run keeps wider elements."""
    tile = c.model.types.get(node.base) if is_tile_element(node, c) else None
    if not isinstance(tile, Fragment) or tile.elem is None:
        return load
    kind = dtype_of(tile.elem)
    return lambda place, frame: cast(load(place, frame), kind)


def store(place: Place, value: Value, frame: Frame) -> None:
    """Writes for the active threads; of several that write one element, the last one's value stays."""
    flat, address = place.buffer.flat, place.address
    value = cast(value, flat.dtype)
    mask = frame.mask
    if isinstance(address, int) and isinstance(value, np.ndarray) and value.ndim:
        address = np.full(value.shape, address, np.int64)
    if mask is None:
        flat[address] = value
    elif isinstance(address, int):
        if mask.any():
            flat[address] = value
    else:
        lanes = np.broadcast_shapes(address.shape, mask.shape)
        mask = np.broadcast_to(mask, lanes)
        value = np.broadcast_to(value, lanes)[mask] if isinstance(value, np.ndarray) and value.ndim else value
        flat[np.broadcast_to(address, lanes)[mask]] = value


def chain(c: Compiler, node: ast.Chain) -> Fn:
    """A reference as a value: an element, a view, a shape, one of its extents, a pick of a tuple."""
    info = c.model.views.get(node)
    if info is not None and info.element is None:
        return view_fn(c, info, node.span)
    if info is not None or is_tile_element(node, c):
        place, found = place_fn(c, node), loader(c, node)
        return lambda frame: found(place(frame), frame)
    return _suffixes(c, node)


def _suffixes(c: Compiler, node: ast.Chain) -> Fn:
    """Suffixes that make no view: `.span`, `.span(d)`, `.data`, picks, derivations and array subscripts."""
    value = c.expr(node.base)
    for suffix in node.suffixes:
        value = _suffix(c, value, suffix)
    if isinstance(node.suffixes[0], ast.Pick) and len(node.suffixes) == 1:
        return _picked(value, bound_of(c, node.base))
    return value


def _picked(value: Fn, bound: Fn) -> Fn:
    """`x(k)` of a bounded integer: value k, or the bound less |k| (3.4)."""

    def run(frame: Frame) -> Value:
        found, limit = value(frame), bound(frame)
        return found + limit if isinstance(found, int) and isinstance(limit, int) and found < 0 else found

    return run


def _suffix(c: Compiler, value: Fn, suffix: ast.Suffix) -> Fn:
    if isinstance(suffix, ast.Pick):
        return _pick_fn(c, value, suffix.arg, suffix.span)
    if isinstance(suffix, ast.Index):
        return _index_fn(c, value, suffix)
    if suffix.name == "span":
        shape: Fn = lambda frame: shape_of(value(frame))  # noqa: E731
        return _pick_fn(c, shape, suffix.args[0], suffix.span) if suffix.args else shape
    if suffix.name == "data":
        return value
    raise SimError(f"'.{suffix.name}' is not understood here", suffix.span, unsupported=True)


def _pick_fn(c: Compiler, value: Fn, arg: ast.Expr, span: Span) -> Fn:
    index = c.expr(arg)

    def run(frame: Frame) -> Value:
        base, at = value(frame), index(frame)
        return pick(base, at, span) if isinstance(base, tuple) else at

    return run


def _index_fn(c: Compiler, value: Fn, suffix: ast.Index) -> Fn:
    shaped = derived(c, lambda frame: shape_of(value(frame)), suffix.args)
    index = c.expr(suffix.args[0])

    def run(frame: Frame) -> Value:
        base: Any = value(frame)
        if isinstance(base, tuple):
            return shaped(frame)
        if isinstance(base, list):
            return base[int(lone(index(frame)))]
        return as_view(frame, base, lone(index(frame)), suffix.span)

    return run


REFERENCES: dict[type, Callable[[Compiler, Any], Fn]] = {ast.Chain: chain}
