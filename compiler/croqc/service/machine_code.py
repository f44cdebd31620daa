"""PTX and SASS of a translation unit: NVRTC and nvdisasm of the `cuda` extra. Must not need a card.

Nothing here is imported before it is asked for, so that all else works without the extra.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

INSTALL = "pip install 'croqtile-tools[cuda]'"


class NoCompilerError(Exception):
    """NVRTC or nvdisasm is missing; the text names the command that installs it."""


class RefusedError(Exception):
    """NVRTC refused the code; the text is its log."""


def ptx_of(code: str, arch: str) -> str:
    """The PTX of a unit for "sm_90a" and its like. Raises NoCompilerError, RefusedError."""
    nvrtc = _nvrtc()
    return _text(nvrtc, _compiled(nvrtc, code, f"compute_{arch.removeprefix('sm_')}"), "PTX")


def sass_of(code: str, arch: str) -> str:
    """The machine code of a unit, disassembled. Raises NoCompilerError, RefusedError."""
    tool = _nvdisasm()
    nvrtc = _nvrtc()
    program = _compiled(nvrtc, code, arch)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unit.cubin"
        path.write_bytes(_bytes(nvrtc, program, "CUBIN"))
        done = subprocess.run([tool, "-c", str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RefusedError(done.stderr.strip() or "nvdisasm failed")
    return done.stdout


def _nvrtc() -> Any:
    try:
        from cuda.bindings import nvrtc

        nvrtc.nvrtcVersion()
    except (ImportError, RuntimeError, OSError):
        raise NoCompilerError(f"PTX and SASS need NVRTC; install it with: {INSTALL}") from None
    return nvrtc


def _nvdisasm() -> str:
    """The tool of the extra, else the one on the path."""
    for folder in _wheel_folders():
        for path in sorted(folder.glob("cu*/bin/nvdisasm*")):
            if path.is_file():
                return str(path)
    found = shutil.which("nvdisasm")
    if found is None:
        raise NoCompilerError(f"SASS needs nvdisasm; install it with: {INSTALL}")
    return found


def _wheel_folders() -> Iterator[Path]:
    from importlib.util import find_spec

    spec = find_spec("nvidia")
    yield from (Path(folder) for folder in (spec.submodule_search_locations or ()) if spec)  # type: ignore[union-attr]


def _compiled(nvrtc: Any, code: str, arch: str) -> Any:
    _, program = nvrtc.nvrtcCreateProgram(code.encode(), b"kernel.cu", 0, [], [])
    options = [f"-arch={arch}".encode(), b"-std=c++17", b"-default-device", b"-lineinfo"]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        _, size = nvrtc.nvrtcGetProgramLogSize(program)
        log = b" " * size
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RefusedError(log.decode(errors="replace").strip("\0 \n") or str(status))
    return program


def _bytes(nvrtc: Any, program: Any, what: str) -> bytes:
    _, size = getattr(nvrtc, f"nvrtcGet{what}Size")(program)
    data = bytes(size)
    getattr(nvrtc, f"nvrtcGet{what}")(program, data)
    return data


def _text(nvrtc: Any, program: Any, what: str) -> str:
    return _bytes(nvrtc, program, what).decode().rstrip("\0")
