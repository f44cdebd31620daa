"""Every kernel of the examples, of `tests/gpu` and of `regressions` runs in the emulator under all orders, and gives
what it should. A regression is a kernel that was proved and went wrong as generated, or was refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.emulator import NOT_MODELLED
from tests.emulator.running import emulated
from tests.gpu.cases import COVERAGE, EXAMPLES, KERNELS

FILES = [*sorted(EXAMPLES.glob("*.co")), *sorted(COVERAGE.glob("*.co")), *sorted(KERNELS.glob("*.co"))]
REGRESSIONS = sorted(Path(__file__).with_name("regressions").glob("*.co"))
SPARSE = ["sparse_f16.co", "sparse_f8.co", "sparse_warp.co"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [file for file in [*FILES, *REGRESSIONS] if file.name not in SPARSE], ids=lambda file: file.name
)
def test_a_kernel_is_verified_under_all_orders(file: Path) -> None:
    found = [(each.function, each.result.verdict.value, each.message) for each in emulated(file)]
    assert found == [(function, "verified", "") for function, _, _ in found]
    assert found


@pytest.mark.parametrize("name", SPARSE)
def test_what_is_not_modelled_is_said(name: str) -> None:
    assert all(NOT_MODELLED in each.message for each in emulated(KERNELS / name))
