"""NVRTC: a translation unit as a cubin, from the cache where it was compiled before. Must not need a card.

Cache key: SHA-256 of code, options, version and target. A file is written under another name and renamed.
"""

from __future__ import annotations

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OPTIONS = ("-std=c++17", "--ptxas-options=-v", "-lineinfo", "-default-device")


class CompileError(Exception):
    """NVRTC refused the code; the text is its log."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """`seconds` is 0 from the cache."""

    cubin: bytes
    log: str
    seconds: float
    cached: bool


def compiled(code: str, arch: str, cache: Path | None = None) -> Compiled:
    """The machine code of a unit for "sm_90a" and its like. Raises CompileError, ImportError without NVRTC."""
    from cuda.bindings import nvrtc

    _, major, minor = nvrtc.nvrtcVersion()
    key = hashlib.sha256("\0".join((code, arch, *OPTIONS, f"{major}.{minor}")).encode()).hexdigest()
    stored = None if cache is None else cache / f"{key}.cubin"
    if stored is not None and (found := _read(stored)) is not None:
        return Compiled(found[0], found[1], 0.0, True)
    start = time.perf_counter()
    cubin, log = _compile(nvrtc, code, arch)
    seconds = time.perf_counter() - start
    if stored is not None:
        _write(stored, cubin, log)
    return Compiled(cubin, log, seconds, False)


def _compile(nvrtc: Any, code: str, arch: str) -> tuple[bytes, str]:
    _, program = nvrtc.nvrtcCreateProgram(code.encode(), b"kernel.cu", 0, [], [])
    options = [f"-arch={arch}".encode(), *(option.encode() for option in OPTIONS)]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    text = log.decode(errors="replace").strip("\0 \n")
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise CompileError(text or str(status))
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    cubin = b" " * size
    nvrtc.nvrtcGetCUBIN(program, cubin)
    nvrtc.nvrtcDestroyProgram(program)
    return cubin, text


def _read(path: Path) -> tuple[bytes, str] | None:
    try:
        return path.read_bytes(), path.with_suffix(".log").read_text(encoding="utf-8")
    except OSError:
        return None


def _write(path: Path, cubin: bytes, log: str) -> None:
    """A cache that cannot be written is none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, data in ((path.with_suffix(".log"), log.encode()), (path, cubin)):
            temporary = target.with_name(f"{target.name}.{os.getpid()}")
            temporary.write_bytes(data)
            temporary.replace(target)
    except OSError:
        return
