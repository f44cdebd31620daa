"""A program and its data as a job for the child. Must not start anything."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Final

import numpy as np

from croqc.codegen.host_run import Arg, MapArg, PointerArg, ScalarArg, map_strides
from croqc.codegen.host_run import Launch as HostLaunch
from croqc.codegen.program import DeviceArray, Program
from croqc.engines.gpu.protocol import Argument, Array, Job, Launch
from croqc.runs.drawn import Draw
from croqc.runs.elements import ELEMENTS
from croqc.runs.elements import Array as Values

_NOTHING: Final[Mapping[str, Draw]] = {}


def make_job(
    program: Program,
    data: Mapping[str, Values],
    folder: Path,
    arch: str,
    repeat: int = 0,
    draws: Mapping[str, Draw] = _NOTHING,
) -> Job:
    """The job, with its inputs written to the folder, but for those of `draws`, which the child makes. Raises OSError
    where that is not possible.

    A program whose waits report gets the file and the limit of its report from `hang.with_report`.
    """
    arrays = tuple(_array(item, data, folder, draws.get(item.name)) for item in program.arrays)
    says = program.done.says
    return Job(str(folder), program.unit.text, arch, arrays, launches_of(program), repeat=repeat, says=says)


def launches_of(program: Program) -> tuple[Launch, ...]:
    return tuple(_launch(item) for item in program.launches)


def _launch(item: HostLaunch) -> Launch:
    kernel, args = item.kernel, tuple(map(_argument, item.args))
    shape = item.grid, kernel.threads, kernel.shared_bytes
    return Launch(kernel.name, *shape, args, says=item.says, dependent=kernel.dependent)


def _array(item: DeviceArray, data: Mapping[str, Values], folder: Path, draw: Draw | None) -> Array:
    size = prod(item.shape) * ELEMENTS[item.elem].dtype.itemsize
    given = item.name in data and draw is None
    if given:
        np.ascontiguousarray(data[item.name]).tofile(folder / f"{item.name}.in")
    return Array(item.name, size, given, draw)


def _argument(arg: Arg) -> Argument:
    match arg:
        case PointerArg(array=array):
            return Argument("pointer", array)
        case MapArg():
            return Argument("map", arg.array, 0, arg.elem, arg.extents, map_strides(arg), arg.box, arg.swizzle)
        case ScalarArg():
            return Argument(arg.elem, value=arg.value)
    raise AssertionError("an argument of no known kind")


def outputs_of(program: Program, folder: Path) -> dict[str, Values]:
    """The arrays that came back, in their shapes. Raises OSError for one that did not."""
    return {item.name: _read(item, folder, "out") for item in program.arrays}


def inputs_of(program: Program, folder: Path, draws: Mapping[str, Draw]) -> dict[str, Values]:
    """What the child drew, where it brought all arrays back. Raises as `outputs_of`."""
    return {item.name: _read(item, folder, "in") for item in program.arrays if item.name in draws}


def _read(item: DeviceArray, folder: Path, ending: str) -> Values:
    return np.fromfile(folder / f"{item.name}.{ending}", dtype=ELEMENTS[item.elem].dtype).reshape(item.shape)
