"""How the tensors of a kernel lie in shared memory: offsets, slots, swizzle, limit. Must not place them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from croqc.pipe import ir
from croqc.pipe.alive import extent
from croqc.pipe.exprs import Lit
from croqc.pipe.walk import statements
from croqc.service.check import FileReport
from croqc.service.check_result import DiagnosticEntry, Range, diagnostic_entry, range_of
from croqc.service.lowering import Lowered, lower_file
from croqc.service.run_plan import PlanError
from croqc.service.run_values import Size


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


def shared_memory(
    report: FileReport, entry: str | None, sizes: Mapping[str, Size], overload: int | None = None
) -> SharedMemory:
    """The layout of each kernel that would run. Raises PlanError for a usage error."""
    functions = lower_file(report, entry, sizes, overload)
    return SharedMemory(
        1,
        report.source.path,
        report.target.name,
        tuple(kernel for item in functions for kernel in _kernels(report, item)),
        tuple(diagnostic_entry(report.source, item.problem) for item in functions if item.problem is not None),
    )


@dataclass(frozen=True, slots=True)
class MadeCopy:
    """How the copy of a statement is made, in words; `start` and `end` count from the function's."""

    start: int
    end: int
    how: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The bytes that a block of the kernel takes that takes most, and how the copies of a function are made."""

    bytes: int
    copies: tuple[MadeCopy, ...]


def layouts_of(report: FileReport, numbers: Iterable[int]) -> list[Layout | None]:
    """Of each of these functions of the file, by their numbers from 0; None where there is no layout."""
    functions = [report.functions[number] for number in numbers]
    made: dict[int, Lowered] = {}
    for name in dict.fromkeys(one.name for one in functions):
        with suppress(PlanError):  # there are no sizes to lay it out for
            made.update((item.function.base, item) for item in lower_file(report, name, {}))
    return [_layout(made[one.base]) if one.base in made else None for one in functions]


def _layout(item: Lowered) -> Layout | None:
    kernels = item.program.kernels if item.program is not None else ()
    if not kernels:
        return None
    found = (one for kernel in kernels for one in statements(kernel.body) if isinstance(one, ir.Copy))
    copies = {(one.span.start, one.span.end): how_made(one) for one in found if one.mechanism is not None}
    made = tuple(MadeCopy(*place, how) for place, how in copies.items())
    return Layout(max(kernel.shared_bytes for kernel in kernels), made)


def how_made(copy: ir.Copy) -> str:
    """The mechanism of a copy in words, and why it is not the one that was asked for."""
    words = {
        ir.Mechanism.TMA: "by TMA",
        ir.Mechanism.CP_ASYNC: f"by `cp.async`, {copy.vector} bytes an access",
        ir.Mechanism.VECTOR: f"by loads and stores of {copy.vector} bytes",
        ir.Mechanism.SCALAR: "element by element",
    }
    assert copy.mechanism is not None
    return words[copy.mechanism] + (f", not by TMA: {copy.instead}" if copy.instead else "")


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
