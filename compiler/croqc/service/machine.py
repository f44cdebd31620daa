"""What a machine has for running kernels on a card: facts, gathered in a process of its own. Must not judge them.

Libraries of CUDA may crash or hang where they are broken, so they are loaded by a child that prints one JSON object.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from ctypes.util import find_library
from pathlib import Path
from typing import Any

from croqc.text.record import record

NO_DRIVER = "there is no NVIDIA driver here; 'croq doctor' tells what to install"
_SECONDS = 60
_SHOWN = 80  # characters of an answer that is none

PROBE = r"""
import json, sys

found = {"python": sys.version.split()[0]}


def tell(name, make):
    try:
        found[name] = make()
    except BaseException as error:
        found[name + "Error"] = f"{type(error).__name__}: {error}"[:300]


def cupy():
    import cupy

    return cupy.__version__


def bindings():
    import cuda.bindings
    from cuda.bindings import driver, nvrtc

    return cuda.bindings.__version__


def nvrtc():
    from cuda.bindings import nvrtc

    status, major, minor = nvrtc.nvrtcVersion()
    return f"{major}.{minor}"


def driver():
    import ctypes

    version = ctypes.c_int()
    if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)):
        raise OSError("the driver does not answer")
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def cards():
    from cupy.cuda import runtime

    count = runtime.getDeviceCount()
    return [card(runtime, number) for number in range(count)]


def card(runtime, number):
    data = runtime.getDeviceProperties(number)
    numbers = {"major": data["major"], "minor": data["minor"], "memory": data["totalGlobalMem"]}
    return {"name": data["name"].decode(), **numbers}


for name, make in (("cupy", cupy), ("bindings", bindings), ("nvrtc", nvrtc), ("driver", driver)):
    tell(name, make)
if "cupy" in found and "driver" in found:
    tell("cards", cards)
print(json.dumps(found))
"""


@record
class Card:
    """`capability`: 9.0 of an H200, as (9, 0); `memory` in bytes."""

    name: str
    capability: tuple[int, int]
    memory: int


@record
class Part:
    """A piece of software: its version, or why it cannot be used; both empty where it is not there."""

    version: str = ""
    error: str = ""


@record
class Machine:
    """What is there. `driver`: the newest CUDA that the driver takes. `nvcc`: its path, empty without one."""

    python: str
    driver: Part
    cupy: Part
    bindings: Part
    nvrtc: Part
    nvcc: str
    cards: tuple[Card, ...]
    cards_error: str = ""
    probe_error: str = ""


def has_driver() -> bool:
    """Whether the library of NVIDIA's driver is there; it is looked for, not loaded."""
    return find_library("cuda") is not None or Path("/proc/driver/nvidia/version").exists()


def examine(command: Sequence[str] | None = None, seconds: float = _SECONDS) -> Machine:
    """The facts of this machine. Never raises: a probe that fails is a fact."""
    words = list(command) if command is not None else [sys.executable, "-c", PROBE]
    try:
        done = subprocess.run(words, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return _machine({}, f"the libraries of CUDA did not load within {seconds:g} s")
    except OSError as error:
        return _machine(
            {}, f"the process that loads the libraries of CUDA cannot be started: {error.strerror or error}"
        )
    said = done.stdout.decode(errors="replace").splitlines()
    if not said:
        return _machine({}, "the process that loads the libraries of CUDA ended without a word")
    try:
        data = json.loads(said[-1])
        if not isinstance(data, dict):
            raise TypeError("no object")
        return _machine(data, "")
    except (ValueError, LookupError, TypeError, AttributeError):
        shown = said[-1] if len(said[-1]) <= _SHOWN else said[-1][:_SHOWN] + "…"
        return _machine({}, f"the process that loads the libraries of CUDA said what is no answer: {shown!r}")


def _machine(data: Mapping[str, Any], problem: str) -> Machine:
    def part(name: str) -> Part:
        return Part(str(data.get(name, "")), str(data.get(f"{name}Error", "")))

    cards = tuple(
        Card(str(each["name"]), (int(each["major"]), int(each["minor"])), int(each["memory"]))
        for each in data.get("cards", ())
    )
    return Machine(
        str(data.get("python", sys.version.split()[0])),
        part("driver"),
        part("cupy"),
        part("bindings"),
        part("nvrtc"),
        shutil.which("nvcc") or "",
        cards,
        str(data.get("cardsError", "")),
        problem,
    )
