"""Pass stored: who waits for TMA stores into a tensor that its kernel uses otherwise too waits until they are written.

So it is where the kernel reads the tensor, or where something that it stores later, in another turn of a loop too, may
meet the same elements: the first store could land last. Elsewhere a wait behind a TMA store is only for its source,
which may then be written again. Must not add waits; they are where the program, the barriers and the epilogue have put
them.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.again import overtaken
from croqc.pipe.env import Env
from croqc.pipe.exprs import Space
from croqc.pipe.published import otherwise_used
from croqc.pipe.walk import rewrite, statements
from croqc.text.record import replace


def stored(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    """The kernel with waits for writes (PTX, cp.async.bulk.wait_group) where its own code needs them."""
    transfers = [
        stmt for stmt in statements(kernel.body) if isinstance(stmt, ir.Copy) and stmt.mechanism is ir.Mechanism.TMA
    ]
    into = {copy.dest.tensor.name for copy in transfers if copy.dest.tensor.space is Space.GLOBAL}
    if not into & (otherwise_used(kernel) | overtaken(kernel)):
        return kernel
    return replace(kernel, body=rewrite(kernel.body, _written))


def _written(stmt: ir.Stmt) -> tuple[ir.Stmt, ...]:
    return (replace(stmt, written=True, keep=0),) if isinstance(stmt, ir.StoresRead) else (stmt,)
