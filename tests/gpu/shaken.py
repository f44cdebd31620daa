"""A process that runs one program many times on the card, with delays of pseudo-random length, and counts wrong
results: `python -m tests.gpu.shaken FOLDER`. Must not judge what that means.

The folder has `job.json` (a `Job`, whose kernels take a seed behind all other parameters), the arrays as `NAME.in` and
what must come out as `NAME.want`, compared bit by bit. The answer is written to `shaken.json` there.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import cupy
import numpy as np

from croqc.engines.gpu.compile import compiled
from croqc.engines.gpu.launching import Start, arguments_of, loaded
from croqc.engines.gpu.protocol import Job

FEW: Final = 5  # runs that there are in any case
HANGS: Final = 2.0  # seconds after which a run hangs; a right one takes milliseconds, eight processes side by side
_NOT_READY: Final = 600  # cudaErrorNotReady


class Repeated:
    """A program whose arrays start anew for each run."""

    def __init__(self, job: Job) -> None:
        self.folder = Path(job.folder)
        module = loaded(compiled(job.code, job.arch).cubin, self.folder)
        self.arrays = {item.name: array_of(self.folder / f"{item.name}.in", item.size) for item in job.arrays}
        self.before = {name: array.copy() for name, array in self.arrays.items()}
        pointers = {name: int(array.data.ptr) for name, array in self.arrays.items()}
        self.bound = [(module.get_function(each.kernel), each, arguments_of(each, pointers)) for each in job.launches]

    def run(self, *more: Any) -> bool:
        """Once, with more arguments behind the others; whether it ended in time."""
        for name, array in self.arrays.items():
            cupy.copyto(array, self.before[name])
        for kernel, launch, arguments in self.bound:
            Start(kernel, launch, (*arguments, *more))()
        end = cupy.cuda.Event()
        end.record()
        deadline = time.monotonic() + HANGS
        while cupy.cuda.runtime.eventQuery(end.ptr) == _NOT_READY:
            if time.monotonic() > deadline:
                return False
        cupy.cuda.runtime.deviceSynchronize()  # raises what went wrong
        return True


def shake(job: Job, runs: int, seconds: float) -> dict[str, int | bool]:
    """`wrong`: how many of the runs gave other bits; `first`: the seed of the first of them, -1 for none. `runs`: those
    that ended within `seconds`, the first few in any case. `hangs`: a further one did not end."""
    program = Repeated(job)
    wanted = {item.name: program.folder / f"{item.name}.want" for item in job.arrays}
    want = {name: array_of(path, 0) for name, path in wanted.items() if path.exists()}
    wrong, first = 0, -1
    same(want, want)  # compiles the comparison, which is not to count
    deadline = time.monotonic() + seconds
    for seed in range(runs):
        if seed >= FEW and time.monotonic() > deadline:
            return {"runs": seed, "wrong": wrong, "first": first, "hangs": False}
        if not program.run(np.uint32(seed)):
            return {"runs": seed, "wrong": wrong, "first": first, "hangs": True}
        if not same(program.arrays, want):
            wrong += 1
            first = seed if first < 0 else first
    return {"runs": runs, "wrong": wrong, "first": first, "hangs": False}


def same(found: Mapping[str, Any], want: Mapping[str, Any]) -> bool:
    """Whether the arrays of `want` have these bits."""
    return all(bool(cupy.array_equal(found[name], values)) for name, values in want.items())


def array_of(path: Path, size: int) -> cupy.ndarray:
    """The bytes of a file, zeros without one."""
    return cupy.asarray(np.fromfile(path, dtype=np.uint8) if path.exists() else np.zeros(size, np.uint8))


def main() -> None:
    folder = Path(sys.argv[1])
    data = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    found = shake(Job.of_json(data["job"]), data["runs"], data["seconds"])
    (folder / "shaken.json").write_text(json.dumps(found), encoding="utf-8")
    os._exit(0)  # a kernel that hangs would keep the process


if __name__ == "__main__":
    main()
