"""The table of sm_86: Ampere graphics (reference, 3.8, 6.3 and 7.7)."""

from __future__ import annotations

from typing import Final

from croqc.targets import rows
from croqc.targets.table import Feature, Target

TARGET: Final = Target(
    name="sm_86",
    features=frozenset(
        {
            Feature.CP_ASYNC,
            Feature.MBARRIER,
            Feature.MMA_SYNC,
            Feature.WMMA,
        }
    ),
    shared_limit=99 * 1024,
    shared_align=16,
    local_limit=2 * 1024,
    mma=(*rows.WMMA, *rows.SPLIT_80, *rows.MMA_SYNC_80),
)
