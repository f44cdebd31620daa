"""The values of a program that decide something, collected in one place. Must not know what was tried."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from croqc.flow.courses import course
from croqc.flow.exprs import COMPARE, Expr
from croqc.flow.instances import compared, refs_of
from croqc.flow.ops_control import LoopStart, Set
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.ops_multiplies import Multiply
from croqc.flow.program import Loop, Op, Program
from croqc.flow.regions import Operand
from croqc.flow.signature import spell
from croqc.text.span import NOWHERE, Span

_LOGIC = frozenset(("&&", "||", "!"))
_ORDERS = COMPARE - {"==", "!="}


@dataclass(frozen=True, slots=True)
class Piece:
    """A value that decides something. `round`: by how many whole steps of it the same comes again; `counts`: it says
    how often a loop runs; `even`: it counts or is compared with what varies, so that it has to grow in a straight
    line; `bounds`: behind them nothing changes."""

    expr: Expr
    round: int = 1
    counts: bool = False
    even: bool = False
    bounds: tuple[int, ...] = ()
    span: Span = NOWHERE  # of the step that it decides


@dataclass(frozen=True, slots=True)
class Crossing:
    """The index of a loop is compared with what follows a size."""

    loop: Loop
    op: str
    left: Expr
    right: Expr
    span: Span

    @property
    def orders(self) -> bool:
        """As smaller or larger."""
        return self.op in _ORDERS


def pieces(program: Program) -> tuple[list[Piece], list[Crossing]]:
    """What decides: bounds of loops, slots, orders, parts of slots, sides of comparisons. A comparison of an index by
    order stands among the crossings alone. What a variable is compared with counts, as the end of a loop does."""
    sizes = {size.var for size in program.sizes}
    counters = {op.var for op in program.ops if isinstance(op, Set)}
    found: list[Piece] = []
    crossings: list[Crossing] = []
    seen: set[int] = set()
    for op in program.ops:
        ordered = {id(ref.index): 2 * ref.event.slots for ref in refs_of(op) if ref.ordered}  # and by its parity
        bounds = (op.loop.low, op.loop.high, op.loop.step) if isinstance(op, LoopStart) else ()
        for expr in (*bounds, *op.exprs(), *parts_of_slots(op)):
            if id(expr) in seen or not expr.variables() & sizes:
                continue
            seen.add(id(expr))
            met = list(_crossings(op, expr, sizes))
            crossings += met
            by_order = {id(one.left) for one in met if one.orders}
            counts = any(expr is bound for bound in bounds)
            whole = Piece(expr, ordered.get(id(expr), 1), counts, counts, (), op.span)
            found += _sides(whole, by_order, counters)
    return found, crossings


def counters_apart(program: Program) -> Span | None:
    """Where variables are compared otherwise than with one value alone that follows a size, and by order: that would
    say how often things are done, and nothing else would turn at some distance from it."""
    counters = {op.var for op in program.ops if isinstance(op, Set)}
    sizes = {size.var for size in program.sizes}
    limits = set()
    for op, part in compared(program):
        used = part.variables()
        if used.isdisjoint(counters) or used.isdisjoint(sizes):
            continue
        plain = [arg for arg in part.args if arg.op == "v" and arg.value in counters]
        limits |= {spell(arg) for arg in part.args if arg is not plain[0]} if plain else set()
        if len(plain) != 1 or part.op not in _ORDERS or len(limits) > 1:
            return op.span
    return None


def carried(program: Program) -> Collection[int]:
    """The variables that are given values which follow sizes. A block of a fixed number is not one that grows."""
    sizes = {size.var for size in program.sizes if size.bound is None or size.bound.const is None}
    given = [(op.var, op.expr.variables()) for op in program.ops if isinstance(op, Set)]
    found: set[int] = set()
    while more := {var for var, used in given if var not in found and used & (sizes | found)}:
        found |= more
    return found


def parts_of_slots(op: Op) -> Iterator[Expr]:
    """Where the parts of slots that a step touches begin and how long they are."""
    for one in (one for operand in _operands(op) for one in operand.each()):
        for extent in one.extents():
            yield from (expr for expr in (extent.low, extent.length) if expr is not None)


def _operands(op: Op) -> Iterator[Operand]:
    match op:
        case Touch():
            yield from (*op.reads, *op.writes)
        case Multiply():
            yield from op.operands
        case Copy():
            yield from () if op.source is None else (op.source,)
            yield from () if op.dest.operand is None else (op.dest.operand,)


def _crossings(op: Op, expr: Expr, sizes: Collection[int]) -> Iterator[Crossing]:
    for part in expr.walk():
        if part.op in COMPARE and not any(arg.const is not None for arg in part.args):
            used = part.variables()
            if used.isdisjoint(sizes):
                continue
            yield from (
                Crossing(loop, part.op, part.args[0], part.args[1], op.span) for loop in op.loops if loop.var in used
            )


def _sides(piece: Piece, by_order: Collection[int], counters: Collection[int]) -> Iterator[Piece]:
    """The sides of the comparisons that a condition consists of; other values as they are."""
    expr = piece.expr
    if _is_truth_of_one(expr):
        yield Piece(expr, span=piece.span)  # only whether it holds matters
    elif expr.op in _LOGIC:
        for arg in expr.args:
            yield from _sides(Piece(arg, span=piece.span), by_order, counters)
    elif expr.op not in COMPARE:
        yield piece
    elif id(expr.args[0]) not in by_order:
        for arg, other in (expr.args, expr.args[::-1]):
            limit = other.const
            alone = limit is None or arg.op == "v"  # a size against a constant is tried on both sides of it
            bounds = () if alone or limit is None else (abs(limit) + 1,)
            counts = not other.variables().isdisjoint(counters)
            yield Piece(arg, 1, counts, limit is None, bounds, piece.span)


def _is_truth_of_one(expr: Expr) -> bool:
    """Whether a condition follows one variable alone, and settles or comes again as that grows."""
    used = expr.variables()
    return expr.op in COMPARE | _LOGIC and len(used) == 1 and course(expr, next(iter(used))).plain
