"""How far launches and coordinates count, the same on every target. Must not decide anything.

Source: CUDA C++ programming guide, technical specifications of compute capabilities; PTX ISA, cp.async.bulk.tensor.
"""

from __future__ import annotations

from typing import Final

LARGEST: Final = 2**31 - 1
"""What a size, an index, or a coordinate of TMA counts to."""
MOST_BLOCKS: Final = (LARGEST, 65535, 65535)
"""Blocks of a grid in x, y and z."""
