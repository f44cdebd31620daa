"""What a card would write for the probes of a kernel, byte by byte, from hand-made visits. Must not assert.

Words as `include/croq/probe.cuh` has them, written down here anew.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from croqc.pipe import ir

PLACES = 16384
ROUNDS = 8


@dataclass(frozen=True)
class Lane:
    """A path of a block. Clocks in cycles, times in nanoseconds; a visit is (begun, ended, site, slot, turn)."""

    visits: Sequence[tuple[int, int, int, int, int]] = ()
    start: int = 0
    end: int = 0
    start_time: int = 0
    end_time: int = 0
    block: int = 0
    multiprocessor: int = 0
    dropped: int = 0

    def head(self) -> bytes:
        words = (self.start, self.start_time, self.end, self.end_time, self.block, self.multiprocessor, self.dropped)
        return struct.pack("<4Q3I20x", *words)

    def records(self) -> bytes:
        made = b"".join(
            struct.pack("<2I2Hi", begun & 0xFFFFFFFF, ended & 0xFFFFFFFF, site, slot, turn)
            for begun, ended, site, slot, turn in self.visits
        )
        return made + bytes(16 * PLACES - len(made))


def file_of(lanes: Sequence[Lane]) -> bytes:
    """The file of a launch: all paths of the first block, then those of the next; eight equal rounds."""
    heads = b"".join(lane.head() for lane in lanes)
    return heads * ROUNDS + b"".join(lane.records() for lane in lanes)


@dataclass
class Ring:
    """Plays a loader and a consumer over a ring, at one nanosecond a cycle: who waits, and for how long.

    `issue`, `flight`, `work`: cycles that the copies of a turn take to start and to land, and the multiplies of one.
    """

    probes: ir.Probes
    stages: int
    turns: int
    issue: int
    flight: int
    work: int
    origin: int = 1_000

    def lanes(self, block: int = 0) -> list[Lane]:
        """The kernel has one path that loads and one that multiplies, in this order."""
        loader, consumer = self._play()
        end = max(loader[-1][1], consumer[-1][1]) + 50
        times = {"start_time": 5_000, "end_time": 5_000 + end - self.origin, "block": block, "multiprocessor": 7}
        return [Lane(each, self.origin, end, **times) for each in (loader, consumer)]

    def _site(self, op: str, nth: int = 0) -> int:
        """The number of the nth site of a kind."""
        found = [number for number, site in enumerate(self.probes.sites, 1) if site.op == op]
        return found[nth]

    def _play(self) -> tuple[list[tuple[int, int, int, int, int]], list[tuple[int, int, int, int, int]]]:
        freed = [self.origin] * self.stages  # when each slot was given back
        loader: list[tuple[int, int, int, int, int]] = []
        consumer: list[tuple[int, int, int, int, int]] = []
        consumer += [(self.origin, self.origin, self._site("trigger", 1), slot, slot) for slot in range(self.stages)]
        producing = consuming = self.origin
        for turn in range(self.turns):
            slot = turn % self.stages
            passed = max(producing, freed[slot]) + 10
            loader.append((producing, passed, self._site("wait"), slot, turn))
            loader.append((passed, passed + self.issue, self._site("copy"), slot, turn))
            loader.append((passed + self.issue, passed + self.issue + 5, self._site("trigger"), slot, turn))
            producing = passed + self.issue + 5
            landed = passed + self.issue + self.flight
            got = max(consuming, landed) + 10
            consumer.append((consuming, got, self._site("wait", 1), slot, turn))
            consumer.append((got, got + 20, self._site("multiply"), slot, turn))
            consumer.append((got + 20, got + self.work, self._site("commit"), 0, turn))
            consumer.append((got + self.work, got + self.work + 5, self._site("trigger", 2), slot, turn))
            consuming = got + self.work + 5
            freed[slot] = consuming
        return loader, consumer
