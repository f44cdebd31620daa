"""The data that a run hands to its kernel: arrays, scalars, extents. Must not run the kernel."""

from __future__ import annotations

from collections.abc import Mapping

from croqc.runs.elements import Array, poison
from croqc.runs.inputs import input_array
from croqc.runs.usage import poisoned
from croqc.sema.model import Model
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Scalar
from croqc.text.record import record

Size = int | float | bool
_UNNAMED = 8  # the extent of a `?`, which no size can name


@record
class RunData:
    """By parameter name. `elems`: the element type of each array and scalar."""

    arrays: Mapping[str, Array]
    scalars: Mapping[str, Size]
    dims: Mapping[str, int]
    elems: Mapping[str, str]


def _extent(value: Int, dims: Mapping[str, int]) -> int:
    known = value.evaluate(dims)
    return _UNNAMED if known is None else known


def make_data(model: Model, sizes: Mapping[str, Size], seed: int) -> RunData:
    """Inputs by the seed; parameters that are only written start poisoned; scalars from `sizes`, else drawn."""
    dims = {name: int(value) for name, value in sizes.items() if isinstance(value, int)}
    unread = {symbol.name for symbol in poisoned(model)}
    arrays: dict[str, Array] = {}
    scalars: dict[str, Size] = {}
    elems: dict[str, str] = {}
    for position, param in enumerate(model.function.params):
        symbol = model.uses.get(param.name) if param.name else None
        if symbol is None:
            continue
        if isinstance(symbol.type, Data):
            elems[symbol.name] = symbol.type.elem
            shape = tuple(_extent(dim, dims) for dim in symbol.type.shape)
            draw = poison(symbol.type.elem, shape) if symbol.name in unread else None
            arrays[symbol.name] = input_array(symbol.type.elem, shape, seed, position) if draw is None else draw
        elif isinstance(symbol.type, Scalar):
            elems[symbol.name] = symbol.type.elem
            drawn = input_array(symbol.type.elem, (1,), seed, position)[0].item()
            scalars[symbol.name] = sizes.get(symbol.name, drawn)
    return RunData(arrays, scalars, dims, elems)
