"""How the memory of probes is laid out, as `include/croq/probe.cuh` has it. Must not import what the child lacks."""

from __future__ import annotations

from typing import Final

PLACES: Final = 1 << 14  # of a lane, the last of which stays empty
BLOCKS: Final = 4  # that record at a time
LANE_BYTES: Final = 64
RECORD_BYTES: Final = 16
