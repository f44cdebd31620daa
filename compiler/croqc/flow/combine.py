"""Sizes tried together: what was chosen for each, combined, with alike instances once. Must not run anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from math import prod
from typing import TypeVar

from croqc.flow.candidates import MOST_VALUES, leaves_out, values_of
from croqc.flow.exprs import Env, UndecidedError, Value, closure
from croqc.flow.likeness import Likeness
from croqc.flow.program import Loop, Program, Size
from croqc.flow.signature import NODES, Kind, Signature
from croqc.flow.turning import turning
from croqc.flow.witnesses import Meeting

_T = TypeVar("_T")
_MOST_COMBINATIONS = 6000
_MOST_AXES = 6
_MOST_PLACES = 12  # of blocks along an axis
_LAST_VALUES = 8
_MOST_TURNS = 256  # that a loop makes for a guard to come out in one way


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to try: `sizes` that matter, `loops` whose number of turns is free, the ring's `period`, and up to how many
    `turns` of each loop."""

    sizes: tuple[Size, ...]
    loops: tuple[Loop, ...]
    period: int
    turns: Mapping[Loop, int]


@dataclass(slots=True, eq=False)
class Combined:
    """`instances` in increasing size, and of which kind each is; `complete`: no size was left out that could make a
    difference; `steps`: abstract steps that choosing took; `parting`: indices of the block that conditions ask for;
    `lone`: values of several sizes that were added for a guard, each of which is not tried with all of the others."""

    instances: list[dict[int, int]] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    complete: bool = True
    steps: int = 0
    parting: frozenset[int] = frozenset()
    lone: list[Mapping[int, int]] = field(default_factory=list)


