"""The table of sm_80: Ampere data centre, A100 (reference, 3.8, 6.3 and 7.7)."""

from __future__ import annotations

from typing import Final

from croqc.targets import rows
from croqc.targets.table import Feature, Target

TARGET: Final = Target(
    name="sm_80",
    features=frozenset(
        {
            Feature.CP_ASYNC,
            Feature.MBARRIER,
            Feature.MMA_SYNC,
            Feature.WMMA,
        }
    ),
    shared_limit=163 * 1024,
    shared_align=16,
    local_limit=2 * 1024,
    mma=(*rows.WMMA, *rows.SPLIT_80, *rows.MMA_SYNC_80),
)
