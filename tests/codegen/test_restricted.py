"""`__restrict__` says that nobody else writes an array meanwhile: it stands only at what a kernel never writes.

NVRTC takes it at its word: with it, an array is read once for all waits and barriers that are inline assembly.
"""

from __future__ import annotations

import re

import pytest

from croqc.service.check import FileReport, check_file, check_text
from croqc.service.machine_code import ptx_of
from tests.codegen.compiling import lowered
from tests.gpu.cases import COVERAGE

WRITTEN = {
    "element": "y.at(t) = x.at(t);",
    "atomic": "__atomic_add(y.at(t), x.at(t));",
    "copy": "dma.copy x.subspan(128).at(0) => y.subspan(128).at(0);",
    "address": "call put(&y.at(t), x.at(t));",
    "macro": 's32 v = x.at(t); __cpp__("PUT;");',
    "island": 's32 v = x.at(t); __cpp__("y[t] = v;");',
}
KERNEL = """#define PUT y[t] = v
__device__ void put(int* p, int v) { *p = v; }
__co__ void k(global s32 [N] x, global s32 [N] y) { parallel b by 1 : block, t by 128 : thread { %s } }
"""


def codes(report: FileReport) -> list[str]:
    return [lowered(report, function).program.unit.text for function in report.functions]


@pytest.mark.parametrize("statement", WRITTEN.values(), ids=WRITTEN)
def test_only_what_is_never_written_is_restricted(statement: str) -> None:
    (code,) = codes(check_text(KERNEL % statement))
    assert re.findall(r"int\* (__restrict__ )?(x|y)\b[,)]", code) == [("__restrict__ ", "x"), ("", "y")]


@pytest.mark.slow
def test_what_others_write_is_read_behind_each_wait() -> None:
    """Four reads of `tmp` in the text of one kernel, two in that of the other, and as many in the PTX; `x`, which no
    kernel writes, is read without coherence."""
    for code, (coherent, other) in zip(codes(check_file(COVERAGE / "relayed.co")), ((4, 4), (2, 2)), strict=True):
        loads = re.findall(r"ld\.global(\.nc)?\.\w*32", ptx_of(code, "sm_90a").text)
        assert (loads.count(""), loads.count(".nc")) == (coherent, other)
