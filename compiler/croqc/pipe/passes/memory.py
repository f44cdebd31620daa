"""Pass memory: where each tensor and barrier lies in the block's shared memory.

Tensors with the largest alignment first, so that little is lost between them, each as low as it can lie: over tensors
that are never in use together with it (`alive`), beside the others. The barriers lie behind all of them.

A tensor that the async proxy writes or reads may lie over one that threads wrote with ordinary instructions: then the
barrier behind the last of these writes is a fence between the proxies too (reference, 5.5).
"""

from __future__ import annotations

from collections.abc import Mapping

from croqc.pipe import ir
from croqc.pipe.alive import Lifetime, apart, lifetimes
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.passes.barriers import taken_by_async_proxy
from croqc.pipe.walk import Body, rewrite, statements
from croqc.targets.table import Feature
from croqc.text.record import replace

_BARRIER = 8  # bytes of an mbarrier


def memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    alive = lifetimes(kernel)
    placed: dict[str, ir.Shared] = {}
    for item in sorted(kernel.shared, key=lambda one: -one.alignment):
        placed[item.tensor.name] = replace(item, offset=_lowest(item, list(placed.values()), alive))
    end = max((extent(item)[1] for item in placed.values()), default=0)
    start = aligned(end, _BARRIER)
    total = start + _BARRIER * sum(event.slots for event in kernel.events)
    total += _BARRIER if kernel.tensor_columns else 0  # where the address of tensor memory is left
    if total > env.target.shared_limit:
        largest = max(kernel.shared, key=lambda one: one.bytes * one.tensor.slots)
        raise LoweringError(
            f"a block would take {total} bytes of shared memory; {env.target.name} has {env.target.shared_limit}",
            largest.span,
        )
    shared = tuple(placed[item.tensor.name] for item in kernel.shared)
    body = _fenced(kernel, shared, alive) if env.target.has(Feature.TMA) else kernel.body
    return replace(kernel, body=body, shared=shared, barriers_at=start, shared_bytes=total)


def _lowest(item: ir.Shared, placed: list[ir.Shared], alive: Mapping[str, Lifetime]) -> int:
    """The lowest place that no tensor has which is in use at the same time."""
    others = [extent(other) for other in placed if not _share(item, other, alive)]
    size = slot_stride(item) * item.tensor.slots
    for at in sorted({0, *(aligned(end, item.alignment) for _, end in others)}):
        if all(at + size <= start or end <= at for start, end in others):
            return at
    raise AssertionError("there is room behind the last tensor")


def _share(one: ir.Shared, other: ir.Shared, alive: Mapping[str, Lifetime]) -> bool:
    first, second = alive.get(one.tensor.name), alive.get(other.tensor.name)
    return first is not None and second is not None and apart(first, second)


def extent(item: ir.Shared) -> tuple[int, int]:
    """Where a placed tensor begins and ends, in bytes from the block's base."""
    return item.offset, item.offset + slot_stride(item) * item.tensor.slots


def overlapping(kernel: ir.Kernel) -> list[tuple[ir.Shared, ir.Shared]]:
    """The pairs of placed tensors that share bytes."""
    found = []
    for number, one in enumerate(kernel.shared):
        for other in kernel.shared[number + 1 :]:
            (start, end), (begin, stop) = extent(one), extent(other)
            if start < stop and begin < end:
                found.append((one, other))
    return found


def _fenced(kernel: ir.Kernel, shared: tuple[ir.Shared, ...], alive: Mapping[str, Lifetime]) -> Body:
    """The body with fences in the barriers behind tensors whose bytes the async proxy takes over."""
    taken = {name for stmt in statements(kernel.body) for name in taken_by_async_proxy(stmt)}
    needed: set[int] = set()
    for pair in overlapping(replace(kernel, shared=shared)):
        earlier, later = sorted(pair, key=lambda item: alive[item.tensor.name].first)
        if later.tensor.name in taken:
            needed.add(id(alive[earlier.tensor.name].barrier))
    return rewrite(kernel.body, lambda stmt: (_publishing(stmt) if id(stmt) in needed else stmt,))


def _publishing(stmt: ir.Stmt) -> ir.Stmt:
    assert isinstance(stmt, ir.Sync)
    return replace(stmt, publishes=True)


def slot_stride(item: ir.Shared) -> int:
    """Bytes from one slot of a tensor to the next."""
    return aligned(item.bytes, item.alignment)


def aligned(value: int, to: int) -> int:
    return -(-value // to) * to
