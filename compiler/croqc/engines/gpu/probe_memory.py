"""The card's memory for the probes of a launch, and what its kernel takes of it. Runs in the child; must not decode.

`include/croq/probe.cuh` writes it, `traces` reads what `save` leaves.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, Final

import cupy
import numpy as np

from croqc.codegen.probe_format import BLOCKS, LANE_BYTES, PLACES, RECORD_BYTES
from croqc.engines.gpu.protocol import Launch

_NOBODY: Final = 0xFFFFFFFF


class ProbeMemory:
    """Lanes and records of the blocks that a launch names."""

    def __init__(self, launch: Launch) -> None:
        count = launch.probe_paths * len(launch.probe_blocks)
        self.blocks = (*launch.probe_blocks, *(_NOBODY,) * (BLOCKS - len(launch.probe_blocks)))
        self.lanes = cupy.zeros(count * LANE_BYTES, dtype=cupy.uint8)
        self.records = cupy.zeros(count * PLACES * RECORD_BYTES, dtype=cupy.uint8)
        self.kept: list[bytes] = []

    def argument(self, every: bool) -> Any:
        """The kernel's `Probes`, by value. `every`: all blocks record."""
        packed = struct.pack("<QQ4II4x", self.lanes.data.ptr, self.records.data.ptr, *self.blocks, every)
        return np.frombuffer(packed, dtype=f"V{len(packed)}").copy()

    def clear(self) -> None:
        self.lanes.fill(0)
        self.records.fill(0)

    def keep(self) -> None:
        """The lanes of the round that is done."""
        self.kept.append(cupy.asnumpy(self.lanes).tobytes())

    def save(self, file: Path) -> None:
        """The lanes of all rounds that were kept, then the records of the last one. Raises OSError."""
        with file.open("wb") as made:
            made.write(b"".join(self.kept))
            made.write(cupy.asnumpy(self.records).tobytes())
