"""The table of sm_90a: Hopper with its architecture-specific instructions (reference, 3.8, 6.3 and 7.7)."""

from __future__ import annotations

from typing import Final

from croqc.targets import rows
from croqc.targets.table import Feature, Target

TARGET: Final = Target(
    name="sm_90a",
    features=frozenset(
        {
            Feature.CP_ASYNC,
            Feature.MBARRIER,
            Feature.MBARRIER_TX,
            Feature.TMA,
            Feature.CLUSTER,
            Feature.WGMMA,
            Feature.MMA_SYNC,
            Feature.WMMA,
            Feature.SETMAXNREG,
            Feature.DEPENDENT_LAUNCH,
            Feature.FP8,
            Feature.NARROW,
        }
    ),
    shared_limit=227 * 1024,
    shared_align=128,
    local_limit=2 * 1024,
    mma=(*rows.WMMA, *rows.WGMMA, *rows.MMA_SYNC_90),
)
