"""Landings are put where the lowering has them, and arrivals carry the bytes of their copies."""

from __future__ import annotations

from croqc.flow.landings import with_landings
from croqc.flow.report import Step
from croqc.flow.timeline import timeline
from croqc.text.span import Span
from tests.flow.kernels import seed
from tests.flow.rings import BYTES, ring

SIZES = {"a": 100, "b": 20}


def step(op: str, buffer: str = "", event: str = "", slot: int | None = None, path: str = "p") -> Step:
    return Step(0, path, op, Span(0, 0), event=event, slot=slot, buffer=buffer)


def landed(*steps: Step, edges: tuple[tuple[int, int], ...] = ()) -> tuple[list[tuple[str, str, int | None]], object]:
    made, kept = with_landings(steps, edges, SIZES)
    assert [one.t for one in made] == list(range(len(made)))
    return [(one.op, one.buffer or one.event, one.bytes) for one in made], kept


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
    assert told == [("copy", "a", None), ("trigger", "other", None), ("trigger", "full", 100), ("land", "a", 0)]


def test_a_landing_of_the_analysis_says_which_event_counts_the_copy() -> None:
    told, _ = landed(
        step("copy", "a", slot=0), step("trigger", event="other", slot=0), step("trigger", event="full", slot=0),
        step("land", "a", "full", 0),
    )  # fmt: skip
    assert told == [("copy", "a", None), ("trigger", "other", None), ("trigger", "full", 100), ("land", "a", 0)]


def test_a_copy_with_a_future_lands_before_its_wait() -> None:
    told, _ = landed(step("copy", "a"), step("multiply", "b"), step("wait-future", "a"), step("multiply", "a"))
    assert [op for op, _, _ in told] == ["copy", "multiply", "land", "wait-future", "multiply"]


def test_a_synchronous_copy_lands_before_its_path_goes_on() -> None:
    told, _ = landed(step("copy", "a"), step("multiply", "a"), step("trigger", event="e", slot=0))
    assert [op for op, _, _ in told] == ["copy", "land", "multiply", "trigger"]


def test_the_courses_ring_keeps_its_run() -> None:
    flow = ring(seed("pipeline"), 2, 3)
    made, edges = with_landings(flow.steps, flow.edges, {"lhs_load_s": BYTES, "rhs_load_s": BYTES})
    triggers = [one.bytes for one in made if one.op == "trigger" and one.event == "full"]
    assert triggers == [2 * BYTES] * 3
    assert [one.bytes for one in made if one.op == "land"] == [BYTES, 0] * 3
    boxes = timeline(made, edges, flow.events).boxes
    assert [box.end - box.start for box in boxes if box.op == "copy"] == [
        box.end - box.start for box in timeline(flow.steps, flow.edges, flow.events).boxes if box.op == "copy"
    ]
