"""From an analysed function to the final IR of its launches, for sizes. Must not print it (that is `codegen`)."""

from __future__ import annotations

from collections.abc import Mapping

from croqc.pipe import ir
from croqc.pipe.build.kernels import build_kernel
from croqc.pipe.build.names import Names
from croqc.pipe.env import Env
from croqc.pipe.errors import LoweringError, SizesNeededError
from croqc.pipe.facts import Facts, Number, whole_sizes
from croqc.pipe.pipeline import lowered
from croqc.pipe.reshaped import check_reshaped
from croqc.sema.model import Kernel, Model
from croqc.targets.table import Target


def lowered_kernels(model: Model, target: Target, sizes: Mapping[str, Number]) -> tuple[ir.Kernel, ...]:
    """The final IR of each launch, in order: for sizes with the divisors of these, for these alone where it cannot be
    else. `sizes`: extents and scalar parameters by name.

    Raises LoweringError for what is not lowered, at its place.
    """
    found: list[ir.Kernel] = []
    for number, kernel in enumerate(model.kernels):
        _check_host(model, kernel)
        env, start = built_kernel(model, target, number, sizes)
        found.append(lowered(start, env))
        check_reshaped(found[-1])
    return tuple(found)


def built_kernel(model: Model, target: Target, number: int, sizes: Mapping[str, Number]) -> tuple[Env, ir.Kernel]:
    """A launch of a function as built, and what its passes may ask. Raises LoweringError."""
    whole = whole_sizes(sizes)
    name = Names().fresh(model.function.name.id + (f"_{number + 1}" if len(model.kernels) > 1 else ""))
    start = _built(model, model.kernels[number], name, whole)
    return Env(target, Facts.of(named_sizes(start, whole))), start


def named_sizes(kernel: ir.Kernel, sizes: Mapping[str, Number]) -> dict[str, Number]:
    """The values under the names that the kernel gives them."""
    return {**sizes, **{name: sizes[source] for name, source in kernel.renamed if source in sizes}}


def _built(model: Model, kernel: Kernel, name: str, sizes: Mapping[str, int]) -> ir.Kernel:
    """The IR as built: for any sizes, or for these where an extent hangs on them."""
    try:
        return build_kernel(model, kernel, name)
    except SizesNeededError:
        return build_kernel(model, kernel, name, sizes)


def _check_host(model: Model, kernel: Kernel) -> None:
    if kernel.node not in model.function.body.stmts:
        raise LoweringError(
            "a launch inside host control flow is not lowered yet: launch at the function's own level", kernel.node.span
        )
