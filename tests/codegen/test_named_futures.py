"""Futures that are exchanged, or chosen among, whose copies name their buffers: they compile, and mean the right slots.
The emulator runs them (`tests/gpu/coverage/named_futures.co`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Lit
from croqc.service.check import check_file, check_text
from croqc.service.cuda import cuda_of
from croqc.service.settings import Settings
from tests.codegen.compiling import complaints, log_of
from tests.pipe.lowering import after, only

FILE = Path(__file__).parents[1] / "gpu/coverage/named_futures.co"
EXCHANGED = """\
__co__ void f(global s32 [64] a, global s32 [64] b, global s32 [64] o) {{
  parallel k by 1 : block {{
    shared s32 [64] x, ring[3], z;
    f = dma.copy a => {first};
    g = dma.copy b => {second};
    swap(f, g);
    parallel t by 64 : thread {{ z.at(t) = f.data.at(t); }}
    dma.copy z => o;
  }}
}}
"""


@pytest.mark.slow
def test_they_compile() -> None:
    found = cuda_of(check_file(FILE, Settings()), None, {})
    assert found.problems == ()
    assert complaints(log_of(found.result.text, "sm_90a")) == []


def test_each_copy_says_which_slot_its_future_means() -> None:
    """`x` is the first slot of the tensor, those of `ring` come behind it."""
    kernel = after("build", EXCHANGED.format(first="ring[2]", second="x"), {})
    assert [(stmt.name, stmt.value) for stmt in only(kernel, ir.Set)] == [("f", Lit(3)), ("g", Lit(0))]
    assert [copy.dest.slot for copy in only(kernel, ir.Copy)][:2] == [Lit(3), Lit(0)]
    tensor = kernel.shared[0].tensor
    assert (tensor.name, tensor.slots) == ("x", 4)
    assert {of for _, of, _ in kernel.handles} == {"x"}


@pytest.mark.parametrize(
    ("first", "second", "place", "reason"),
    [
        ("shared", "x", "g = dma.copy b => x;", "may stand for each other"),
        ("x", "shared", "f = dma.copy a => x;", "may stand for each other"),
        ("x.subspan(64).at(0)", "ring[0]", "swap(f, g);", "parts of buffers"),
    ],
)
def test_others_are_refused_at_their_place(first: str, second: str, place: str, reason: str) -> None:
    report = check_text(EXCHANGED.format(first=first, second=second), Settings())
    (problem,) = cuda_of(report, None, {}).problems
    assert problem.code == "not-lowered"
    assert reason in problem.message
    assert report.source.slice(problem.span).rstrip(";") == place.rstrip(";")
