"""What threads do with their own registers of multiplies, in the pipeline IR (reference, 6.5, 6.7).

`ir` has the rest and offers these too. Immutable, as all of the IR. Must not hold decisions.
"""

from __future__ import annotations

from croqc.pipe.exprs import Expr, Held, Tile
from croqc.pipe.ir_control import Stmt
from croqc.pipe.ir_declared import Accumulator
from croqc.sema.model import Unit
from croqc.text.record import record


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


@record
class LoadMetadata(Stmt):
    """Which two of every four elements a sparse operand of `rows` rows keeps: `tile` has eight elements of K a byte, of
    bytes or words. Each thread gets a word a step of `k_step`, `steps` of them, as the instruction wants them."""

    name: str
    tile: Tile
    rows: int
    k_step: int
    steps: int
    elem: str
    unit: Unit
    declares: bool
