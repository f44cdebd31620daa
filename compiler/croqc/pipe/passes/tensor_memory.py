"""Pass tensor_memory: accumulators of tcgen05 live in tensor memory, and their completion is a barrier's.

One thread of a warpgroup issues the multiplies. `mma.commit` with a trigger behind it becomes one instruction: the
commit itself arrives on the event when the multiplies are complete, and nobody waits. Any other end of a group arrives
on a barrier of its own that the warpgroup waits for. In front of a store the accumulator is loaded into registers,
which lie as wgmma's.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Fn, Lit, subtract
from croqc.pipe.walk import Body, rewrite, rewrite_lists, statements
from croqc.sema.model import THREADS, Unit
from croqc.targets.table import Feature
from croqc.text.record import replace

_COLUMNS = 512  # of a multiprocessor
_LEAST = 32


def tensor_memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    multiplies = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Multiply)]
    if not env.target.has(Feature.TCGEN05) or not any(
        stmt.instruction is ir.Instruction.TCGEN05 for stmt in multiplies
    ):
        return kernel
    for stmt in multiplies:
        if (
            stmt.instruction is not ir.Instruction.TCGEN05
            or stmt.acc.elem not in ("f32", "s32")
            or stmt.a_registers
            or stmt.b_registers
        ):
            raise LoweringError(
                f"this multiply into {stmt.acc.elem} is not lowered for {env.target.name} yet", stmt.span
            )
    memory = _placed(kernel)
    done = ir.Event("multiplied", memory.groups, (1,) * memory.groups, False, kernel.span)
    number = subtract(Fn("warpgroup", (), "s32"), Lit(memory.first)) if memory.groups > 1 else ZERO
    end = ir.Complete(kernel.span, ir.SlotRef(done.name, number), f"{done.name}_phase")
    body = rewrite(kernel.body, lambda stmt: _statement(stmt, end))
    body = rewrite(rewrite_lists(body, _paired), _fenced)
    return replace(
        kernel,
        body=body,
        events=(*kernel.events, done),
        phases=(*kernel.phases, (end.phase, done.name)),
        tensor_memory=memory,
    )


def _groups(kernel: ir.Kernel) -> tuple[int, int]:
    """The first of the warpgroups that multiply, and how many there are from it on."""
    holders = [
        role.groups
        for role in statements(kernel.body)
        if isinstance(role, ir.Role) and any(isinstance(stmt, ir.Multiply) for stmt in statements(role.body))
    ]
    numbers = [number for groups in holders for number in groups] or range(
        max(kernel.threads // THREADS[Unit.GROUP4], 1)
    )
    return min(numbers), max(numbers) - min(numbers) + 1


def _placed(kernel: ir.Kernel) -> ir.TensorMemory:
    first, groups = _groups(kernel)
    end, offsets = 0, []
    for acc in kernel.accumulators:
        offsets.append((acc.name, end))
        end += acc.count * acc.n
    columns = _LEAST
    while columns < end * groups:
        columns *= 2
    if columns > _COLUMNS:
        raise LoweringError(f"{end * groups} columns of tensor memory are needed; there are {_COLUMNS}", kernel.span)
    return ir.TensorMemory(first, groups, columns, end, tuple(offsets))


def _statement(stmt: ir.Stmt, end: ir.Complete) -> Body:
    match stmt:
        case ir.Fill(value=Lit(value=0 | 0.0)):
            return (ir.Start(stmt.span, stmt.acc, stmt.index, stmt.declares),)
        case ir.Fill():
            raise LoweringError("an accumulator that does not start as zeros is not lowered for tcgen05 yet", stmt.span)
        case ir.StoreTile(first=0):  # further parts of it find the registers loaded
            return replace(end, span=stmt.span), ir.LoadAccumulator(stmt.span, stmt.acc, stmt.index), stmt
        case ir.Commit():
            return (replace(end, span=stmt.span),)
    return (stmt,)


def _paired(body: Body) -> Body:
    """An end of a group in front of an arrival is the arrival; two ends in a row are one."""
    found: list[ir.Stmt] = []
    for stmt in body:
        last = found[-1] if found else None
        if isinstance(last, ir.Complete) and isinstance(stmt, ir.Arrive) and not stmt.bytes and not stmt.cluster:
            found[-1] = ir.ArriveCommitted(stmt.span, stmt.slot)
        elif not (isinstance(last, ir.Complete) and isinstance(stmt, ir.Complete)):
            found.append(stmt)
    return tuple(found)


def _fenced(stmt: ir.Stmt) -> Body:
    """What a thread does to tensor memory is ordered by fences around the barriers that other threads wait at."""
    match stmt:
        case ir.Complete():
            return stmt, ir.Fence(stmt.span, ir.Fencing.AFTER)
        case ir.LoadAccumulator(acc=acc):  # the next tile's multiplies come behind these loads
            return stmt, ir.Fence(stmt.span, ir.Fencing.BEFORE), ir.Sync(stmt.span, acc.unit)
    return (stmt,)
