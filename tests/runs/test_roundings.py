"""How often the sums of a kernel's multiplies are rounded, which the default tolerance hangs on."""

from __future__ import annotations

import pytest

from croqc.service.check import check_file
from croqc.service.run_verdict import k_step_of
from tests.gpu.cases import KERNELS


@pytest.mark.parametrize(
    ("name", "function", "step"),
    [("warp_8x32", 0, 16), ("warp_f16_16x8x8", 0, 8), ("warp_f64", 0, 1), ("warp_f64_16", 2, 1)],
)
def test_an_instruction_rounds_once_and_one_of_f64_each_product(name: str, function: int, step: int) -> None:
    analysis = check_file(KERNELS / f"{name}.co").functions[function].analysis
    assert analysis is not None
    assert k_step_of(analysis.model) == step
