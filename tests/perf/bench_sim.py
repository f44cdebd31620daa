"""How long the simulator takes for the tutorial's two kernels."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, simulate
from tests.perf.timing import Figure, best
from tests.sim.kernels import PIPELINE, PIPELINE_DEFINES, SWAP, half_matrices, model_of

ROUNDS = 3


def figures() -> Iterator[Figure]:
    rng = np.random.default_rng(0)
    swap = model_of(SWAP)
    arrays = {"lhs": rng.integers(-8, 9, (128, 256)), "rhs": rng.integers(-8, 9, (256, 256))}
    whole = LaunchArgs({name: array.astype(np.int32) for name, array in arrays.items()})
    yield Figure("simulate: swap, s32, 128x256x256", best(lambda: simulate(swap, whole), ROUNDS, perf_counter), 1)
    pipeline = model_of(PIPELINE, PIPELINE_DEFINES)
    lhs, rhs = half_matrices(512, 512, 512)
    half = LaunchArgs({"lhs": lhs, "rhs": rhs, "output": np.zeros((512, 512), np.float16)})
    yield Figure(
        "simulate: pipeline, f16, 512x512x512", best(lambda: simulate(pipeline, half), ROUNDS, perf_counter), 3
    )
    plain = SimOptions(schedule="ordered", exact=True)
    yield Figure(
        "the same in its plain order, f64", best(lambda: simulate(pipeline, half, plain), ROUNDS, perf_counter)
    )
