"""Default sizes at which a run can tell mistakes: more than one tile, one of them ragged, no two sizes alike.

Begins at the smallest sizes that the kernel takes (`sizes`) and lets each grow while every condition still holds. A
wish that the kernel does not allow, or that makes the data large, is left out. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice
from math import prod
from typing import Final

from croqc.runs.conditions import COMPARE, Constraint, relation
from croqc.runs.constraints import constraints_of
from croqc.runs.placement import overhangs
from croqc.runs.sizes import LIMIT, default_sizes, size_symbols
from croqc.sema.model import Model
from croqc.sema.symbolic import Int, Part
from croqc.sema.types import bound_of
from croqc.syntax import ast
from croqc.syntax.visit import walk

_TWO: Final = Int.of(2)
_LARGEST: Final = 1 << 26
"""Of the product of all sizes: room for a multiply of two large tiles a side, well under a second of the simulator."""
_PAIRS: Final = 32  # values of a size for which a second one is let grow, too


def telling_sizes(model: Model, given: Mapping[str, int]) -> dict[str, int]:
    """Sizes for every dimension and integer parameter; those in `given` are kept.

    Raises NoSizesError as `default_sizes`.
    """
    env = default_sizes(model, given)
    counted = _counted(model)
    free = [name for symbol in size_symbols(model) if (name := symbol.name) not in given and name in counted]
    known = set(env)
    kept = [item for item in constraints_of(model) if item.names <= known and item.holds(env)]
    for wish in _wishes(model, free, list(env)):
        if wish.names <= known and not wish.holds(env):
            env = _grown(env, free, wish, kept) or env
        if wish.names <= known and wish.holds(env):
            kept.append(wish)
    return env


def _grown(env: dict[str, int], free: list[str], wish: Constraint, kept: list[Constraint]) -> dict[str, int] | None:
    """`env` with one size larger, or with a second that follows it, the first that fulfils a wish and keeps all else;
    None where none does."""
    names = [name for name in reversed(free) if name in wish.names]
    for name in names:
        for tried in _larger(env, name):
            if wish.holds(tried) and _broken(tried, kept, name) is None:
                return tried
    for name in names:
        for tried in islice((one for one in _larger(env, name) if wish.holds(one)), _PAIRS):
            broken = _broken(tried, kept, name)
            if broken is None:
                return tried
            for other in sorted(broken.names.intersection(free) - {name}):
                for both in _larger(tried, other):
                    if broken.holds(both) and all(item.holds(both) for item in (wish, *kept)):
                        return both
    return None


def _larger(env: dict[str, int], name: str) -> Iterator[dict[str, int]]:
    """The sizes with larger and larger values of one, as long as the data stay small."""
    rest = prod(value for other, value in env.items() if other != name)
    for value in range(env[name] + 1, min(LIMIT, _LARGEST // max(rest, 1)) + 1):
        yield {**env, name: value}


def _broken(env: Mapping[str, int], kept: list[Constraint], name: str) -> Constraint | None:
    return next((item for item in kept if name in item.names and not item.holds(env)), None)


def _wishes(model: Model, free: list[str], names: list[str]) -> Iterator[Constraint]:
    """What makes a run tell more, the most telling first."""
    for name in free:
        yield relation(Int.of(name), ">=", _TWO, f"{name} at least 2")
    tiles = list(dict.fromkeys(_tiles(model)))
    for bound in _bounds(model):
        yield relation(bound, ">=", _TWO, f"{bound} at least 2")
    for extent, tile in tiles:
        yield relation(extent, ">", tile, f"{extent} more than one tile of {tile}")
    for extent, tile in tiles:
        yield relation(extent.mod(tile), "!=", Int.of(0), f"{extent} no multiple of {tile}")
    for one, other in combinations(names, 2):
        yield relation(Int.of(one), "!=", Int.of(other), f"{one} other than {other}")


def _bounds(model: Model) -> Iterator[Int]:
    """Of launches and loops, those that depend on a size."""
    for node in walk(model.function):
        names: list[ast.Name] = []
        if isinstance(node, ast.Parallel):
            names = [name for axis in node.axes for name in axis.names]
        elif isinstance(node, ast.Foreach | ast.With):
            names = [name for binding in node.bindings for name in binding.names]
        for name in names:
            symbol = model.uses.get(name)
            bound = None if symbol is None else bound_of(symbol.type)
            if bound is not None and bound.const is None:
                yield bound


def _counted(model: Model) -> frozenset[str]:
    """The sizes that the kernel counts or compares by. Of another, constants may speak, as 256 of an extent that is
    always 256: it stays as it is."""
    values = list(_bounds(model))
    for node in walk(model.function):
        if isinstance(node, ast.Binary) and node.op in COMPARE:
            values += [value for side in (node.left, node.right) if (value := model.values.get(side)) is not None]
    divided = (extent for value in model.values.values() for extent, _ in _rounded_up(value))
    return frozenset().union(*(value.names() for value in (*values, *divided)))


def _tiles(model: Model) -> Iterator[tuple[Int, Int]]:
    """Extents and what they are cut into: by a view, or by a division that rounds up."""
    for view in model.views.values():
        yield from ((extent, tile) for extent, tile in overhangs(view) if extent.const is None)
    for value in model.values.values():
        yield from _rounded_up(value)


def _rounded_up(value: Int) -> Iterator[tuple[Int, Int]]:
    for atom in value.atoms():
        if isinstance(atom, Part) and atom.op == "cdiv" and atom.a.const is None:
            yield atom.a, atom.b
