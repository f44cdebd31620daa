"""Kernels that dawdle: where a delay of pseudo-random length stands, and what a kernel needs for it (`delay.cuh`). Must
not print statements.

What nothing orders then comes in other orders than the usual one; the seed is the last parameter of each kernel.
"""

from __future__ import annotations

from typing import Final

from croqc.codegen.own import Own
from croqc.pipe import ir

BEFORE: Final = (ir.Wait, ir.Arrive, ir.Copy, ir.Sync, ir.Await)
AFTER: Final = (ir.Wait, ir.Arrive)


def seed_name(kernel: ir.Kernel) -> str:
    """The parameter that the delays are drawn from."""
    return Own(kernel)("delay_seed")


def state_name(kernel: ir.Kernel) -> str:
    """The variable of a thread that says which delay comes next."""
    return Own(kernel)("delays")
