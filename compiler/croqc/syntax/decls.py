"""The typed tree of a Croqtile function: types and declarations (reference, chapter 2.2 and 2.3).

Immutable; spans are relative to the function's `__co__`. Must not hold semantic facts.
"""

from __future__ import annotations

from croqc.syntax.exprs import Call, Expr, Name, Node
from croqc.text.record import record


@record(eq=False)
class TypeRef(Node):
    """`value-type`: an element or scalar type word, with a shape if spanned.

    `elem` is the canonical word ("f16", "s32", "int", "bool", "stream", "void", "auto"). `dims` is None
    for scalars; a dim is an expression (IntLit, Name, arithmetic on literals) or one of the marks `Dyn`.
    `rank` is set for `mdspan<N>` alone (all extents dynamic, `dims` empty).
    """

    elem: str
    dims: tuple[Expr | Dyn, ...] | None = None
    rank: int | None = None


@record(eq=False)
class Dyn(Node):
    """`?` (dynamic, unnamed) or `??` (unbounded) in a parameter's shape."""

    unbounded: bool


# --- declarations (2.3) ------------------------------------------------------------------------


@record(eq=False)
class ScalarInit(Node):
    name: Name
    value: Expr | Call | None
    braced: bool = False


@record(eq=False)
class ScalarDecl(Node):
    """`elem` is None for `mutable x = …` (type inferred)."""

    storage: str | None
    mutable: bool
    elem: str | None
    inits: tuple[ScalarInit, ...]


@record(eq=False)
class BufferName(Node):
    name: Name
    array: tuple[Expr, ...]
    fill: Expr | None


@record(eq=False)
class BufferDecl(Node):
    """`shape` is None for `[auto]`."""

    storage: str | None
    elem: str
    shape: tuple[Expr, ...] | None
    names: tuple[BufferName, ...]


@record(eq=False)
class ShapeDecl(Node):
    """`[mdspan[<rank>]] name : value`."""

    name: Name
    value: Expr
    keyword: bool
    rank: int | None


@record(eq=False)
class TupleDecl(Node):
    """`ituple[<rank>] name = value`."""

    name: Name
    value: Expr
    rank: int | None


@record(eq=False)
class EventName(Node):
    name: Name
    array: tuple[Expr, ...]
    ready: bool


@record(eq=False)
class EventDecl(Node):
    storage: str | None
    count: Expr | None
    names: tuple[EventName, ...]


@record(eq=False)
class FragDecl(Node):
    """`frag T [shape] names` or, with `shape` None, `frag[.T] name {value}`. `old`: written `fragment`."""

    elem: str | None
    shape: tuple[Expr, ...] | None
    names: tuple[BufferName, ...]
    old: bool = False
