"""What a verdict reports beside its findings: events, buffers, the run, the story. Numbers are worked out by hand."""

from __future__ import annotations

from pathlib import Path

from tests.flow.pipes import check, ring

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.co").read_text(encoding="utf-8")


def test_events_and_buffers_of_a_persistent_kernel() -> None:
    flow = check(example("persistent_1p2c")).flow
    events = {event.name: event for event in flow.events}
    assert (events["full"].arrivals, events["empty"].arrivals) == ((1, 1), (2, 2))
    assert [name for name, _ in events["full"].waited_by] == ["path p = 1", "path p = 2"]
    assert [name for name, _ in events["full"].triggered_by] == ["path p == 0"]
    assert len(events["empty"].granted_by) == 1
    assert not events["full"].granted_by
    assert {(one.name, one.slots, one.slot_bytes) for one in flow.buffers} == {
        ("lhs_s", 2, 16384),
        ("rhs_s", 2, 8192),
        ("output_s", 2, 8192),
    }


def test_packed_stages_are_slots() -> None:
    flow = check(example("pipeline_classic")).flow
    assert [(one.name, one.slots) for one in flow.buffers] == [("lhs_s", 4), ("rhs_s", 4), ("output_s", 1)]


def test_the_run_of_a_ring_of_two() -> None:
    """Three tiles through two slots: the producer's third wait needs the first credit that comes back."""
    flow = check(ring(turns="[3]")).flow
    producer = [step for step in flow.steps if step.path == "path p == 0"]
    assert [(step.op, step.event or step.buffer, step.slot, step.generation) for step in producer] == [
        ("wait", "empty", 0, 0),
        ("copy", "buf", 0, None),
        ("trigger", "full", 0, 0),
        ("wait", "empty", 1, 0),
        ("copy", "buf", 1, None),
        ("trigger", "full", 1, 0),
        ("wait", "empty", 0, 1),
        ("copy", "buf", 0, None),
        ("trigger", "full", 0, 1),
    ]
    assert [step.parity for step in producer if step.op == "wait"] == [0, 0, 1]
    assert [step.iteration for step in producer][::3] == [(("k", 0),), (("k", 1),), (("k", 2),)]
    grants = [step for step in flow.steps if step.op == "bootstrap"]
    assert [(step.event, step.slot, step.pending) for step in grants] == [("empty", 0, 0), ("empty", 1, 0)]
    credits = {(flow.steps[a].op, flow.steps[a].path, flow.steps[b].path) for a, b in flow.edges}
    assert credits == {
        ("bootstrap", "path p == 1", "path p == 0"),
        ("trigger", "path p == 1", "path p == 0"),
        ("trigger", "path p == 0", "path p == 1"),
    }
    assert [step.t for step in flow.steps] == list(range(len(flow.steps)))


def test_bound_copies_land_with_their_bytes() -> None:
    flow = check(example("pipeline_current")).flow
    of_first = [step for step in flow.steps if step.event == "full" and step.slot == 0 and step.generation == 0]
    assert [(step.op, step.bytes) for step in of_first] == [
        ("trigger", 16384),
        ("land", 8192),
        ("land", 0),
        ("wait", 0),
    ]
    assert [step.buffer for step in of_first if step.op == "land"] == ["lhs_s", "rhs_s"]


def test_the_story_of_a_circle_of_waits() -> None:
    text = example("pipeline_course").replace("trigger empty[s];", "")
    finding = check(text).seen[0].finding
    assert [item.message for item in finding.related] == [
        "path p1 == 0 waits here for generation 0 of empty[0] (iv_k = 0)",
        "path p1 == 1 owes it: the trigger is here",
        "path p1 == 1 waits here for generation 0 of full[0] (iv_k = 0)",
        "path p1 == 0 owes it: the trigger is here",
    ]
    assert finding.sizes == {"K": 1}
    assert [(step.path, step.op, step.event, step.slot) for step in finding.steps] == [
        ("path p1 == 0", "wait", "empty", 0),
        ("path p1 == 1", "wait", "full", 0),
    ]


def test_a_path_that_left_is_named_with_its_place() -> None:
    text = ring(before="if (n > 3) yield;")
    finding = check(text).seen[0].finding
    left = [item for item in finding.related if "left the kernel" in item.message]
    assert [text[item.span.start : item.span.end] for item in left] == ["yield;"]
    assert finding.sizes["n"] == 4


def test_the_instance_of_unequal_turns_gives_every_role_something_to_do() -> None:
    finding = check(ring(taken="[cdiv(K, 64)]", turns="[K / 64]")).seen[0].finding
    assert finding.rule == "trip-count-mismatch"
    assert finding.sizes == {"K": 65}
    assert (finding.args["fewer"], finding.args["more"]) == (1, 2)


def test_the_iteration_behind_a_race_is_a_ring_later() -> None:
    finding = check(ring(3, load="dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full[s];")).seen[0].finding
    assert (finding.args["iteration"], finding.args["other_iteration"]) == ("k = 3", "k = 0")
    assert [item.message for item in finding.related][:2] == [
        "path p == 0 writes it here (k = 3, slot = 0)",
        "path p == 1 reads it here (k = 0, slot = 0)",
    ]
