"""Arrival counts of event slots, worked out from credit-flow, section 2."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import analyze_flow
from croqc.flow.arrivals import slot_arrivals
from croqc.flow.report import Strength
from tests.flow.kernels import HEAD, body, counts, model_of, paths, seed


def roles(producer: str, consumer: str, groups: int = 2) -> str:
    return f"""parallel p by {groups} : group-4 {{
      inthreads.async (p == 0) {{ {producer} }}
      inthreads.async (p > 0) {{ {consumer} }} }}"""


FILL = "foreach i in 8 { wait empty[i % 2]; dma.copy src.subspan(16, 64).at(b, i) => buf[i % 2]; trigger full[i % 2]; }"
DRAIN = (
    "foreach s in 2 { trigger empty[s]; } "
    "foreach i in 8 { wait full[i % 2]; dma.copy buf[i % 2] => dst.subspan(16, 64).at(b, i); trigger empty[i % 2]; }"
)
STEADY = DRAIN.partition("} ")[2]
RING = {"full[0]": 1, "full[1]": 1, "empty[0]": 1, "empty[1]": 1}


def test_the_seed_pipeline() -> None:
    assert counts(seed("pipeline")) == RING


@pytest.mark.parametrize("consumers", [1, 2, 3])
def test_every_consumer_returns_a_credit(consumers: int) -> None:
    found = counts(body(roles(FILL, DRAIN, consumers + 1)))
    assert found == {"full[0]": 1, "full[1]": 1, "empty[0]": consumers, "empty[1]": consumers, "done": 0}


def test_bootstrap_triggers_count_only_where_there_are_no_others() -> None:
    loader_starts = roles(f"foreach s in 2 {{ trigger empty[s]; }} {FILL}", STEADY)
    assert counts(body(loader_starts)) == RING | {"done": 0}
    only_start = roles("foreach s in 2 { trigger empty[s]; }", "wait empty[0];")
    assert counts(body(only_start))["empty[1]"] == 1


def test_a_guarded_bootstrap_inside_a_tile_loop_is_one() -> None:
    start = "if (tile == 0) { foreach s in 2 { trigger empty[s]; } }"
    guarded = f"foreach tile in 3 {{ {roles(f'{start} {FILL}', STEADY)} }}"
    unguarded = guarded.replace("if (tile == 0)", "if (tile >= 0)")
    assert counts(body(guarded))["empty[0]"] == 1
    assert counts(body(unguarded))["empty[0]"] == 2


def test_slots_that_a_site_can_reach() -> None:
    own_slot = "parallel p by 2 : group-4 { inthreads.async (p < 2) { wait full[p]; trigger empty[p]; } }"
    assert counts(body(own_slot)) == {"full[0]": 0, "full[1]": 0, "empty[0]": 1, "empty[1]": 1, "done": 0}
    whole = roles("trigger full; trigger done;", "wait full[0]; trigger empty.at(n);")
    assert counts(body(whole)) == RING | {"done": 1}
    first = roles("trigger full[0];", "wait full[0];")
    assert (counts(body(first))["full[0]"], counts(body(first))["full[1]"]) == (1, 0)
    even = roles("foreach i in 1 { trigger full[i]; }", "")
    assert (counts(body(even))["full[0]"], counts(body(even))["full[1]"]) == (1, 0)


def test_an_if_over_the_path_index_decides() -> None:
    branches = "if (p == 1) { trigger done; } else trigger empty[0];"
    found = counts(body(roles("trigger full[0];", f"wait full[0]; {branches}", 4)))
    assert (found["done"], found["empty[0]"]) == (1, 2)


def test_one_thread_of_a_group_is_one_arrival() -> None:
    text = """parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 0) { wait empty[0]; trigger full[0]; }
      inthreads.async (w == 1) { wait full[0]; trigger empty[0]; } }"""
    found = counts(body(text))
    assert (found["full[0]"], found["empty[0]"]) == (1, 1)


def test_threads_that_share_their_regions_are_one_path() -> None:
    text = """parallel t by 256 : thread {
      inthreads.async (t < 128) { wait done; trigger full[0]; } inthreads.async (t >= 128) { wait full[0]; } }"""
    assert counts(body(text))["full[0]"] == 1


def test_the_block_as_a_whole_arrives_once() -> None:
    assert counts(body(f"trigger done; {roles(FILL, DRAIN)}"))["done"] == 1
    assert counts(body("wait done; trigger done;"))["done"] == 1


@pytest.mark.parametrize(("written", "count"), [(1, 1), (2, 2), (256, 2), (384, 2), (128, 128), (5, 5)])
def test_a_written_count_holds_unless_it_counts_threads(written: int, count: int) -> None:
    """Two consumer paths of 128 threads trigger, the producer waits: 256 and 384 mean those paths."""
    text = f"shared event<{written}> gate; " + roles("wait gate;", "wait full[0]; trigger gate;", 3)
    assert counts(body(text))["gate"] == count


def test_reasons() -> None:
    model = body("shared event<256> gate; " + roles("wait gate;", "wait full[0]; trigger gate;", 3))
    found = {slot[0].name: arrivals for slot, arrivals in slot_arrivals(model, paths(model)).items()}
    gate = found["gate"]
    assert (gate.computed, gate.written, gate.threads) == (2, 256, (256, 384))
    assert gate.steady == {1, 2}


def test_a_cluster_arrives_from_all_its_blocks() -> None:
    text = f"""{HEAD} parallel c by 2 : cluster {{ parallel b by 8 : block {{
      shared event full[2], empty[2];
      {roles("wait empty[0]; trigger full[0];", "wait full[0]; trigger.cluster empty[0];", 3)} }} }} }}"""
    found = counts(model_of(text))
    assert (found["empty[0]"], found["full[0]"]) == (4, 1)


@pytest.mark.parametrize(
    ("copy", "trigger"),
    [
        ("tma.copy.async<full[0]>.multicast x.subspan(64).at(b) => s;", "trigger full[0];"),
        ("if (c == 0) { tma.copy.async<full[0]>.multicast x.subspan(64).at(b) => s; }", "trigger full[0];"),
        ("ld = tma.copy.async.multicast x.subspan(64).at(b) => s;", "trigger full[0] after ld;"),
        ("tma.copy.multicast x.subspan(64).at(b) => s;", "trigger full[0];"),
    ],
)
def test_an_event_that_multicasts_land_on_is_one_of_the_cluster(copy: str, trigger: str) -> None:
    """The other block must have said what it sends; `empty` stays the block's own, as does `full` without multicast."""
    text = f"""__co__ void f(global s32 [512] x) {{ parallel c by 2 : cluster {{ parallel b by 8 : block {{
      shared event full[2], empty[2]; shared s32 [64] s;
      {roles(f"wait empty[0]; {copy} {trigger}", "wait full[0]; trigger empty[0];", 3)} }} }} }}"""
    found = counts(model_of(text))
    assert (found["empty[0]"], found["full[0]"]) == (2, 2)
    alone = counts(model_of(text.replace(".multicast", "")))
    assert (alone["empty[0]"], alone["full[0]"]) == (2, 1)


def test_an_array_that_no_block_has_room_for_is_not_looked_at() -> None:
    """2,000,000,000 slots would take all memory."""
    model = model_of(f"{HEAD} parallel b by 8 : block {{ shared event full[2000000000]; trigger full[0]; }} }}")
    (flow,) = analyze_flow(model)
    assert (flow.strength, flow.place is not None) == (Strength.UNKNOWN, True)
    assert flow.reason == "no block has room for an array of more than 65,536 events"
    assert slot_arrivals(model, paths(model)) == {}
