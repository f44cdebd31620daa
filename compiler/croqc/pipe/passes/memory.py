"""Pass memory: where each tensor and barrier lies in the block's shared memory.

As `sema.memory` counts it: tensors with the largest alignment first, the barriers behind them.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.sema.memory import placed
from croqc.text.record import replace

_BARRIER = 8  # bytes of an mbarrier
_ADDRESS = 8  # of tensor memory, a word that keeps the barriers' alignment


def memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    sizes = [(item.alignment, item.tensor.slots, item.bytes) for item in kernel.shared]
    barriers = (_BARRIER, sum(event.slots for event in kernel.events), _BARRIER)
    (*offsets, start), total = placed([*sizes, barriers])
    shared = tuple(replace(item, offset=at) for item, at in zip(kernel.shared, offsets, strict=True))
    tensor_memory = kernel.tensor_memory
    if tensor_memory is not None:
        tensor_memory = replace(tensor_memory, address_at=total)
        total += _ADDRESS
    if total > env.target.shared_limit:
        largest = max(kernel.shared, key=lambda one: one.bytes * one.tensor.slots)
        raise LoweringError(
            f"a block would take {total} bytes of shared memory; {env.target.name} has {env.target.shared_limit}: "
            "use smaller tiles or fewer slots",
            largest.span,
        )
    return replace(kernel, shared=shared, barriers_at=start, shared_bytes=total, tensor_memory=tensor_memory)
