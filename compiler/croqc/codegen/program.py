"""A lowered function as CUDA for given sizes: the translation unit, and what the host does with it. Must not run it.

The host side is data, not text: an engine allocates `arrays`, makes the tensor maps and starts `launches` in order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from croqc.codegen.foreign import NONE, Foreign
from croqc.codegen.host_run import HostRun, Launch, run_host
from croqc.codegen.unit import Unit, unit_of
from croqc.codegen.words import UnsupportedTypeError
from croqc.pipe import ir, ir_host
from croqc.pipe.build.file_names import FunctionNames
from croqc.pipe.build.host import HostPart, array_data
from croqc.pipe.errors import LoweringError
from croqc.pipe.facts import Number, whole_sizes
from croqc.pipe.lower import host_of, names_alone
from croqc.sema.model import Model, Symbol, SymbolKind
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
    """`host_name`: what its function on the host is called, which does all of it; `host`: what happens around the
    launches; `done`: what it does for these sizes."""

    function: str
    host_name: str
    unit: Unit
    arrays: tuple[DeviceArray, ...]
    host: ir_host.Host
    kernels: tuple[ir.Kernel, ...]
    done: HostRun

    @property
    def launches(self) -> tuple[Launch, ...]:
        """Each start of a kernel, in their order."""
        return self.done.launches


def program_of(
    model: Model,
    kernels: Sequence[ir.Kernel],
    sizes: Mapping[str, Number],
    title: str,
    foreign: Foreign = NONE,
    report: bool = False,
    delays: bool = False,
    names: FunctionNames | None = None,
) -> Program:
    """`kernels`: the final IR of the function's kernels, in order, and `sizes` and `names` what they were lowered for
    and with (`pipe.lower`); `foreign`: device code of the file that the kernels call. `report`: waits write where they
    stand, `delays`: kernels dawdle (see `unit_of`).

    Raises LoweringError for what has no C++ or no value, at its place.
    """
    names = names or names_alone(model)
    part = host_of(model, names)
    try:
        unit = unit_of(kernels, title, foreign, report=report, delays=delays)
    except UnsupportedTypeError as error:
        place = model.function.name.span if error.span == NOWHERE else error.span
        raise LoweringError(error.message, place) from error
    done = run_host(part.host, kernels, sizes)
    used = {source for kernel in kernels for source in kernel.sources} | {done.result}
    arrays = tuple(_arrays(part, whole_sizes(sizes), used))
    return Program(model.function.name.id, names.host, unit, arrays, part.host, tuple(kernels), done)


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
        raise LoweringError(
            f"an extent of '{symbol.name}' is not known: make it of sizes and numbers", symbol.name_span
        )
    return value
