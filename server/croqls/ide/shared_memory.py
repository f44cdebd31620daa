"""How the tensors of a kernel lie in shared memory: offsets, slots, swizzle, limit. Must not place them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from croqc.pipe import ir
from croqc.pipe.alive import extent
from croqc.pipe.exprs import Lit
from croqc.service.check import FileReport
from croqc.service.check_result import DiagnosticEntry, Range, diagnostic_entry, range_of
from croqc.service.lowering import Lowered, lower_file
from croqc.service.run_data import Size
from croqc.service.run_plan import PlanError


@dataclass(frozen=True, slots=True)
class SharedTensor:
    """Bytes from the base of the block. `stride`: from one slot to the next; `swizzle` in bytes, 0 for none. Tensors
    that are never in use together may lie over one another."""

    name: str
    range: Range
    element: str
    shape: tuple[int, ...]
    offset: int
    bytes: int
    slots: int
    stride: int
    swizzle: int
    alignment: int


@dataclass(frozen=True, slots=True)
class SharedKernel:
    """`bytes` of a block in all, of `limit`; what no tensor has are barriers and gaps."""

    function: str
    kernel: str
    bytes: int
    limit: int
    tensors: tuple[SharedTensor, ...]


@dataclass(frozen=True, slots=True)
class SharedMemory:
    """Version 1. `diagnostics` say why a function has no layout."""

    version: int
    path: str
    arch: str
    kernels: tuple[SharedKernel, ...]
    diagnostics: tuple[DiagnosticEntry, ...]


def shared_memory(report: FileReport, entry: str | None, sizes: Mapping[str, Size]) -> SharedMemory:
    """The layout of each kernel that would run. Raises PlanError for a usage error."""
    functions = lower_file(report, entry, sizes)
    return SharedMemory(
        1,
        report.source.path,
        report.target.name,
        tuple(kernel for item in functions for kernel in _kernels(report, item)),
        tuple(diagnostic_entry(report.source, item.problem) for item in functions if item.problem is not None),
    )


def shared_bytes(report: FileReport, names: Iterable[str]) -> dict[str, int | None]:
    """What a block of the kernel takes that takes most, by function; None where there is no layout."""
    found: dict[str, int | None] = {}
    for name in names:
        try:
            made = shared_memory(report, name, {}).kernels
        except PlanError:  # there is no such function by now
            made = ()
        found[name] = max((one.bytes for one in made), default=None)
    return found


def _kernels(report: FileReport, item: Lowered) -> list[SharedKernel]:
    if item.program is None:
        return []
    limit = report.target.shared_limit
    return [
        SharedKernel(
            item.function.name,
            kernel.name,
            kernel.shared_bytes,
            limit,
            tuple(_tensor(report, item, each) for each in sorted(kernel.shared, key=lambda one: one.offset)),
        )
        for kernel in item.program.kernels
    ]


def _tensor(report: FileReport, item: Lowered, each: ir.Shared) -> SharedTensor:
    start, end = extent(each)
    return SharedTensor(
        each.tensor.name,
        range_of(report.source, each.span.shift(item.function.base)),
        each.tensor.elem,
        tuple(int(one.value) for one in each.tensor.shape if isinstance(one, Lit)),
        start,
        end - start,
        each.tensor.slots,
        each.slot_stride,
        each.swizzle,
        each.alignment,
    )
