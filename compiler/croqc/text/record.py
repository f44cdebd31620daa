"""Frozen value classes that start fast: `record` does what `dataclass(frozen=True, slots=True)` does.

The compiler has some two hundred of them, and the standard decorator compiles six functions for each: a third of
the time of a `croq check`. Here classes share one compiled constructor for each number of fields. Must not know
any class that uses it. There are no mutable defaults, factories or `__post_init__`: use a dataclass for those.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(*, eq: bool = True, order: bool = False, weak: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True)
def record(cls: type[T] | None = None, /, *, eq: bool = True, order: bool = False, weak: bool = False) -> Any:
    """A class of the annotated fields, in order, those of its base first: immutable, with slots.

    `eq=False`: compared by identity. `order`: instances sort as the tuples of their fields. `weak`: others may refer to
    them weakly. `__match_args__` names the fields. Setting an attribute raises AttributeError; a `cached_property`
    works.
    """

    def made(plain: type[T]) -> type[T]:
        return _make(plain, eq, order, weak)

    return made if cls is None else made(cls)


def replace(item: T, /, **changes: Any) -> T:
    """A copy with some fields changed. Raises TypeError for a name that is no field."""
    values = {name: getattr(item, name) for name in _fields(type(item))}
    return type(item)(**(values | changes))


def _make(plain: type[Any], eq: bool, order: bool, weak: bool) -> type[Any]:
    base = plain.__base__ or object
    written = {name: value for name, value in vars(plain).items() if name not in ("__dict__", "__weakref__")}
    own = tuple(name for name in written.get("__annotations__", ()) if name not in _fields(base))
    names = (*_fields(base), *own)
    defaults = _defaults(base) | {name: written.pop(name) for name in own if name in written}
    namespace = _METHODS | (_comparisons(names, order) if eq else {}) | written
    remembers = any(isinstance(value, cached_property) for value in written.values())
    memory = tuple(name for name, wanted in (("__dict__", remembers), ("__weakref__", weak)) if wanted)
    namespace |= {"__slots__": own + memory, "__match_args__": names, "__qualname__": plain.__qualname__}
    made: Any = type(plain.__name__, plain.__bases__, namespace)
    made.__init__ = _constructor(made, names, defaults)
    return made  # type: ignore[no-any-return]


def _fields(cls: type) -> tuple[str, ...]:
    return getattr(cls, "__match_args__", ())


def _defaults(cls: type) -> dict[str, Any]:
    values = getattr(cls.__init__, "__defaults__", None) or ()  # type: ignore[misc]
    return dict(zip(reversed(_fields(cls)), reversed(values), strict=False))


# --- construction ------------------------------------------------------------------------------


@cache
def _template(count: int) -> CodeType:
    """The code of a constructor of so many fields, which are called `a0`, `a1`, … in it."""
    params = "".join(f", a{index}" for index in range(count))
    body = "; ".join(f"set{index}(self, a{index})" for index in range(count)) or "pass"
    module = compile(f"def __init__(self{params}): {body}", "<record>", "exec")
    return next(item for item in module.co_consts if isinstance(item, CodeType))


def _constructor(cls: type, names: tuple[str, ...], defaults: dict[str, Any]) -> FunctionType:
    code = _template(len(names)).replace(co_varnames=("self", *names), co_qualname=f"{cls.__qualname__}.__init__")
    setters = {f"set{index}": getattr(cls, name).__set__ for index, name in enumerate(names)}
    optional = names[len(names) - len(defaults) :]
    if set(optional) != set(defaults):
        raise TypeError(f"{cls.__name__}: a field without a default follows one that has a default")
    return FunctionType(code, setters, "__init__", tuple(defaults[name] for name in optional))


# --- what all have -----------------------------------------------------------------------------


def _set(self: Any, name: str, value: object) -> None:
    raise AttributeError(f"cannot assign to field {name!r}")


def _delete(self: Any, name: str) -> None:
    raise AttributeError(f"cannot delete field {name!r}")


def _repr(self: Any) -> str:
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__match_args__)})"


def _reduce(self: Any) -> tuple[Any, ...]:
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)


_METHODS = {"__setattr__": _set, "__delattr__": _delete, "__repr__": _repr, "__reduce__": _reduce}


def _comparisons(names: tuple[str, ...], order: bool) -> dict[str, Any]:
    key: Callable[[Any], Any] = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: Any) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(key(self))

    def less(self: Any, other: Any) -> Any:
        return key(self) < key(other) if other.__class__ is self.__class__ else NotImplemented

    def at_most(self: Any, other: Any) -> Any:
        return key(self) <= key(other) if other.__class__ is self.__class__ else NotImplemented

    methods = {"__eq__": equal, "__hash__": hashed}
    return methods | {"__lt__": less, "__le__": at_most} if order else methods
