"""The inside of each mbarrier along a run: arrivals, bytes, phase, who waits (credit-flow, 2). Must not analyse.

The steps of a run say what happened; here they are played through the counters of the hardware. The steps may be
played in another legal order than the analysis took: the outcome is the same (credit-flow, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from croqc.flow.report import EventFacts, Step

ARRIVING = ("trigger", "bootstrap")
Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Cell:
    """One mbarrier at one moment. `completed` generations so far, so it is in phase number `completed`.

    `pending`: arrivals still missing in this phase, of `arrivals`; `bytes`: still outstanding; `waiting`: the paths
    that stand at a wait on it, each with the generation that it needs.
    """

    event: str
    slot: int
    arrivals: int
    completed: int
    pending: int
    bytes: int
    waiting: tuple[tuple[str, int], ...] = ()

    @property
    def parity(self) -> int:
        return self.completed & 1


@dataclass(slots=True)
class Barrier:
    """The counters of one slot, as the hardware keeps them."""

    event: str
    slot: int
    arrivals: int
    completed: int = 0
    pending: int = 0
    bytes: int = 0
    waiting: dict[str, int] = field(default_factory=dict)
    makers: list[int] = field(default_factory=list)
    made: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pending = self.arrivals

    def arrive(self, step: int, added: int) -> None:
        self.makers.append(step)
        self.pending -= 1
        self.bytes += added
        self._complete()

    def land(self, step: int, moved: int) -> None:
        if not moved and not self.bytes and self.pending == self.arrivals:
            return  # of an unknown size: nothing was counted for it, and its generation is over
        self.makers.append(step)
        self.bytes -= moved
        self._complete()

    def _complete(self) -> None:
        if self.pending <= 0 and self.bytes <= 0:
            self.made[self.completed] = tuple(self.makers)
            self.makers = []
            self.completed += 1
            self.pending, self.bytes = self.arrivals, 0

    def cell(self) -> Cell:
        waiting = tuple(sorted(self.waiting.items()))
        return Cell(self.event, self.slot, self.arrivals, self.completed, self.pending, self.bytes, waiting)


class Barriers:
    """Every mbarrier of a kernel. `made` says which steps completed a generation."""

    def __init__(self, events: Iterable[EventFacts]) -> None:
        self.at: dict[Key, Barrier] = {}
        for event in events:
            for slot in range(event.slots):
                count = event.arrivals[slot] if slot < len(event.arrivals) else 1
                self.at[event.name, slot] = Barrier(event.name, slot, max(count, 1), int(event.ready))

    def of(self, step: Step) -> Barrier | None:
        return self.at.get((step.event, step.slot)) if step.event and step.slot is not None else None

    def play(self, number: int, step: Step, moved: int) -> Barrier | None:
        """Let a step act; `moved` are the bytes that it adds (a trigger) or lands. The barrier it touched, if any."""
        barrier = self.of(step)
        if barrier is None:
            return None
        if step.op in ARRIVING:
            barrier.arrive(number, moved)
        elif step.op == "land":
            barrier.land(number, moved)
        elif step.op == "wait":
            barrier.waiting.pop(step.path, None)
        return barrier

    def cells(self) -> tuple[Cell, ...]:
        return tuple(barrier.cell() for barrier in self.at.values())


def moved_bytes(steps: Sequence[Step]) -> tuple[int, ...]:
    """For each step the bytes that it adds to its mbarrier (trigger) or takes off (land); 0 for others.

    A step carries what is outstanding after it; the difference to the step before on that slot is its own share.
    """
    outstanding: dict[Key, int] = {}
    shares = []
    for step in steps:
        share = 0
        counts = step.op in ARRIVING or step.op == "land"
        if counts and step.event and step.slot is not None and step.bytes is not None:
            key = (step.event, step.slot)
            before = outstanding.get(key, 0)
            share = step.bytes - before if step.op in ARRIVING else before - step.bytes
            outstanding[key] = step.bytes
        shares.append(max(share, 0))
    return tuple(shares)


def makers_of(steps: Sequence[Step], events: Iterable[EventFacts]) -> dict[tuple[str, int, int], tuple[int, ...]]:
    """Which steps made (event, slot, generation) complete: its arrivals and landings, in order."""
    barriers = Barriers(events)
    shares = moved_bytes(steps)
    for number, step in enumerate(steps):
        barriers.play(number, step, shares[number])
    return {
        (event, slot, generation): made
        for (event, slot), barrier in barriers.at.items()
        for generation, made in barrier.made.items()
    }
