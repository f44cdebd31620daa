"""Which names statements and expressions of the IR mention, wherever in them. Must not decide anything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from croqc.pipe import ir
from croqc.pipe.exprs import Cast, Fn, Lit, Op, Read, Tensor, Tile, Var

_RECORDS = (ir.Stmt, ir.SlotRef, Op, Fn, Cast, Read, Tile, Tensor)


def mentioned(values: Iterable[Any]) -> frozenset[str]:
    """The variables in statements, expressions and tiles, extents of their tensors included."""
    found: set[str] = set()
    stack = list(values)
    seen: set[int] = set()
    while stack:
        value = stack.pop()
        if isinstance(value, Var):
            found.add(value.name)
        elif isinstance(value, tuple):
            stack += value
        elif isinstance(value, _RECORDS) and not isinstance(value, Lit) and id(value) not in seen:
            seen.add(id(value))
            stack += [getattr(value, name) for name in type(value).__match_args__]
    return frozenset(found)
