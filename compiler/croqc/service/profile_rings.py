"""Which ring of a profiled kernel costs most, which side of it is slow, and what to try. Must not measure.

A consumer that stands at `full` loses time; a producer that stands at `empty` has done its work and loses none. So the
waits for full slots decide: where they cost little, the consumer is the limit, which is what one wants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from croqc.flow.report import EventFacts, KernelFlow
from croqc.flow.tables import initial_credits
from croqc.service.profile_result import BlockTime, PlaceTime, RingTime

MATTERS: Final = 0.10
"""The share of a side's time from which its waits are told as a cost."""

_FILLS: Final = 0.5  # of the waits for full slots: the first one


@dataclass(frozen=True, slots=True)
class Room:
    """Shared memory of a block, in bytes: what it takes and may take, and what another slot of a ring would add."""

    taken: int
    limit: int
    slot: int


@dataclass(frozen=True, slots=True)
class Judged:
    """See `profile_result.KernelTime`."""

    slow: str
    ring: int | None
    verdict: str
    tries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Ring:
    full: EventFacts
    empty: EventFacts
    producers: tuple[str, ...]
    consumers: tuple[str, ...]


def rings_of(flow: KernelFlow | None, blocks: Sequence[BlockTime]) -> tuple[RingTime, ...]:
    """Each pair of events of the credit flow that hands slots to and fro, with its waits in the blocks."""
    return tuple(_timed(ring, blocks) for ring in (_pairs(flow) if flow else ()))


def _pairs(flow: KernelFlow) -> Iterator[_Ring]:
    """`empty` is the one of the two that gives more credits at start."""
    for empty in flow.events:
        for full in flow.events:
            producers = _common(full.triggered_by, empty.waited_by)
            consumers = _common(full.waited_by, empty.triggered_by)
            apart = initial_credits(flow, empty) > initial_credits(flow, full)
            if full is not empty and apart and producers and consumers:
                yield _Ring(full, empty, producers, consumers)


def _common(some: Iterable[tuple[str, object]], others: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """The paths that both name, in the order of the first."""
    known = {path for path, _ in others}
    return tuple(dict.fromkeys(path for path, _ in some if path in known))


def _timed(ring: _Ring, blocks: Sequence[BlockTime]) -> RingTime:
    full = [place for place in _places(blocks, ring.consumers) if (place.op, place.event) == ("wait", ring.full.name)]
    empty = [place for place in _places(blocks, ring.producers) if (place.op, place.event) == ("wait", ring.empty.name)]
    waited = sum(place.total for place in full)
    return RingTime(
        ring.full.name,
        ring.empty.name,
        ring.full.slots,
        ring.producers,
        ring.consumers,
        waited / _time_of(blocks, ring.consumers),
        sum(place.first for place in full) / max(waited, 1),
        sum(place.total for place in empty) / _time_of(blocks, ring.producers),
    )


def _places(blocks: Iterable[BlockTime], paths: Sequence[str]) -> Iterator[PlaceTime]:
    return (place for block in blocks for place in block.places if place.path in paths)


def _time_of(blocks: Iterable[BlockTime], paths: Sequence[str]) -> int:
    """Nanoseconds of some paths in all blocks, as far as they were recorded; at least 1."""
    return max(sum(path.kept - path.start for block in blocks for path in block.paths if path.name in paths), 1)


# --- verdicts ------------------------------------------------------------------------------------


def judged(rings: Sequence[RingTime], blocks: Sequence[BlockTime], room: Sequence[Room]) -> Judged:
    """What costs most. `room`: of each ring."""
    if not rings:
        return _without_rings(blocks)
    starving = max(rings, key=lambda ring: ring.fullShare)
    ring = starving if starving.fullShare >= MATTERS else max(rings, key=lambda ring: ring.emptyShare)
    number = list(rings).index(ring)
    slow = _slow_side(ring)
    waits = ((ring.consumers, ring.full, ring.fullShare), (ring.producers, ring.empty, ring.emptyShare))
    verdict = f"{_WORDS[slow]}: " + ", ".join(_stands(*each) for each in waits)
    if slow == "none":
        costly = _costliest(blocks)
        return Judged(slow, number, f"{verdict}; {_most(costly)}" if costly else verdict, ())
    return Judged(slow, number, verdict, tuple(_tries(slow, ring, blocks, room[number])))


def _slow_side(ring: RingTime) -> str:
    if ring.fullShare < MATTERS:
        return "consumer" if ring.emptyShare >= MATTERS else "none"
    if ring.firstShare >= _FILLS:
        return "fill"
    return "depth" if ring.emptyShare >= MATTERS else "loader"


_WORDS: Final = {
    "consumer": "the consumer is the limit, which is what you want",
    "fill": "most of the cost is the first wait, while the ring fills",
    "depth": "both sides stand: the ring is too shallow for the time that a copy takes, or the memory is the limit",
    "loader": "the loader is the limit",
    "none": "no ring costs much",
}


def _stands(paths: Sequence[str], event: str, share: float) -> str:
    one = len(paths) == 1
    words = f"stands {percent(share)} of its time" if one else f"stand {percent(share)} of their time"
    return f"{' and '.join(paths)} {words} at '{event}'"


def percent(share: float) -> str:
    """ "12 %"; one digit behind the point below ten."""
    value = 100 * share
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.1f} %"


