"""The paths of a block: which there are, and the values of their indices. Must not use `croqc.flow`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from croqc.sema.model import Kernel, Level, Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk
from tests.truth.evaluate import Env, UnsupportedError
from tests.truth.siblings import Crossing, Tops, kinds, threads_of, tops


@dataclass(frozen=True, slots=True)
class Place:
    """Which path: the values of its indices. `leads`: the first one of the block."""

    name: str
    indices: tuple[tuple[Symbol, int], ...]
    leads: bool


def crossing_of(model: Model, kernel: Kernel, number: int, places: Sequence[tuple[Place, Tops]]) -> Crossing:
    if kernel.threads is None:
        raise UnsupportedError("unlike 'parallel's of threads that are not known")
    own = [threads_of(model, kernel.node, kernel.threads, place.indices) for place, _ in places]
    mine = places[number][1]
    others = [
        (other, theirs) for other, (_, theirs) in enumerate(places) if theirs != mine and own[other] & own[number]
    ]
    return Crossing(number, mine, tuple(tops(kernel.node)), others)


def places_of(model: Model, kernel: ast.Parallel, mine: Tops, values: dict[Symbol, Any]) -> Iterator[Place]:
    """One path for each value of the group indices, several where single threads are named."""
    whole = len(kinds(model, kernel)) == 1
    axes, regions = _structure((kernel,) if whole else mine)
    threads = [axis for axis in axes if model.levels.get(axis) is Level.THREAD]
    env = Env(model, dict(values))
    own = list(_group_indices(model, env, kernel.axes)) if whole else []
    inner = [list(_group_indices(model, env, _structure((top,))[0])) for top in mine]
    alike = zip(*(each for each in inner if each), strict=True)  # of all `parallel`s the same values at once
    chosen = [*own, *(([symbol for symbols, _ in each for symbol in symbols], each[0][1]) for each in alike)]
    lanes = (
        [(env.symbol(name), range(bound)) for axis in threads for name, bound in extents(env, axis)] if regions else []
    )
    for group in product(*(range(bound) for _, bound in chosen)):
        indices = tuple(
            (symbol, value) for (symbols, _), value in zip(chosen, group, strict=True) for symbol in symbols
        )
        seen: set[tuple[bool, ...]] = set()
        for lane in product(*(_few(values) for _, values in lanes)):
            inside = (*indices, *zip((symbol for symbol, _ in lanes), lane, strict=True))
            truth = tuple(_holds(env, region.cond, inside) for region in regions)
            if truth in seen or (seen and not any(truth)):
                continue
            seen.add(truth)
            if not whole and len(seen) > 1:
                raise UnsupportedError("single threads beside unlike 'parallel's")
            named = dict.fromkeys(f"{symbol.name} = {value}" for symbol, value in inside)
            yield Place(", ".join(named) or "the block", inside, False)


@lru_cache(maxsize=8)
def _structure(roots: Tops) -> tuple[tuple[ast.Axis, ...], tuple[ast.InThreads, ...]]:
    """The axes of all `parallel`s and the regions of a kernel, or of some of its `parallel`s."""
    nodes = tuple(node for root in roots for node in walk(root))
    axes = tuple(axis for node in nodes if isinstance(node, ast.Parallel) for axis in node.axes)
    return axes, tuple(node for node in nodes if isinstance(node, ast.InThreads))


def _few(values: range) -> list[int]:
    """Enough threads of an axis to find those that conditions single out."""
    return sorted({*values[:2], *values[-1:]})


def _group_indices(model: Model, env: Env, axes: Sequence[ast.Axis]) -> Iterator[tuple[list[Symbol], int]]:
    """The indices of groups, those of one name together, with their bounds."""
    named: dict[str, tuple[list[Symbol], int]] = {}
    for axis in axes:
        if model.levels.get(axis) in (Level.GROUP4, Level.GROUP):
            for name, bound in extents(env, axis):
                named.setdefault(name.id, ([], bound))[0].append(env.symbol(name))
    return iter(named.values())


def extents(env: Env, axis: ast.Axis) -> list[tuple[ast.Name, int]]:
    bounds = [size for bound in axis.bounds for size in env.integers(bound)]
    return list(zip(axis.names, bounds, strict=False))


def _holds(env: Env, cond: ast.Node, indices: tuple[tuple[Symbol, int], ...]) -> bool:
    inner = Env(env.model, {**env.values, **dict(indices)})
    return bool(inner.value(cond))
