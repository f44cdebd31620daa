"""Who gives a credit, who takes it; who calls a function. `|` is the cursor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from croqc.sema.model import SymbolKind
from croqls.ide.call_hierarchy import Calls, HierarchyItem, HierarchyKind, hierarchy_at, incoming, outgoing
from croqls.ide.snapshot import Snapshot
from tests.ide.marked import judged, marked, shown
from tests.ide.test_names import KERNEL, PIPELINE


def item(text: str, mark: str) -> tuple[Snapshot, HierarchyItem]:
    snapshot, offset = marked(text.replace(mark.replace("|", ""), mark, 1))
    found = hierarchy_at(snapshot, offset)
    assert len(found) == 1
    return judged(snapshot), found[0]


def told(snapshot: Snapshot, found: tuple[Calls, ...]) -> dict[str, list[str]]:
    return {one.item.name: [text.split(":", 1)[1] for text in shown(snapshot, one.places)] for one in found}


def test_one_goes_round_the_ring_of_a_pipeline() -> None:
    snapshot, full = item(PIPELINE, "|full[MATMUL_STAGES]")
    assert (full.kind, full.name, full.detail) == (HierarchyKind.EVENT, "full", "shared event[2]")
    givers = incoming(snapshot, full)
    assert told(snapshot, givers) == {"path p1 == 0": ["full[stage]"]}
    assert told(snapshot, outgoing(snapshot, full)) == {"path p1 == 1": ["full[stage]"]}
    loader = givers[0].item
    assert snapshot.text[loader.name_span.start : loader.name_span.end] == "inthreads.async (p1 == 0)"
    assert loader.detail == "128 threads"
    before = incoming(snapshot, loader)
    assert told(snapshot, before) == {"empty": ["empty[stage]"]}
    assert told(snapshot, incoming(snapshot, before[0].item)) == {"path p1 == 1": ["empty[s]", "empty[stage]"]}
    assert told(snapshot, outgoing(snapshot, loader)) == {"full": ["full[stage]"]}


EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.co"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_end_names_the_other(path: Path) -> None:
    snapshot = judged(Snapshot(path.as_uri(), 1, path.read_text()))
    places = [
        symbol.name_span.start + report.base
        for report in snapshot.report.functions
        if report.analysis is not None
        for symbol in report.analysis.model.symbols
        if symbol.kind is SymbolKind.EVENT
    ]
    for event in (hierarchy_at(snapshot, place)[0] for place in places):
        for call in incoming(snapshot, event):
            assert Calls(event, call.places) in outgoing(snapshot, call.item)
        for call in outgoing(snapshot, event):
            assert Calls(event, call.places) in incoming(snapshot, call.item)


def test_credits_at_start_come_from_the_block() -> None:
    text = next(path for path in EXAMPLES if path.stem == "pipeline_current").read_text()
    [ready] = re.finditer(r"(\w+)\[\w+\] = ready", text)
    name = ready[1]
    snapshot = judged(Snapshot("file:///k.co", 1, text))
    [event] = hierarchy_at(snapshot, ready.start())
    [block] = [call.item for call in incoming(snapshot, event) if call.item.name == "the block"]
    assert [call.item.name for call in outgoing(snapshot, block)] == [name]
    assert incoming(snapshot, block) == ()


def test_wait_and_trigger_name_their_events() -> None:
    assert item(PIPELINE, "w|ait empty")[1].name == "empty"
    assert item(PIPELINE, "trig|ger full")[1].name == "full"


def test_functions_that_call_each_other() -> None:
    snapshot, scale = item(KERNEL, "|scale(global")
    assert scale.kind is HierarchyKind.FUNCTION
    assert told(snapshot, incoming(snapshot, scale)) == {"both": ["scale"]}
    assert told(snapshot, outgoing(snapshot, scale)) == {"twice": ["twice"]}
    twice = outgoing(snapshot, scale)[0].item
    assert (twice.kind, twice.detail) == (HierarchyKind.DEVICE, "float twice(float x)")
    assert told(snapshot, incoming(snapshot, twice)) == {"scale": ["twice"]}


def test_an_event_without_a_verdict_has_no_calls() -> None:
    snapshot, offset = marked(PIPELINE.replace("full[MATMUL", "|full[MATMUL", 1))
    full = hierarchy_at(snapshot, offset)[0]
    assert incoming(snapshot, full) == () == outgoing(snapshot, full)


def test_other_names_have_no_hierarchy() -> None:
    for mark in ("|lhs_load_s[", "|block_m,", "for|each"):
        snapshot, offset = marked(PIPELINE.replace(mark.replace("|", ""), mark, 1))
        assert hierarchy_at(snapshot, offset) == ()


def test_of_two_functions_of_one_name_each_has_its_own_calls() -> None:
    """The course kernel twice, the second time with a parameter more: the same places, moved."""
    course = (Path(__file__).parents[2] / "examples" / "pipeline_course.co").read_text(encoding="utf-8")
    second = course[course.index("__co__") :].replace("(", "(global s32 [8] more, ", 1)
    snapshot = judged(Snapshot("file:///k.co", 1, f"{course}\n{second}"))
    behind = len(course)

    def givers(start: int) -> list[tuple[str, list[int]]]:
        (event,) = hierarchy_at(snapshot, snapshot.text.index("full[stage]", start))
        return [(one.item.name, [span.start for span in one.places]) for one in incoming(snapshot, event)]

    by = len(f"{course}\n") - course.index("__co__") + len("global s32 [8] more, ")
    assert givers(behind) == [(name, [place + by for place in places]) for name, places in givers(0)] != []
    (function,) = hierarchy_at(snapshot, snapshot.text.index("void", behind) + 6)
    assert function.name_span.start > behind
    assert outgoing(snapshot, function) == ()
