"""A function as CUDA for given sizes: the translation unit, and what the host does with it. Must not run anything.

The host side is data, not text: an engine allocates `arrays`, makes the tensor maps and starts `launches` in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from croqc.codegen.evaluate import evaluate
from croqc.codegen.kernel import grid_of
from croqc.codegen.unit import Unit, unit_of
from croqc.codegen.words import UnsupportedTypeError
from croqc.codegen.writer import Line
from croqc.pipe import ir
from croqc.pipe.build.kernels import build_kernel
from croqc.pipe.build.names import Names
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError, SizesNeededError
from croqc.pipe.facts import Facts
from croqc.pipe.pipeline import lowered
from croqc.pipe.reshaped import check_reshaped
from croqc.sema.elements import ELEMENTS, canonical
from croqc.sema.model import Kernel, Model, Symbol, SymbolKind
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.targets.table import Target
from croqc.text.record import record
from croqc.text.span import NOWHERE

Number = int | float | bool


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
    """`shared_bytes`: dynamic shared memory of a block."""

    kernel: str
    grid: tuple[int, int, int]
    threads: int
    shared_bytes: int
    args: tuple[Arg, ...]


@record
class Program:
    """`result`: the array that the function returns, None without one. `assumed`: divisors of sizes relied on."""

    function: str
    unit: Unit
    arrays: tuple[DeviceArray, ...]
    launches: tuple[Launch, ...]
    result: str | None
    kernels: tuple[ir.Kernel, ...]


def program_of(
    model: Model,
    target: Target,
    sizes: Mapping[str, Number],
    title: str,
    foreign: Sequence[Line] = (),
    report: bool = False,
    delays: bool = False,
) -> Program:
    """`sizes`: extents and scalar parameters by name; `foreign`: device code of the file that the kernels call.
    `report`: waits write where they stand, `delays`: kernels dawdle (see `unit_of`).

    Raises LoweringError for what is not lowered, at its place.
    """
    whole = {name: value for name, value in sizes.items() if type(value) is int}
    kernels = tuple(lowered_kernels(model, target, whole))
    function = model.function.name.id
    try:
        unit = unit_of(kernels, title, foreign, report=report, delays=delays)
    except UnsupportedTypeError as error:
        place = model.function.name.span if error.span == NOWHERE else error.span
        raise LoweringError(error.message, place) from error
    launches = tuple(_launch(kernel, sizes) for kernel in kernels)
    return Program(function, unit, tuple(_arrays(model, whole)), launches, _result(model), kernels)


def lowered_kernels(model: Model, target: Target, sizes: Mapping[str, int]) -> list[ir.Kernel]:
    """The final IR of each launch, for sizes with these divisors; for these sizes alone where it cannot be else."""
    found: list[ir.Kernel] = []
    for number, kernel in enumerate(model.kernels):
        _check_host(model, kernel)
        env, start = built_kernel(model, target, number, sizes)
        found.append(lowered(start, env))
        check_reshaped(found[-1])
    return found


def built_kernel(model: Model, target: Target, number: int, sizes: Mapping[str, int]) -> tuple[Env, ir.Kernel]:
    """A launch of a function as built, and what its passes may ask."""
    name = Names().fresh(model.function.name.id + (f"_{number + 1}" if len(model.kernels) > 1 else ""))
    start = built(model, model.kernels[number], name, sizes)
    return Env(target, Facts.of(named_sizes(start, sizes))), start


def named_sizes(kernel: ir.Kernel, sizes: Mapping[str, Number]) -> dict[str, Number]:
    """The values under the names that the kernel gives them."""
    return {**sizes, **{name: sizes[source] for name, source in kernel.renamed if source in sizes}}


def built(model: Model, kernel: Kernel, name: str, sizes: Mapping[str, int]) -> ir.Kernel:
    """The IR as built: for any sizes, or for these where an extent hangs on them."""
    try:
        return build_kernel(model, kernel, name)
    except SizesNeededError:
        return build_kernel(model, kernel, name, sizes)


def _check_host(model: Model, kernel: Kernel) -> None:
    if kernel.node not in model.function.body.stmts:
        raise LoweringError("a launch inside host control flow is not lowered yet", kernel.node.span)


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
        raise LoweringError(f"an extent of '{symbol.name}' is not known", symbol.name_span)
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
        raise LoweringError(f"'{missing[0]}' has no value", kernel.span)
    try:
        x, y, z = (evaluate(extent, values) for extent in grid_of(kernel))
        maps = tuple(_map(item, named[item.tensor.name], values) for item in kernel.maps)
    except ValueError as error:
        raise LoweringError(str(error), kernel.span) from error
    pointers = tuple(PointerArg(name) for name in kernel.sources)
    scalars = tuple(ScalarArg(name, elem, values[name]) for name, elem in kernel.scalars)
    return Launch(kernel.name, (x, y, z), kernel.threads, kernel.shared_bytes, (*maps, *pointers, *scalars))


def _map(item: ir.TensorMap, array: str, sizes: Mapping[str, Number]) -> MapArg:
    extents = tuple(evaluate(extent, sizes) for extent in reversed(item.tensor.shape))
    if max(extents) >= 2**31:  # coordinates have 32 bits
        raise ValueError(f"'{array}' is {max(extents):,} elements long for TMA, which counts in 32 bits: use 'dma'")
    return MapArg(array, item.tensor.elem, extents, item.box, item.swizzle)


def map_strides(arg: MapArg) -> tuple[int, ...]:
    """Byte strides of all dimensions but the innermost, as the driver takes them."""
    size = ELEMENTS[arg.elem].bits // 8
    return tuple(prod(arg.extents[: dim + 1]) * size for dim in range(len(arg.extents) - 1))
