"""The result of `croq profile --json`, version 1. Must not measure or judge.

Times inside a block are nanoseconds since its start; lines and columns are 0-based, columns in UTF-16 units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from croqc.service.check_result import Range


@dataclass(frozen=True, slots=True)
class PathTime:
    """A path of a block. `kept`: when the last visit ended that was kept, `dropped` how many came behind it."""

    name: str
    start: int
    end: int
    kept: int
    dropped: int


@dataclass(frozen=True, slots=True)
class PlaceTime:
    """A place of a path, with what it took in the block. `op` is wait, trigger, copy, multiply, commit (the end of a
    group of multiplies), write, wait-future (on copies) or join (a barrier). `leaves`: a copy out of `buffer`. `loop`:
    the variable that `turn` of a visit is of. `isWait`: a path stands there until others, or its copies, are so far.

    `total`, `median`, `longest` and `first` in nanoseconds; `share` is that of the path's time.
    """

    path: str
    op: str
    event: str
    buffer: str
    leaves: bool
    loop: str
    range: Range
    count: int
    total: int
    median: int
    longest: int
    first: int
    share: float
    isWait: bool  # noqa: N815


@dataclass(frozen=True, slots=True)
class VisitTime:
    """A stay at a place (its number in `places`). `slot` and `turn` are null where the place has none."""

    place: int
    slot: int | None
    turn: int | None
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class BlockTime:
    """A block that recorded. `start`: nanoseconds since the first one's start; `length`: until its last path ended."""

    block: int
    multiprocessor: int
    start: int
    length: int
    paths: tuple[PathTime, ...]
    places: tuple[PlaceTime, ...]
    visits: tuple[VisitTime, ...]


@dataclass(frozen=True, slots=True)
class RingTime:
    """Two events that hand slots to and fro. `fullShare`: how much of the consumers' time goes by at waits for full
    slots, `firstShare`: how much of that at the first of them; `emptyShare`: how much of the producers' time at waits
    for empty ones."""

    full: str
    empty: str
    slots: int
    producers: tuple[str, ...]
    consumers: tuple[str, ...]
    fullShare: float  # noqa: N815 (the names of the JSON fields)
    firstShare: float  # noqa: N815
    emptyShare: float  # noqa: N815


@dataclass(frozen=True, slots=True)
class KernelTime:
    """A kernel of the function. `slow` is "loader", "depth", "consumer", "fill" or "none"; `verdict` says it in words,
    `tries` what might help. `ring`: the number of the ring that costs most, null without one."""

    kernel: str
    slow: str
    ring: int | None
    verdict: str
    tries: tuple[str, ...]
    rings: tuple[RingTime, ...]
    blocks: tuple[BlockTime, ...]


@dataclass(frozen=True, slots=True)
class ProfileEntry:
    """A function that was profiled; without `kernels` one that was not: `message` says why, at `range` if known.
    `offer` is "force" where the verdict of the credit flow alone keeps it from the card.

    `plain` and `probed`: seconds of a round without probes, and with them in every block; medians of `rounds`.
    """

    path: str
    function: str
    name: str
    arch: str
    card: str
    sizes: Mapping[str, int | float | bool]
    rounds: int
    plain: float
    probed: float
    kernels: tuple[KernelTime, ...]
    message: str
    range: Range | None
    notes: tuple[str, ...]
    offer: str | None

    @property
    def slowdown(self) -> float:
        """How much longer a round takes with probes in every block; 0 where it is not known."""
        return self.probed / self.plain if self.plain else 0.0


@dataclass(frozen=True, slots=True)
class ProfileResult:
    """What `croq profile --json` prints: the functions in file order."""

    version: int
    profiles: tuple[ProfileEntry, ...]
