"""Barriers in shared memory (reference, 7.7; PTX mbarrier) and named barriers. Must not know who waits and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from croqc.text.span import Span


class OverrunError(Exception):
    """An arrival beyond the count of one generation: undefined on the hardware."""


class Arrival(NamedTuple):
    """Who arrived, and at which statement."""

    path: str
    span: Span


@dataclass(slots=True, eq=False)
class MBarrier:
    """One event slot: `completed` generations, `pending` arrivals and outstanding transaction bytes `tx`.

    `arrived`: the arrivals of the present generation; `before`: those of the one that completed last.
    """

    count: int
    completed: int = 0
    pending: int = field(init=False)
    tx: int = 0
    arrived: tuple[Arrival, ...] = ()
    before: tuple[Arrival, ...] = ()

    def __post_init__(self) -> None:
        self.pending = self.count

    def expect(self, size: int) -> None:
        """Registers bytes in the present generation (`expect_tx`)."""
        self.tx += size

    def arrive(self, who: Arrival | None = None) -> None:
        """One arrival; raises OverrunError if the generation has all of its arrivals already."""
        if self.pending == 0:
            raise OverrunError
        self.pending -= 1
        if who is not None:
            self.arrived = (*self.arrived, who)
        self._advance()

    def complete(self, size: int) -> None:
        """Bytes have landed (`complete_tx`)."""
        self.tx -= size
        self._advance()

    def _advance(self) -> None:
        if self.pending == 0 and self.tx == 0:
            self.completed += 1
            self.pending = self.count
            self.before, self.arrived = self.arrived, ()

    def passes(self, parity: int) -> bool:
        """`try_wait.parity`: true if the phase with that parity has completed, as far as one bit can tell."""
        return self.completed & 1 != parity


@dataclass(slots=True, eq=False)
class NamedBarrier:
    """`bar.sync`/`bar.arrive`: counts threads; `generation` grows when `count` of them have come."""

    count: int
    arrived: int = 0
    generation: int = 0

    def arrive(self, threads: int) -> None:
        self.arrived += threads
        if self.arrived >= self.count:
            self.arrived -= self.count
            self.generation += 1
