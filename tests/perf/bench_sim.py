"""Prints how long the simulator takes for the tutorial's two kernels. Asserts nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from croqc.engines.sim.parameters import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, simulate
from tests.sim.kernels import PIPELINE, PIPELINE_DEFINES, SWAP, half_matrices, model_of


def best(run: Callable[[], object], rounds: int = 3) -> float:
    """The shortest of a few runs, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    rng = np.random.default_rng(0)
    swap = model_of(SWAP)
    arrays = {"lhs": rng.integers(-8, 9, (128, 256)), "rhs": rng.integers(-8, 9, (256, 256))}
    whole = LaunchArgs({name: array.astype(np.int32) for name, array in arrays.items()})
    print(f"swap, s32, 128x256x256: {best(lambda: simulate(swap, whole)):.2f} s (allowed 1 s)")
    pipeline = model_of(PIPELINE, PIPELINE_DEFINES)
    lhs, rhs = half_matrices(512, 512, 512)
    half = LaunchArgs({"lhs": lhs, "rhs": rhs, "output": np.zeros((512, 512), np.float16)})
    print(f"pipeline, f16, 512x512x512: {best(lambda: simulate(pipeline, half)):.2f} s (allowed 3 s)")
    plain = SimOptions(schedule="ordered", exact=True)
    print(f"pipeline, its plain order in f64: {best(lambda: simulate(pipeline, half, plain)):.2f} s")


if __name__ == "__main__":
    main()
