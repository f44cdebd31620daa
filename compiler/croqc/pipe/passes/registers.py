"""Pass registers: `setmaxnreg` where consumers need more registers than an even share (PTX ISA, setmaxnreg).

The launch gives every thread the same number. A loading warpgroup gives up most of its own, so that the multiplying
ones can hold their accumulators. Where a block is alone on its multiprocessor, for its shared memory leaves no room for
another one, registers cost nothing: then the assembler gets all of them to overlap the turns of the consumers' loops.

Not with a loop around the roles: code that both sides come to again has the fewer registers of both, and the assembler
spills accumulators. What an instruction wants it takes from the even share, whatever is moved: where that is too small
the multiply is refused here, for the assembler would do it without a place.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import THREADS, Unit
from croqc.targets.table import Feature
from croqc.text.record import replace

_FILE, _STEP = 65536, 8  # registers of a multiprocessor; granularity
_THREAD = 255  # registers of a thread at most
_BESIDE = 26  # what ptxas asks for beside the accumulator of an instruction (its message C7602)
_LOADER, _SPARE, _MOST = 40, 90, 240  # a loader's registers; what a consumer needs beside accumulators; the limit


def registers(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    """Raises LoweringError for a multiply that takes more registers than its threads have."""
    has = _even(kernel)
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Multiply) and (needs := _needed(stmt)) > has:
            reason = f"this takes {needs} registers of a thread, and each of {kernel.threads} threads has {has}"
            raise LoweringError(f"{reason}: take fewer warpgroups, or a narrower tile", stmt.span)
    return _moved(kernel, env)


def _even(kernel: ir.Kernel) -> int:
    """The registers that the launch gives each thread."""
    even = min(_FILE // (kernel.threads * max(kernel.bounds.blocks, 1)) // _STEP * _STEP, _THREAD)
    return min(even, kernel.bounds.registers or even)


def _needed(stmt: ir.Multiply) -> int:
    if stmt.instruction is not ir.Instruction.WGMMA:
        return 0
    return stmt.m * stmt.n * ELEMENTS[stmt.acc.elem].bits // 32 // THREADS[Unit.GROUP4] + _BESIDE


def _in_loop(body: Body) -> bool:
    loops = (stmt for stmt in statements(body) if isinstance(stmt, ir.Loop | ir.While))
    return any(isinstance(each, ir.Role) for loop in loops for each in statements(loop.body))


def _moved(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    roles = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Role)]
    groups = kernel.threads // THREADS[Unit.GROUP4]
    loaders = [role for role in roles if role.elected and role.unit is Unit.GROUP4]
    if kernel.bounds != ir.OPEN:
        return kernel  # other blocks, or what the source says, have a part of them
    if env.target.has(Feature.TCGEN05) or any(role.unit is Unit.BLOCK for role in roles) or _in_loop(kernel.body):
        return kernel  # accumulators are no registers, a path is no warpgroup, or the same code is come to again
    if not env.target.has(Feature.SETMAXNREG) or len(loaders) != 1 or groups < 2 or len(roles) != 2:
        return kernel
    if not set(roles[0].groups).isdisjoint(roles[1].groups):
        return kernel  # a warpgroup that loads and multiplies has no registers to give
    share = min(_FILE // kernel.threads // _STEP * _STEP, _MOST)
    held = sum(acc.count * acc.registers for acc in kernel.accumulators)
    alone = 2 * sum(item.slot_stride * item.tensor.slots for item in kernel.shared) > env.target.shared_limit
    if not held or (held + _SPARE <= share and not (alone and groups > 2)):
        return kernel
    rest = min((share * groups - _LOADER) // (groups - 1) // _STEP * _STEP, _MOST)

    def change(stmt: ir.Stmt) -> tuple[ir.Stmt, ...]:
        if isinstance(stmt, ir.Role) and stmt.unit is Unit.GROUP4:
            return (replace(stmt, registers=_LOADER if stmt.elected else rest),)
        return (stmt,)

    # Told that one block a multiprocessor will do, the assembler knows how many registers there are to give and take.
    bounds = kernel.bounds if held + _SPARE > share else replace(kernel.bounds, blocks=1)
    return replace(kernel, body=rewrite(kernel.body, change), bounds=bounds)
