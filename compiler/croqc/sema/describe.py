"""Types in words, as messages and hovers print them. Must not decide anything."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.sema.symbolic import Int
from croqc.sema.types import (
    Bounded,
    BoundedTuple,
    Data,
    Event,
    Fragment,
    Future,
    Pointer,
    Scalar,
    ShapeType,
    Storage,
    Stream,
    Text,
    TupleType,
    Type,
    Unknown,
    Void,
)

_PLAIN: dict[type, str] = {
    Unknown: "unknown",
    Void: "void",
    Text: "string",
    Pointer: "pointer",
    Stream: "stream",
}


def extents(dims: Iterable[Int | None]) -> str:
    return ", ".join("?" if dim is None else str(dim) for dim in dims)


def describe(type_: Type) -> str:
    """One phrase: `shared f16 [64, 32]`, `int below 6`, `shape [6, 10]`, `future of f16 [64, 32]`."""
    match type_:
        case Scalar(elem=elem, mutable=mutable):
            return f"mutable {elem}" if mutable else elem
        case Bounded(bound=bound):
            return f"int below {bound}"
        case BoundedTuple(bounds=bounds):
            return f"index tuple below {{{extents(bounds)}}}"
        case ShapeType(dims=dims):
            return f"shape [{extents(dims)}]"
        case TupleType(items=items):
            return f"tuple {{{extents(items)}}}"
        case Data():
            return _data(type_)
        case Future(data=data, multiply=multiply):
            return "future of a multiply" if multiply else f"future of {_data(data)}" if data else "placeholder future"
        case Event(storage=storage, array=array, count=count):
            counted = "" if count is None else f"<{count}>"
            return f"{storage.value} event{counted}{_array(array)}"
        case Fragment(elem=elem, shape=shape, array=array):
            size = "" if shape is None else f" [{extents(shape)}]"
            return f"fragment{f' {elem}' if elem else ''}{size}{_array(array)}"
        case _:
            return _PLAIN[type(type_)]


def _data(data: Data) -> str:
    storage = "" if data.storage is Storage.HOST else f"{data.storage.value} "
    return f"{storage}{data.elem} [{extents(data.shape)}]{_array(data.array)}"


def _array(array: tuple[int, ...]) -> str:
    return "".join(f"[{size}]" for size in array)
