"""What the simulator says of a program: random schedules on real data. Must not use the verifier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import Prepared, SimOptions, simulate
from croqc.sema.analyze import analyze
from croqc.sema.model import Analysis, Context, Model
from croqc.sema.types import Data
from croqc.syntax.parser import parse_file
from croqc.syntax.tree import FileTree
from croqc.targets import TARGETS
from tests.truth.program import Array, Program, Sizes, wrong_outputs

STEPS = 400_000
_ELEMENTS = {"s32": np.int32, "f16": np.float16, "f32": np.float32}


@dataclass(frozen=True, slots=True)
class Seen:
    """`kind`: clean, hang, wrong, overrun (arrivals beyond a generation's count), range (a slot that is none), other,
    error or unsupported.

    "other": not what the program was to compute, but the same as in its plainest order: no fault of synchronisation.
    """

    kind: str
    detail: str = ""
    sizes: Sizes | None = None
    seed: int = 0

    @property
    def faulty(self) -> bool:
        return self.kind in ("hang", "wrong", "overrun", "range")


CLEAN = Seen("clean")


def analysis_of(program: Program) -> Analysis | None:
    """The analysis of the one function; None if the text does not parse."""
    return analysis_in(parse_file(program.text, program.defines))


def analysis_in(tree: FileTree) -> Analysis | None:
    """As `analysis_of`, of a text that was parsed."""
    function = tree.functions[0].tree if tree.functions and not tree.findings else None
    return None if function is None else analyze(function, Context(TARGETS["sm_90a"]))


def inputs_of(model: Model, sizes: Sizes) -> dict[str, Array]:
    """Small integers, none zero, no two tiles alike; arrays that the program writes start with a strange value."""
    arrays: dict[str, Array] = {}
    for position, param in enumerate(model.function.params):
        symbol = model.uses[param.name] if param.name else None
        if symbol is None or not isinstance(symbol.type, Data):
            continue
        shape = tuple(dim.evaluate(sizes) or 0 for dim in symbol.type.shape)
        kind = _ELEMENTS[symbol.type.elem]
        if symbol.name.startswith(("dst", "out")):
            arrays[symbol.name] = np.full(shape, -77, kind)
        elif kind is np.int32:
            arrays[symbol.name] = np.arange(1, 1 + int(np.prod(shape)), dtype=kind).reshape(shape) + 10**6 * position
        else:
            arrays[symbol.name] = np.random.default_rng(position).integers(1, 4, shape).astype(kind)
    return arrays


def _error_kind(message: str) -> str:
    return "overrun" if "arriv" in message else "range" if "out of range" in message else "error"


def run_once(program: Program, prepared: Prepared, sizes: Sizes, seed: int) -> Seen:
    model = prepared.model
    arrays = inputs_of(model, sizes)
    scalars = {name: value for name, value in sizes.items() if name.islower()}
    args = LaunchArgs(arrays, scalars, sizes)
    result = simulate(prepared, args, SimOptions(seed=seed, max_steps=STEPS, workers=1))
    if result.hang:
        return Seen("hang", str(result.hang[0]), sizes, seed)
    if result.error is not None:
        message = result.error.message
        kind = "unsupported" if result.error.unsupported else _error_kind(message)
        return Seen(kind, message, sizes, seed)
    wrong = wrong_outputs(program, arrays, result.outputs)
    if not wrong:
        return CLEAN
    plain = simulate(prepared, args, SimOptions(max_steps=STEPS, workers=1, schedule="ordered"))
    same = all(np.array_equal(plain.outputs[name], result.outputs[name], equal_nan=True) for name in wrong)
    return Seen("other" if same else "wrong", ", ".join(wrong), sizes, seed)


def simulate_program(program: Program, model: Model, schedules: int, sizes: Iterable[Sizes] = ()) -> Seen:
    """The first fault in `schedules` runs, which are spread over the program's sizes, else clean or other."""
    instances = tuple(sizes) or program.sizes
    mildest, prepared = CLEAN, Prepared(model)
    for seed in range(schedules):
        seen = run_once(program, prepared, instances[-1 - seed % len(instances)], seed)
        if seen.kind not in ("clean", "other"):
            return seen
        mildest = seen if seen.kind == "other" else mildest
    return mildest
