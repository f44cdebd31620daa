"""The data that a run hands to its kernel: arrays, scalars, extents. Must not run the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from croqc.runs.elements import ELEMENTS, Array, poison
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


LIMIT = 16 << 30  # bytes


class DataTooLargeError(Exception):
    """The sizes ask for more data than a run takes; the text says how much."""


def _allowed(shapes: Iterable[tuple[str, tuple[int, ...]]]) -> None:
    """Raises DataTooLargeError before anything is allocated."""
    size = sum(prod(shape) * ELEMENTS[elem].dtype.itemsize for elem, shape in shapes)
    if size > LIMIT:
        raise DataTooLargeError(
            f"its data would take {size / 2**30:,.0f} GiB, a run takes up to {LIMIT >> 30}; use smaller sizes"
        )


def _extent(value: Int, dims: Mapping[str, int]) -> int:
    known = value.evaluate(dims)
    return _UNNAMED if known is None else known


def make_data(model: Model, sizes: Mapping[str, Size], seed: int) -> RunData:
    """Inputs by the seed; parameters that are only written start poisoned; scalars from `sizes`, else drawn.

    Raises DataTooLargeError.
    """
    dims = {name: int(value) for name, value in sizes.items() if isinstance(value, int)}
    symbols = [model.uses.get(param.name) if param.name else None for param in model.function.params]
    shapes = {
        symbol.name: (symbol.type.elem, tuple(_extent(dim, dims) for dim in symbol.type.shape))
        for symbol in symbols
        if symbol is not None and isinstance(symbol.type, Data)
    }
    _allowed(shapes.values())
    unread = {symbol.name for symbol in poisoned(model)}
    arrays: dict[str, Array] = {}
    scalars: dict[str, Size] = {}
    elems: dict[str, str] = {}
    for position, symbol in enumerate(symbols):
        if symbol is None:
            continue
        if symbol.name in shapes:
            elem, shape = shapes[symbol.name]
            elems[symbol.name] = elem
            poisons = symbol.name in unread
            arrays[symbol.name] = poison(elem, shape) if poisons else input_array(elem, shape, seed, position)
        elif isinstance(symbol.type, Scalar):
            elems[symbol.name] = symbol.type.elem
            drawn = input_array(symbol.type.elem, (1,), seed, position)[0].item()
            scalars[symbol.name] = sizes.get(symbol.name, drawn)
    return RunData(arrays, scalars, dims, elems)
