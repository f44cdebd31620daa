"""What the child uses of CuPy and the driver, without a card. `STUB` chooses what the kernels do. Must not assert."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
import types
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from cuda.bindings import driver as bindings

__version__ = "0.stub"
WHAT = os.environ.get("STUB", "")
ADDS = int(os.environ.get("STUB_ADDS", "0"))  # elements that a kernel adds: two arrays of f32 into the third
uint8 = np.uint8


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"error {status}")
        self.status = status


class OutOfMemoryError(Exception):
    pass


class Memory(np.ndarray):  # type: ignore[type-arg]
    """An array of the card, which is one of the host."""

    @property
    def data(self) -> Any:  # type: ignore[override]
        return types.SimpleNamespace(ptr=self.ctypes.data)

    def set(self, values: Any) -> None:
        self[: len(values)] = values

    def fill(self, value: Any) -> None:
        if self.nbytes >> 20:
            os.write(2, f"fill {self.nbytes >> 20} MiB\n".encode())  # what is in it concerns nobody
        else:
            super().fill(value)


ndarray = Memory


def _made(made: Any) -> Any:
    return made.view(Memory) if isinstance(made, np.ndarray) else made


def zeros(size: int, dtype: Any = None) -> Any:
    if isinstance(size, int) and (
        size >= 1 << 40 or (WHAT == "small" and size >= 1 << 28) or (WHAT == "no-copy" and size == 1 << 20)
    ):
        raise OutOfMemoryError(f"{size} bytes")
    return _made(np.zeros(size, dtype))


empty = zeros


def asnumpy(memory: Any) -> Any:
    return np.asarray(memory)


def tile(memory: Any, counts: tuple[int, ...]) -> Any:
    return memory


def matmul(left: Any, right: Any) -> Any:
    if WHAT == "bare-blas":
        raise RuntimeError("libcublas.so.13: cannot open shared object file")
    if WHAT == "broken-blas":
        raise StatusError(719)
    os.write(2, b"matmul\n")
    return left


def isfinite(values: Any) -> Any:
    if WHAT == "no-room":
        raise OutOfMemoryError("out of memory allocating 1 byte")
    return _made(np.isfinite(values))


def get_default_memory_pool() -> Any:
    return types.SimpleNamespace(free_all_blocks=lambda: None)


def __getattr__(name: str) -> Any:
    """What the stub does not have of its own is NumPy's."""
    found = getattr(np, name)
    return (lambda *args, **options: _made(found(*args, **options))) if callable(found) else found


class Kernel:
    num_regs, local_size_bytes, max_dynamic_shared_size_bytes = 40, 8, 0
    known: ClassVar[list[Kernel]] = []

    def __init__(self, name: str, sizes: tuple[int, ...]) -> None:
        """`sizes`: bytes of each parameter, as the machine code has them."""
        self.name, self.sizes, self.launches = name, sizes, 0
        self.known.append(self)
        self.kernel = types.SimpleNamespace(ptr=len(self.known))

    def arguments(self, pointers: int) -> list[Any]:
        """What a launch passes, read as the driver reads it: a pointer to each value."""
        found = (ctypes.c_void_p * len(self.sizes)).from_address(pointers)
        values = [ctypes.string_at(at, size) for at, size in zip(found, self.sizes, strict=True)]
        kinds = {8: np.uint64, 4: np.int32}
        return [np.frombuffer(value, kinds.get(len(value), f"V{len(value)}"))[0] for value in values]

    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int) -> None:
        assert shared_mem <= max(48 << 10, self.max_dynamic_shared_size_bytes)
        os.write(1, f"{self.name} {grid} {block[0]}\n".encode())
        os.write(2, b"launch\n")
        if WHAT == "tell":
            said = (str(arg) if arg.dtype == np.int32 else arg.dtype.str for arg in args)
            os.write(2, f"parameters {' '.join(said)}\n".encode())
        if WHAT == "slow":
            time.sleep(0.2)
        if ADDS:
            pointers = [int(arg) for arg in args if isinstance(arg, np.uint64)]
            a, b, out = (np.frombuffer((ctypes.c_float * ADDS).from_address(each), np.float32) for each in pointers)
            out[:] = a + b
        if WHAT == "spoils" and args[-1] % 4 == 0:  # the first byte of each array
            for pointer in (int(arg) for arg in args if isinstance(arg, np.uint64)):
                ctypes.memmove(pointer, bytes([ctypes.string_at(pointer, 1)[0] ^ 1]), 1)
        if WHAT == "turns":  # the number of the launch, of three that follow each other
            self.launches += 1
            for pointer in (int(arg) for arg in args if isinstance(arg, np.uint64)):
                ctypes.memset(pointer, 1 + self.launches % 3, 1)
        if WHAT == "wait":  # the record of thread 128 in block 1: site 1, slot 2, generation 3
            records, limit, blocks = struct.unpack("<QQI4x", args[-1].tobytes())
            assert blocks >= 2 and limit == 500_000_000
            at = records + 32 * (block[0] + 128)
            ctypes.memmove(at, struct.pack("<8I", 1, 2, 3, 1, 2, 1, 128, 0), 32)
        if WHAT == "probe":  # path 1 of the first block that records: one record, its turn the number of the launch
            lanes, records, block, other, *_, every = struct.unpack("<QQ4II4x", args[-1].tobytes())
            self.launches += 1
            os.write(1, f"every {every}, blocks {block} and {other:#x}\n".encode())
            before = ctypes.c_uint32.from_address(
                lanes + 64 + 40
            ).value  # dropped ones of a launch that was not cleared
            lane = struct.pack("<4Q3I20x", 1000, 5000, 3000, 6000, block, 9, before + 1)
            ctypes.memmove(lanes + 64, lane, 64)
            ctypes.memmove(records + 16 * 16384, struct.pack("<2I2Hi", 1100, 1200, 1, 0, self.launches), 16)


