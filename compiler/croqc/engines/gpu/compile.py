"""A translation unit as a cubin, from the cache where it was compiled before. Must not need a card.

Cache key: SHA-256 of code, headers of CUDA in it, options, version and target. Files are written under other names and
renamed. Beside a cubin lies its own SHA-256, in front of the compiler's log: what does not fit, as after a power cut is
compiled anew. The files used least recently go where the cache exceeds its limit, and what a killed process has left.
"""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from croqc.engines import nvrtc

CACHE_BYTES = 1 << 30
ABANDONED = 3600.0  # seconds after which no process still writes a file


@dataclass(frozen=True, slots=True)
class Compiled:
    """`seconds` is 0 from the cache. `trouble`: why the result could not be kept there, empty where it was."""

    cubin: bytes
    log: str
    seconds: float
    cached: bool
    trouble: str = ""


def compiled(code: str, arch: str, cache: Path | None = None) -> Compiled:
    """The machine code of a unit for "sm_90a" and its like. Raises as `nvrtc.cubin`."""
    major, minor = nvrtc.version()
    parts = (code, arch, *nvrtc.OPTIONS, f"{major}.{minor}", *nvrtc.included(code))
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    stored = None if cache is None else cache / f"{key}.cubin"
    if stored is not None and (found := _read(stored)) is not None:
        return Compiled(found[0], found[1], 0.0, True)
    start = time.perf_counter()
    cubin, log = nvrtc.cubin(code, arch)
    seconds = time.perf_counter() - start
    trouble = "" if stored is None else _write(stored, cubin, log)
    return Compiled(cubin, log, seconds, False, trouble)


def _read(path: Path) -> tuple[bytes, str] | None:
    try:
        cubin = path.read_bytes()
        digest, _, log = path.with_suffix(".log").read_text(encoding="utf-8").partition("\n")
        with suppress(OSError):
            os.utime(path)  # used: it stays
    except (OSError, UnicodeDecodeError):
        return None
    return (cubin, log) if digest == hashlib.sha256(cubin).hexdigest() else None


def _write(path: Path, cubin: bytes, log: str) -> str:
    """Keeps a result. A cache that cannot be written is none, and says why."""
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        told = f"{hashlib.sha256(cubin).hexdigest()}\n{log}".encode()
        for target, data in ((path.with_suffix(".log"), told), (path, cubin)):
            temporary = target.with_name(f"{target.name}.{os.getpid()}")
            temporary.write_bytes(data)
            temporary.replace(target)
        _prune(path.parent)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        return f"compiled kernels are not kept: {path.parent}: {error.strerror or error}"
    return ""


def _prune(folder: Path, limit: int = CACHE_BYTES) -> None:
    """Removes what was used least recently until the cubins fit the limit, and files that nobody will rename."""
    for path in folder.glob("*.*.*"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - ABANDONED:
                path.unlink()
    sizes = []
    for path in folder.glob("*.cubin"):
        with suppress(OSError):  # another process may have removed it
            status = path.stat()
            sizes.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in sizes)
    for _, size, path in sorted(sizes):
        if total <= limit:
            return
        path.unlink(missing_ok=True)
        path.with_suffix(".log").unlink(missing_ok=True)
        total -= size
