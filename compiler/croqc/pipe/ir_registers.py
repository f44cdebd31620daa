"""Register tiles of the pipeline IR: what they are, and ordinary code on their elements (reference, 6.5).

`ir` has the rest and offers these too. Immutable, as all of the IR. Must not hold decisions.
"""

from __future__ import annotations

from enum import Enum

from croqc.pipe.exprs import Expr, Held
from croqc.pipe.ir_control import Stmt
from croqc.sema.model import Unit
from croqc.text.record import record

_THREADS = {Unit.GROUP4: 128, Unit.GROUP: 32}


class Spread(Enum):
    """How the elements of a register tile lie over the threads of its unit. Of a vector each thread holds those that
    go with its elements of a tile: the same ones as the other threads of its rows, or of its columns."""

    TILE = "tile"
    ROWS = "rows"
    COLUMNS = "columns"


@record
class Accumulator:
    """A register tile of `m` x `n` elements spread over a unit; `count` of them in an array.

    `vector`: declared with one extent, `m` until it is decided where it lies. (fragments) `spread`: how it lies; that
    of a multiply's accumulator is TILE from the start.
    """

    name: str
    elem: str
    m: int
    n: int
    unit: Unit
    count: int = 1
    vector: bool = False
    spread: Spread | None = Spread.TILE

    @property
    def packed(self) -> bool:
        """Whether elements lie in pairs, as multiplies take and give 16-bit floats."""
        return self.spread is Spread.TILE and self.elem in ("f16", "bf16")

    @property
    def owned(self) -> int:
        """How many elements each thread holds."""
        match self.spread:
            case Spread.ROWS:
                return self.m * 4 // _THREADS[self.unit]
            case Spread.COLUMNS:
                return self.n // 4
        return self.m * self.n // _THREADS[self.unit]


@record
class Visit(Stmt):
    """`apply`: each thread runs `body` for every element of the tile that it holds. `names`: variables with the place
    of the element, one a dimension; `counter`: the variable that counts the thread's elements."""

    acc: Accumulator
    index: Expr
    names: tuple[str, ...]
    counter: str
    body: tuple[Stmt, ...]


@record
class Put(Stmt):
    """`element = value`, in registers."""

    element: Held
    value: Expr


@record
class Reduce(Stmt):
    """`acc[i] = op over j of source[i, j]`; `op` is "sum" or "max"."""

    op: str
    acc: Accumulator
    index: Expr
    source: Accumulator
    at: Expr


@record
class Scale(Stmt):
    """`acc[i, j] += factor * sum`, of the multiplies into `acc` since the last scale or, `single`, of the one in front.

    `names` and `counter` as a visit has them; `factor` and `guard`, which must hold for there to be a factor, hang on
    the place. No factor: as it is.
    """

    acc: Accumulator
    index: Expr
    names: tuple[str, ...]
    counter: str
    factor: Expr | None = None
    guard: Expr | None = None
    single: bool = False


@record
class Settle(Stmt):
    """(commits) Multiplies into an accumulator are complete: ordinary code behind it may read its registers, and none
    may be moved in front of it."""

    acc: Accumulator
