"""Pass unread: what nobody reads is not computed: values with a name, indices of threads, blocks and clusters.

A compiler warns of each (nvcc, 177-D). Leaving one out changes nothing: it is no variable that changes, and calls no
function of the file, which may do anything; elements of memory that only it read need not be read.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.live import live_part
from croqc.text.record import replace


def unread(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    body, read = live_part(kernel.body, frozenset())
    return replace(
        kernel,
        body=body,
        indices=tuple(index for index in kernel.indices if index.name in read),
        grid_names=tuple(name if name in read else "" for name in kernel.grid_names),
        cluster=tuple((name if name in read else "", extent) for name, extent in kernel.cluster),
    )