class RawModule:
    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self.code = file.read()
        assert self.code[:4] == b"\x7fELF"

    def get_function(self, name: str) -> Kernel:
        return Kernel(name, tuple(size for _, size in sorted(self._parameters(f".nv.info.{name}"))))

    def _parameters(self, section: str) -> Iterator[tuple[int, int]]:
        """Number and bytes of each parameter: attribute 0x17 of a kernel's notes in its machine code."""
        start, count, names = struct.unpack_from("<Q12x2H", self.code, 40)
        heads = [struct.unpack_from("<2I4Q", self.code, start + 64 * number) for number in range(count)]
        for word, _, _, _, at, size in heads:
            begin = heads[names][4] + word
            if self.code[begin : self.code.index(b"\0", begin)].decode() != section:
                continue
            end = at + size
            while at < end:
                form, attribute, extra = struct.unpack_from("<BBH", self.code, at)
                if (form, attribute) == (4, 0x17):
                    number, flags = struct.unpack_from("<H2xI", self.code, at + 8)
                    yield number, flags >> 18
                at += 4 + (extra if form == 4 else 0)


def launch(config: Any, function: Any, params: int, extra: int) -> tuple[Any]:
    """Starts a kernel; a line to the log where it may begin while the launches in front end."""
    kernel = Kernel.known[int(function) - 1]
    for attribute in config.attrs[: config.numAttrs]:
        assert attribute.id == bindings.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        os.write(2, f"overlaps {attribute.value.programmaticStreamSerializationAllowed}\n".encode())
    if WHAT == "no-launch":
        return (bindings.CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,)
    grid, block = (tuple(getattr(config, f"{word}Dim{axis}") for axis in "XYZ") for word in ("grid", "block"))
    kernel(grid, block, kernel.arguments(params), config.sharedMemBytes)
    return (SUCCESS,)


def synchronize() -> None:
    if WHAT in ("wait", "trap"):
        raise StatusError(719)
    if WHAT == "outside":
        raise StatusError(700)


def free(pointer: int) -> None:
    if WHAT == "busy":
        time.sleep(60)
    if WHAT == "bare":
        raise StatusError(35)
    if WHAT == "none":
        raise StatusError(100)


class Event:
    ptr = 0

    def record(self) -> None:
        os.write(2, b"event\n")


def module(name: str, **members: object) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


def properties(number: int) -> dict[str, Any]:
    """A line to the log each time: the driver takes a while for it."""
    os.write(2, b"properties\n")
    return {
        "name": b"Stub",
        "uuid": bytes(range(16)),
        "sharedMemPerBlockOptin": 1024 if WHAT == "tight" else 227 << 10,
        "maxThreadsPerBlock": 1024,
        "regsPerBlock": 4096 if WHAT == "narrow" else 65536,
    }


runtime = module(
    "cupy.cuda.runtime",
    CUDARuntimeError=StatusError,
    free=free,
    deviceSynchronize=synchronize,
    eventQuery=lambda event: 600 if WHAT == "stuck" else 0,
    getDeviceProperties=properties,
    memGetInfo=lambda: (8 << 20, 16 << 20),
    hostRegister=lambda address, size, flags: None,
    hostUnregister=lambda address: None,
    driverGetVersion=lambda: 0 if WHAT == "bare" else 12040,
)
cuda = module(
    "cupy.cuda",
    runtime=runtime,
    driver=module("cupy.cuda.driver", CUDADriverError=StatusError),
    memory=module("cupy.cuda.memory", OutOfMemoryError=OutOfMemoryError),
    Event=Event,
    get_elapsed_time=lambda start, end: 2.0,
    get_current_stream=lambda: types.SimpleNamespace(ptr=0),
)

__path__: list[str] = []  # a package, whose parts are registered here
accelerator = module(
    "cupy._core._accelerator",
    set_reduction_accelerators=lambda names: os.write(2, f"reductions of {names}\n".encode()),
)
module("cupy._core", _accelerator=accelerator)

MAP = (ctypes.c_char * 128)()
REFUSES = WHAT == "map"
SUCCESS, INVALID = bindings.CUresult.CUDA_SUCCESS, bindings.CUresult.CUDA_ERROR_INVALID_VALUE
bindings.cuMemHostGetDevicePointer = lambda address, flags: (SUCCESS, address)


def encode(kind: Any, rank: int, pointer: int, *words: Any) -> tuple[Any, Any]:
    os.write(2, f"map {kind.name} {words[5].name} {words[6].name}\n".encode())
    refused = REFUSES or not words[1]  # as the driver, who wants strides where none are used
    return INVALID if refused else SUCCESS, types.SimpleNamespace(getPtr=lambda: ctypes.addressof(MAP))


bindings.cuTensorMapEncodeTiled = encode
bindings.cuLaunchKernelEx = launch
