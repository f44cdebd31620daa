"""PTX and SASS of a translation unit: NVRTC and nvdisasm of the `cuda` extra. Must not need a card.

Nothing here is imported before it is asked for, so that all else works without the extra.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from croqc.engines import nvrtc
from croqc.engines.installed import install
from croqc.service.machine_lines import MachineText, ptx_lines, sass_lines


class NoCompilerError(Exception):
    """NVRTC or nvdisasm is missing or too old; the text names the command that installs it."""


def ptx_of(code: str, arch: str) -> MachineText:
    """The PTX of a unit for "sm_90a" and its like. Raises NoCompilerError, nvrtc.CompileError."""
    _require_nvrtc()
    try:
        return ptx_lines(nvrtc.ptx(code, arch))
    except nvrtc.NoHeadersError as error:
        raise _without_headers(error) from None


def sass_of(code: str, arch: str) -> MachineText:
    """The machine code of a unit, disassembled. Raises NoCompilerError, nvrtc.CompileError."""
    tool = _nvdisasm()
    _require_nvrtc()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unit.cubin"
        try:
            path.write_bytes(nvrtc.cubin(code, arch)[0])
        except nvrtc.NoHeadersError as error:
            raise _without_headers(error) from None
        done = subprocess.run([tool, "-c", "-gi", str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.split()) or f"it ends with status {done.returncode}"
        raise NoCompilerError(
            f"{tool} cannot read this machine code: {said}; a newer one comes with: {install('cuda')}"
        )
    return sass_lines(done.stdout)


def _without_headers(error: nvrtc.NoHeadersError) -> NoCompilerError:
    return NoCompilerError(f"{error}: {install('cuda')}, or set CUDA_HOME to a toolkit")


def _require_nvrtc() -> None:
    try:
        nvrtc.version()
    except (ImportError, RuntimeError, OSError):
        raise NoCompilerError(f"PTX and SASS need NVRTC; install it with: {install('cuda')}") from None


def _nvdisasm() -> str:
    """The tool of the extra, else the one on the path."""
    for folder in _wheel_folders():
        for path in sorted(folder.glob("cu*/bin/nvdisasm*")):
            if path.is_file():
                return str(path)
    found = shutil.which("nvdisasm")
    if found is None:
        raise NoCompilerError(f"SASS needs nvdisasm; install it with: {install('cuda')}")
    return found


def _wheel_folders() -> Iterator[Path]:
    """Where the wheels of CUDA put their parts; nothing without them."""
    spec = find_spec("nvidia")
    if spec is not None:
        yield from (Path(folder) for folder in spec.submodule_search_locations or ())
