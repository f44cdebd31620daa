"""Pass registers: `setmaxnreg` where consumers need more registers than an even share (PTX ISA, setmaxnreg).

The launch gives every thread the same number. A loading warpgroup gives up most of its own, so that the multiplying
ones can hold their accumulators. Where a block is alone on its multiprocessor, for its shared memory leaves no room for
another one, registers cost nothing: then the assembler gets all of them to overlap the turns of the consumers' loops.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.walk import rewrite, statements
from croqc.sema.model import THREADS, Unit
from croqc.targets.table import Feature
from croqc.text.record import replace

_FILE, _STEP = 65536, 8  # registers of a multiprocessor; granularity
_LOADER, _SPARE, _MOST = 40, 90, 240  # a loader's registers; what a consumer needs beside accumulators; the limit


def registers(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    roles = [stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Role)]
    groups = kernel.threads // THREADS[Unit.GROUP4]
    loaders = [role for role in roles if role.elected and role.unit is Unit.GROUP4]
    if kernel.bounds != ir.OPEN:
        return kernel  # other blocks, or what the source says, have a part of them
    if env.target.has(Feature.TCGEN05) or any(role.unit is Unit.BLOCK for role in roles):
        return kernel  # accumulators are no registers, or a path is no warpgroup
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

    return replace(kernel, body=rewrite(kernel.body, change))
