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


def memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    sizes = [(item.alignment, item.tensor.slots, item.bytes) for item in kernel.shared]
    barriers = (_BARRIER, sum(event.slots for event in kernel.events), _BARRIER)
    (*offsets, start), total = placed([*sizes, barriers])
    shared = tuple(replace(item, offset=at) for item, at in zip(kernel.shared, offsets, strict=True))
    total += _BARRIER if kernel.tensor_columns else 0  # where the address of tensor memory is left
    if total > env.target.shared_limit:
        largest = max(kernel.shared, key=lambda one: one.bytes * one.tensor.slots)
        raise LoweringError(
            f"a block would take {total} bytes of shared memory; {env.target.name} has {env.target.shared_limit}",
            largest.span,
        )
    return replace(kernel, shared=shared, barriers_at=start, shared_bytes=total)


def slot_stride(item: ir.Shared) -> int:
    """Bytes from one slot of a tensor to the next."""
    return aligned(item.bytes, item.alignment)


def aligned(value: int, to: int) -> int:
    return -(-value // to) * to
