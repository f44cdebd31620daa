"""Which slot of a ring a reference means, and the remainders that say it: only these may be given another modulus.

A slot is an index of an array, or the first coordinate of a tile where stages stand packed in one buffer.
Must not edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from croqc.refactor.base import Code
from croqc.sema.events import order_of
from croqc.sema.model import Symbol, View, ViewKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Event, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.record import record


@record
class Slot:
    """A slot as a reference names it: of what, and of how many; None where that is not known."""

    array: Symbol
    index: ast.Expr
    length: int | None


def slot_in(code: Code, node: ast.Node) -> Slot | None:
    """The slot of an event or of memory of the block that a reference names; an order (`e.at(k)`) is none."""
    if not isinstance(node, ast.Chain):
        return None
    event = code.event_of(node)
    if event is not None:
        array = event.type.array if isinstance(event.type, Event) else ()
        match node.suffixes:
            case (ast.Index(args=(index,)),) if len(array) == 1 and order_of(node) is None:
                return Slot(event, index, array[0])
        return None
    view = code.model.views.get(node)
    staged = view is not None and view.data.storage in (Storage.SHARED, Storage.LOCAL)
    return _of_buffer(view) if view is not None and staged else None


def _of_buffer(view: View) -> Slot | None:
    array, shape = _extents(view.base)
    if view.slots:
        return Slot(view.base, view.slots[0], array[0] if len(array) == 1 else None) if len(view.slots) == 1 else None
    tile = view.ops[0] if view.ops and view.ops[0].kind in (ViewKind.SUBSPAN, ViewKind.CHUNK) else None
    if tile is None or not tile.at or array:
        return None
    whole, part = (dims[0].const if len(dims) else None for dims in (shape, tile.shape))
    return Slot(view.base, tile.at[0], whole // part if whole and part and whole % part == 0 else None)


def _extents(base: Symbol) -> tuple[tuple[int, ...], tuple[Int, ...]]:
    """The array of buffers that a name stands for, and the extents of each; empty for what is no buffer."""
    return (base.type.array, base.type.shape) if isinstance(base.type, Data) else ((), ())


def slot_remainders(code: Code, around: ast.Node, mine: Callable[[Slot], bool] | None = None) -> Iterator[ast.Binary]:
    """The remainders in the text that number a slot, in its index or by way of variables, in source order.

    With `mine`, those that number such slots and no others. `k % 4` in a condition or in the
    index of an element means something else, whatever its modulus.
    """
    slots = [slot for node in walk(around) if (slot := slot_in(code, node)) is not None]
    wanted = [slot for slot in slots if mine is None or mine(slot)]
    numbering = _numbering(code, around, [slot.index for slot in wanted])
    numbering -= _numbering(code, around, [slot.index for slot in slots if slot not in wanted])
    for node in walk(around):
        if not isinstance(node, ast.Binary) or node.op != "%" or node.left.span.end > node.right.span.start:
            continue
        left = code.model.values.get(node.left)
        if node in numbering and (left is None or left.const is None):
            yield node


def _numbering(code: Code, around: ast.Node, indices: list[ast.Expr]) -> set[ast.Node]:
    """Every part of an expression that some slots' numbers are made from."""
    given = _given(code, around)
    todo: list[ast.Node] = list(indices)
    parts: set[ast.Node] = set()
    while todo:
        for node in walk(todo.pop()):
            if node in parts:
                continue
            parts.add(node)
            symbol = code.model.uses.get(node) if isinstance(node, ast.Name) else None
            todo += given.pop(symbol, ()) if symbol is not None else ()
    return parts


def _given(code: Code, around: ast.Node) -> dict[Symbol, list[ast.Node]]:
    """What each variable is given, wherever that stands."""
    found: dict[Symbol, list[ast.Node]] = {}
    for node in walk(around):
        match node:
            case ast.AssignPart(target=ast.Name() as name, value=value) | ast.ScalarInit(name=name, value=value):
                symbol = code.model.uses.get(name)
                if symbol is not None and value is not None:
                    found.setdefault(symbol, []).append(value)
    return found
