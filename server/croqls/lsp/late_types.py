"""Loads `lsprotocol.types` without finishing its classes: each is finished when it is first used.

The module has 554 classes that `attrs` compiles functions for, a third of the time from the start of the server to its
first list; a session needs some eighty of them. Must be loaded before anything else loads `lsprotocol`; where it comes
too late, or the library is made otherwise one day, it is loaded as it is, which takes longer. One thread alone
may use the classes: while one is finished, another thread would take it for none of `attrs`. Must not know types,
but one that shows that this works.
"""

from __future__ import annotations

import importlib
import logging
import sys
from typing import Any

import attrs

_LOG = logging.getLogger(__name__)
_MODULE = "lsprotocol.types"
_DEFINE: Any = attrs.define


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


class _MadeOtherwiseError(Exception):
    """The library is not made as is taken here."""


def _late(kind: Any = None, **options: Any) -> Any:
    """In the place of `attrs.define`, which would make another class of it for the sake of slots."""
    if getattr(kind, "__module__", _MODULE) != _MODULE:
        return _DEFINE(kind, **options)
    if not isinstance(kind, type) or options:
        raise _MadeOtherwiseError(f"a class defined with {options}")
    own: Any = kind
    own.__attrs_attrs__ = _Fields()
    own.__init__ = _first_made
    return kind


def _finish(kind: Any) -> None:
    del kind.__attrs_attrs__, kind.__init__
    _DEFINE(kind, slots=False)
    known = getattr(sys.modules[_MODULE], "ALL_TYPES_MAP", None)
    if known is not None:
        attrs.resolve_types(kind, known, {})


def _load_late() -> None:
    """Raises whatever a library that is made otherwise leads to."""
    attrs.define = _late  # type: ignore[assignment]
    try:
        import lsprotocol.types
    finally:
        attrs.define = _DEFINE
    from lsprotocol import _hooks

    if _hooks._resolved_forward_references or not isinstance(lsprotocol.types.ALL_TYPES_MAP, dict):
        raise _MadeOtherwiseError("the types of fields")
    _hooks._resolved_forward_references = True  # else it goes through all classes
    if lsprotocol.types.Position(0, 1).character != 1:
        raise _MadeOtherwiseError("the fields of classes")


def _load() -> None:
    before = set(sys.modules)
    try:
        _load_late()
    except Exception as error:  # the server starts with any library that can be loaded
        _LOG.info("lsprotocol is loaded as it is: %r", error)
        for name in set(sys.modules) - before:
            if name.partition(".")[0] == "lsprotocol":
                del sys.modules[name]
        importlib.import_module(_MODULE)


if _MODULE not in sys.modules:
    _load()
