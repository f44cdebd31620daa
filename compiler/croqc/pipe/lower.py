"""From an analysed function to the final IR of its kernels, for sizes. Must not print it (that is `codegen`)."""

from __future__ import annotations

from collections.abc import Mapping

from croqc.pipe import ir
from croqc.pipe.build.file_names import FunctionNames, file_names
from croqc.pipe.build.host import HostPart, build_host
from croqc.pipe.build.kernels import build_kernel
from croqc.pipe.env import Env
from croqc.pipe.errors import SizesNeededError
from croqc.pipe.facts import Facts, Number, whole_sizes
from croqc.pipe.parameters import check_parameters
from croqc.pipe.pipeline import lowered
from croqc.pipe.reshaped import check_reshaped
from croqc.pipe.sums import sums_of
from croqc.sema.model import Kernel, Model
from croqc.targets.table import Target


def lowered_kernels(
    model: Model, target: Target, sizes: Mapping[str, Number], names: FunctionNames | None = None
) -> tuple[ir.Kernel, ...]:
    """The final IR of each `parallel`, in order of the text, and then of what the host part moves by kernels: for sizes
    with the divisors of these, for these alone where it cannot be else. `sizes`: extents and scalar parameters by name;
    `names`: what its kernels are called, by themselves where nothing else stands in their file.

    Raises LoweringError for what is not lowered, at its place.
    """
    names = names or names_alone(model)
    part = host_of(model, names)
    found: list[ir.Kernel] = []
    for number in range(len(model.kernels)):
        env, start = _built(model, target, number, whole_sizes(sizes), part, names)
        found.append(lowered(start, env))
        check_reshaped(found[-1])
        check_parameters(found[-1])
    found += (lowered(start, Env(target, Facts.of({}))) for start in part.kernels)
    return tuple(found)


def host_of(model: Model, names: FunctionNames | None = None) -> HostPart:
    """What stands around the launches of a function. Raises LoweringError."""
    return build_host(model, names or names_alone(model))


def built_kernel(
    model: Model, target: Target, number: int, sizes: Mapping[str, Number], names: FunctionNames | None = None
) -> tuple[Env, ir.Kernel]:
    """A `parallel` of a function as built, and what its passes may ask. Raises LoweringError."""
    names = names or names_alone(model)
    return _built(model, target, number, whole_sizes(sizes), host_of(model, names), names)


def names_alone(model: Model) -> FunctionNames:
    """The names for a function that is its file's only one."""
    (names,) = file_names([(model.function.name.id, len(model.kernels))])
    return names


def named_sizes(kernel: ir.Kernel, sizes: Mapping[str, Number]) -> dict[str, Number]:
    """The values under the names that the kernel gives them."""
    return {**sizes, **{name: sizes[source] for name, source in kernel.renamed if source in sizes}}


def _built(
    model: Model, target: Target, number: int, sizes: Mapping[str, int], part: HostPart, names: FunctionNames
) -> tuple[Env, ir.Kernel]:
    start = _for_any(model, model.kernels[number], names.kernels[number], sizes, part)
    return Env(target, Facts.of(named_sizes(start, sizes), sums_of(start.body))), start


def _for_any(model: Model, kernel: Kernel, name: str, sizes: Mapping[str, int], part: HostPart) -> ir.Kernel:
    """The IR as built: for any sizes but those that an extent hangs on, which are these."""
    fixed: dict[str, int] = {}
    while True:
        try:
            return build_kernel(model, kernel, name, part, fixed)
        except SizesNeededError as error:
            needed = {symbol.name for symbol in model.symbols if (symbol.atom or symbol.name) in error.names}
            more = {size: value for size, value in sizes.items() if size in needed - fixed.keys()}
            if not more:
                if fixed == sizes:
                    raise
                more = dict(sizes)
            fixed |= more
