"""Pass overwrite: the first multiply into an accumulator of zeros overwrites it (PTX ISA, wgmma.mma_async, scale-d).

Zeros cost a move a register, for each tile, while the tensor cores have nothing to do. A multiply right behind them
need not add, and of a loop of multiplies the first turn. Must not change what an accumulator holds behind the loop: one
that may not run at all still finds its zeros.
"""

from __future__ import annotations

from functools import reduce

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Var, integer
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, rewrite_lists, statements
from croqc.text.record import replace


def overwrite(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    extents = {extent for tensor in kernel.tensors for extent in tensor.shape}
    return replace(kernel, body=rewrite_lists(kernel.body, lambda body: _changed(body, extents)))


def _changed(body: Body, extents: set[Expr]) -> Body:
    """From the last fill to the first: several may end in one loop, and each finds what became of the others."""
    for at in range(len(body) - 1, -1, -1):
        fill = body[at]
        if not isinstance(fill, ir.Fill) or fill.acc.count > 1 or not _is_zero(fill.value):
            continue
        user = _first(body, at + 1, fill.acc)
        if user is None:
            continue
        between, rest = body[at + 1 : user], body[user + 1 :]
        if _is_wgmma(body[user]):
            used: Body = (replace(body[user], adds=Lit(False, "bool")),)
        else:
            loop = _opened(body[user], fill.acc, ())
            if not isinstance(loop, ir.Loop):
                continue
            # Zeros are ordinary code: the fence stays behind them.
            fence = between[-1:] if isinstance(body[user - 1], ir.Fence) else ()
            between = between[: len(between) - len(fence)]
            used = (*_still_filled(fill, loop, extents), *fence, loop)
        body = (*body[:at], *_declared(fill), *between, *used, *rest)
    return body


def _is_wgmma(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Multiply) and stmt.instruction is ir.Instruction.WGMMA


def _is_zero(value: Expr) -> bool:
    return getattr(value, "value", None) == 0.0


def _first(body: Body, start: int, acc: ir.Accumulator) -> int | None:
    """The first statement of a list, from a place on, that has to do with an accumulator, or may leave the list."""
    return next((at for at in range(start, len(body)) if _concerns(body[at], acc)), None)


def _concerns(stmt: ir.Stmt, acc: ir.Accumulator) -> bool:
    return any(
        acc in (getattr(each, "acc", None), getattr(each, "source", None))
        or isinstance(each, ir.Jump | ir.Text | ir.Call)
        or any(element.name == acc.name for element in held_in(each))
        for each in statements((stmt,))
    )


def _opened(stmt: ir.Stmt, acc: ir.Accumulator, later: tuple[Expr, ...]) -> ir.Stmt | None:
    """The statement, its first multiply adding only in later turns of the loops around it; None where that does not
    come first or may be left out. `later`: what holds in another than the first turn of each."""
    match stmt:
        case ir.Multiply(instruction=ir.Instruction.WGMMA, adds=None) if later:
            return replace(stmt, adds=reduce(lambda one, other: Op("||", (one, other), "bool"), later))
        case ir.Loop():
            at = _first(stmt.body, 0, acc)
            again = Op("!=", (Var(stmt.name), stmt.start), "bool")
            inner = None if at is None or (later and not _runs(stmt, set())) else stmt.body[at]
            opened = None if inner is None else _opened(inner, acc, (*later, again))
            if opened is not None and at is not None:
                return replace(stmt, body=(*stmt.body[:at], opened, *stmt.body[at + 1 :]))
    return None


def _runs(loop: ir.Loop, extents: set[Expr]) -> bool:
    """Whether a loop certainly has a first turn. Extents are at least 1: the host checks them (reference, 3)."""
    start, stop = integer(loop.start), integer(loop.stop)
    if start is not None and stop is not None:
        return start < stop
    match loop.stop:
        case Fn(name="cdiv", args=(whole, size)):
            return start == 0 and whole in extents and (integer(size) or 0) > 0
    return start == 0 and loop.stop in extents


def _declared(fill: ir.Fill) -> Body:
    return (ir.Declare(fill.span, fill.acc),) if fill.declares else ()


def _still_filled(fill: ir.Fill, loop: ir.Loop, extents: set[Expr]) -> Body:
    """What is left of the zeros where the loop has no turn. Directly in front of the loop: what its ends name need
    not be declared at the fill, or may change behind it."""
    if _runs(loop, extents):
        return ()
    empty = Op("<=", (loop.stop, loop.start), "bool")
    return (ir.If(fill.span, empty, (replace(fill, declares=False),)),)
