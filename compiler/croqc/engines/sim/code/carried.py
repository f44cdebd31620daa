"""Variables of a block that an inner `parallel` changes: each path keeps its own (reference, 4.3: scalars are executed
by all threads). Must not start paths.

The block's own flow takes a value back where all paths have made the same of it; where they have not, reading it there
is an error of what the simulator can do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from croqc.engines.sim.code.values import is_uniform
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.state import BlockState, Frame, PathState
from croqc.sema.masks import UNIT_THREADS
from croqc.sema.model import Kernel, Model, Symbol
from croqc.sema.types import Scalar
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span

DIFFERS: Final = object()
"""The block's value of a variable of which its paths have made different ones."""


def carried_symbols(model: Model, kernel: Kernel) -> frozenset[Symbol]:
    """The scalars of a kernel's block that some inner `parallel` changes."""
    return frozenset(symbol for node in _inner(model, kernel) for symbol in changed(model, kernel, node))


def changed(model: Model, kernel: Kernel, node: ast.Parallel) -> tuple[Symbol, ...]:
    """The scalars from outside a `parallel`, but inside its kernel, that it changes; in order."""
    inside, around = set(walk(node)), set(walk(kernel.node))
    found: dict[Symbol, None] = {}
    for each in inside:
        name = each.target if isinstance(each, ast.AssignPart) else each.name if isinstance(each, ast.IncDec) else None
        symbol = model.uses.get(name) if isinstance(name, ast.Name) else None
        if symbol is not None and isinstance(symbol.type, Scalar) and symbol.decl in around - inside:
            found[symbol] = None
    return tuple(sorted(found, key=lambda symbol: symbol.name_span.start))


def read_by_block(model: Model, kernel: Kernel, symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Those that the block itself reads, outside of every inner `parallel`."""
    inner = {each for node in _inner(model, kernel) for each in walk(node)}
    written = {part.target for part in walk(kernel.node) if isinstance(part, ast.AssignPart) and part.op == "="}
    names = [node for node in walk(kernel.node) if isinstance(node, ast.Name) and node not in inner | written]
    read = {model.uses.get(name) for name in names if not _declares(model, name)}
    return tuple(symbol for symbol in symbols if symbol in read)


def _declares(model: Model, name: ast.Name) -> bool:
    symbol = model.uses.get(name)
    return symbol is not None and symbol.name_span == name.span


def _inner(model: Model, kernel: Kernel) -> list[ast.Parallel]:
    """The outermost `parallel`s inside a kernel that divide its blocks."""
    found: list[ast.Parallel] = []
    inside: set[ast.Node] = set()
    for node in walk(kernel.node.body):
        if not isinstance(node, ast.Parallel) or node in inside:
            continue
        if any(model.levels.get(axis) in UNIT_THREADS for axis in node.axes):
            found.append(node)
            inside |= set(walk(node))
    return found


# --- at run time -------------------------------------------------------------------------------


def assigned(frame: Frame, slot: int) -> None:
    """The block's own flow has given a variable a new value: the paths that start from here on begin with it."""
    if frame.block is not None and frame.path is not None and frame.path.position < 0:
        frame.block.own.assigned[slot] = frame.block.own.forks


def carrying(block: BlockState, path: PathState, child: Frame, slots: Sequence[int], steps: Any) -> Any:
    """The job of a path: begins with what it has made of the block's variables, and leaves what it makes of them."""
    own, number, since = block.own, block.own.forks, dict(block.own.assigned)
    position = path.position

    def job() -> Any:
        for slot, values in own.values.items():
            made, value = values.get(position, (-1, None))
            if made > since.get(slot, 0):
                child.vars[slot] = value
        child.left = path.left
        child.mask = child.active(None)
        signal = yield from steps
        path.left = child.left
        for slot in slots:
            own.values.setdefault(slot, {})[position] = number, child.vars[slot]
        return signal

    return job()


def taken_back(frame: Frame, paths: int, slots: Sequence[int]) -> None:
    """Behind the end of the paths: the block's own flow has what they have made of its variables."""
    assert frame.block is not None
    for slot in slots:
        values = [value for _, value in frame.block.own.values.get(slot, {}).values()]
        same = [_alike(value) for value in values]
        first = same[0] if same else None
        complete = len(values) == paths and first is not None and all(each == first for each in same)
        frame.vars[slot] = first if complete else DIFFERS


def _alike(value: Any) -> Any:
    """A value of which all threads have the same, else None."""
    if is_uniform(value):
        return value
    return value.flat[0] if bool(np.all(value == value.flat[0])) else None


def checked(value: Any, name: str, span: Span) -> Any:
    """The block's value of a variable. Raises SimError where paths have made different ones of it."""
    if value is DIFFERS:
        raise SimError(f"'{name}' differs from path to path here, which is not simulated", span, unsupported=True)
    return value
