"""The host part of a function as IR: what runs around its launches. Must not hold decisions.

Scalars and control are those of `ir_control`. Names are unique in a function: a kernel takes a value of the host part
under the name that it has here. Everything that moves or fills data is a kernel of its own (`build/host_data`).
"""

from __future__ import annotations

from croqc.pipe.exprs import Expr
from croqc.pipe.ir_control import Stmt
from croqc.text.record import record


@record
class Launch(Stmt):
    """Starts kernel number `kernel` on a stream, `stream` being empty for the function's own; `waits`: the host goes on
    when it is complete (reference, 4.2)."""

    kernel: int
    stream: str = ""
    waits: bool = True


@record
class Zero(Stmt):
    """Host data starts as zeros (reference, 3.6). `array` as kernels' `sources` name it."""

    array: str


@record
class Require(Stmt):
    """The function ends with an error where `cond` does not hold; `implied`: no `assert` of the program says so."""

    cond: Expr
    text: str
    implied: bool = False


@record
class Join(Stmt):
    """The host waits for all that it has launched (reference, 4.7)."""


@record
class Finish(Stmt):
    """The end of the function, with an array or a scalar as its result, or nothing."""

    array: str = ""
    value: Expr | None = None


@record
class Host:
    """`scalars` are the sizes and scalar parameters, named as in the body, with their names in the source and types;
    `streams` the parameters of that type. `arrays`: what kernels' `sources` call each array, and its name in the body,
    parameters first."""

    body: tuple[Stmt, ...]
    scalars: tuple[tuple[str, str, str], ...]
    streams: tuple[str, ...]
    arrays: tuple[tuple[str, str], ...]
