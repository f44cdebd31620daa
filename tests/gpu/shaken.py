"""A process that runs one program many times on the card, with delays of pseudo-random length, and counts wrong
results: `python -m tests.gpu.shaken FOLDER`. Must not judge what that means.

The folder has `job.json` (a `Job`, whose kernels take a seed behind all other parameters), the arrays as `NAME.in` and
what must come out as `NAME.want`, compared bit by bit. The answer is written to `shaken.json` there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cupy
import numpy as np

from croqc.engines.gpu.compile import compiled
from croqc.engines.gpu.device import arguments_of, loaded, start
from croqc.engines.gpu.protocol import Job


def shake(job: Job, runs: int) -> dict[str, int | str]:
    """`wrong`: how many of the runs gave other bits; `first`: the seed of the first of them, -1 for none."""
    folder = Path(job.folder)
    module = loaded(compiled(job.code, job.arch).cubin, folder)
    arrays = {item.name: _array(folder / f"{item.name}.in", item.size) for item in job.arrays}
    wanted = {item.name: folder / f"{item.name}.want" for item in job.arrays}
    want = {name: _array(path, 0) for name, path in wanted.items() if path.exists()}
    before = {name: _array(folder / f"{name}.in", len(arrays[name])) for name in want}
    pointers = {name: int(array.data.ptr) for name, array in arrays.items()}
    bound = [(module.get_function(each.kernel), each, arguments_of(each, pointers)) for each in job.launches]
    wrong, first = 0, -1
    for seed in range(runs):
        for name in want:
            cupy.copyto(arrays[name], before[name])
        for kernel, launch, arguments in bound:
            start(kernel, launch, (*arguments, np.uint32(seed)))
        cupy.cuda.runtime.deviceSynchronize()
        if not all(bool(cupy.array_equal(arrays[name], values)) for name, values in want.items()):
            wrong += 1
            first = seed if first < 0 else first
    return {"runs": runs, "wrong": wrong, "first": first}


def _array(path: Path, size: int) -> cupy.ndarray:
    """The bytes of a file, zeros without one."""
    return cupy.asarray(np.fromfile(path, dtype=np.uint8) if path.exists() else np.zeros(size, np.uint8))


def main() -> None:
    folder = Path(sys.argv[1])
    data = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    found = shake(Job.of_json(data["job"]), data["runs"])
    (folder / "shaken.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
