"""Pass scopes: arrivals and waits over a cluster order ordinary memory where blocks share some (PTX ISA, mbarrier).

An arrival with release semantics for the cluster waits until what its thread has written is seen by all blocks, and a
wait with acquire semantics drops what the multiprocessor has cached: with every turn of a loop. In the language blocks
of a cluster share global tensors, and each other's shared tensors where a copy lands in all of them. No block sees what
another's ordinary code does where the kernel reads no global tensor that it writes, and leaves the tensors of such
copies to multiplies and TMA: these are complete when their own waits and barriers say so.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.exprs import Space
from croqc.pipe.published import otherwise_used, touched
from croqc.pipe.transfers import taken_by_async_proxy
from croqc.pipe.walk import Body, rewrite, statements
from croqc.text.record import replace


def scopes(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    if shares_memory(kernel):
        return kernel
    return replace(kernel, body=rewrite(kernel.body, _signal))


def shares_memory(kernel: ir.Kernel) -> bool:
    """Whether ordinary code of a block may see or disturb what another block of the cluster does."""
    alike = {stmt.dest.tensor.name for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy) and stmt.multicast}
    used, written = otherwise_used(kernel), set[str]()
    for stmt in statements(kernel.body):
        if isinstance(stmt, ir.Text | ir.Call):
            return True
        if alike & (touched(stmt) - set(taken_by_async_proxy(stmt))):
            return True
        if isinstance(stmt, ir.Copy | ir.StoreTile) and stmt.dest.tensor.space is Space.GLOBAL:
            written.add(stmt.dest.tensor.name)
        if isinstance(stmt, ir.Write) and stmt.tile.tensor.space is Space.GLOBAL:
            return True
    return not written.isdisjoint(used)


def _signal(stmt: ir.Stmt) -> Body:
    match stmt:
        case ir.Wait(cluster=True):
            return (replace(stmt, cluster=False),)
        case ir.Arrive(cluster=True):
            return (replace(stmt, signals=True),)
    return (stmt,)
