"""A function as CUDA for given sizes: the translation unit, and what the host does with it. Must not run anything.

The host side is data, not text: an engine allocates `arrays`, makes the tensor maps and starts the launches of `done`
in order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from croqc.codegen.evaluate import Number
from croqc.codegen.host_run import HostRun, run_host
from croqc.codegen.unit import Unit, unit_of
from croqc.codegen.words import UnsupportedTypeError
from croqc.codegen.writer import Line
from croqc.pipe import ir, ir_host
from croqc.pipe.build.host import HostPart, array_data, build_host
from croqc.pipe.build.kernels import build_kernel
from croqc.pipe.build.names import Names
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError, SizesNeededError
from croqc.pipe.facts import Facts
from croqc.pipe.pipeline import lowered
from croqc.pipe.reshaped import check_reshaped
from croqc.sema.model import Kernel, Model, Symbol, SymbolKind
from croqc.targets.table import Target
from croqc.text.record import record
from croqc.text.span import NOWHERE


@record
class DeviceArray:
    """Memory of the card: a parameter's, or a buffer that the host code declares, which starts as zeros (3.6)."""

    name: str
    elem: str
    shape: tuple[int, ...]
    is_parameter: bool


@record
class Program:
    """`host`: what happens around the launches; `done`: what it does for these sizes."""

    function: str
    unit: Unit
    arrays: tuple[DeviceArray, ...]
    host: ir_host.Host
    kernels: tuple[ir.Kernel, ...]
    done: HostRun


def program_of(
    model: Model,
    target: Target,
    sizes: Mapping[str, Number],
    title: str,
    foreign: Sequence[Line] = (),
    report: bool = False,
) -> Program:
    """`sizes`: extents and scalar parameters by name; `foreign`: device code of the file that the kernels call.
    `report`: waits write where they stand (see `unit_of`).

    Raises LoweringError for what is not lowered, at its place.
    """
    whole = {name: value for name, value in sizes.items() if type(value) is int}
    part = host_of(model)
    kernels = tuple(lowered_kernels(model, target, whole, part))
    function = model.function.name.id
    try:
        unit = unit_of(kernels, title, foreign, report=report)
    except UnsupportedTypeError as error:
        place = model.function.name.span if error.span == NOWHERE else error.span
        raise LoweringError(error.message, place) from error
    done = run_host(part.host, kernels, sizes)
    used = {source for kernel in kernels for source in kernel.sources} | {done.result}
    arrays = tuple(_arrays(part, whole, used))
    return Program(function, unit, arrays, part.host, kernels, done)


def host_of(model: Model) -> HostPart:
    """The host part of a function. Raises LoweringError."""
    return build_host(model, Names().fresh(model.function.name.id))


def lowered_kernels(model: Model, target: Target, sizes: Mapping[str, int], part: HostPart) -> list[ir.Kernel]:
    """The final IR of each launch, for sizes with these divisors; for these sizes alone where it cannot be else. Those
    of the host part come last."""
    found: list[ir.Kernel] = []
    for number in range(len(model.kernels)):
        env, start = built_kernel(model, target, number, sizes, part)
        found.append(lowered(start, env))
        check_reshaped(found[-1])
    for start in part.kernels:
        found.append(lowered(start, Env(target, Facts.of({}))))
    return found


def built_kernel(
    model: Model, target: Target, number: int, sizes: Mapping[str, int], part: HostPart
) -> tuple[Env, ir.Kernel]:
    """A launch of a function as built, and what its passes may ask."""
    name = Names().fresh(model.function.name.id + (f"_{number + 1}" if len(model.kernels) > 1 else ""))
    start = built(model, model.kernels[number], name, part, sizes)
    return Env(target, Facts.of(named_sizes(start, sizes))), start


def named_sizes(kernel: ir.Kernel, sizes: Mapping[str, Number]) -> dict[str, Number]:
    """The values under the names that the kernel gives them."""
    return {**sizes, **{name: sizes[source] for name, source in kernel.renamed if source in sizes}}


def built(model: Model, kernel: Kernel, name: str, part: HostPart, sizes: Mapping[str, int]) -> ir.Kernel:
    """The IR as built: for any sizes, or for these where an extent hangs on them."""
    try:
        return build_kernel(model, kernel, name, part)
    except SizesNeededError:
        return build_kernel(model, kernel, name, part, sizes)


def _arrays(part: HostPart, sizes: Mapping[str, int], used: Collection[str | None]) -> list[DeviceArray]:
    """Parameters in order, then the buffers of the host code, with the slots of an array of buffers in front."""
    found = []
    for symbol, (tensor, source) in part.tensors.items():
        data = array_data(symbol)
        assert data is not None
        if source not in used and symbol.kind is not SymbolKind.PARAM:
            continue  # no launch looks at it
        shape = tuple(_extent(extent.evaluate(sizes), symbol) for extent in data.shape)
        slots = (tensor.slots,) if tensor.slots > 1 else ()
        found.append(DeviceArray(source, tensor.elem, (*slots, *shape), symbol.kind is SymbolKind.PARAM))
    return found


def _extent(value: int | None, symbol: Symbol) -> int:
    if value is None:
        raise LoweringError(f"an extent of '{symbol.name}' is not known", symbol.name_span)
    return value
