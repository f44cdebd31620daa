"""The shared memory that `croq check` names is what the launch asks for, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service.check import check_file
from croqc.service.lowering import lower_file
from tests.rules.mending import EXAMPLES


def _told(path: Path) -> list[int]:
    found = check_file(path).diagnostics
    return [int(item.message.split()[0]) for item in found if item.code == "dynamic-shared-memory"]


LARGE = [path for path in sorted(EXAMPLES.glob("*.co")) if _told(path)]


def test_some_examples_need_dynamic_shared_memory() -> None:
    assert "pipeline_course.co" in [path.name for path in LARGE]


@pytest.mark.parametrize("path", LARGE, ids=[path.stem for path in LARGE])
def test_one_number(path: Path) -> None:
    """Where the lowering stages a store in memory of its own, the launch asks for that much more."""
    report = check_file(path)
    (launched,) = (kernel for lowered in lower_file(report, None, {}) for kernel in lowered.program.kernels)
    declared = {symbol.name for symbol in report.functions[0].analysis.model.symbols}
    own = sum(item.bytes * item.tensor.slots for item in launched.shared if item.tensor.name not in declared)
    assert [launched.shared_bytes - own] == _told(path)
