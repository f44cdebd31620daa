"""Scalars and control of the pipeline IR; `ir` has the rest and offers these too. Must not hold decisions.

Immutable, as all of the IR.
"""

from __future__ import annotations

from croqc.pipe.exprs import Expr, Tile
from croqc.text.record import record
from croqc.text.span import Span


@record
class Stmt:
    """`span`: the statement of the source that this one stands for."""

    span: Span


# --- scalars and control -----------------------------------------------------------------------


@record
class Let(Stmt):
    """Declares a scalar; `changes` if it is assigned later."""

    name: str
    elem: str
    value: Expr
    changes: bool = False


@record
class Set(Stmt):
    name: str
    value: Expr


@record
class Write(Stmt):
    """`tile[index] = value`, by each active thread."""

    tile: Tile
    index: tuple[Expr, ...]
    value: Expr


@record
class Atomic(Write):
    """`tile[index] = op(tile[index], value)` in one step; `op` is "add", "cas", …, `more` what "cas" writes. `old`
    names what was there before, empty where nobody asks."""

    op: str
    more: tuple[Expr, ...] = ()
    old: str = ""


@record
class Print(Stmt):
    """Prints as C's printf does: `text` is its format, in which `%b` stands for "true" or "false"."""

    text: str
    args: tuple[Expr, ...]


@record
class Loop(Stmt):
    """`for (name = start; name < stop; name += step)`."""

    name: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]
    unroll: int | None = None


@record
class While(Stmt):
    cond: Expr
    body: tuple[Stmt, ...]


@record
class If(Stmt):
    cond: Expr
    then: tuple[Stmt, ...]
    other: tuple[Stmt, ...] = ()


@record
class Jump(Stmt):
    """`word` is "break", "continue" or "return"."""

    word: str


@record
class Scope(Stmt):
    """A block of statements with names of its own, such as the body of an inner `parallel`."""

    body: tuple[Stmt, ...]


@record
class Text(Stmt):
    """C++ passed through as it stands: an island. `words`: those in it, and in the macros of the file that it names:
    all that it may mean."""

    text: str
    words: frozenset[str]


@record
class Call(Stmt):
    """A call of a device function for its effect."""

    name: str
    args: tuple[Expr, ...]
