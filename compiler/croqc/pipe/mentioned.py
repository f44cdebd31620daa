"""Which names and functions statements and expressions of the IR mention, wherever in them. Must not decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from croqc.pipe import ir
from croqc.pipe.exprs import Cast, Fn, Held, Op, Read, Tensor, Tile, Var

_RECORDS = (ir.Stmt, ir.SlotRef, Op, Fn, Cast, Read, Tile, Tensor)


def mentioned(values: Iterable[Any]) -> frozenset[str]:
    """The variables in statements, expressions and tiles, extents of their tensors included."""
    return frozenset(value.name for value in _everything(values) if isinstance(value, Var))


def tensors_of(values: Iterable[Any]) -> frozenset[str]:
    """The tensors that they name, in tiles or in elements that they read."""
    return frozenset(value.name for value in _everything(values) if isinstance(value, Tensor))


def functions_of(values: Iterable[Any]) -> frozenset[str]:
    """The built-in functions that they call."""
    return frozenset(value.name for value in _everything(values) if isinstance(value, Fn) and not value.foreign)


def foreign_functions(values: Iterable[Any]) -> frozenset[str]:
    """The functions of the file that they call."""
    return frozenset(value.name for value in _everything(values) if isinstance(value, Fn) and value.foreign)


def foreign_words(values: Iterable[Any]) -> frozenset[str]:
    """The words of C++ that they name: those of islands, and functions of the file without namespace and arguments."""
    found: set[str] = set()
    for value in _everything(values):
        if isinstance(value, ir.Text):
            found |= value.words
        elif isinstance(value, ir.Call | Fn):
            found.add(value.name.partition("<")[0].rpartition("::")[2])
    return frozenset(found)


def calls_foreign(values: Iterable[Any]) -> bool:
    """Whether they call a function of the file, which may do anything."""
    return any(isinstance(value, Fn) and value.foreign for value in _everything(values))


def register_tiles(values: Iterable[Any]) -> frozenset[str]:
    """The register tiles that they name, whole or an element of."""
    return frozenset(value.name for value in _everything(values) if isinstance(value, ir.Accumulator | Held))


def _everything(values: Iterable[Any]) -> Iterator[Any]:
    stack = list(values)
    seen: set[int] = set()
    while stack:
        value = stack.pop()
        yield value
        if isinstance(value, tuple):
            stack += value
        elif isinstance(value, _RECORDS) and id(value) not in seen:
            seen.add(id(value))
            stack += [getattr(value, name) for name in type(value).__match_args__]
