"""Pass memory: where each tensor and barrier lies in the block's shared memory.

Tensors with the largest alignment first, so that little is lost between them; the barriers behind them.
"""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.ir_declared import aligned
from croqc.text.record import replace

_BARRIER = 8  # bytes of an mbarrier
_ADDRESS = 8  # of tensor memory, a word that keeps the barriers' alignment


def memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    end = 0
    placed: dict[str, ir.Shared] = {}
    for item in sorted(kernel.shared, key=lambda one: -one.alignment):
        end = aligned(end, item.alignment)
        placed[item.tensor.name] = replace(item, offset=end)
        end += item.slot_stride * item.tensor.slots
    start = aligned(end, _BARRIER)
    total = start + _BARRIER * sum(event.slots for event in kernel.events)
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
    shared = tuple(placed[item.tensor.name] for item in kernel.shared)
    return replace(kernel, shared=shared, barriers_at=start, shared_bytes=total, tensor_memory=tensor_memory)
