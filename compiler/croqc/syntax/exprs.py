"""The typed tree of a Croqtile function: expressions and data references. Statements stand in `ast`.

Immutable; spans are relative to the function's `__co__` (reference, chapter 2.5 and 2.6).
"""

from __future__ import annotations

from croqc.text.record import record
from croqc.text.span import NOWHERE, Span


@record(eq=False)
class Node:
    """Base of all nodes. Compared by identity, so that side tables can be keyed by a node."""

    span: Span


@record(eq=False)
class Missing(Node):
    """A placeholder that recovery put where an expression or a name was due; already reported."""


@record(eq=False)
class Name(Node):
    """An identifier; `_` is the wildcard. `macro`: the macro that produced it, if one did.

    A name whose `id` is empty was inserted by recovery.
    """

    id: str
    macro: str | None = None


@record(eq=False)
class IntLit(Node):
    """`text` is the spelling, suffix included; `value` its value; `macro` as in Name."""

    value: int
    text: str
    macro: str | None = None


@record(eq=False)
class RealLit(Node):
    """`single`: written with an `f` suffix (f32, else f64)."""

    value: float
    text: str
    single: bool


@record(eq=False)
class Const(Node):
    """`true`, `false`, `inf` or `nullptr`."""

    word: str


@record(eq=False)
class Str(Node):
    """One or more adjacent string literals: `value` after unescaping, `parts` as written."""

    value: str
    parts: tuple[str, ...]


@record(eq=False)
class Unary(Node):
    """`-`, `!` or `~`. A sign in front of a literal is a Unary, too."""

    op: str
    operand: Expr


@record(eq=False)
class Binary(Node):
    """Arithmetic, comparison, logic, bit operators, `#` composition and the `#+` family."""

    op: str
    left: Expr
    right: Expr


@record(eq=False)
class Cond(Node):
    """`test ? then : other`."""

    test: Expr
    then: Expr
    other: Expr


@record(eq=False)
class Paren(Node):
    """A parenthesised expression, kept for the printer and for `(1)` in derivations."""

    inner: Expr


@record(eq=False)
class BoundOf(Node):
    """`#name`: the upper bound of a bounded variable."""

    name: Name


@record(eq=False)
class Count(Node):
    """`|x|`: an element count."""

    operand: Expr


@record(eq=False)
class SizeOf(Node):
    """`|f16|`: the size of an element type in bytes."""

    elem: str


@record(eq=False)
class TupleLit(Node):
    """`{a, b}`."""

    items: tuple[Expr, ...]


@record(eq=False)
class ShapeLit(Node):
    """`[a, b]`."""

    items: tuple[Expr, ...]


@record(eq=False)
class Derive(Node):
    """`t {(1), 2}` behind `=`: a tuple derived from `base`."""

    base: Name
    items: tuple[Expr, ...]


@record(eq=False)
class Builtin(Node):
    """`cdiv(a, b)`, `__exp(x)`, `__alignup(a, n)`, `__to<T>(e)`, `stage<N>(x)` (older).

    `type_arg` holds the T of `__to`.
    """

    name: str
    args: tuple[Expr, ...]
    type_arg: str | Str | None = None
    name_span: Span = NOWHERE


@record(eq=False)
class AddressOf(Node):
    operand: Expr


@record(eq=False)
class IncDec(Node):
    """`op` is "++" or "--"."""

    op: str
    name: Name
    prefix: bool


@record(eq=False)
class Index(Node):
    """`[e]`, a suffix. More than one argument only in shape context (`s[(1), (0)]`, 2.7 item 4)."""

    args: tuple[Expr, ...]


@record(eq=False)
class Pick(Node):
    """`(i)`, a suffix: one dimension of a shape or tuple, or a value of a bounded variable."""

    arg: Expr


@record(eq=False)
class Member(Node):
    """`.name` or `.name(args[: strides])`, a suffix. `name` without the dot; `called` if parentheses stand.

    A flat list of suffixes spells a view: `subspan`, `step`, `at`, … as written (2.6.2).
    """

    name: str
    args: tuple[Expr, ...] = ()
    strides: tuple[Expr, ...] = ()
    called: bool = False
    name_span: Span = NOWHERE


Suffix = Index | Pick | Member


@record(eq=False)
class Chain(Node):
    """`base` with at least one suffix. `base` is a Name except for picks on values: `[2, 3](0)`, `#n(0)`."""

    base: Expr
    suffixes: tuple[Suffix, ...]


@record(eq=False)
class Call(Node):
    """A call; never an operand. `kind` is "call", "atomic", "lib", "barrier" or "intrinsic".

    `callee` is the qualified name as written ("ns::f", "__atomic_add"); `targs` the template arguments,
    type words as Name nodes; None if no brackets were written.
    """

    kind: str
    callee: str
    callee_span: Span
    targs: tuple[Expr, ...] | None
    args: tuple[Expr, ...]


@record(eq=False)
class Select(Node):
    """`select(k, v0, v1, …)`: a right-hand side or a copy destination."""

    index: Expr
    options: tuple[Expr, ...]


Expr = (
    Missing | Name | IntLit | RealLit | Const | Str | Unary | Binary | Cond | Paren | BoundOf | Count
    | SizeOf | TupleLit | ShapeLit | Derive | Builtin | AddressOf | IncDec | Chain
)  # fmt: skip
