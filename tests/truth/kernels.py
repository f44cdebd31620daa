"""The kernels that are mutated: the examples and the valid kernels of the rules' pages, with small sizes and data.

Must not judge. A size is small enough if the kernel runs to its end there and gives the same under every schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import numpy as np

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, SimResult, simulate
from croqc.rules.page import parse_page
from croqc.runs.sizes import NoSizesError, default_sizes
from croqc.sema.model import Model
from croqc.service.check import check_text
from croqc.service.run_data import make_data
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Severity
from tests.truth.program import Array, Program, Sizes

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = 200_000
SMALL = 50_000
"""Steps that a run of a chosen size may take."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """An original: its outputs in plain order at each of its sizes (by number), which every schedule must give."""

    program: Program
    outputs: Mapping[int, Mapping[str, Array]] = field(default_factory=dict)


def sources() -> Iterator[tuple[str, str]]:
    """Name and text of every kernel in which something is ordered: events, handles, copies in flight."""
    for path in sorted(EXAMPLES.glob("*.co")):
        yield path.stem, path.read_text(encoding="utf-8")
    pages = files("croqc.rules").joinpath("pages")
    for page in sorted(pages.iterdir(), key=lambda entry: entry.name):
        if page.name.endswith(".md"):
            for example in parse_page(page.read_text(encoding="utf-8")).examples:
                if "valid" in example.words and len(example.words) == 1:
                    yield f"{page.name.removesuffix('.md')}:{example.line}", example.text


def model_of(text: str) -> Model | None:
    """The model of a text with one sound function with one kernel."""
    report = check_text(text)
    if any(item.severity is Severity.ERROR for item in report.found) or len(report.functions) != 1:
        return None
    analysis = report.functions[0].analysis
    return analysis.model if analysis is not None and len(analysis.model.kernels) == 1 else None


def is_ordered(model: Model) -> bool:
    """Whether anything in the kernel has to be ordered."""
    for node in walk(model.function):
        if isinstance(node, ast.EventDecl | ast.Rotate | ast.MmaCommit) or (
            isinstance(node, ast.Copy) and node.is_async
        ):
            return True
    return False


def arguments(model: Model, sizes: Sizes) -> LaunchArgs:
    """The data of a run, floats replaced by small integers: sums are exact in whatever order."""
    data = make_data(model, sizes, 0)
    arrays = dict(data.arrays)
    for number, (name, array) in enumerate(sorted(arrays.items())):
        if array.dtype.kind not in "iub" and np.isfinite(array.astype(np.float64)).all():
            arrays[name] = np.random.default_rng(number).integers(-2, 3, array.shape).astype(array.dtype)
    return LaunchArgs(arrays, data.scalars, data.dims)


def run(model: Model, sizes: Sizes, seed: int | None, steps: int = STEPS) -> SimResult:
    """One run; seed None: plain order."""
    schedule: Literal["random", "ordered"] = "ordered" if seed is None else "random"
    return simulate(
        model, arguments(model, sizes), SimOptions(seed=seed or 0, max_steps=steps, workers=1, schedule=schedule)
    )


def outputs_of(result: SimResult) -> dict[str, Array] | None:
    """What a run left behind; None if it did not come to its end."""
    if result.hang or result.error is not None:
        return None
    found = dict(result.outputs)
    if isinstance(result.result, np.ndarray):
        found["return value"] = result.result
    return found


def same(a: Mapping[str, Array], b: Mapping[str, Array]) -> bool:
    return a.keys() == b.keys() and all(
        x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in ((a[name], b[name]) for name in a)
    )


def stable(model: Model, sizes: Sizes) -> dict[str, Array] | None:
    """The outputs at a size if it can be run and every one of a few schedules gives them, else None."""
    result = run(model, sizes, None, SMALL)
    plain = outputs_of(result)
    if plain is None:
        return None
    others = [outputs_of(run(model, sizes, seed)) for seed in range(2)]
    return plain if all(other is not None and same(plain, other) for other in others) else None


def _tiles(rows: int, columns: int, depth: int, *counts: int) -> tuple[Sizes, ...]:
    return tuple({"M": rows, "N": columns, "K": depth * count} for count in counts)


SIZES: Mapping[str, tuple[Sizes, ...]] = {
    "matmul_ragged": (*_tiles(64, 64, 64, 1, 2, 3, 5), {"M": 1, "N": 8, "K": 200}),
    "persistent_1p2c": (
        {"M": 128, "N": 64, "K": 128},
        {"M": 640, "N": 64, "K": 64},
        {"M": 640, "N": 64, "K": 192},
        {"M": 1152, "N": 64, "K": 320},
    ),
    "pipeline_1p2c": (*_tiles(128, 64, 64, 1, 3, 4, 7), {"M": 128, "N": 64, "K": 200}),
    "pipeline_classic": (*_tiles(64, 64, 64, 1, 4, 5, 9), {"M": 64, "N": 64, "K": 200}),
    "pipeline_course": _tiles(64, 64, 128, 1, 2, 3, 5),
    "pipeline_current": (*_tiles(64, 64, 64, 1, 3, 4, 7), {"M": 64, "N": 64, "K": 200}),
    "rotate_triple": tuple({"R": 16, "C": 32 * count} for count in (2, 3, 4, 5, 7)),
    "swap_f16": _tiles(64, 64, 64, 1, 2, 3, 5),
    "swap_s32": ({"M": 128, "N": 256, "K": 256},),
}
"""Trip counts of 1, N, N + 1 and 2N + 1 of each example's ring, and an uneven one where the copies allow it."""


def candidates(name: str, model: Model) -> tuple[Sizes, ...]:
    """Sizes to try: the table's, else the default ones (the kernels of the pages have few free extents)."""
    if name in SIZES:
        return SIZES[name]
    try:
        return (default_sizes(model, {}),)
    except NoSizesError:
        return ()


@cache
def kernels() -> tuple[Kernel, ...]:
    """The pool. A kernel without a size at which it runs (C++ inside, say) is left out."""
    found = []
    for name, text in sources():
        model = model_of(text)
        if model is None or not is_ordered(model):
            continue
        outputs: dict[int, dict[str, Array]] = {}
        chosen: list[Sizes] = []
        for sizes in candidates(name, model):
            if (plain := stable(model, sizes)) is not None:
                outputs[len(chosen)] = plain
                chosen.append(sizes)
        if chosen:
            found.append(Kernel(Program(text, tuple(chosen), (), name, True), outputs))
    return tuple(found)
