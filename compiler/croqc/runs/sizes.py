"""Default sizes: the smallest values that let a kernel run on its whole data. Must not run anything.

Per dimension (and integer parameter) the smallest value that makes each `chunkat` and `/` exact, passes all
checks, gives each ring at least 2N + 1 rounds and lets the kernel write every element of its outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from croqc.runs.conditions import Constraint
from croqc.runs.constraints import constraints_of
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Scalar

LIMIT = 4096
_ROUNDS = 6
_INTEGERS = ("s32", "s64", "u32", "u64", "s16", "u16", "s8", "u8")


class NoSizesError(Exception):
    """No sizes up to 4096 satisfy the kernel; the text names the dimension and what it cannot satisfy."""


def size_symbols(model: Model) -> tuple[Symbol, ...]:
    """What a size can be given for: the dimensions and the integer parameters, in the order of their first use."""
    return tuple(
        symbol
        for symbol in model.symbols
        if symbol.kind is SymbolKind.DIMENSION
        or (symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar) and symbol.type.elem in _INTEGERS)
    )


def _holds(constraints: Iterable[Constraint], env: Mapping[str, int]) -> bool:
    return all(item.holds(env) for item in constraints)


def _smallest(name: str, env: dict[str, int], constraints: list[Constraint]) -> int | None:
    for value in range(1, LIMIT + 1):
        if _holds(constraints, {**env, name: value}):
            return value
    return None


def default_sizes(model: Model, given: Mapping[str, int]) -> dict[str, int]:
    """Sizes for every dimension and integer parameter; those in `given` are kept.

    Raises NoSizesError where no value up to 4096 fits.
    """
    names = [symbol.name for symbol in size_symbols(model)]
    free = [name for name in names if name not in given]
    known = set(names)
    constraints = [item for item in constraints_of(model) if item.names <= known and item.names & set(free)]
    start = {name: given.get(name, 1) for name in names}
    for asked in (constraints, [item for item in constraints if not item.wish]):
        env = _settled(start, free, asked)
        broken = [item.text for item in asked if not item.holds(env)]
        if not broken:
            return env
    raise NoSizesError(f"no sizes up to {LIMIT} make {broken[0]}; write '// croq: run {_example(free)}'")


def _settled(start: Mapping[str, int], free: list[str], constraints: list[Constraint]) -> dict[str, int]:
    """Each free size at its smallest value, given the others, until none moves any more."""
    env = dict(start)
    for turn in range(_ROUNDS):
        before = dict(env)
        for name in free:
            about = [item for item in constraints if name in item.names and (turn or item.names == {name})]
            env[name] = _smallest(name, env, about) or env[name]
        if turn and env == before:
            break
    return env


def _example(names: list[str]) -> str:
    return " ".join(f"{name}=…" for name in names)