def _tries(slow: str, ring: RingTime, blocks: Sequence[BlockTime], room: Room) -> Iterator[str]:
    """What might help, the most promising first."""
    if slow == "consumer":
        if len(ring.consumers) == 1:
            yield "a second consumer that takes half of the tile"
        yield "a larger tile, so that each byte is used in more multiplies"
    elif slow == "fill":
        yield "a persistent kernel: its loader runs on into the next tile while the last one is stored"
        yield "more turns a block: a smaller tile along K, or a larger K"
    elif slow == "depth":
        yield from _deeper(ring, room)
        yield "a larger tile: the same bytes serve more multiplies"
    else:
        copy = max(_copies(blocks, ring.producers), key=lambda place: place.total, default=None)
        if copy is not None and copy.share >= MATTERS:
            line, share = copy.range.start.line + 1, percent(copy.share)
            yield f"a faster copy in line {line}, which takes {share}: TMA, or wider rows"
        yield "a second loader, so that each makes half of the copies"


def _copies(blocks: Iterable[BlockTime], paths: Sequence[str]) -> list[PlaceTime]:
    return [place for place in _places(blocks, paths) if place.op == "copy" and not place.leaves]


def _deeper(ring: RingTime, room: Room) -> Iterator[str]:
    more = room.taken + room.slot
    if room.slot and more <= room.limit:
        yield f"{ring.slots + 1} stages: shared memory then takes {more:,} of {room.limit:,} bytes"
    elif room.slot:
        yield f"a smaller tile and more than {ring.slots} stages: another of {room.slot:,} bytes does not fit now"


def _without_rings(blocks: Sequence[BlockTime]) -> Judged:
    """A kernel whose paths hand no slots to and fro."""
    costly = _costliest(blocks)
    if costly is None:
        return Judged("none", None, "nothing was recorded: the kernel has no wait, arrival, copy or multiply", ())
    tries = {
        "wait-future": ("copy the next tile while this one is used: two buffers and 'rotate', or a ring of events",),
        "copy": ("asynchronous copies, which go on while the threads compute: 'tma.copy', or '.async' with a wait",),
        "join": ("fewer barriers, or a ring of events, in which nobody waits for all",),
    }.get(costly.op, ())
    return Judged(
        "none", None, f"there is no ring of events; {_most(costly)}", tries if costly.share >= MATTERS else ()
    )


def _costliest(blocks: Sequence[BlockTime]) -> PlaceTime | None:
    return max((place for block in blocks for place in block.places), key=lambda place: place.share, default=None)


def _most(place: PlaceTime) -> str:
    line = place.range.start.line + 1
    return f"most of a path's time, {percent(place.share)} of {place.path}, goes by in line {line}: {what(place)}"


def what(place: PlaceTime) -> str:
    """A place in words: "wait full", "copy into lhs_s", "multiply"."""
    words = {"wait-future": "wait for copies", "commit": "wait for multiplies", "join": "barrier", "write": "store"}
    word = "copy out" if place.leaves else words.get(place.op, place.op)
    return f"{word} {place.event or place.buffer}".rstrip()
