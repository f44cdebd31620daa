"""Pass arguments: which arrays a kernel takes the address of, and what the compiler may hold of them.

Those that nothing but TMA touches come with their tensor maps alone.

What threads pass on to each other through memory must not be restricted: the compiler then holds that nobody else
writes it, and keeps what it has read over barriers and waits (CUDA C++ programming guide, __restrict__). With it the
compiler reads what a kernel never writes by ld.global.nc, which need not see writes of others (PTX ISA). None come:
nothing is read before the wait for the launches in front (`dependents`), whose blocks have all ended by then, and the
next launch writes behind its own wait for this one. It would not hold if a launch let the next begin while its blocks
run (griddepcontrol.launch_dependents), and that wrote in front of its wait.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.mentioned import foreign_words, tensors_of
from croqc.pipe.transfers import sides
from croqc.pipe.walk import rewrite
from croqc.pipe.written import written
from croqc.text.record import replace


def arguments(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    body = rewrite(kernel.body, lambda stmt: (_without_array(stmt),))
    used, changed = tensors_of(body) | foreign_words(body), written(kernel)
    names = (tensor.name for tensor in kernel.tensors if tensor.name in used)
    return replace(kernel, pointers=tuple(ir.Pointer(name, name not in changed) for name in names))


def _without_array(stmt: ir.Stmt) -> ir.Stmt:
    """Of a transfer, what threads compute for it: where its boxes begin; which array they are of the map says."""
    if not isinstance(stmt, ir.Copy) or stmt.mechanism is not ir.Mechanism.TMA:
        return stmt
    outside, inside = sides(stmt)
    return ir.Call(stmt.span, "", (*outside.origin, inside.slot, *inside.origin))
