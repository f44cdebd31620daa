"""Pass tensor_memory: accumulators of tcgen05 live in tensor memory, and their completion is a barrier's.

One thread of a warpgroup issues the multiplies. `mma.commit` with a trigger behind it becomes one instruction: the
commit itself arrives on the event when the multiplies are complete, and nobody waits. Any other end of a group arrives
on a barrier of its own that the warpgroup waits for. Where ordinary code uses an accumulator, its elements come into
registers, which lie as wgmma's, and go back when they were changed.
"""

from __future__ import annotations

from typing import TypeGuard

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, subtract
from croqc.pipe.held import held_in
from croqc.pipe.walk import Body, bodies, rewrite, rewrite_lists, statements
from croqc.sema.model import THREADS, Unit
from croqc.targets.table import Feature
from croqc.text.record import replace

_COLUMNS = 512  # of a multiprocessor
_LEAST = 32
_RESULTS = ("f16", "f32", "s32")  # types of accumulators (PTX ISA, tcgen05.mma)

Place = tuple[str, Expr]  # an accumulator by name, and which one of an array


def tensor_memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    multiplies = [stmt for stmt in statements(kernel.body) if _is_tcgen05(stmt)]
    if not env.target.has(Feature.TCGEN05) or not multiplies:
        return kernel
    for stmt in multiplies:
        _check(stmt)
    tiles = {stmt.acc.name: stmt.acc for stmt in multiplies}
    memory = _placed(kernel, tiles, multiplies[0])
    done = ir.Event("multiplied", memory.groups, (1,) * memory.groups, False, kernel.span, own=True)
    number = subtract(Fn("warpgroup", (), "s32"), Lit(memory.first)) if memory.groups > 1 else ZERO
    end = ir.Complete(kernel.span, ir.SlotRef(done.name, number), f"{done.name}_phase")
    body = rewrite(kernel.body, lambda stmt: _statement(stmt, end, tiles))
    body = rewrite(rewrite_lists(body, lambda part: _spared(_paired(part))), _fenced)
    return replace(
        kernel,
        body=body,
        events=(*kernel.events, done),
        phases=(*kernel.phases, (end.phase, done.name)),
        tensor_memory=memory,
    )


def _is_tcgen05(stmt: ir.Stmt) -> TypeGuard[ir.Multiply]:
    return isinstance(stmt, ir.Multiply) and stmt.instruction is ir.Instruction.TCGEN05


def _check(stmt: ir.Multiply) -> None:
    if stmt.acc.elem not in _RESULTS:
        raise LoweringError(f"tcgen05 has no accumulators of {stmt.acc.elem}: use f32", stmt.span)
    if stmt.a_registers or stmt.b_registers:
        raise LoweringError("tcgen05 reads both operands from shared memory: load them without '.frag'", stmt.span)


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


def _placed(kernel: ir.Kernel, tiles: dict[str, ir.Accumulator], first_of_all: ir.Multiply) -> ir.TensorMemory:
    first, groups = _groups(kernel)
    end, offsets = 0, []
    for acc in tiles.values():
        offsets.append((acc.name, end))
        end += acc.count * acc.n
    columns = _LEAST
    while columns < end * groups:
        columns *= 2
    if columns > _COLUMNS:
        reason = f"the accumulators of a block take {end * groups} columns of tensor memory; there are {_COLUMNS}"
        raise LoweringError(f"{reason}: use narrower tiles, or fewer warpgroups that multiply", first_of_all.span)
    return ir.TensorMemory(first, groups, columns, end, tuple(offsets))


def _statement(stmt: ir.Stmt, end: ir.Complete, tiles: dict[str, ir.Accumulator]) -> Body:
    match stmt:
        case ir.Fill() if stmt.acc.name in tiles:
            start = ir.Start(stmt.span, stmt.acc, stmt.index, stmt.declares)
            return (
                (start,)
                if stmt.value in (Lit(0, stmt.value.elem), Lit(0.0, stmt.value.elem))
                else (start, *_kept(stmt))
            )
        case ir.StoreTile(first=0) if stmt.acc.name in tiles:  # further parts of it find the registers loaded
            return replace(end, span=stmt.span), ir.LoadAccumulator(stmt.span, stmt.acc, stmt.index), stmt
        case ir.Visit() | ir.Reduce():
            return _computed(stmt, end, tiles)
        case ir.Commit():
            return (replace(end, span=stmt.span),)
    return (stmt,)


def _kept(fill: ir.Fill) -> Body:
    """An accumulator that does not start as zeros is written as ordinary code writes one."""
    indices = [Lit(number) for number in range(fill.acc.count)] if fill.declares else [fill.index]
    keeps = (ir.KeepAccumulator(fill.span, fill.acc, index) for index in indices)
    return (ir.Fill(fill.span, fill.acc, fill.index, fill.value), *keeps)


def _computed(stmt: ir.Visit | ir.Reduce, end: ir.Complete, tiles: dict[str, ir.Accumulator]) -> Body:
    inner = tuple(statements(stmt.body)) if isinstance(stmt, ir.Visit) else ()
    used: list[Place] = [(each.name, each.slot) for part in inner for each in held_in(part)]
    written: list[Place] = [(put.element.name, put.element.slot) for put in inner if isinstance(put, ir.Put)]
    if isinstance(stmt, ir.Reduce):
        used = [(stmt.source.name, stmt.at)]
    loads = [(name, index) for name, index in dict.fromkeys(used) if name in tiles]
    stores = [(name, index) for name, index in dict.fromkeys(written) if name in tiles]
    return (
        *((replace(end, span=stmt.span),) if loads else ()),
        *(ir.LoadAccumulator(stmt.span, tiles[name], index) for name, index in loads),
        stmt,
        *(ir.KeepAccumulator(stmt.span, tiles[name], index) for name, index in stores),
    )


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


def _spared(body: Body) -> Body:
    """Without waits and loads for what ordinary code in the same list has waited for and loaded."""
    found: list[ir.Stmt] = []
    complete, loaded = False, set[Place]()
    for stmt in body:
        match stmt:
            case ir.Complete() if complete:
                continue
            case ir.Complete():
                complete = True
            case ir.LoadAccumulator():
                if (stmt.acc.name, stmt.index) in loaded:
                    continue
                loaded.add((stmt.acc.name, stmt.index))
            case ir.Visit() | ir.Reduce() | ir.StoreTile() | ir.KeepAccumulator():
                pass
            case _ if isinstance(stmt, ir.Multiply | ir.Start | ir.Set | ir.Let) or bodies(stmt):
                complete, loaded = complete and isinstance(stmt, ir.Set | ir.Let), set()
        found.append(stmt)
    return tuple(found)


def _fenced(stmt: ir.Stmt) -> Body:
    """What a thread does to tensor memory is ordered by fences around the barriers that other threads wait at."""
    match stmt:
        case ir.Complete():
            return stmt, ir.Fence(stmt.span, ir.Fencing.AFTER)
        case ir.LoadAccumulator(acc=acc) | ir.KeepAccumulator(acc=acc):  # the next multiplies come behind it
            return stmt, ir.Fence(stmt.span, ir.Fencing.BEFORE), ir.Sync(stmt.span, acc.unit)
    return (stmt,)
