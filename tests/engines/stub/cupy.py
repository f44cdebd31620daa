"""What the child uses of CuPy and the driver, without a card. `STUB` chooses what the kernels do. Must not assert."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
import types
from typing import Any

import numpy as np
from cuda.bindings import driver as bindings

__version__ = "0.stub"
WHAT = os.environ.get("STUB", "")
uint8 = np.uint8


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"error {status}")
        self.status = status


class OutOfMemoryError(Exception):
    pass


class Memory:
    """An array of the card, which is one of the host."""

    def __init__(self, size: int) -> None:
        if size >= 1 << 40:
            raise OutOfMemoryError(f"{size} bytes")
        self.host = np.zeros(size, np.uint8)
        self.data = types.SimpleNamespace(ptr=self.host.ctypes.data)

    def set(self, values: Any) -> None:
        self.host[: len(values)] = values

    def fill(self, value: int) -> None:
        self.host.fill(value)


def zeros(size: int, dtype: object = None) -> Memory:
    return Memory(size)


def empty(size: int, dtype: object = None) -> Memory:
    return Memory(size)


def asnumpy(memory: Memory) -> Any:
    return memory.host


class Kernel:
    num_regs, local_size_bytes, max_dynamic_shared_size_bytes = 40, 8, 0

    def __init__(self, name: str) -> None:
        self.name, self.launches = name, 0

    def __call__(self, grid: Any, block: Any, args: Any, shared_mem: int = 0, stream: Any = None) -> None:
        assert shared_mem <= max(48 << 10, self.max_dynamic_shared_size_bytes)
        os.write(1, f"{self.name} {grid} {block[0]}\n".encode())
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
            assert file.read(4) == b"\x7fELF"

    def get_function(self, name: str) -> Kernel:
        return Kernel(name)


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
    def record(self) -> None:
        pass


def module(name: str, **members: object) -> types.ModuleType:
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


runtime = module(
    "cupy.cuda.runtime",
    CUDARuntimeError=StatusError,
    free=free,
    deviceSynchronize=synchronize,
    getDeviceProperties=lambda number: {"name": b"Stub"},
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
)

MAP = (ctypes.c_char * 128)()
REFUSES = WHAT == "map"
SUCCESS, INVALID = bindings.CUresult.CUDA_SUCCESS, bindings.CUresult.CUDA_ERROR_INVALID_VALUE
bindings.cuMemHostGetDevicePointer = lambda address, flags: (SUCCESS, address)


def encode(kind: Any, rank: int, pointer: int, *words: Any) -> tuple[Any, Any]:
    os.write(2, f"map {kind.name} {words[5].name} {words[6].name}\n".encode())
    return INVALID if REFUSES else SUCCESS, types.SimpleNamespace(getPtr=lambda: ctypes.addressof(MAP))


bindings.cuTensorMapEncodeTiled = encode
