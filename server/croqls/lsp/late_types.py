"""Loads `lsprotocol.types` without finishing its classes: each is finished when it is first used.

The module has 554 classes that `attrs` compiles functions for, a third of the time from the start of the server to its
first list; a session needs some eighty of them. Must be loaded before anything else loads `lsprotocol`; where it comes
too late, or the library is made otherwise one day, everything works and takes longer. Must not know single types.
"""

from __future__ import annotations

import sys
from typing import Any, TypeVar

import attrs

_MODULE = "lsprotocol.types"
_Kind = TypeVar("_Kind", bound=type)


class _Fields:
    """Stands for the fields of a class until somebody looks at them: makers of converters do."""

    def __get__(self, _: object, kind: type) -> Any:
        _finish(next(base for base in kind.__mro__ if vars(base).get("__attrs_attrs__") is self))
        return kind.__attrs_attrs__  # type: ignore[attr-defined]


def _first_made(self: Any, *values: Any, **named: Any) -> None:
    """The constructor of a class until its first instance is made."""
    kind = type(self)
    kind.__attrs_attrs__  # noqa: B018 (finishes it)
    kind.__init__(self, *values, **named)


def _late(kind: _Kind) -> _Kind:
    """In the place of `attrs.define`, which would make another class of it for the sake of slots."""
    own: Any = kind
    own.__attrs_attrs__ = _Fields()
    own.__init__ = _first_made
    return kind


def _finish(kind: Any) -> None:
    del kind.__attrs_attrs__, kind.__init__
    attrs.define(kind, slots=False)
    known = getattr(sys.modules[_MODULE], "ALL_TYPES_MAP", None)
    if known is not None:
        attrs.resolve_types(kind, known, {})


def _load() -> None:
    define: Any = attrs.define
    attrs.define = _late  # type: ignore[assignment]
    try:
        import lsprotocol.types
    finally:
        attrs.define = define
    from lsprotocol import _hooks

    if isinstance(vars(lsprotocol.types.Position).get("__attrs_attrs__"), _Fields):
        _hooks._resolved_forward_references = True  # else it goes through all classes


if _MODULE not in sys.modules:
    _load()
