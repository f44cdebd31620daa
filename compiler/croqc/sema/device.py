"""The device side of analysis in its order: each stage reads what the ones before it filled.

Runs after names, types, values and views are known. Must not decide anything itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from croqc.sema.accumulator_registers import check_accumulator_registers
from croqc.sema.assumed_sizes import check_assumed_sizes
from croqc.sema.builder import Builder
from croqc.sema.copies import resolve_copies
from croqc.sema.dialects import resolve_dialect
from croqc.sema.divergence import check_divergence
from croqc.sema.events import check_events
from croqc.sema.futures import check_futures
from croqc.sema.jumps import check_control
from croqc.sema.leaving import check_leaving
from croqc.sema.levels import resolve_levels
from croqc.sema.memory import resolve_memory
from croqc.sema.multiplies import resolve_multiplies
from croqc.sema.param_writes import check_param_writes
from croqc.sema.regions import check_regions
from croqc.sema.rests import check_rests
from croqc.sema.shared_order import check_shared_order

STAGES: Final[tuple[Callable[[Builder], None], ...]] = (
    resolve_levels,  # kernels first: everything below asks who runs a statement
    check_regions,
    check_control,
    check_leaving,
    resolve_copies,
    resolve_multiplies,
    check_accumulator_registers,  # the multiplies settle their shapes
    check_param_writes,
    check_rests,
    check_assumed_sizes,
    check_divergence,
    check_shared_order,
    resolve_memory,  # the copies settle which buffers are swizzled
    check_futures,
    check_events,
    resolve_dialect,  # the multiplies settle which loads name shared tiles
)


def resolve_device(builder: Builder) -> None:
    """Fill levels, kernels, copies, loads, multiplies, buffers and dialect; report the device-side findings."""
    for stage in STAGES:
        stage(builder)
