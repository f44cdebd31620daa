"""Atomic operations on elements (reference, 4.6). Threads of a path that meet at one element take turns in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import Compiler, Fn
from croqc.engines.sim.code.elements import Place, place_fn
from croqc.engines.sim.code.values import Value, cast
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.state import Frame
from croqc.syntax import ast

_OPERATIONS: dict[str, Callable[[Array, Array], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": lambda old, new: new,
}
_AT_ONCE = {"add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum}


def atomic(c: Compiler, node: ast.Call, *, needs_old: bool) -> Fn:
    """`__atomic_OP(element, value…)`; gives each thread the value that it found."""
    word = node.callee.removeprefix("__atomic_")
    if word != "cas" and word not in _OPERATIONS:
        raise SimError(f"{node.callee} is not simulated", node.span, unsupported=True)
    place, values = place_fn(c, node.args[0]), c.exprs(node.args[1:])

    def run(frame: Frame) -> Value:
        where = place(frame)
        args = [value(frame) for value in values]
        if not needs_old and word in _AT_ONCE:
            return _at_once(frame, where, args[0], _AT_ONCE[word])
        return _in_turns(frame, where, args, word)

    return run


def _lanes(frame: Frame, where: Place, args: list[Value]) -> tuple[Array, list[Array]]:
    """Addresses and values, one entry a thread."""
    count = max(frame.lanes, 1)
    address = np.broadcast_to(np.asarray(where.address, np.int64), (count,))
    kind = where.buffer.dtype
    return address, [np.broadcast_to(np.asarray(cast(arg, kind)), (count,)) for arg in args]


def _at_once(frame: Frame, where: Place, value: Value, function: Any) -> None:
    address, (new,) = _lanes(frame, where, [value])
    if frame.mask is not None:
        address, new = address[frame.mask], new[frame.mask]
    function.at(where.buffer.flat, address, new)


def _in_turns(frame: Frame, where: Place, args: list[Value], word: str) -> Value:
    """Rounds over the threads that still wait: in each, the first thread of every element has its turn."""
    address, values = _lanes(frame, where, args)
    flat = where.buffer.flat
    old = np.zeros(address.shape, flat.dtype)
    waiting = np.arange(address.size) if frame.mask is None else np.flatnonzero(frame.mask)
    while waiting.size:
        _, firsts = np.unique(address[waiting], return_index=True)
        turn = waiting[firsts]
        found = flat[address[turn]]
        old[turn] = found
        if word == "cas":
            flat[address[turn]] = np.where(found == values[0][turn], values[1][turn], found)
        else:
            flat[address[turn]] = _OPERATIONS[word](found, values[0][turn])
        waiting = np.delete(waiting, firsts)
    return old if frame.lanes else old[0]
