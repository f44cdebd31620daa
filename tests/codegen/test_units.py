"""Who takes part: barriers name the threads that come to them, and what a warp shares is the same in all of it."""

from __future__ import annotations

import re

import pytest

from croqc.codegen.kernel import kernel_text
from croqc.pipe import ir
from croqc.sema.model import Unit
from croqc.service.check import check_text
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from croqc.text.record import replace
from tests.codegen.compiling import lowered
from tests.pipe.kernels import kernel, role

IN_A_ROLE = """// croq: run N=256
__co__ void two(global f32 [N, 64] x, global f32 [N, 64] y) {
  parallel b by cdiv(N, 16) : block {
    shared f32 [16, 64] buf;
    shared event full;
    parallel p by ROLES {
      inthreads.async (p == 0) {
        dma.copy x.subspan(16, 64).at(b, 0) => buf;
        parallel t by THREADS : thread {
          foreach r in 8 { buf.at(r, t % 64) = buf.at(r, t % 64) + 1.0f; }
        }
        trigger full;
      }
      inthreads.async (p == 1) {
        wait full;
        dma.copy buf => y.subspan(16, 64).at(b, 0);
      }
    }
  }
}
"""
INDICES = """// croq: run N=64
__co__ void fill(global s32 [N, 64] out) {
  parallel b by cdiv(N, 2) : block, {a, t} by [EXTENTS] : thread {
    out.at(b # a, t) = a;
  }
}
"""


def code(text: str, arch: str = "sm_90a") -> str:
    report = check_text(text, Settings(arch=arch))
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    return item.program.unit.text


@pytest.mark.parametrize(
    ("roles", "threads", "barrier"),
    [("2 : group-4", "128", "bar_sync(1 + threadIdx.x / 128, 128);"), ("2 : group", "32", "__syncwarp();")],
)
def test_a_parallel_in_a_role_joins_the_roles_threads(roles: str, threads: str, barrier: str) -> None:
    """The other role stands at its wait, so that a barrier of the block would never open (4.4)."""
    body = code(IN_A_ROLE.replace("ROLES", roles).replace("THREADS", threads))
    kernel = body[body.index('extern "C"') :]
    inside = kernel[kernel.index("// path p == 0") : kernel.index("// path p == 1")]
    assert "__syncthreads();" not in inside
    last = inside[inside.rindex("+ 1.0f") : inside.rindex("mbarrier_arrive")]
    assert barrier in last


def test_a_parallel_outside_of_regions_joins_the_block() -> None:
    text = """// croq: run N=256
__co__ void one(global f32 [N] x, global f32 [N] y) {
  parallel b by cdiv(N, 128) : block {
    shared f32 [128] buf;
    parallel t by 128 : thread { buf.at(t) = x.subspan(128).at(b).at(127 - t); }
    dma.copy buf => y.subspan(128).at(b);
  }
}
"""
    body = code(text)
    assert "__syncthreads();" in body[body.index("buf[t] = ") :]


@pytest.mark.parametrize(
    ("extents", "shared"), [("2, 40", False), ("2, 33", False), ("2, 48", False), ("2, 32", True), ("2, 64", True)]
)
def test_only_what_whole_warps_share_is_taken_from_their_first_thread(extents: str, shared: bool) -> None:
    body = code(INDICES.replace("EXTENTS", extents))
    (line,) = re.findall(r"const int a = (.*);", body)
    unit = extents.split()[1]
    plain = f"threadIdx.x / {unit}"
    assert line == (f"__shfl_sync(0xffffffff, {plain}, 0)" if shared else plain)


@pytest.mark.parametrize(("threads", "shared"), [(96, True), (80, False)])
def test_a_warp_that_is_not_whole_shares_nothing(threads: int, shared: bool) -> None:
    made = kernel_text(replace(kernel(role(unit=Unit.THREAD)), threads=threads, indices=(ir.Index("w", 32, 3),)))
    (line,) = (line.text for line in made.lines if "int w" in line.text)
    assert ("__shfl_sync" in line) is shared
