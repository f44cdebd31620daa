"""Whether one block of a cluster speaks for the others. Must not run anything.

One block is followed, as if all of them went in step: what it gives to the others, it gets from each of them. That is
so only while no block gives or takes otherwise than its neighbours: nothing of that may follow its rank.
"""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import Expr
from croqc.flow.ops_control import Branch, Enter, Jump, LoopStart
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.ops_events import Trigger
from croqc.flow.ops_multiplies import Multiply, Name
from croqc.flow.program import Op, Program
from croqc.flow.regions import Operand
from croqc.sema.model import Kernel
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.span import Span


def spans_cluster(program: Program, kernel: Kernel) -> bool:
    """Whether blocks of a cluster give each other credits or data."""
    if any(isinstance(op, Trigger) and op.blocks > 1 for op in program.ops):
        return True
    copies = nodes_of_kind(kernel.node, ast.Copy)
    return any(modifier.name == "multicast" for copy in copies for modifier in copy.modifiers)


def differs_by_rank(program: Program) -> Span | None:
    """The first place where a block gives or takes otherwise than its neighbours, by its rank in the cluster."""
    for number, op in enumerate(program.ops):
        if any(program.ranks & expr.variables() for expr in _deciding(op)) and not _is_private(program, number):
            return op.span
    return None


def _deciding(op: Op) -> Sequence[Expr]:
    """What decides whether and how often something is done, and on which slot. Not which part of a slot: that blocks
    load a part each for all of them is what multicasts are for."""
    match op:
        case Enter():
            return (op.cond,)
        case LoopStart():
            return (*op.exprs(), op.loop.step)
        case Copy():
            chosen = _slots(op.source, op.dest.operand)
            return chosen if op.event is None else (*chosen, *op.event.exprs())
        case Touch():
            return _slots(*op.reads, *op.writes)
        case Multiply():
            return _slots(*op.operands)
        case Name():
            return _slots(op.operand)
    return op.exprs()


def _slots(*operands: Operand | None) -> tuple[Expr, ...]:
    known = [operand for operand in operands if operand is not None]
    choices = [operand.choice for operand in known]
    parts = [one for operand in known for one in operand.each()]
    bands = [None if one.rows is None else one.rows[0] for one in parts]
    return tuple(expr for expr in (*choices, *(one.index for one in parts), *bands) if expr is not None)


def _is_private(program: Program, number: int) -> bool:
    """Whether a condition decides only over accesses to what the block has for itself."""
    op = program.ops[number]
    if not isinstance(op, Branch | Enter):
        return False
    end = op.target
    last = program.ops[end - 1]
    over = last if isinstance(last, Jump) and last.target >= end else None  # past the other branch, or on in a loop
    if over is not None:
        end = over.target
    return all(_stays_inside(each) or each is over for each in program.ops[number + 1 : end])


def _stays_inside(op: Op) -> bool:
    if isinstance(op, Copy):
        return not op.asynchronous and op.event is None and not op.shared_out
    return isinstance(op, Touch)
