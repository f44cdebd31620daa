"""TMA transfers of one to five dimensions: each has its instruction, with its coordinates innermost first."""

from __future__ import annotations

import re

import pytest

from croqc.codegen.unit import header
from croqc.service.check import check_text
from tests.codegen.compiling import complaints, log_of, lowered

KERNEL = """// croq: run N=4
__co__ void part(global f32 [N, {outer}64] x, global f32 [N, {outer}64] y) {{
  parallel b by N : block {{
    shared f32 [1, {outer}64] buf;
    parallel p by 1 : group-4 {{
      tma.copy x.subspan(1, {outer}64).at(b, {zeros}0) => buf;
      tma.copy buf => y.subspan(1, {outer}64).at(b, {zeros}0);
    }}
  }}
}}
"""


@pytest.mark.parametrize("rank", [2, 3, 4, 5])
def test_boxes_of_every_rank_compile(rank: int) -> None:
    inner = rank - 2
    report = check_text(KERNEL.format(outer="2, " * inner, zeros="0, " * inner))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    code = item.program.unit.text
    at = ", ".join(["0"] * (rank - 1) + ["b"])
    assert re.search(rf"tma_load\(buf, x_map, \w+, {at}\);", code)
    assert f"tma_store(y_map, buf, {at});" in code
    assert complaints(log_of(code, "sm_90a")) == []


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(("word", "first"), [("tma_load", 3), ("tma_store", 2)])
def test_the_instruction_takes_the_coordinates_in_order(word: str, first: int, rank: int) -> None:
    """PTX ISA, cp.async.bulk.tensor: `.1d` to `.5d`, a coordinate for each dimension."""
    params = r",\s+".join(f"int c{number}" for number in range(rank))
    found = re.search(rf"void {word}\([^()]*?{params}\) {{\n(.*?)\n}}", header("tma"), re.DOTALL)
    assert found is not None
    body = re.sub(r'"\s+"', "", found.group(1))
    assert f"cp.async.bulk.tensor.{rank}d." in body
    assert "{" + ", ".join(f"%{first + number}" for number in range(rank)) + "}" in body
    assert ", ".join(f'"r"(c{number})' for number in range(rank)) in body
