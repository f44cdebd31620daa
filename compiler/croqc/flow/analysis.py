"""The one entry to the credit-flow verifier: a model in, one verdict a kernel out. Must not know rules or words."""

from __future__ import annotations

from croqc.flow.paths import kernel_paths
from croqc.flow.report import KernelFlow, Strength
from croqc.sema.model import Model

TYPING_BUDGET = 200_000
CHECK_BUDGET = 50 * TYPING_BUDGET


def analyze_flow(model: Model, budget: int = TYPING_BUDGET) -> tuple[KernelFlow, ...]:
    """The verdict of each kernel (outermost `parallel`) in source order. Total and deterministic.

    `budget` bounds the effort in abstract steps (credit-flow, section 5).
    """
    return tuple(
        KernelFlow(kernel, Strength.UNKNOWN, reason="not analysed", paths=kernel_paths(model, kernel))
        for kernel in model.kernels
    )
