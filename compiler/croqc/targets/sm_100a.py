"""The table of sm_100a: Blackwell data centre. It has no wgmma (reference, 3.8, 6.3 and 7.7)."""

from __future__ import annotations

from typing import Final

from croqc.targets import rows
from croqc.targets.table import Feature, Target

TARGET: Final = Target(
    name="sm_100a",
    features=frozenset(
        {
            Feature.CP_ASYNC,
            Feature.MBARRIER,
            Feature.MBARRIER_TX,
            Feature.TMA,
            Feature.CLUSTER,
            Feature.TCGEN05,
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
    mma=(*rows.WMMA, *rows.TCGEN05, *rows.MMA_SYNC_90),
)
