"""The layout of runs over time, and the inside of mbarriers along it."""

from __future__ import annotations

from itertools import pairwise

from croqc.flow.moments import Cell
from croqc.flow.report import Step
from croqc.flow.timeline import Box, Timeline, timeline
from croqc.text.span import Span
from tests.flow.kernels import seed
from tests.flow.rings import BYTES, ring

PRODUCER, CONSUMER = "path p1 == 0", "path p1 == 1"


def course(turns: int = 5) -> Timeline:
    flow = ring(seed("pipeline"), 2, turns)
    return timeline(flow.steps, flow.edges, flow.events)


def boxes(line: Timeline, path: str, op: str) -> list[Box]:
    return [box for box in line.boxes if box.path == path and box.op == op]


def test_a_landing_counts_down_the_bytes_and_the_last_one_completes_the_phase() -> None:
    flow = ring(seed("pipeline"), 2, 1)
    line = timeline(flow.steps, flow.edges, flow.events)
    cells = [cell for moment in line.moments for cell in moment.cells if (cell.event, cell.slot) == ("full", 0)]
    told = [(cell.pending, cell.bytes, cell.completed, cell.parity, cell.waiting) for cell in cells]
    standing = ((CONSUMER, 0),)
    assert told == [
        (1, 0, 0, 0, standing),  # the consumer comes and waits
        (0, 2 * BYTES, 0, 0, standing),  # the producer arrives and announces both copies
        (0, BYTES, 0, 0, standing),  # one has landed
        (1, 0, 1, 1, standing),  # so has the other: the next phase begins
        (1, 0, 1, 1, ()),  # the consumer goes on
    ]
    assert line.start[0] == Cell("full", 0, 1, 0, 1, 0)


def test_the_producer_runs_a_stage_ahead_and_waits_at_the_third_round() -> None:
    line = course()
    waits = boxes(line, PRODUCER, "wait")
    assert [box.start > box.waits for box in waits[1:]] == [False, True, True, True]
    multiplies = boxes(line, CONSUMER, "multiply")
    copies = boxes(line, PRODUCER, "copy")
    assert copies[1].waits < multiplies[0].end  # the second stage is filled while the first is multiplied
    assert all(copies[turn + 2].start >= multiplies[turn].end for turn in range(3))


def test_nothing_starts_before_what_it_needs_and_rows_do_not_overlap() -> None:
    line = course()
    assert all(arrow.start <= arrow.end for arrow in line.arrows)
    taken: dict[tuple[str, str, int], int] = {}
    for box in line.boxes:
        key = (box.path, box.track, box.row)
        assert taken.get(key, 0) <= box.waits
        taken[key] = box.end
    assert [moment.time for moment in line.moments] == sorted(moment.time for moment in line.moments)


def test_each_wait_has_an_arrow_from_the_trigger_that_pays_it() -> None:
    flow = ring(seed("pipeline"), 2, 3)
    line = timeline(flow.steps, flow.edges, flow.events)
    for arrow in line.arrows:
        source, target = flow.steps[arrow.source], flow.steps[arrow.target]
        assert (source.event, source.slot, source.generation) == (target.event, target.slot, target.generation)
        assert source.op in ("trigger", "bootstrap")
    assert len(line.arrows) == 6


def test_a_deadlock_ends_with_boxes_that_stay_open() -> None:
    flow = ring(seed("pipeline"), 2, 2, bootstrap=False)
    (finding,) = flow.findings
    line = timeline(finding.steps, (), flow.events)
    assert [(box.path, box.op, box.stuck, box.end) for box in line.boxes] == [
        (PRODUCER, "wait", True, line.length - 1),
        (CONSUMER, "wait", True, line.length - 1),
    ]
    assert [moment.begins for moment in line.moments] == [True, True]


def single(copy: str, turns: int = 3) -> Timeline:
    """One path, tile after tile: copy, then multiply (synchronous), or with the next copy in the air (swap)."""
    steps: list[Step] = []

    def add(op: str, turn: int, buffer: str = "") -> None:
        steps.append(Step(len(steps), "the block", op, Span(0, 1), (("k", turn),), buffer=buffer))

    if copy == "synchronous":
        for turn in range(turns):
            add("copy", turn, "tile")
            add("land", turn, "tile")
            add("multiply", turn, "tile")
    else:
        add("copy", 0, "f0")
        for turn in range(turns):
            if turn + 1 < turns:
                add("copy", turn + 1, f"f{(turn + 1) % 2}")
            add("land", turn, f"f{turn % 2}")
            add("wait-future", turn, f"f{turn % 2}")
            add("multiply", turn, f"f{turn % 2}")
            add("swap", turn)
    return timeline(steps, (), ())


def test_a_single_buffer_is_a_staircase() -> None:
    line = single("synchronous")
    spans = [(box.start, box.end) for box in line.boxes]
    assert [box.op for box in line.boxes] == ["copy", "multiply"] * 3
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_swap_copies_the_next_tile_while_this_one_is_multiplied() -> None:
    line = single("swap")
    copies, multiplies = boxes(line, "the block", "copy"), boxes(line, "the block", "multiply")
    assert copies[2].start < multiplies[1].end and copies[2].end > multiplies[1].start
    assert all(copy.end <= multiply.start for copy, multiply in zip(copies, multiplies, strict=True))


def test_any_list_of_steps_gives_a_timeline() -> None:
    odd = [Step(0, "a", "wait", Span(0, 0), event="none", slot=3, generation=1), Step(1, "a", "land", Span(0, 0))]
    assert timeline(odd, ((7, 9), (1, 0)), ()).paths == ("a",)
    assert timeline((), (), ()).boxes == ()


def test_the_beginning_of_a_long_run_can_be_left_out() -> None:
    flow = ring(seed("pipeline"), 2, 4)
    whole = timeline(flow.steps, flow.edges, flow.events)
    skip = next(number for number, step in enumerate(flow.steps) if step.iteration == (("iv_k", 2),))
    rest = timeline(flow.steps, flow.edges, flow.events, skip)
    assert min(min(box.steps) for box in rest.boxes) == skip
    assert {moment.step for moment in rest.moments} == set(range(skip, len(flow.steps)))
    assert rest.moments[-1].cells == whole.moments[-1].cells
    assert [cell.completed for cell in rest.start] == [1, 1, 2, 1]


def test_what_the_block_does_waits_for_its_paths_and_they_for_it() -> None:
    order = ["p work", "q work", "q work", "the block join", "the block copy", "the block land", "p work"]
    steps = []
    for number, (path, op) in enumerate(one.rsplit(" ", 1) for one in order):
        op = "write" if op == "work" and path == "p" else "multiply" if op == "work" else op
        steps.append(Step(number, path, op, Span(0, 0), buffer="out"))
    told = [(box.path, box.op, box.start, box.end) for box in timeline(steps, (), ()).boxes]
    write, multiply, join, copy, again = told
    assert join[2] == max(write[3], multiply[3])
    assert copy[2] == join[3]
    assert again[2] == copy[3]


def test_paths_that_meet_leave_together() -> None:
    steps = [
        Step(n, path, op, Span(0, 0)) for n, (path, op) in enumerate([("p", "write"), ("q", "join"), ("p", "join")])
    ]
    joins = [(box.path, box.start, box.end) for box in timeline(steps, (), ()).boxes if box.op == "join"]
    assert joins == [("q", 2, 3), ("p", 2, 3)]
