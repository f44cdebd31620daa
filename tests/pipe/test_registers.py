"""The pass `registers`: a loading warpgroup gives its registers up only where it does nothing else."""

from __future__ import annotations

import re

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
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


PERSISTENT = (EXAMPLES / "persistent_1p2c.co").read_text(encoding="utf-8")
PIPELINE = (EXAMPLES / "pipeline_1p2c.co").read_text(encoding="utf-8")


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
    narrow = _wide(GEMM, 64, 6)
    assert given(narrow) == [40, 232]
    assert given(narrow.replace(head, f"  {attribute}\n{head}")) == [None, None]


def _wide(text: str, columns: int, stages: int) -> str:
    text = re.sub(r"(?m)^#define TILE_N .*$", f"#define TILE_N {columns}", text)
    return re.sub(r"(?m)^#define STAGES .*$", f"#define STAGES {stages}", text)


def test_roles_that_a_loop_comes_back_to_keep_their_share() -> None:
    """The code of the block between two turns would have the loader's registers, and accumulators be spilled."""
    assert given(_wide(PIPELINE, 128, 4)) == [40, 232]
    assert given(_wide(PERSISTENT, 128, 4)) == [None, None]


def _lowered(text: str) -> ir.Kernel:
    report = check_text(text)
    analysis = report.functions[0].analysis
    assert analysis is not None
    (kernel,) = lowered_kernels(analysis.model, report.target, SIZES)
    return kernel


def test_the_assembler_is_told_of_one_block_where_it_would_take_fewer() -> None:
    """It does not know how many there are to move (its note C7508); of what needs all of them it does."""
    few = PIPELINE.replace("#define STAGES 3", "#define STAGES 6")  # alone by its shared memory
    assert given(few) == [40, 232]
    assert _lowered(few).bounds.blocks == 1
    assert _lowered(GEMM).bounds.blocks == 0


WARPGROUPS = """__co__ void f(global f16 [M, K] a, global f16 [N, K] b, global f32 [M, N] y) {{
  parallel bm by cdiv(M, 64) : block {{
    shared f16 [64, 64] l;
    shared f16 [{columns}, 64] r;
    parallel p by {groups} : group-4 {{
      c = mma.fill.{acc} 0.0f;
      dma.copy a.subspan(64, 64).at(bm, 0) => l;
      dma.copy b.subspan({columns}, 64).at(0, 0) => r;
      mma.row.row c, l, r;
      mma.store c, y.subspan(64, {columns}).at(bm, 0);
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    ("groups", "columns", "acc", "needs", "has"),
    [(4, 208, "f32", 130, 128), (8, 80, "f32", 66, 64), (6, 128, "f32", 90, 80), (8, 160, "f16", 66, 64)],
)
def test_a_multiply_that_no_thread_has_room_for_is_refused(
    groups: int, columns: int, acc: str, needs: int, has: int
) -> None:
    """As ptxas does without a place: "Insufficient registers (128) … register target of 130 or higher" (C7602)."""
    text = WARPGROUPS.format(groups=groups, columns=columns, acc=acc)
    told = f"this takes {needs} registers of a thread, and each of {groups * 128} threads has {has}: "
    with pytest.raises(LoweringError, match=re.escape(f"{told}take fewer warpgroups, or a narrower tile")) as raised:
        _lowered(text)
    assert text[raised.value.span.start :].startswith("mma.row.row")
    assert _lowered(text.replace(str(columns), str(columns - 32))).name == "f"
