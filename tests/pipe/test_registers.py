"""The pass `registers`: a loading warpgroup gives its registers up only where it does nothing else."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.lower import lowered_kernels
from croqc.pipe.walk import statements
from croqc.service.check import check_text
from tests.pipe.lowering import EXAMPLES

GEMM = (EXAMPLES / "gemm_f16.co").read_text(encoding="utf-8")
SIZES = {"M": 512, "N": 512, "K": 256}


def given(text: str) -> list[int | None]:
    """The registers of each role, the loader's first."""
    report = check_text(text)
    analysis = report.functions[0].analysis
    assert analysis is not None
    (kernel,) = lowered_kernels(analysis.model, report.target, SIZES)
    return [stmt.registers for stmt in statements(kernel.body) if isinstance(stmt, ir.Role)]


def test_the_loader_gives_and_the_consumers_take() -> None:
    assert given(GEMM) == [40, 232]


@pytest.mark.parametrize("condition", ["p >= 0", "p < 2"])
def test_regions_that_share_a_warpgroup_keep_their_share(condition: str) -> None:
    """They are warned of (overlapping-regions), and lowered all the same."""
    assert given(GEMM.replace("inthreads.async (p == 0)", f"inthreads.async ({condition})")) == [None, None]


@pytest.mark.parametrize("attribute", ["[[launch_bounds(_, 2)]]", "[[maxnreg(128)]]"])
def test_where_the_source_shares_registers_out_nobody_takes_more(attribute: str) -> None:
    """The block has as many as the launch gave it: who wanted others' would wait for ever (PTX ISA, setmaxnreg)."""
    head = "  parallel b by BLOCKS : block"
    assert GEMM.count(head) == 1
    assert given(GEMM.replace(head, f"  {attribute}\n{head}")) == [None, None]
