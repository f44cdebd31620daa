"""What the paths of one small instance do, fully unrolled: the input of the exhaustive checker. Pure data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

Box = tuple[tuple[int, int], ...]
"""Half-open ranges, the slots of an array first."""
Slot = tuple[int, int, int]
"""An event slot: the declaration's number, which of its instances, the slot."""
HIDDEN = -1  # instead of a declaration's number: orders paths of the same threads


class Kind(Enum):
    WAIT = "wait"  # slot, parity
    ARRIVE = "arrive"  # slot, parity of its order or -1; `flights`: copies whose bytes the generation awaits
    START = "start"  # an asynchronous copy: `flights` holds its number, `touches` what it reads and writes
    LANDED = "landed"  # wait for the copies in `flights`
    TOUCH = "touch"  # a synchronous access
    OPEN = "open"  # a multiply that goes on reading: number in `flights`
    CLOSE = "close"  # those multiplies have ended
    BARRIER = "barrier"  # all paths


class Touch(NamedTuple):
    buffer: tuple[int, ...]
    box: Box
    write: bool


@dataclass(frozen=True, slots=True)
class Op:
    kind: Kind
    place: int
    slot: Slot | None = None
    parity: int = 0
    flights: tuple[int, ...] = ()
    touches: tuple[Touch, ...] = ()

    @property
    def hidden(self) -> bool:
        return self.slot is not None and self.slot[0] == HIDDEN


@dataclass(slots=True)
class Instance:
    """`paths`: name and operations of each. `counts`: arrivals that complete a generation. `ready`: slots at 1.

    `formal`: what is wrong whatever the schedule does: "twice" (a future waited for or bound again), "unwaited".
    `alone`: there is no other block.
    """

    paths: dict[str, list[Op]] = field(default_factory=dict)
    counts: dict[Slot, int] = field(default_factory=dict)
    ready: set[Slot] = field(default_factory=set)
    formal: set[str] = field(default_factory=set)
    alone: bool = False


def overlap(a: Touch, b: Touch) -> bool:
    return a.buffer == b.buffer and all(
        lo < end and begin < hi for (lo, hi), (begin, end) in zip(a.box, b.box, strict=True)
    )


def conflict(a: Touch, b: Touch) -> bool:
    return (a.write or b.write) and overlap(a, b)
