"""Pass memory: where each tensor and barrier lies in the block's shared memory.

As `sema.memory` counts it: tensors with the largest alignment first, the barriers behind them. Where some tensors are
never in use together (`alive`), each lies as low as it can: over those, beside the others.

A tensor that the async proxy writes or reads may lie over one that threads wrote with ordinary instructions: then the
barrier behind the last of these writes is a fence between the proxies too (reference, 5.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from croqc.pipe import ir
from croqc.pipe.alive import Lifetime, apart, extent, lifetimes, overlapping
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError
from croqc.pipe.ir_declared import aligned
from croqc.pipe.transfers import taken_by_async_proxy
from croqc.pipe.walk import Body, rewrite, statements
from croqc.sema.memory import placed
from croqc.targets.table import Feature
from croqc.text.record import replace

_BARRIER = 8  # bytes of an mbarrier
_ADDRESS = 8  # of tensor memory, a word that keeps the barriers' alignment


def memory(kernel: ir.Kernel, env: Env) -> ir.Kernel:
    alive = lifetimes(kernel)
    shared = _over_each_other(kernel.shared, alive) or _side_by_side(kernel.shared)
    start = aligned(max((extent(item)[1] for item in shared), default=0), _BARRIER)
    total = start + _BARRIER * sum(event.slots for event in kernel.events)
    tensor_memory = kernel.tensor_memory
    if tensor_memory is not None:
        tensor_memory = replace(tensor_memory, address_at=total)
        total += _ADDRESS
    if total > env.target.shared_limit:
        raise _too_much(kernel, env, total, start)
    body = _fenced(kernel, shared, alive) if env.target.has(Feature.TMA) else kernel.body
    return replace(kernel, body=body, shared=shared, barriers_at=start, shared_bytes=total, tensor_memory=tensor_memory)


def _too_much(kernel: ir.Kernel, env: Env, total: int, placed_bytes: int) -> LoweringError:
    largest = max(kernel.shared, key=lambda one: one.bytes * one.tensor.slots)
    apart = max(extent(item)[1] for item in _side_by_side(kernel.shared)) + total - placed_bytes
    shared = f", where those never in use together share theirs ({apart} side by side)" if apart > total else ""
    return LoweringError(
        f"a block would take {total} bytes of shared memory{shared}; {env.target.name} has "
        f"{env.target.shared_limit}: use smaller tiles or fewer slots",
        largest.span,
    )


def _side_by_side(shared: tuple[ir.Shared, ...]) -> tuple[ir.Shared, ...]:
    offsets, _ = placed([(item.alignment, item.tensor.slots, item.bytes) for item in shared])
    return tuple(replace(item, offset=at) for item, at in zip(shared, offsets, strict=True))


def _over_each_other(shared: tuple[ir.Shared, ...], alive: Mapping[str, Lifetime]) -> tuple[ir.Shared, ...]:
    """The tensors in their places; none where no two of them may share bytes."""
    if not any(_share(one, other, alive) for one, other in combinations(shared, 2)):
        return ()
    found: dict[str, ir.Shared] = {}
    for item in sorted(shared, key=lambda one: -one.alignment):
        found[item.tensor.name] = replace(item, offset=_lowest(item, list(found.values()), alive))
    return tuple(found[item.tensor.name] for item in shared)


def _lowest(item: ir.Shared, others: list[ir.Shared], alive: Mapping[str, Lifetime]) -> int:
    """The lowest place that no tensor has which is in use at the same time."""
    taken = [extent(other) for other in others if not _share(item, other, alive)]
    size = item.slot_stride * item.tensor.slots
    for at in sorted({0, *(aligned(end, item.alignment) for _, end in taken)}):
        if all(at + size <= start or end <= at for start, end in taken):
            return at
    raise AssertionError("there is room behind the last tensor")


def _share(one: ir.Shared, other: ir.Shared, alive: Mapping[str, Lifetime]) -> bool:
    first, second = alive.get(one.tensor.name), alive.get(other.tensor.name)
    return first is not None and second is not None and apart(first, second)


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
