"""NVRTC: a translation unit as machine code or PTX. Must not need a card, keep results or know programs.

The engine and `croq cuda` compile with the same options, so that what is shown is what runs.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Final

OPTIONS: Final = ("-std=c++17", "--ptxas-options=-v", "-lineinfo", "-default-device")


_INCLUDE: Final = re.compile(r"^[ \t]*#include <(\w+\.h)>", re.MULTILINE)


class CompileError(Exception):
    """NVRTC refused the code; the text is its log."""


class NoHeadersError(Exception):
    """The code includes a header of CUDA, and none of CUDA's are found; the text says which."""


def headers() -> str | None:
    """The folder of CUDA's headers: of the wheel `nvidia-cuda-runtime`, of conda, or of a toolkit that CUDA_HOME or
    CUDA_PATH names; None where there is none."""
    from cuda.pathfinder import find_nvidia_header_directory

    found: str | None = find_nvidia_header_directory("cudart")
    return found


def version() -> tuple[int, int]:
    """Of NVRTC, as (13, 0). Raises ImportError without it; RuntimeError or OSError where it cannot be loaded."""
    _, major, minor = _nvrtc().nvrtcVersion()
    return int(major), int(minor)


def cubin(code: str, arch: str) -> tuple[bytes, str]:
    """The machine code of a unit for "sm_90a" and its like, and the compiler's log.

    Raises CompileError, NoHeadersError, and what `version` raises.
    """
    return _compiled(code, arch, "CUBIN")


def ptx(code: str, arch: str) -> str:
    """The PTX of a unit for "sm_90a" and its like. Raises as `cubin`."""
    text, _ = _compiled(code, f"compute_{arch.removeprefix('sm_')}", "PTX")
    return text.decode().rstrip("\0")


def _nvrtc() -> Any:
    from cuda.bindings import nvrtc

    return nvrtc


def _compiled(code: str, arch: str, what: str) -> tuple[bytes, str]:
    nvrtc = _nvrtc()
    included = _includes(code)
    _, program = nvrtc.nvrtcCreateProgram(code.encode(), b"kernel.cu", 0, [], [])
    try:
        options = [f"-arch={arch}".encode(), *(option.encode() for option in (*OPTIONS, *included))]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        log = _sized(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, program)
        text = log.decode(errors="replace").strip("\0 \n")
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            raise CompileError(text or str(status))
        made = _sized(getattr(nvrtc, f"nvrtcGet{what}Size"), getattr(nvrtc, f"nvrtcGet{what}"), program)
        return made, text
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def included(code: str) -> tuple[str, ...]:
    """The SHA-256 of each header of CUDA that the code includes, as far as they are found."""
    folder = headers() if _INCLUDE.search(code) else None
    paths = [] if folder is None else [Path(folder, name) for name in _INCLUDE.findall(code)]
    return tuple(hashlib.sha256(path.read_bytes()).hexdigest() for path in paths if path.is_file())


def _includes(code: str) -> tuple[str, ...]:
    """Where the headers are that the code includes; generated code that no code of the file meets includes none."""
    wanted = _INCLUDE.search(code)
    if wanted is None:
        return ()
    folder = headers()
    if folder is None:
        raise NoHeadersError(f"this code includes <{wanted[1]}>, and the headers of CUDA are not found here")
    return (f"-I{folder}",)


def _sized(size_of: Any, fill: Any, program: Any) -> bytes:
    """What NVRTC writes into a buffer of the caller's; one of Python's own `bytes` may be shared with others."""
    _, size = size_of(program)
    data = bytearray(size)
    fill(program, data)
    return bytes(data)
