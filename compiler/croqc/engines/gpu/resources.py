"""Whether the card has room for a block of a kernel, told before the launch. Runs in the child; must not launch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from croqc.engines.gpu.protocol import Launch


class ResourceError(ValueError):
    """A block needs more of something than this card has."""


def check_resources(card: Mapping[str, Any], launch: Launch, registers: int) -> None:
    """Raises ResourceError for a block that no multiprocessor of the card has room for. `card`: its properties, as CUDA
    calls them; `registers` of a thread."""
    held = f"registers, {registers} in each of {launch.threads} threads"
    for what, needed, most in (
        ("bytes of shared memory", launch.shared_bytes, "sharedMemPerBlockOptin"),
        ("threads", launch.threads, "maxThreadsPerBlock"),
        (held, registers * launch.threads, "regsPerBlock"),
    ):
        there = int(card.get(most, needed))
        if needed > there:
            raise ResourceError(f"kernel '{launch.kernel}' needs {needed:,} {what}; this card has {there:,}")
