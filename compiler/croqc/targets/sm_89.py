"""The table of sm_89: Ada (reference, 3.8, 6.3 and 7.7)."""

from __future__ import annotations

from typing import Final

from croqc.targets import rows
from croqc.targets.table import Feature, Target

TARGET: Final = Target(
    name="sm_89",
    features=frozenset(
        {
            Feature.CP_ASYNC,
            Feature.MBARRIER,
            Feature.MMA_SYNC,
            Feature.WMMA,
            Feature.FP8,
        }
    ),
    shared_limit=99 * 1024,
    shared_align=16,
    local_limit=2 * 1024,
    mma=(*rows.WMMA, *rows.SPLIT_89, *rows.MMA_SYNC_89),
)