def combine(program: Program, wanted: Wanted, budget: int, largest: bool = False) -> Combined:
    """`largest`: the last ones are enough. What is too much for the budget is thinned out."""
    found = Combined()
    columns, turns = _columns(program, wanted, budget // 2, found)
    places = _places(program, wanted, budget // 2, found)
    found.parting = frozenset(var for var, own in places.items() if own)
    if largest:
        driven = {var for loop in wanted.loops for var in loop.low.variables() | loop.high.variables()}
        for var in columns.keys() & driven:
            columns[var] = sorted({columns[var][0], *columns[var][-_LAST_VALUES:]})
    signature = Signature(program, {size.var for size in wanted.sizes})
    cost = 1 + signature.nodes(turns) // NODES
    groups = signature.groups(wanted.sizes)
    share = budget // (2 * max(len(groups), 1))
    likeness = Likeness(program, wanted.sizes)
    parts = [_group(signature, group, columns, places, turns, share, found, likeness) for group in groups]
    most = min(_MOST_COMBINATIONS, max(budget // (2 * cost), 1))
    keyed = _together(signature, parts, turns, most, cost, found)
    tried = list(keyed.values())
    far = {} if largest else _meet_guards(program, wanted, signature, parts, columns, turns, tried, budget // 8, found)
    if far is not None and not largest:
        keyed = _together(signature, parts, {**turns, **far}, most, cost, found)
    order = sorted(keyed.items(), key=lambda item: (sum(_numbers(item[0])), sorted(item[1].items())))
    found.instances = [instance for _, instance in order]
    found.kinds = [signature.kind(instance) for instance in found.instances]
    return found


def _together(
    signature: Signature,
    parts: Sequence[Sequence[dict[int, int]]],
    turns: Mapping[Loop, int],
    most: int,
    cost: int,
    found: Combined,
) -> dict[tuple[object, ...], dict[int, int]]:
    """Instances by what tells them apart, made of one of each part; `most` of them, each of which costs as much."""
    keyed: dict[tuple[object, ...], dict[int, int]] = {}
    found.complete = found.complete and _count(parts) <= most
    found.steps += cost * (sum(len(part) for part in parts) + min(_count(parts), most))
    for chosen in _chosen(parts, most):
        sizes = {var: value for part in chosen for var, value in part.items()}
        key = signature.of(sizes, turns)
        if key is not None:
            keyed.setdefault(key, sizes)
    return keyed


def _meet_guards(
    program: Program,
    wanted: Wanted,
    signature: Signature,
    parts: Sequence[list[dict[int, int]]],
    columns: Mapping[int, list[int]],
    turns: Mapping[Loop, int],
    instances: Sequence[Mapping[int, int]],
    budget: int,
    found: Combined,
) -> Mapping[Loop, int] | None:
    """Adds to the parts what is needed for guards to come out both ways: the turns that loops make for it beyond those
    that are tried anyway. None if nothing was added."""
    driving = {var for loop in wanted.loops for var in loop.low.variables() | loop.high.variables()}
    given = {var: column for var, column in columns.items() if var in driving}
    meeting = Meeting(program, wanted.sizes, given, budget)
    own = [signature.within(set(part[0])) if part else signature for part in parts]
    cost = sum(len(part) * (1 + alone.nodes(turns) // NODES) for alone, part in zip(own, parts, strict=True))
    if cost > budget:
        return None
    keys: list[set[object]] = []
    free = {size.var for size in wanted.sizes if size.bound is None}
    wide = {loop: max(count, _MOST_TURNS) for loop, count in turns.items()}
    far: dict[Loop, int] | None = None
    for sizes in meeting.witnesses(instances):
        meeting.nodes += sum(alone.nodes(turns) for alone in own)
        keys = keys or [{alone.of(each, wide) for each in part} for alone, part in zip(own, parts, strict=True)]
        for alone, part, met in zip(own, parts, keys, strict=True):
            chosen = {var: sizes[var] for var in part[0]} if part else {}
            key = alone.of(chosen, wide)
            if key is not None and key not in met:
                met.add(key)
                part.append(chosen)
                far = {**(far or {}), **alone.beyond(chosen, {**turns, **(far or {})})}
                if len(chosen.keys() & free) > 1:
                    found.lone.append(chosen)
    found.steps += meeting.steps + (cost if keys else 0)
    return far


def _columns(
    program: Program, wanted: Wanted, budget: int, found: Combined
) -> tuple[dict[int, list[int]], Mapping[Loop, int]]:
    """What to try for each size by itself, and up to how many turns that is."""
    driven: set[Loop] = set()
    columns: dict[int, list[int]] = {}
    turns = dict(wanted.turns)
    free = [size for size in wanted.sizes if size.bound is None]
    for size in free:
        own = [loop for loop in wanted.loops if size.var in loop.low.variables() | loop.high.variables()]
        drives = not own or any(loop not in driven for loop in own)
        driven |= set(own)
        values = set(values_of(program, wanted.loops, wanted.period, size, wanted.turns, drives))
        turns_at = turning(program, own, wanted.period, size, wanted.turns, budget // (8 * len(free)))
        values |= turns_at.values.keys()
        for counts in turns_at.values.values():
            turns |= {loop: max(turns[loop], count) for loop, count in counts.items()}
        columns[size.var] = sorted(values)[:MOST_VALUES]
        cut = leaves_out(program, wanted.loops, wanted.period, size, wanted.turns)
        found.complete = found.complete and not cut and len(columns[size.var]) < MOST_VALUES
        found.steps += turns_at.steps
    return columns, turns


def _places(program: Program, wanted: Wanted, budget: int, found: Combined) -> dict[int, list[int]]:
    """The blocks along each axis at which a condition on their index comes out otherwise."""
    blocks = [size for size in wanted.sizes if size.bound is not None]
    places: dict[int, list[int]] = {}
    for size in blocks:
        turns_at = turning(program, (), wanted.period, size, {}, budget // (8 * len(blocks)))
        places[size.var] = sorted(turns_at.values)[:_MOST_PLACES]
        found.complete = found.complete and len(turns_at.values) <= _MOST_PLACES
        found.steps += turns_at.steps
    return places


def _chosen(parts: Sequence[Sequence[dict[int, int]]], most: int) -> Iterable[tuple[dict[int, int], ...]]:
    """One of each part, in all ways; where these are too many, each value of a part once, and some ways of a few."""
    if _count(parts) <= most:
        return product(*parts)
    length = max(len(part) for part in parts)
    along = [tuple(part[min(place, len(part) - 1)] for part in parts) for place in range(min(length, most))]
    return [*along, *islice(product(*_thinned(parts, max(most - len(along), 1))), max(most - len(along), 0))]


def _thinned(columns: Iterable[Sequence[_T]], most: int) -> list[Sequence[_T]]:
    """Every other one of the longest column, its ends among them, until the ways to combine them are few enough."""
    own = list(columns)
    while _count(own) > most:
        place = max(range(len(own)), key=lambda place: len(own[place]))
        longest = own[place]
        if len(longest) < 2:
            break
        own[place] = [*longest[:-1:2], longest[-1]] if len(longest) > 2 else longest[:1]
    return own


def _group(
    signature: Signature,
    group: Sequence[Size],
    columns: Mapping[int, list[int]],
    places: Mapping[int, list[int]],
    turns: Mapping[Loop, int],
    budget: int,
    combined: Combined,
    likeness: Likeness,
) -> list[dict[int, int]]:
    """What to try for sizes that occur together, one for each way in which they can be told apart."""
    free = [size for size in group if size.bound is None]
    blocks = [size for size in group if size.bound is not None]
    tried = [_unlike(likeness, size, columns[size.var]) for size in free]
    own = _thinned(tried, _MOST_COMBINATIONS // 4)  # such sizes are not lifted unless all rests occur
    if any(len(left) == 1 < len(column) for left, column in zip(own, tried, strict=True)):
        combined.complete = False
    ways = prod(2 + len(places[size.var]) for size in blocks[:_MOST_AXES])
    part = signature.within({size.var for size in group})
    cost = 1 + part.nodes(turns) // NODES
    most = max(budget // cost, 1)
    if _count(own) * ways > most:
        combined.complete = False
        own = _thinned(own, max(most // ways, 1))
    combined.steps += _count(own) * ways * cost
    axes = [(size.var, closure(size.bound), places[size.var]) for size in blocks if size.bound is not None]
    found: dict[tuple[object, ...], dict[int, int]] = {}
    ways_of = [likeness.of(size, column) for size, column in zip(free, own, strict=True)]
    met: set[tuple[object, ...]] = set()
    for values, way in zip(product(*own), product(*ways_of), strict=True):
        if way in met:
            continue
        met.add(way)
        sizes = {size.var: value for size, value in zip(free, values, strict=True)}
        for instance in _with_blocks(axes, sizes, signature.width):
            key = part.of(instance, turns)
            if key is not None:
                found.setdefault(key, instance)
    return list(found.values())


def _unlike(likeness: Likeness, size: Size, column: Sequence[int]) -> list[int]:
    """The first of each value that can be told from the others: of these some are left out if they are too many."""
    first: dict[object, int] = {}
    for value, way in zip(column, likeness.of(size, column), strict=True):
        first.setdefault(way, value)
    return sorted(first.values())


def _numbers(key: Iterable[object]) -> Iterator[int]:
    return (each for each in key if isinstance(each, int))


def _count(columns: Sequence[Sequence[object]]) -> int:
    total = 1
    for column in columns:
        total *= max(len(column), 1)
    return total


def _with_blocks(
    blocks: Sequence[tuple[int, Value, list[int]]], sizes: dict[int, int], width: int
) -> Iterator[dict[int, int]]:
    """The first and the last block along each axis, and those of the given places that there are."""
    if not blocks:
        yield sizes
        return
    env: Env = [0] * width
    for var, value in sizes.items():
        env[var] = value
    choices = []
    for _, bound, places in blocks:
        try:
            last = bound(env) - 1
        except UndecidedError:
            return
        choices.append(sorted({0, max(last, 0), *(place for place in places if place <= last)}))
    for chosen in product(*choices[:_MOST_AXES]):
        yield sizes | {var: place for (var, *_), place in zip(blocks, chosen, strict=False)}
