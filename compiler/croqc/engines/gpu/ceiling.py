"""What a card reaches at most: bytes a second of its own copy, operations a second of cuBLAS. Runs in the child; must
not know programs.

Measured once for a card and driver and kept as a file beside the compiled kernels. Without CuPy's BLAS only the copy is
measured; it is measured again as soon as the BLAS is there.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any, Final

import cupy
import numpy as np

from croqc.runs.report import Ceiling

EDGE: Final = 8192  # of the square matrices that cuBLAS multiplies, f16 into f16, sums in f32
COPIED: Final = 1 << 30  # bytes of a copy, where the card has eight times as many free
_TILE: Final = 1024
_ROUNDS: Final = 9
_PROC: Final = Path("/proc/driver/nvidia/version")


def ceiling(cache: Path | None, anew: bool) -> Ceiling:
    """What is kept of this card, else what is measured now. `anew`: measures in any case."""
    file = None if cache is None else cache / f"ceiling-{_card()}.json"
    kept = None if file is None or anew else _read(file)
    if kept is not None and (kept.tflops or not _has_blas()):
        return kept
    found = measure()
    if file is not None:
        with suppress(OSError):  # it is measured again the next time; the cache of kernels says what is wrong
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_suffix(".new")
            temporary.write_text(json.dumps(asdict(found)) + "\n", encoding="utf-8")
            temporary.replace(file)
    return found


def measure() -> Ceiling:
    """Medians of nine rounds each."""
    return Ceiling(_copied() / 1e9, _multiplied() / 1e12, time.strftime("%Y-%m-%d"))


def _card() -> str:
    """The card and its driver, as part of a file's name."""
    data = cupy.cuda.runtime.getDeviceProperties(0)
    uuid = bytes(data.get("uuid", b"")).hex() or f"{data['name'].decode().replace(' ', '_')}-{data['pciBusID']}"
    return f"{uuid}-{_driver()}"


def _driver() -> str:
    """The kernel module's version where the system tells it, else the newest CUDA that the driver takes."""
    with suppress(OSError, IndexError, StopIteration):
        words = _PROC.read_text(encoding="utf-8").splitlines()[0].split()
        return next(word for word in words if word[0].isdigit() and "." in word)
    return str(cupy.cuda.runtime.driverGetVersion())


def _read(file: Path) -> Ceiling | None:
    """What a file keeps; None where it is none, or nonsense."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Ceiling(float(data["gigabytes"]), float(data["tflops"]), str(data["measured"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _copied() -> float:
    """Bytes a second, read and written, of a copy from one part of the card's memory to another."""
    size = min(COPIED, int(cupy.cuda.runtime.memGetInfo()[0]) // 8)
    source, target = cupy.zeros(size, dtype=cupy.uint8), cupy.empty(size, dtype=cupy.uint8)
    return 2 * size / _seconds(lambda: cupy.copyto(target, source), 1)


def _has_blas() -> bool:
    small = cupy.asarray(np.zeros((16, 16), dtype=np.float16))
    try:
        cupy.matmul(small, small)
    except cupy.cuda.runtime.CUDARuntimeError:
        raise  # of the card, after which it answers nothing
    except Exception:  # a broken installation raises whatever it likes
        return False
    return True


def _multiplied() -> float:
    """Operations a second of a product of two square matrices of f16; 0 without a BLAS, or without memory for it.

    Values are drawn: the clocks that a card keeps hang on how many bits change.
    """
    if not _has_blas():
        return 0.0
    drawn = np.random.default_rng(0).standard_normal((2, _TILE, _TILE)).astype(np.float16)
    try:
        left, right = (cupy.tile(cupy.asarray(each), (EDGE // _TILE, EDGE // _TILE)) for each in drawn)
        return 2.0 * EDGE**3 / _seconds(lambda: cupy.matmul(left, right), 5)
    except cupy.cuda.memory.OutOfMemoryError:
        return 0.0


def _seconds(call: Callable[[], Any], count: int) -> float:
    """Seconds of one call, `count` of them back to back between two events: the median of the rounds."""
    for _ in range(2):
        call()
    found = []
    for _ in range(_ROUNDS):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(count):
            call()
        end.record()
        found.append((start, end))
    cupy.cuda.runtime.deviceSynchronize()
    return float(median(cupy.cuda.get_elapsed_time(start, end) for start, end in found)) / 1000 / count
