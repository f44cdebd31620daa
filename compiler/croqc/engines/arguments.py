"""What a function is called with, whichever engine runs it. Must not choose sizes or values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from croqc.pipe.facts import whole_sizes
from croqc.runs.elements import Array
from croqc.syntax import ast


@dataclass(frozen=True, slots=True)
class LaunchArgs:
    """What the function is called with, by parameter name: arrays in their storage types, and scalars.

    `dims`: symbolic extents by name; those that a parameter's array gives need not be there.
    """

    arrays: Mapping[str, Array]
    scalars: Mapping[str, int | float | bool] = field(default_factory=dict)
    dims: Mapping[str, int] = field(default_factory=dict)


def entry_sizes(function: ast.Function, env: LaunchArgs) -> dict[str, int]:
    """Extents and integer parameters by name, as the function is entered."""
    sizes = dict(env.dims)
    for param in function.params:
        array = None if param.name is None else env.arrays.get(param.name.id)
        for dim, extent in zip(param.type.dims or (), () if array is None else array.shape, strict=False):
            if isinstance(dim, ast.Name):
                sizes.setdefault(dim.id, extent)
    return sizes | whole_sizes(env.scalars)
