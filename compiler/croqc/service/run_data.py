"""The data that a run hands to its kernel: arrays, scalars, extents. Must not run the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from types import MappingProxyType

from croqc.runs.drawn import Draw
from croqc.runs.elements import ELEMENTS, Array, other_poison, poison
from croqc.runs.inputs import input_array
from croqc.runs.usage import poisoned
from croqc.sema.model import Model
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Scalar
from croqc.service.run_values import Size
from croqc.text.record import record, replace

_UNNAMED = 8  # the extent of a `?`, which no size can name


@record
class RunData:
    """By parameter name. `elems`: the element type of each array and scalar. `draws`: arrays that are made on the card;
    of those `arrays` has shapes alone."""

    arrays: Mapping[str, Array]
    scalars: Mapping[str, Size]
    dims: Mapping[str, int]
    elems: Mapping[str, str]
    draws: Mapping[str, Draw] = MappingProxyType({})


LIMIT = 16 << 30  # bytes
LARGE = 64 << 20  # bytes from which a card makes the data of its runs itself


class DataTooLargeError(Exception):
    """The sizes ask for more data than a run takes; the text says how much."""


def _allowed(shapes: Iterable[tuple[str, tuple[int, ...]]]) -> int:
    """The bytes of all arrays. Raises DataTooLargeError before anything is allocated."""
    size = sum(prod(shape) * ELEMENTS[elem].dtype.itemsize for elem, shape in shapes)
    if size > LIMIT:
        raise DataTooLargeError(
            f"its data would take {size / 2**30:,.0f} GiB, a run takes up to {LIMIT >> 30}; use smaller sizes"
        )
    return size


def _extent(value: Int, dims: Mapping[str, int]) -> int:
    known = value.evaluate(dims)
    return _UNNAMED if known is None else known


def otherwise_poisoned(model: Model, data: RunData) -> RunData:
    """The same inputs; what is only written starts with another content than it does in `data`."""
    names = {symbol.name for symbol in poisoned(model)}
    fresh = {name: other_poison(data.elems[name], data.arrays[name].shape) for name in names & data.arrays.keys()}
    return replace(data, arrays={**data.arrays, **fresh})


def make_data(model: Model, sizes: Mapping[str, Size], seed: int, on_card: bool = False) -> RunData:
    """Inputs by the seed; parameters that are only written start poisoned; scalars from `sizes`, else drawn. `on_card`:
    of LARGE data there are shapes alone, and what the card is to make.

    Raises DataTooLargeError.
    """
    dims = {name: int(value) for name, value in sizes.items() if isinstance(value, int)}
    symbols = [model.uses.get(param.name) if param.name else None for param in model.function.params]
    shapes = {
        symbol.name: (symbol.type.elem, tuple(_extent(dim, dims) for dim in symbol.type.shape))
        for symbol in symbols
        if symbol is not None and isinstance(symbol.type, Data)
    }
    on_card = _allowed(shapes.values()) >= LARGE and on_card
    unread = {symbol.name for symbol in poisoned(model)}
    arrays: dict[str, Array] = {}
    scalars: dict[str, Size] = {}
    elems: dict[str, str] = {}
    draws: dict[str, Draw] = {}
    for position, symbol in enumerate(symbols):
        if symbol is None:
            continue
        if symbol.name in shapes:
            elem, shape = shapes[symbol.name]
            elems[symbol.name] = elem
            poisons = symbol.name in unread
            if on_card:
                draws[symbol.name] = draw = Draw(elem, shape, seed, position, poisons)
                arrays[symbol.name] = draw.placeholder
                continue
            arrays[symbol.name] = poison(elem, shape) if poisons else input_array(elem, shape, seed, position)
        elif isinstance(symbol.type, Scalar):
            elems[symbol.name] = symbol.type.elem
            drawn = input_array(symbol.type.elem, (1,), seed, position)[0].item()
            given = sizes.get(symbol.name, drawn)
            scalars[symbol.name] = float(given) if ELEMENTS[symbol.type.elem].kind == "float" else given
    return RunData(arrays, scalars, dims, elems, MappingProxyType(draws))
