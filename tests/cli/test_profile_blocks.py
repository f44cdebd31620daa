"""Traces as result data: places that a reader tells apart, in the reader's names."""

from __future__ import annotations

from croqc.engines.gpu.traces import BlockTrace, PathTrace, Visit
from croqc.pipe import ir
from croqc.service.check import check_text
from croqc.service.profile_blocks import Place, block_time, places_of
from croqc.text.source import Source
from croqc.text.span import Span
from tests.codegen.test_probes import probed
from tests.pipe.lowering import example

SOURCE = Source("first\nsecond\n", "k.co")
STORE = Place("write", "", "acc_s", "ti", False, Span(0, 5), 0, False)
COPY = Place("copy", "", "acc_s", "ti", True, Span(0, 5), 0, True)
WAIT = Place("wait", "full", "", "k", True, Span(6, 12), 0, False)


def test_what_one_statement_became_several_times_is_one_place() -> None:
    """A result that leaves in two panels: stored, copied, stored, copied, all of line 1."""
    places = (STORE, COPY, WAIT, STORE, COPY)
    visits = (Visit(1, 0, 7, 0, 10), Visit(2, 0, 7, 10, 12), Visit(4, 0, 7, 12, 42), Visit(5, 1, 7, 42, 45))
    trace = BlockTrace(0, 3, 1, 500, (PathTrace("path p", 0, 100, 0, (*visits, Visit(3, 2, 9, 50, 60))),))
    block = block_time(trace, places, 200, SOURCE, 0)
    assert [(one.op, one.count, one.total, one.first, one.longest) for one in block.places] == [
        *(("write", 2, 40, 10, 30), ("copy", 2, 5, 2, 3), ("wait", 1, 10, 10, 10)),
    ]
    assert [(one.place, one.slot, one.turn) for one in block.visits] == [
        *((0, None, 7), (1, 0, 7), (0, None, 7), (1, 1, 7), (2, 2, 9)),
    ]
    assert (block.start, block.length, block.places[2].range.start.line) == (300, 100, 1)


def names(name: str) -> set[tuple[str, str, str, str]]:
    """Operation, event, buffer and loop of the places of an example."""
    report = example(name)
    analysis = report.functions[0].analysis
    assert analysis is not None
    kernel = probed(report, sizes={"M": 256, "N": 256, "K": 256}).kernels[0]
    assert isinstance(kernel.probes, ir.Probes)
    return {(place.op, place.event, place.buffer, place.loop) for place in places_of(analysis.model, kernel.probes)}


def test_names_are_those_of_the_source() -> None:
    """The consumer's `k` is `k_2` in the generated code, the data of the future `lf0` is `lf0_data`."""
    assert {("wait", "full", "", "k"), ("multiply", "", "lhs_s", "k")} <= names("persistent_1p2c")
    assert ("copy", "", "lf0", "tile_k") in names("swap_f16")


def test_waits_for_barriers_of_the_lowering_s_own_are_for_copies() -> None:
    text = """__co__ void f(global f16 [M, N] x, global f16 [M, N] y) {
  parallel {i, j} by [M / 64, N / 64] : block {
    shared f16 [64, 64] s;
    tma.copy x.subspan(64, 64).at(i, j) => s;
    tma.copy s => y.subspan(64, 64).at(i, j);
  }
}
"""
    report = check_text(text)
    analysis = report.functions[0].analysis
    assert analysis is not None
    probes = probed(report, sizes={"M": 128, "N": 128}).kernels[0].probes
    assert probes is not None
    places = places_of(analysis.model, probes)
    assert "wait-future" in {place.op for place in places}
    assert {place.event for place in places} == {""}
    assert [place.leaves for place in places if place.op == "copy"] == [False, True]
