"""The one entry to the credit-flow verifier: a model in, one verdict a kernel out. Must not know rules or words."""

from __future__ import annotations

from croqc.flow.paths import kernel_paths
from croqc.flow.report import KernelFlow, Strength
from croqc.flow.verifier import verify
from croqc.sema.model import Kernel, Model

TYPING_BUDGET = 200_000
CHECK_BUDGET = 25 * TYPING_BUDGET
_BEYOND = (RecursionError, MemoryError, OverflowError)
"""What Python raises where a kernel is beyond all limits; it counts as not analysed."""


def analyze_flow(model: Model, budget: int = TYPING_BUDGET) -> tuple[KernelFlow, ...]:
    """The verdict of each kernel (outermost `parallel`) in source order. Total and deterministic.

    `budget` bounds the effort in abstract steps (credit-flow, section 5): `TYPING_BUDGET` or `CHECK_BUDGET`.
    """
    return tuple(_analyze(model, kernel, budget) for kernel in model.kernels)


def _analyze(model: Model, kernel: Kernel, budget: int) -> KernelFlow:
    try:
        paths = kernel_paths(model, kernel)
        return verify(model, kernel, paths, budget)
    except _BEYOND:
        return KernelFlow(kernel, Strength.UNKNOWN, reason="it is too large", place=kernel.node.span)
