"""Which kernels wait for the launches in front of them, and where."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_text
from croqc.service.settings import Settings
from croqc.targets import TARGETS
from tests.pipe.lowering import NAMES, after, example, kernel_lines, only, stages_of

PLAIN = "__co__ void f(global s32 [N] x) { parallel b by N : block { if (b < 3) { x.at(b) = 1; } } }"


@pytest.mark.parametrize("arch", TARGETS)
def test_targets_with_programmatic_launches_wait(arch: str) -> None:
    kernel = after("dependents", PLAIN, {"N": 8}, arch)
    assert kernel.dependent is (arch in ("sm_90a", "sm_100a"))
    assert len(only(kernel, ir.AwaitLaunches)) == kernel.dependent


@pytest.mark.parametrize("name", NAMES)
def test_every_thread_waits_before_anything_else(name: str) -> None:
    """At the top, in front of roles and conditions: blocks without work wait, too."""
    *_, (_, kernel) = stages_of(example(name))
    assert isinstance(kernel.body[0], ir.AwaitLaunches)
    assert len(only(kernel, ir.AwaitLaunches)) == 1


def test_what_the_host_moves_by_kernels_waits_too() -> None:
    text = """__co__ void f(global s32 [N] x, global s32 [N] y) {
  parallel b by N : block { x.at(b) = 1; }
  dma.copy x => y;
}"""
    (function,) = check_text(text, Settings(arch="sm_90a")).functions
    assert function.analysis is not None
    kernels = lowered_kernels(function.analysis.model, TARGETS["sm_90a"], {"N": 64})
    assert [kernel.dependent for kernel in kernels] == [True, True]


def test_a_dump_shows_it() -> None:
    lines = kernel_lines(after("dependents", PLAIN, {"N": 8}))
    assert lines[lines.index("  body") + 1] == "    await launches in front"
