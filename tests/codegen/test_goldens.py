"""The CUDA of every example, headers left out, as somebody last read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codegen.compiling import lowered
from tests.pipe.golden import compare
from tests.pipe.lowering import NAMES, example

FOLDER = Path(__file__).with_name("goldens")


def device_text(name: str) -> str:
    report = example(name)
    found = lowered(report, report.functions[0])
    assert found.program is not None, found.problem
    return found.program.unit.text.partition("using namespace croq;\n\n")[2]


@pytest.mark.parametrize("name", NAMES)
def test_the_cuda_of(name: str, request: pytest.FixtureRequest) -> None:
    text = device_text(name)
    assert text.startswith(("// Made for", 'extern "C" __global__'))
    compare(FOLDER / f"{name}.cu", text, request)


def test_no_golden_is_left_behind() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == NAMES
