"""The state at the cursor: numbers of a ring of two stages, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service.check import check_text
from croqc.service.check_result import Place
from croqc.service.flow import FlowResult, flow_result
from croqls.ide.flow_at import FlowAt, Visit, flow_at

COURSE = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
PRODUCER, CONSUMER = "path p1 == 0", "path p1 == 1"


@pytest.fixture(scope="module")
def result() -> FlowResult:
    return flow_result(check_text(COURSE))


def at(result: FlowResult, word: str, text: str = COURSE, after: int = 0) -> FlowAt:
    offset = text.index(word) + after
    line = text.count("\n", 0, offset)
    return flow_at(result, Place(line, offset - text.rfind("\n", 0, offset) - 1))


def credits(visit: Visit) -> dict[tuple[str, int], int]:
    return {(one.event, one.slot): one.credits for one in visit.credits}


def stand(visit: Visit, path: str) -> tuple[tuple[str, int | None], tuple[str, int | None]]:
    """Line and round of the earliest and the latest place of a path."""
    lines = COURSE.split("\n")
    (found,) = [one for one in visit.paths if one.path == path]
    ends = []
    for end in (found.earliest, found.latest):
        line = "" if end.range is None else lines[end.range.start.line].strip()
        ends.append((line, end.iteration.get("iv_k")))
    return ends[0], ends[1]


def test_at_the_wait_of_the_consumer(result: FlowResult) -> None:
    """In round k it has passed k fills and given back k slots. The producer has made fills 0 to k - 1 at least, for the
    rounds before needed them, and k + 1 at most, as nobody has given back the slot of round k."""
    found = at(result, "full[stage];\n          foreach")
    assert (found.function, found.verdict) == ("matmul", "proved")
    assert [visit.iteration["iv_k"] for visit in found.visits] == [0, 1, 2, 3, 4]
    first, second, third = found.visits[:3]
    assert first.path == second.path == CONSUMER
    assert stand(first, PRODUCER) == (("wait empty[stage];", 0), ("wait empty[stage];", 2))
    assert stand(second, PRODUCER) == (("wait empty[stage];", 1), ("wait empty[stage];", 3))
    assert stand(third, PRODUCER) == (("wait empty[stage];", 2), ("wait empty[stage];", 4))
    assert stand(first, CONSUMER) == (("wait full[stage];", 0), ("wait full[stage];", 0))


def test_at_the_wait_of_the_producer(result: FlowResult) -> None:
    """Two credits are given at start. In round 2 it needs the slot of round 0, so the consumer may still be at its
    first wait, and is at most at the wait for round 2, which is not filled yet."""
    found = at(result, "wait empty[stage];")
    first, _, third = found.visits[:3]
    assert credits(first)["empty", 0] == 1
    assert stand(third, CONSUMER) == (("wait full[stage];", 0), ("wait full[stage];", 2))
    assert third.barrier is not None
    assert (third.barrier.event, third.barrier.slot, third.barrier.arrivals) == ("empty", 0, 1)
    assert third.barrier.completed == 2  # the credit at start, and that of round 0, which it is about to spend


def test_copies_are_in_flight_between_issue_and_landing(result: FlowResult) -> None:
    found = at(result, "trigger full[stage]")
    assert sorted((one.buffer, one.slot) for one in found.visits[0].buffers) == [("lhs_load_s", 0), ("rhs_load_s", 0)]


def test_a_line_without_a_step_under_the_cursor_tells_of_its_first(result: FlowResult) -> None:
    line = COURSE[: COURSE.index("wait full[stage]")].count("\n")
    assert flow_at(result, Place(line, 0)).visits == at(result, "full[stage];\n          foreach").visits


def test_beside_steps_and_kernels_nothing_is_told(result: FlowResult) -> None:
    assert at(result, "#define") == FlowAt(1, "", 0, "", "", None, ())
    beside = at(result, "shared event")
    assert (beside.function, beside.range, beside.visits) == ("matmul", None, ())


def test_a_join_of_the_block_comes_behind_what_all_paths_do() -> None:
    """What is copied out behind the `parallel` needs both halves: their paths are behind their last steps."""
    text = Path("examples/pipeline_1p2c.co").read_text(encoding="utf-8")
    found = at(flow_result(check_text(text)), "dma.copy output_s", text)
    outer = [visit for visit in found.visits if visit.path == "the block"]
    others = [one for one in outer[-1].paths if one.path != "the block"]
    assert {(one.earliest.step, one.latest.step) for one in others} == {(None, None)}


def test_inside_a_parallel_that_all_paths_leave_together_each_statement_is_told() -> None:
    """A persistent kernel joins its paths for each tile: the join is where the `parallel` begins and ends."""
    text = Path("examples/persistent_1p2c.co").read_text(encoding="utf-8")
    result = flow_result(check_text(text))
    for wait in ("wait empty[stage]", "wait full[stage]"):
        found = at(result, wait, text)  # on the word: a step of a wait is its operand
        assert found.range is not None
        assert found.range.start.line == text[: text.index(wait)].count("\n")
        assert {visit.barrier.event for visit in found.visits if visit.barrier is not None} == {wait[5:-7]}
    assert at(result, "foreach {k}", text).visits == ()
    joins = [at(result, word, text) for word in ("parallel p by 3", "}\n\n        dma.copy output_s")]
    assert [{visit.path for visit in one.visits} for one in joins] == [{"the block"}] * 2


def test_a_cursor_on_a_hanging_kernel_tells_where_it_stands() -> None:
    text = COURSE.replace("trigger empty[s];", ";")
    found = at(flow_result(check_text(text)), "wait empty[stage];", text)
    assert found.verdict == "fails"
    assert found.range is not None and found.visits == ()
    assert text.split("\n")[found.range.start.line].strip() == "wait empty[stage];"
    never = at(flow_result(check_text(text)), "trigger full[stage];", text)  # nobody comes so far
    assert (never.verdict, never.range) == ("fails", None)
