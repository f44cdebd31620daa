"""One job on the card through CuPy: compile, upload, launch, time, bring back. Runs in the child; must not print."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from cuda.bindings import driver

from croqc.engines.gpu.compile import CompileError, compiled
from croqc.engines.gpu.protocol import Answer, Argument, Job, Launch

_TYPES = {
    "f16": "FLOAT16", "bf16": "BFLOAT16", "f32": "FLOAT32", "tf32": "FLOAT32", "f64": "FLOAT64",
    "s32": "INT32", "u32": "UINT32", "s64": "INT64", "u64": "UINT64", "u16": "UINT16", "s16": "UINT16",
}  # fmt: skip
_SWIZZLES = {0: "NONE", 32: "32B", 64: "64B", 128: "128B"}
SCALARS = {
    "s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64,
    "bool": np.bool_, "s16": np.int16, "u16": np.uint16, "s8": np.int8, "u8": np.uint8,
}  # fmt: skip
_MAX_STATIC = 48 * 1024


def run(job: Job, cache: Path | None, stage: Callable[[str], None]) -> Answer:
    """`stage` hears of each stage before it begins. Never raises for what the program or the card does."""
    done = _Run(job, cache, stage)
    try:
        return done.all()
    except CompileError as error:
        return Answer("compile", f"NVRTC refused the code: {error}")
    except cupy.cuda.memory.OutOfMemoryError as error:
        return Answer(done.reached, f"the card has too little memory: {error}")
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        return Answer(done.reached, str(error))
    except ValueError as error:
        return Answer(done.reached, str(error))


class _Run:
    def __init__(self, job: Job, cache: Path | None, stage: Callable[[str], None]) -> None:
        self.job, self.cache, self._stage = job, cache, stage
        self.folder = Path(job.folder)
        self.arrays: dict[str, Any] = {}
        self.reached = "compile"

    def at(self, stage: str) -> None:
        self.reached = stage
        self._stage(stage)

    def all(self) -> Answer:
        self.at("compile")
        made = compiled(self.job.code, self.job.arch, self.cache)
        module = self._module(made.cubin)
        kernels = {launch.kernel: module.get_function(launch.kernel) for launch in self.job.launches}
        registers = {name: int(kernel.num_regs) for name, kernel in kernels.items()}
        spilled = {name: int(kernel.local_size_bytes) for name, kernel in kernels.items()}
        times: tuple[float, ...] = ()
        if not self.job.compile_only:
            self.at("upload")
            self._upload()
            bound = [(kernels[launch.kernel], launch, self._arguments(launch)) for launch in self.job.launches]
            self.at("run")
            self._launch(bound)
            cupy.cuda.runtime.deviceSynchronize()
            self._download()
            times = self._timed(bound)
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        return Answer("done", "", made.seconds, made.cached, times, made.log, registers, spilled, name)

    def _module(self, cubin: bytes) -> Any:
        """CuPy remembers modules by their path, so the path says what is in it."""
        path = self.folder / f"{hashlib.sha256(cubin).hexdigest()}.cubin"
        path.write_bytes(cubin)
        return cupy.RawModule(path=str(path))

    # --- memory -----------------------------------------------------------------------------------

    def _upload(self) -> None:
        for array in self.job.arrays:
            memory = cupy.zeros(max(array.size, 1), dtype=cupy.uint8)
            if array.given:
                memory.set(np.fromfile(self.folder / f"{array.name}.in", dtype=np.uint8))
            self.arrays[array.name] = memory

    def _download(self) -> None:
        for array in self.job.arrays:
            if array.wanted:
                cupy.asnumpy(self.arrays[array.name])[: array.size].tofile(self.folder / f"{array.name}.out")

    # --- launches ---------------------------------------------------------------------------------

    def _arguments(self, launch: Launch) -> tuple[Any, ...]:
        return tuple(self._argument(argument) for argument in launch.args)

    def _argument(self, argument: Argument) -> Any:
        if argument.kind == "pointer":
            return self.arrays[argument.array]
        if argument.kind == "map":
            return tensor_map(self.arrays[argument.array].data.ptr, argument)
        return SCALARS[argument.kind](argument.value)

    def _launch(self, bound: list[tuple[Any, Launch, tuple[Any, ...]]]) -> None:
        for kernel, launch, arguments in bound:
            if launch.shared_bytes > _MAX_STATIC:
                kernel.max_dynamic_shared_size_bytes = launch.shared_bytes
            kernel(launch.grid, (launch.threads, 1, 1), arguments, shared_mem=launch.shared_bytes)

    def _timed(self, bound: list[tuple[Any, Launch, tuple[Any, ...]]]) -> tuple[float, ...]:
        """Seconds of each round; launches back to back between two events of the card."""
        if not self.job.repeat:
            return ()
        for _ in range(self.job.warm_up):
            self._launch(bound)
        found = []
        for _ in range(self.job.repeat):
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            self._launch(bound)
            end.record()
            end.synchronize()
            found.append(cupy.cuda.get_elapsed_time(start, end) / 1000)
        return tuple(found)


def tensor_map(pointer: int, argument: Argument) -> Any:
    """The 128 bytes of a CUtensorMap. Raises ValueError where the driver refuses it."""
    kind = _TYPES.get(argument.elem, "UINT8")
    promotion = driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B
    rank = len(argument.extents)
    status, made = driver.cuTensorMapEncodeTiled(
        getattr(driver.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{kind}"),
        rank,
        pointer,
        [driver.cuuint64_t(extent) for extent in argument.extents],
        [driver.cuuint64_t(stride) for stride in argument.strides],
        [driver.cuuint32_t(extent) for extent in argument.box],
        [driver.cuuint32_t(1)] * rank,
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        getattr(driver.CUtensorMapSwizzle, f"CU_TENSOR_MAP_SWIZZLE_{_SWIZZLES[argument.swizzle]}"),
        promotion,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    if status != driver.CUresult.CUDA_SUCCESS:
        box = " x ".join(str(extent) for extent in reversed(argument.box))
        raise ValueError(f"the driver refuses the tensor map of '{argument.array}' with a box of {box}: {status.name}")
    return np.frombuffer(ctypes.string_at(made.getPtr(), 128), dtype="V128").copy()
