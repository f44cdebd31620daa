"""The types of Croqtile values (reference, chapters 3 to 7). Pure data; must not analyse.

Extents and bounds are `Int`s: symbolic integers in normal form over parameter dimensions, integer
parameters and indices.
"""

from __future__ import annotations

from enum import Enum

from croqc.sema.symbolic import Int
from croqc.text.record import record


class Storage(Enum):
    """Where data lives (3.6). HOST is unqualified data: host-visible, mirrored on the device when used there."""

    HOST = "host"
    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"


@record
class Unknown:
    """Nothing is known: an error was reported already, or the construct is not understood. Silences followers."""


@record
class Void:
    pass


@record
class Text:
    """A string literal."""


@record
class Pointer:
    """The value of `&x` or `nullptr`."""


@record
class Stream:
    pass


@record
class Scalar:
    """A number or truth value. `elem` is canonical: "s32" (also for `int`), "bool", "f16", …"""

    elem: str
    mutable: bool = False


@record
class Bounded:
    """A bounded integer: current value and exclusive upper bound (3.4)."""

    bound: Int


@record
class BoundedTuple:
    bounds: tuple[Int, ...]


@record
class ShapeType:
    """An mdspan: extents, each at least 1."""

    dims: tuple[Int, ...]


@record
class TupleType:
    """An ituple. An item is None where its value is not known symbolically."""

    items: tuple[Int | None, ...]


@record
class Data:
    """Spanned data: a buffer, a view or the data of a future.

    `shape` in elements. `array` holds the extents of an array of buffers that is not subscripted yet.
    `contiguous`: dense row-major; False where a view has gaps, None where that is not decided.
    """

    elem: str
    shape: tuple[Int, ...]
    storage: Storage
    array: tuple[int, ...] = ()
    contiguous: bool | None = True


@record
class Future:
    """The handle of a transfer (5.4). `data` is None for a placeholder that no copy reached yet.

    `placeholder`: made by `dma.any`/`tma.any`. `multiply`: the future of an asynchronous mma.
    """

    data: Data | None
    is_async: bool
    placeholder: bool = False
    multiply: bool = False


@record
class Event:
    """`event[<count>] e[array] [= ready]` (7.2)."""

    storage: Storage
    array: tuple[int, ...]
    ready: bool
    count: int | None = None


class FragRole(Enum):
    ACCUMULATOR = "accumulator"
    OPERAND = "operand"  # from `mma.load`: a register tile, or an alias of a shared view
    REGISTER = "register"  # a `frag` declaration


@record
class Fragment:
    """A register tile (6.5). `shape` is None until a multiply fixes it. `elem` is None until inferred."""

    elem: str | None
    shape: tuple[Int, ...] | None
    role: FragRole
    array: tuple[int, ...] = ()


Type = (
    Unknown | Void | Text | Pointer | Stream | Scalar | Bounded | BoundedTuple | ShapeType | TupleType | Data
    | Future | Event | Fragment
)  # fmt: skip

UNKNOWN = Unknown()
BOOL = Scalar("bool")
INT = Scalar("s32")


def bound_of(type_: Type) -> Int | None:
    """The bound of one bounded integer; a tuple of one, as `k in [n]` makes it, is such."""
    if isinstance(type_, Bounded):
        return type_.bound
    if isinstance(type_, BoundedTuple) and len(type_.bounds) == 1:
        return type_.bounds[0]
    return None


def data_of(type_: Type) -> Data | None:
    """The data that a type stands for: its own, or that of a future."""
    if isinstance(type_, Data):
        return type_
    return type_.data if isinstance(type_, Future) else None
