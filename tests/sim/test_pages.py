"""The valid examples of the rules' pages: each runs to its end, or says what of it is not simulated."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.machine.dtypes import dtype_of
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.rules.page import parse_page
from croqc.runs.sizes import default_sizes
from croqc.sema.analyze import analyze
from croqc.sema.model import Context, Model
from croqc.syntax import ast
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS

PAGES = sorted(
    (entry for entry in files("croqc.rules").joinpath("pages").iterdir() if entry.name.endswith(".md")),
    key=lambda entry: entry.name,
)


def examples(text: str) -> list[tuple[str, str]]:
    """The valid examples of a page, each with its architecture."""
    return [
        (example.text, example.option("arch") or "sm_90a")
        for example in parse_page(text).examples
        if "valid" in example.words
    ]


def arguments(model: Model) -> LaunchArgs:
    """Zeros for data, 4 for numbers, its default for each symbolic extent."""
    arrays, scalars = {}, {}
    sizes = default_sizes(model, {})
    for param in model.function.params:
        if param.name is None or param.type.elem == "stream":
            continue
        if param.type.dims is None:
            scalars[param.name.id] = 4
            continue
        dims = param.type.dims
        shape = [dim.value if isinstance(dim, ast.IntLit) else sizes[getattr(dim, "id", "")] for dim in dims]
        arrays[param.name.id] = np.zeros(shape or [64] * (param.type.rank or 1), dtype_of(param.type.elem))
    return LaunchArgs(arrays, scalars)


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_valid_examples_run(page: object) -> None:
    for text, arch in examples(page.read_text(encoding="utf-8")):  # type: ignore[attr-defined]
        for parsed in parse_file(text).functions:
            assert parsed.tree is not None
            model = analyze(parsed.tree, Context(TARGETS[arch])).model
            result = simulate(model, arguments(model), SimOptions(max_steps=50_000))
            assert result.hang == ()
            assert result.error is None or (
                result.error.unsupported and "does not understand" not in result.error.message
            ), result.error.message
