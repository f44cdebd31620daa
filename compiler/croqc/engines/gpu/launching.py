"""Kernels as the driver takes them: loaded, their arguments by value, started. Runs in the child; must own no memory
of the card."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import cupy
import numpy as np
from cuda.bindings import driver

from croqc.codegen.driver import PROMOTION, format_word, swizzle_word
from croqc.engines.gpu.protocol import Argument, Launch
from croqc.sema.memory import STATIC_LIMIT

SCALARS: Final = {
    "s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64,
    "bool": np.bool_, "s16": np.int16, "u16": np.uint16, "s8": np.int8, "u8": np.uint8,
}  # fmt: skip


class MapError(ValueError):
    """The driver refuses a tensor map."""


def loaded(cubin: bytes, folder: Path) -> Any:
    """A module of the card. CuPy remembers modules by their path, so the path says what is in it."""
    path = folder / f"{hashlib.sha256(cubin).hexdigest()}.cubin"
    path.write_bytes(cubin)
    return cupy.RawModule(path=str(path))


def arguments_of(launch: Launch, pointers: Mapping[str, int]) -> tuple[Any, ...]:
    """What a launch passes. `pointers`: the card's address of each array. Raises MapError."""
    return tuple(_argument(argument, pointers) for argument in launch.args)


def _argument(argument: Argument, pointers: Mapping[str, int]) -> Any:
    if argument.kind == "pointer":
        return np.uint64(pointers[argument.array])
    if argument.kind == "map":
        return tensor_map(pointers[argument.array], argument)
    return SCALARS[argument.kind](argument.value)


class Start:
    """A launch that can be made any number of times, by calling it. On the current stream, if no other is given."""

    def __init__(self, kernel: Any, launch: Launch, arguments: tuple[Any, ...], stream: Any = None) -> None:
        """`kernel`: of a module of CuPy. `arguments`: scalars of NumPy, and arrays of one element for structures.

        Raises CUDADriverError where the kernel cannot have its shared memory.
        """
        self.launch = launch
        if launch.shared_bytes > STATIC_LIMIT:
            kernel.max_dynamic_shared_size_bytes = launch.shared_bytes
        self._kernel, self._function = kernel, driver.CUfunction(kernel.kernel.ptr)
        self._values = [np.atleast_1d(np.asarray(each)) for each in arguments]
        self._pointers = np.array([value.ctypes.data for value in self._values], dtype=np.uint64)
        self._params = self._pointers.ctypes.data
        self._config = _config(launch, cupy.cuda.get_current_stream() if stream is None else stream)

    def __call__(self) -> None:
        """Raises CUDADriverError."""
        (status,) = driver.cuLaunchKernelEx(self._config, self._function, self._params, 0)
        if status != driver.CUresult.CUDA_SUCCESS:
            raise cupy.cuda.driver.CUDADriverError(int(status))


def _config(launch: Launch, stream: Any) -> Any:
    """Clusters have their shape from the kernel. One that waits itself for the launches in front of it may begin while
    they end (CUDA driver API, cuLaunchKernelEx)."""
    config = driver.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = launch.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = launch.threads, 1, 1
    config.sharedMemBytes = launch.shared_bytes
    config.hStream = driver.CUstream(stream.ptr)
    if launch.dependent:
        overlaps = driver.CUlaunchAttribute()
        overlaps.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        allowed = driver.CUlaunchAttributeValue()
        allowed.programmaticStreamSerializationAllowed = 1
        overlaps.value = allowed
        config.attrs, config.numAttrs = [overlaps], 1
    return config


def tensor_map(pointer: int, argument: Argument) -> Any:
    """The 128 bytes of a CUtensorMap. Raises MapError where the driver refuses it."""
    rank = len(argument.extents)
    strides = argument.strides or (16,)  # of one dimension none is read, but the driver refuses a null address
    status, made = driver.cuTensorMapEncodeTiled(
        getattr(driver.CUtensorMapDataType, format_word(argument.elem)),
        rank,
        pointer,
        [driver.cuuint64_t(extent) for extent in argument.extents],
        [driver.cuuint64_t(stride) for stride in strides],
        [driver.cuuint32_t(extent) for extent in argument.box],
        [driver.cuuint32_t(1)] * rank,
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        getattr(driver.CUtensorMapSwizzle, swizzle_word(argument.swizzle)),
        getattr(driver.CUtensorMapL2promotion, PROMOTION),
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    if status != driver.CUresult.CUDA_SUCCESS:
        box = " x ".join(str(extent) for extent in reversed(argument.box))
        raise MapError(f"the driver refuses the tensor map of '{argument.array}' with a box of {box}: {status.name}")
    return np.frombuffer(ctypes.string_at(made.getPtr(), 128), dtype="V128").copy()
