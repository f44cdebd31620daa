"""Landings are put where the lowering has them, and arrivals carry the bytes of their copies."""

from __future__ import annotations

from croqc.flow.landings import with_landings
from croqc.flow.report import Step
from croqc.flow.timeline import timeline
from croqc.text.span import Span
from tests.flow.kernels import seed
from tests.flow.rings import BYTES, ring

HERE, FUTURE = Span(0, 0), Span(7, 9)


def step(op: str, buffer: str = "", event: str = "", slot: int | None = None, path: str = "p") -> Step:
    size = {"a": 100, "b": 20, "f0": 50, "f1": 50}.get(buffer) if op == "copy" else None
    place = FUTURE if op == "copy" and buffer.startswith("f") else HERE
    return Step(0, path, op, place, event=event, slot=slot, buffer=buffer, bytes=size)


def landed(*steps: Step, edges: tuple[tuple[int, int], ...] = ()) -> tuple[list[tuple[str, str, int | None]], object]:
    made, kept = with_landings(steps, edges, {FUTURE})
    assert [one.t for one in made] == list(range(len(made)))
    return [(one.op, one.buffer or one.event, one.bytes if one.event else None) for one in made], kept


def test_copies_in_a_ring_land_on_the_event_that_is_triggered_next() -> None:
    told, edges = landed(
        step("copy", "a", slot=0), step("copy", "b", slot=0), step("trigger", event="full", slot=0),
        step("wait", event="full", slot=0, path="q"), edges=((2, 3),),
    )  # fmt: skip
    assert told == [
        ("copy", "a", None),
        ("copy", "b", None),
        ("trigger", "full", 120),
        ("land", "a", 20),
        ("land", "b", 0),
        ("wait", "full", None),
    ]
    assert edges == ((2, 5),)


def test_a_copy_that_names_its_event_waits_for_that_ones_trigger() -> None:
    told, _ = landed(
        step("copy", "a", "full", 0), step("trigger", event="other", slot=0), step("trigger", event="full")
    )
    assert told == [("copy", "a", 100), ("trigger", "other", None), ("trigger", "full", 100), ("land", "a", 0)]


def test_a_landing_of_the_analysis_says_which_event_counts_the_copy() -> None:
    told, _ = landed(
        step("copy", "a", slot=0), step("trigger", event="other", slot=0), step("trigger", event="full", slot=0),
        step("land", "a", "full", 0),
    )  # fmt: skip
    assert told == [("copy", "a", None), ("trigger", "other", None), ("trigger", "full", 100), ("land", "a", 0)]


def order(*steps: Step) -> list[str]:
    return [f"{op} {name}".strip() for op, name, _ in landed(*steps)[0]]


def test_copies_with_futures_land_before_their_waits_in_their_order() -> None:
    told = order(
        step("copy", "f0"), step("copy", "f1"), step("wait-future"), step("multiply", "f0"), step("wait-future")
    )
    assert told == ["copy f0", "copy f1", "land f0", "wait-future", "multiply f0", "land f1", "wait-future"]


def test_a_wait_that_names_its_buffer_waits_for_that_one() -> None:
    told = order(step("copy", "f0"), step("copy", "f1"), step("wait-future", "f1"), step("trigger", event="e", slot=0))
    assert told == ["copy f0", "copy f1", "land f1", "wait-future f1", "trigger e", "land f0"]


def test_a_copy_to_global_memory_is_counted_by_no_event() -> None:
    told, _ = landed(step("copy", "out"), step("trigger", event="empty", slot=0))
    assert told == [("copy", "out", None), ("land", "out", None), ("trigger", "empty", None)]


def test_a_synchronous_copy_lands_before_its_path_goes_on() -> None:
    told, _ = landed(step("copy", "a"), step("multiply", "a"), step("trigger", event="e", slot=0))
    assert [op for op, _, _ in told] == ["copy", "land", "multiply", "trigger"]


def test_the_courses_ring_keeps_its_run() -> None:
    flow = ring(seed("pipeline"), 2, 3)
    made, edges = with_landings(flow.steps, flow.edges)
    triggers = [one.bytes for one in made if one.op == "trigger" and one.event == "full"]
    assert triggers == [2 * BYTES] * 3
    assert [one.bytes for one in made if one.op == "land"] == [BYTES, 0] * 3
    boxes = timeline(made, edges, flow.events).boxes
    assert [box.end - box.start for box in boxes if box.op == "copy"] == [
        box.end - box.start for box in timeline(flow.steps, flow.edges, flow.events).boxes if box.op == "copy"
    ]
