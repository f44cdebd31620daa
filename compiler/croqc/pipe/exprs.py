"""Scalar expressions and memory references of the pipeline IR. Pure data; must not know statements or targets.

Types are canonical element names ("s32", "f16", "bool", …). Integers are s32 unless an operand is wider; offsets into
global memory are widened where they are printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from math import prod
from typing import Final

from croqc.sema.elements import ELEMENTS
from croqc.sema.integers import quotient, remainder
from croqc.text.record import record, replace


class Space(Enum):
    """Where a tensor lives."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"


@record
class Lit:
    value: int | float | bool
    elem: str = "s32"


@record
class Var:
    """A name of the kernel: a size, an index, a scalar, a handle."""

    name: str
    elem: str = "s32"


BINDING: Final = {
    "?:": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8,
    "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip
"""How tightly each operator of two or three binds, as in C; those of one bind by `UNARY`, names by `ATOM`."""
UNARY: Final = 12
ATOM: Final = 13


@record
class Op:
    """An operator of C with its usual meaning: binary, "-", "!" and "~" with one argument, "?:" with three.

    "/" and "%" of integers are C's: the language's indices are never negative (reference, 3.2).
    """

    op: str
    args: tuple[Expr, ...]
    elem: str = "s32"


@record
class Fn:
    """A built-in function of the language (`__exp`, `cdiv`, …) or, `foreign`, a device function of the file."""

    name: str
    args: tuple[Expr, ...]
    elem: str
    foreign: bool = False


@record
class Cast:
    value: Expr
    elem: str


@record
class Read:
    """One element of a tile. `index` has one entry a dimension of the tile."""

    tile: Tile
    index: tuple[Expr, ...]

    @property
    def elem(self) -> str:
        return self.tile.tensor.elem


@record
class Held:
    """An element of a register tile, by its place in the tile: one entry of `index` a dimension; `slot`: which tile of
    an array. (fragments) `register`: which of the visiting thread's own elements it is."""

    name: str
    elem: str
    slot: Expr
    index: tuple[Expr, ...]
    register: Expr | None = None


Expr = Lit | Var | Op | Fn | Cast | Read | Held


@record
class Tensor:
    """Memory with a name: `slots` equal parts of `shape` elements each, row-major unless its layout says otherwise.

    Shared and local tensors have literal extents; a local one exists in each thread.
    """

    name: str
    elem: str
    shape: tuple[Expr, ...]
    space: Space
    slots: int = 1

    @property
    def elem_bytes(self) -> int:
        """Bytes of an element, which is not one of those narrower than a byte."""
        return ELEMENTS[self.elem].bits // 8

    @property
    def row_bytes(self) -> int:
        """Bytes of a row of a static tensor: a slot's innermost dimension."""
        return self.extents[-1] * ELEMENTS[self.elem].bits // 8 if self.shape else 0

    @property
    def slot_bytes(self) -> int:
        """Bytes of one slot of a static tensor, rounded up."""
        return -(-prod(self.extents) * ELEMENTS[self.elem].bits // 8)

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of a static tensor. Raises ValueError for a symbolic one."""
        found = tuple(extent.value for extent in self.shape if isinstance(extent, Lit))
        if len(found) != len(self.shape):
            raise ValueError(f"{self.name} has symbolic extents")
        return tuple(int(value) for value in found)


@record
class Tile:
    """A box of a tensor's slot. `origin` has one entry a dimension of the tensor, in elements.

    `shape` holds the tile's extents and `dims` the tensor dimension of each of them. `valid` says how many elements
    exist along each, None for all of them: the rest overhangs the tensor (reference, 5.2). `scales`: how far a step
    along each goes in the tensor's dimension, empty where all go by one; of a view with strides of its own (3.5).
    """

    tensor: Tensor
    slot: Expr
    origin: tuple[Expr, ...]
    shape: tuple[Expr, ...]
    dims: tuple[int, ...]
    valid: tuple[Expr | None, ...]
    scales: tuple[Expr, ...] = ()

    @property
    def steps(self) -> tuple[Expr, ...]:
        """How far a step along each dimension goes."""
        return self.scales or (ONE,) * len(self.shape)

    @property
    def extents(self) -> tuple[int, ...] | None:
        """The extents, where all are static."""
        found = [extent.value for extent in self.shape if isinstance(extent, Lit)]
        return tuple(int(value) for value in found) if len(found) == len(self.shape) else None


ZERO, ONE = Lit(0), Lit(1)


def whole(tensor: Tensor, slot: Expr = ZERO) -> Tile:
    """All of a tensor's slot."""
    rank = len(tensor.shape)
    return Tile(tensor, slot, (ZERO,) * rank, tensor.shape, tuple(range(rank)), (None,) * rank)


# --- building with folding ---------------------------------------------------------------------


def integer(value: Expr) -> int | None:
    """The value of an integer literal."""
    return value.value if isinstance(value, Lit) and type(value.value) is int else None


def add(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b is not None:
        return Lit(a + b, left.elem)
    if a == 0:
        return right
    if b == 0:
        return left
    return Op("+", (left, right), wider(left.elem, right.elem))


def subtract(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b is not None:
        return Lit(a - b, left.elem)
    return left if b == 0 else Op("-", (left, right), wider(left.elem, right.elem))


def multiply(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b is not None:
        return Lit(a * b, left.elem)
    if a == 0 or b == 0:
        return ZERO
    if a == 1:
        return right
    return left if b == 1 else Op("*", (left, right), wider(left.elem, right.elem))


def divide(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b:
        return Lit(quotient(a, b), left.elem)
    return left if b == 1 else Op("/", (left, right), wider(left.elem, right.elem))


def modulo(left: Expr, right: Expr) -> Expr:
    a, b = integer(left), integer(right)
    if a is not None and b:
        return Lit(remainder(a, b), left.elem)
    return ZERO if b == 1 else Op("%", (left, right), wider(left.elem, right.elem))


def total(terms: tuple[Expr, ...]) -> Expr:
    """The sum of some terms, 0 without any."""
    result: Expr = ZERO
    for term in terms:
        result = add(result, term)
    return result


def product(factors: tuple[Expr, ...]) -> Expr:
    """The product of some factors, 1 without any."""
    result: Expr = ONE
    for factor in factors:
        result = multiply(result, factor)
    return result


_ORDER = ("bool", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")


def wider(a: str, b: str) -> str:
    """The integer type of an operation on two; s32 at least, as in C."""
    ranks = [_ORDER.index(elem) if elem in _ORDER else -1 for elem in (a, b)]
    return _ORDER[max(*ranks, _ORDER.index("s32"))]


def parts(expr: Expr) -> Iterator[Expr]:
    """An expression and all in it: operands, indices of elements, slots and numbers of registers; not their tiles."""
    yield expr
    inner: tuple[Expr | None, ...] = ()
    match expr:
        case Op(args=args) | Fn(args=args):
            inner = args
        case Cast(value=value):
            inner = (value,)
        case Read(index=index):
            inner = index
        case Held(slot=slot, register=register):
            inner = (slot, register)
    for each in inner:
        if each is not None:
            yield from parts(each)


def variables(expr: Expr) -> Iterator[str]:
    """The names that an expression reads, elements aside."""
    return (part.name for part in parts(expr) if isinstance(part, Var))


def plain_names(expr: Expr) -> frozenset[str] | None:
    """The names in an expression of numbers, names and functions of the language; None where it reads memory or
    registers, or calls functions of the file."""
    found = tuple(parts(expr))
    if all(isinstance(part, Lit | Var | Op | Cast) or (isinstance(part, Fn) and not part.foreign) for part in found):
        return frozenset(part.name for part in found if isinstance(part, Var))
    return None


def substituted(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with some names, elements and register tiles aside, replaced by values."""
    match expr:
        case Var(name=name):
            return values.get(name, expr)
        case Op(args=args) | Fn(args=args):
            return replace(expr, args=tuple(substituted(arg, values) for arg in args))
        case Cast(value=value):
            return replace(expr, value=substituted(value, values))
        case Read(index=index):
            return replace(expr, index=tuple(substituted(item, values) for item in index))
    return expr
