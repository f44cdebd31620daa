"""Pass registers: `setmaxnreg` where consumers need more registers than an even share (PTX ISA, setmaxnreg), and
multiplies in pieces where an even share does not hold one instruction.

The launch gives every thread the same number. A loading warpgroup gives up most of its own, so that the multiplying
ones can hold their accumulators. Where a block is alone on its multiprocessor, for its shared memory leaves no room for
another one, registers cost nothing: then the assembler gets all of them to overlap the turns of the consumers' loops.
There it might do with less than the even share, and would ignore `setmaxnreg` if the launch did not promise that a
multiprocessor holds one block (ptxas, C7508).

Code behind the roles runs in warps that gave and in warps that took, and the assembler counts on the fewer. In a loop
all of it is behind: nothing is moved there. Behind roles at the end of the kernel there is nothing.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.mentioned import register_tiles
from croqc.pipe.pieces import BESIDE, in_pieces
from croqc.pipe.transfers import is_load
from croqc.pipe.walk import Body, flat, rewrite, statements
from croqc.sema.model import THREADS, Unit
from croqc.targets.registers import FILE, LEAST, STEP, share
from croqc.targets.table import Feature
from croqc.text.record import record, replace

_LOADER = (40, 32, LEAST)  # a loader's registers: as many as leave the others what they need
_SPARE, _MOST = 90, 240  # what a consumer needs beside accumulators; the limit
_LIGHT = (ir.Let, ir.Set, ir.Loop, ir.While, ir.If, ir.Scope, ir.Jump, ir.Wait, ir.Arrive, ir.Expect, ir.Role)


def registers(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    even = _even(kernel)
    if _may_move(kernel, env) and (placed := _placed(kernel.body)) is not None:
        held = _held(kernel, placed.roles)
        counts = _counts(kernel, env, placed, held, even)

        def change(stmt: ir.Stmt) -> Body:
            count = counts.get(stmt.path) if isinstance(stmt, ir.Role) and stmt in placed.roles else None
            return (stmt,) if count is None else (replace(stmt, registers=count, gives=count < even),)

        kernel = replace(kernel, body=rewrite(kernel.body, change))
        if counts and held + _SPARE <= even:
            kernel = replace(kernel, bounds=replace(kernel.bounds, blocks=1))
    return in_pieces(kernel, even)


def _even(kernel: ir.Kernel) -> int:
    """How many registers the launch gives each thread at most."""
    if kernel.bounds.registers:
        return kernel.bounds.registers
    return share(FILE, kernel.threads * max(kernel.bounds.blocks, 1))


def _may_move(kernel: ir.Kernel, env: Env) -> bool:
    if kernel.bounds.registers or kernel.bounds.blocks > 1:
        return False  # other blocks, or what the source says, have a part of them
    if kernel.own_registers:
        return False  # the source moves them itself
    return env.target.has(Feature.SETMAXNREG) and not env.target.has(Feature.TCGEN05)  # there accumulators are none


@record
class _Placed:
    """The outermost roles, one behind the other; `last`: nothing stands behind them."""

    roles: tuple[ir.Role, ...]
    last: bool


def _placed(body: Body) -> _Placed | None:
    """The roles of a kernel; None where they stand in a loop or have other code between them."""
    body = tuple(flat(body))
    holding = [at for at, stmt in enumerate(body) if any(isinstance(each, ir.Role) for each in statements((stmt,)))]
    if not holding:
        return None
    first, run = body[holding[0]], body[holding[0] : holding[-1] + 1]
    last = all(isinstance(stmt, ir.Sync) for stmt in body[holding[-1] + 1 :])
    roles = tuple(stmt for stmt in run if isinstance(stmt, ir.Role))
    if len(roles) == len(run):
        return _Placed(roles, last)
    if isinstance(first, ir.If) and len(run) == 1 and not first.other:
        inner = _placed(first.then)
        return None if inner is None else replace(inner, last=inner.last and last)
    return None


def _held(kernel: ir.Kernel, roles: tuple[ir.Role, ...]) -> int:
    """How many registers of a thread accumulators take in the role that has most."""
    sizes = {acc.name: acc.count * acc.registers for acc in kernel.accumulators}
    return max(sum(sizes.get(name, 0) for name in register_tiles((role,))) for role in roles)


def _counts(kernel: ir.Kernel, env: Env, placed: _Placed, held: int, even: int) -> dict[str, int]:
    """The registers of roles by their paths; empty where each keeps its share."""
    roles = placed.roles
    loaders = [role for role in roles if _is_loader(role)]
    consumers = [role for role in roles if register_tiles((role,))]
    groups = [group for role in roles for group in role.groups]
    if not loaders or not consumers or len(groups) != len(set(groups)):
        return {}  # a warpgroup that loads and multiplies has no registers to give
    if any(role.unit is not Unit.GROUP4 for role in consumers):
        return {}  # all warps of a warpgroup change it together
    if any(isinstance(stmt, ir.Role) and stmt.unit is Unit.BLOCK for stmt in statements(kernel.body)):
        return {}
    alone = 2 * sum(item.slot_stride * item.tensor.slots for item in kernel.shared) > env.target.shared_limit
    needed = held + (_SPARE if placed.last else BESIDE)
    whole = kernel.threads // THREADS[Unit.GROUP4]
    if needed <= even and not (placed.last and alone and whole > 2):
        return {}
    giving, taking = (sum(len(role.groups) for role in some) for some in (loaders, consumers))
    shares = {own: min((even * (giving + taking) - own * giving) // taking // STEP * STEP, _MOST) for own in _LOADER}
    own = next((own for own, rest in shares.items() if rest >= held + _SPARE), max(_LOADER, key=shares.__getitem__))
    if shares[own] <= even:
        return {}  # there are more than a thread can have
    return {role.path: own for role in loaders} | {role.path: shares[own] for role in consumers}


def _is_loader(role: ir.Role) -> bool:
    """Whether one thread of each warpgroup does it all: waits, and starts transfers that need no registers."""
    inner = list(statements(role.body))
    loads = [stmt for stmt in inner if isinstance(stmt, ir.Copy) and is_load(stmt) and stmt.unit is Unit.THREAD]
    light = all(isinstance(stmt, _LIGHT) or stmt in loads for stmt in inner)
    one = role.unit is Unit.GROUP4 or (role.unit in (Unit.GROUP, Unit.THREAD) and len(role.groups) == 1)
    return one and light and bool(loads)
