"""A lowered function as CUDA for given sizes: the translation unit, and what the host does with it. Must not run it.

The host side is data, not text: an engine allocates `arrays`, makes the tensor maps and starts `launches` in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from croqc.codegen.kernel import grid_of
from croqc.codegen.unit import Unit, unit_of
from croqc.codegen.words import UnsupportedTypeError
from croqc.codegen.writer import Line
from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.evaluate import evaluate
from croqc.pipe.facts import Number, whole_sizes
from croqc.pipe.lower import named_sizes
from croqc.sema.elements import ELEMENTS, canonical
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.text.record import record
from croqc.text.span import NOWHERE


@record
class DeviceArray:
    """Memory of the card: a parameter's, or a buffer that the host code declares. `zeroed`: starts as zeros (3.6)."""

    name: str
    elem: str
    shape: tuple[int, ...]
    is_parameter: bool
    zeroed: bool = False


@record
class PointerArg:
    array: str


@record
class MapArg:
    """A tensor map by value (5.5). `extents` and `box` in elements, innermost first; `swizzle` in bytes."""

    array: str
    elem: str
    extents: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int


@record
class ScalarArg:
    name: str
    elem: str
    value: Number


Arg = PointerArg | MapArg | ScalarArg


@record
class Launch:
    """One start of a kernel, which says its threads and its dynamic shared memory."""

    kernel: ir.Kernel
    grid: tuple[int, int, int]
    args: tuple[Arg, ...]


@record
class Program:
    """`launches` in their order; `result`: the array that the function returns, None without one."""

    function: str
    unit: Unit
    arrays: tuple[DeviceArray, ...]
    launches: tuple[Launch, ...]
    result: str | None

    @property
    def kernels(self) -> tuple[ir.Kernel, ...]:
        """The kernel of each launch."""
        return tuple(launch.kernel for launch in self.launches)


def program_of(
    model: Model,
    kernels: Sequence[ir.Kernel],
    sizes: Mapping[str, Number],
    title: str,
    foreign: Sequence[Line] = (),
    report: bool = False,
    delays: bool = False,
) -> Program:
    """`kernels`: the final IR of the function's launches, in order, and `sizes` what they were lowered for
    (`pipe.lower`); `foreign`: device code of the file that the kernels call. `report`: waits write where they stand,
    `delays`: kernels dawdle (see `unit_of`).

    Raises LoweringError for what has no C++ or no value, at its place.
    """
    try:
        unit = unit_of(kernels, title, foreign, report=report, delays=delays)
    except UnsupportedTypeError as error:
        place = model.function.name.span if error.span == NOWHERE else error.span
        raise LoweringError(error.message, place) from error
    launches = tuple(_launch(kernel, sizes) for kernel in kernels)
    return Program(model.function.name.id, unit, tuple(_arrays(model, whole_sizes(sizes))), launches, _result(model))


def _arrays(model: Model, sizes: Mapping[str, int]) -> list[DeviceArray]:
    """Parameters in order, then the buffers of the host code."""
    found = []
    for symbol in model.symbols:
        on_host = symbol.kind is SymbolKind.BUFFER and _is_host_buffer(model, symbol)
        if isinstance(symbol.type, Data) and (symbol.kind is SymbolKind.PARAM or on_host):
            zeroed = on_host and symbol.type.storage is Storage.HOST
            shape = tuple(_extent(extent.evaluate(sizes), symbol) for extent in symbol.type.shape)
            elem = canonical(symbol.type.elem)
            found.append(DeviceArray(symbol.name, elem, shape, symbol.kind is SymbolKind.PARAM, zeroed))
    return found


def _is_host_buffer(model: Model, symbol: Symbol) -> bool:
    return not any(kernel.node.span.start <= symbol.decl.span.start < kernel.node.span.end for kernel in model.kernels)


def _extent(value: int | None, symbol: Symbol) -> int:
    if value is None:
        raise LoweringError(
            f"an extent of '{symbol.name}' is not known: make it of sizes and numbers", symbol.name_span
        )
    return value


def _result(model: Model) -> str | None:
    for stmt in model.function.body.stmts:
        if isinstance(stmt, ast.Return) and isinstance(stmt.value, ast.Name):
            return stmt.value.id
    return None


# --- launches ----------------------------------------------------------------------------------


def _launch(kernel: ir.Kernel, sizes: Mapping[str, Number]) -> Launch:
    named = dict(zip((tensor.name for tensor in kernel.tensors), kernel.sources, strict=True))
    known = named_sizes(kernel, sizes)
    values = {name: known[name] for name, _ in kernel.scalars if name in known}
    if missing := [name for name, _ in kernel.scalars if name not in values]:
        raise LoweringError(f"'{missing[0]}' has no value: give it one by '-D' or a run line", kernel.span)
    try:
        x, y, z = (evaluate(extent, values) for extent in grid_of(kernel))
        maps = tuple(_map(item, named[item.tensor.name], values) for item in kernel.maps)
    except ValueError as error:
        raise LoweringError(str(error), kernel.span) from error
    pointers = tuple(PointerArg(name) for name in kernel.sources)
    scalars = tuple(ScalarArg(name, elem, values[name]) for name, elem in kernel.scalars)
    return Launch(kernel, (x, y, z), (*maps, *pointers, *scalars))


def _map(item: ir.TensorMap, array: str, sizes: Mapping[str, Number]) -> MapArg:
    extents = tuple(evaluate(extent, sizes) for extent in reversed(item.tensor.shape))
    if max(extents) >= 2**31:  # coordinates have 32 bits
        raise ValueError(f"'{array}' is {max(extents):,} elements long for TMA, which counts in 32 bits: use 'dma'")
    return MapArg(array, item.tensor.elem, extents, item.box, item.swizzle)


def map_strides(arg: MapArg) -> tuple[int, ...]:
    """Byte strides of all dimensions but the innermost, as the driver takes them."""
    size = ELEMENTS[arg.elem].bits // 8
    return tuple(prod(arg.extents[: dim + 1]) * size for dim in range(len(arg.extents) - 1))
