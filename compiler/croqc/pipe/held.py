"""Elements of register tiles in statements: replacing each, and what a visit's body uses. Must not decide anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from croqc.pipe import ir
from croqc.pipe.exprs import Cast, Fn, Held, Op, Read, Tile, Var
from croqc.pipe.walk import Body, bodies
from croqc.text.record import replace

_PARTS = (Op, Fn, Cast, Read, Tile)


def map_held(stmt: ir.Stmt, change: Callable[[Held], Held]) -> ir.Stmt:
    """A statement with every element that its own expressions name replaced, those in indices too."""
    found: ir.Stmt = _fields(stmt, change)
    return found


def _fields(item: Any, change: Callable[[Held], Held]) -> Any:
    changes: dict[str, Any] = {}
    for name in type(item).__match_args__:
        old = getattr(item, name)
        new = _value(old, change)
        if new is not old:
            changes[name] = new
    return replace(item, **changes) if changes else item


def _value(value: Any, change: Callable[[Held], Held]) -> Any:
    if isinstance(value, Held):
        return change(value)
    if isinstance(value, _PARTS):
        return _fields(value, change)
    if isinstance(value, tuple) and value and not isinstance(value[0], ir.Stmt):
        new = tuple(_value(item, change) for item in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    return value


def held_in(stmt: ir.Stmt) -> Iterator[Held]:
    """The elements that a statement's own expressions read or write."""
    found: list[Held] = []

    def note(element: Held) -> Held:
        found.append(element)
        return element

    map_held(stmt, note)
    yield from found


def named_in(body: Body) -> frozenset[str]:
    """The variables that statements use, elements' places in their tiles aside."""
    found: set[str] = set()
    for stmt in body:
        for name in type(stmt).__match_args__:
            found |= _variables(getattr(stmt, name))
        for inner in bodies(stmt):
            found |= named_in(inner)
    return frozenset(found)


def _variables(value: Any) -> set[str]:
    if isinstance(value, Var):
        return {value.name}
    if isinstance(value, Held):
        return _variables((value.slot, value.register))
    if isinstance(value, tuple) and not (value and isinstance(value[0], ir.Stmt)):
        return {name for item in value for name in _variables(item)}
    if isinstance(value, (*_PARTS, ir.SlotRef)):
        return {name for field in type(value).__match_args__ for name in _variables(getattr(value, field))}
    return set()
