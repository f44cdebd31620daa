"""Hand-written pieces of CUDA in the emulator: our headers, a kernel, arrays. Must not know what they should give."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from croqc.codegen.unit import header
from croqc.engines.gpu.faults import Trouble
from croqc.engines.gpu.protocol import Argument, Array, Job, Launch
from tests.emulator.emulator import Emulator

Values = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Piece:
    """`body`: the statements of a kernel whose parameters are `maps` (name of the array and the map's figures), then
    pointers to `arrays`, all of them under their names; `out`, zeros, comes back. `helpers` stand in front."""

    body: str
    out: Values
    arrays: Mapping[str, Values] = field(default_factory=dict)
    maps: Mapping[str, Argument] = field(default_factory=dict)
    headers: Sequence[str] = ()
    helpers: str = ""
    threads: int = 32
    shared: int = 0
    cluster: int = 1
    blocks: int = 1
    seconds: float = 20.0

    def code(self) -> str:
        parameters = [f"const __grid_constant__ TensorMap {name}" for name in self.maps]
        everything = {**self.arrays, "out": self.out}
        parameters += [f"{_word(array)}* {name}" for name, array in everything.items()]
        cluster = f"__cluster_dims__({self.cluster}, 1, 1) " if self.cluster > 1 else ""
        return "\n".join(
            [
                *(header(name) for name in ("types", "floats", "shared", *self.headers)),
                "using namespace croq;",
                self.helpers,
                f'extern "C" __global__ void {cluster}__launch_bounds__({self.threads})',
                f"piece({', '.join(parameters)}) {{",
                "  extern __shared__ __align__(1024) u8 smem[];",
                self.body,
                "}",
                "",
            ]
        )

    def run(self, *orders: int) -> Values | str:
        """What `out` holds, or the fault."""
        everything = {**self.arrays, "out": self.out}
        with tempfile.TemporaryDirectory() as folder:
            for name, array in everything.items():
                array.tofile(Path(folder) / f"{name}.in")
            arguments = (*self.maps.values(), *(Argument("pointer", name) for name in everything))
            launch = Launch("piece", (self.blocks, 1, 1), self.threads, self.shared, arguments)
            arrays = tuple(Array(name, array.nbytes, True) for name, array in everything.items())
            job = Job(folder, self.code(), "sm_90a", arrays, (launch,))
            answer = Emulator(orders or (0, 1, 2, 3), seconds=self.seconds).run(job)
            if isinstance(answer, Trouble):
                return answer.message
            return np.fromfile(Path(folder) / "out.out", self.out.dtype).reshape(self.out.shape)


def _word(array: Values) -> str:
    words = {"uint8": "u8", "uint16": "u16", "uint32": "u32", "int32": "int", "float32": "float", "float64": "double"}
    return words[array.dtype.name]


def tensor_map(array: str, values: Values, box: Sequence[int], swizzle: int = 0, elem: str = "") -> Argument:
    """A map of a dense array; `box` outermost first."""
    extents = tuple(reversed(values.shape))
    strides = tuple(reversed(values.strides[:-1]))
    named = elem or {"uint16": "u16", "float32": "f32", "uint8": "u8", "int32": "s32"}[values.dtype.name]
    return Argument("map", array, 0, named, extents, strides, tuple(reversed(box)), swizzle)
