"""The tables of the hovers against tables worked out by hand (the tutorial's, chapter 7), and sentences."""

from __future__ import annotations

from croqc.flow.analysis import analyze_flow
from croqc.flow.report import EventFacts, FlowFinding, KernelFlow, Step, Strength
from croqc.flow.tables import (
    failing_step,
    givers,
    initial_credits,
    iteration_text,
    run_ahead,
    step_text,
    verdict_text,
    wait_rows,
    waiters,
)
from croqc.text.diagnostics import Related
from croqc.text.record import replace
from croqc.text.span import Span
from tests.flow.kernels import DATA, model_of, seed
from tests.flow.rings import placed, ring

PRODUCER, CONSUMER = "path p1 == 0", "path p1 == 1"
HERE = Span(0, 0)
TEXT = (DATA / "seed_pipeline.co").read_text(encoding="utf-8")


def facts(flow: KernelFlow, name: str) -> EventFacts:
    return next(event for event in flow.events if event.name == name)


def table(flow: KernelFlow, name: str, path: str) -> list[tuple[int, ...]]:
    """iteration, slot, generation, parity waited for, parity after, phase bit, credits left."""
    return [
        (row.iteration[0][1], row.slot, row.generation, row.waited, row.after, row.phase_bit, row.credits)
        for row in wait_rows(flow, facts(flow, name), path)
    ]


def test_the_consumers_table_is_the_tutorials() -> None:
    # Iteration, stage, parity waited for, parity after, phase bit: the four rows that the tutorial prints.
    flow = ring(seed("pipeline"), 2, 5)
    assert table(flow, "full", CONSUMER) == [
        (0, 0, 0, 0, 1, 0, 0),
        (1, 1, 0, 0, 1, 1, 0),
        (2, 0, 1, 1, 0, 1, 0),
        (3, 1, 1, 1, 0, 0, 0),
    ]


TWO_ROWS = """__co__ void f(global s32 [R, 16] src, global s32 [R, 16] dst) {
  parallel b by 1 : block {
    shared event full[2][4], empty[2][4] = ready;
    shared s32 [1, 16] ring0[4], ring1[4];
    parallel p by 3 : group-4 {
      inthreads.async (p == 0) { foreach {k} in [R] {
        wait empty[0][k % 4]; dma.copy src.subspan(1, 16).at(k, 0) => ring0[k % 4]; trigger full[0][k % 4];
      } }
      inthreads.async (p == 1) { foreach {k} in [R] {
        wait full[0][k % 4], empty[1][k % 4];
        dma.copy ring0[k % 4] => ring1[k % 4];
        trigger empty[0][k % 4], full[1][k % 4];
      } }
      inthreads.async (p == 2) { foreach {k} in [R] {
        wait full[1][k % 4]; dma.copy ring1[k % 4] => dst.subspan(1, 16).at(k, 0); trigger empty[1][k % 4];
      } }
    }
  }
}
"""


def test_credits_of_slots_that_a_path_never_waits_on_are_not_its_own() -> None:
    """Two rings in one array of events: each path has the four credits of its own one."""
    (flow,) = analyze_flow(model_of(TWO_ROWS))
    event = facts(flow, "empty")
    assert initial_credits(flow, event) == 8
    for path in ("path p == 0", "path p == 1"):
        assert run_ahead(flow, path) == (4, "empty")
        assert [row.credits for row in wait_rows(flow, event, path)] == [3, 2, 1, 0, 0, 0, 0, 0]


def test_the_producer_spends_the_credits_given_at_start_first() -> None:
    flow = ring(seed("pipeline"), 2, 5)
    assert table(flow, "empty", PRODUCER) == [
        (0, 0, 0, 0, 1, 0, 1),
        (1, 1, 0, 0, 1, 1, 0),
        (2, 0, 1, 1, 0, 1, 0),
        (3, 1, 1, 1, 0, 0, 0),
    ]


def test_three_slots_have_two_rounds_of_three() -> None:
    flow = ring(seed("pipeline"), 3, 7)
    assert table(flow, "empty", PRODUCER) == [
        (0, 0, 0, 0, 1, 0, 2),
        (1, 1, 0, 0, 1, 0, 1),
        (2, 2, 0, 0, 1, 1, 0),
        (3, 0, 1, 1, 0, 1, 0),
        (4, 1, 1, 1, 0, 1, 0),
        (5, 2, 1, 1, 0, 0, 0),
    ]


def test_one_slot_flips_its_bit_at_every_wait() -> None:
    flow = ring(seed("pipeline"), 1, 3)
    assert table(flow, "full", CONSUMER) == [(0, 0, 0, 0, 1, 1, 0), (1, 0, 1, 1, 0, 0, 0)]


def test_the_phase_bit_is_the_parity_of_the_next_wait_where_the_ring_starts_anew() -> None:
    # Three rounds on two slots, then again from slot 0, as persistent kernels with an odd number of tiles do.
    flow = ring(seed("pipeline"), 2, 4)
    waits = [Step(0, CONSUMER, "wait", HERE, (("k", at),), "full", slot) for at, slot in enumerate((0, 1, 0, 0, 1))]
    told = wait_rows(replace(flow, steps=tuple(waits), edges=()), facts(flow, "full"), CONSUMER)
    assert [(row.slot, row.waited, row.phase_bit) for row in told] == [(0, 0, 0), (1, 0, 1), (0, 1, 0), (0, 0, 1)]


def test_credits_at_start_are_the_bootstraps_or_those_of_ready() -> None:
    flow = ring(seed("pipeline"), 2, 5)
    assert initial_credits(flow, facts(flow, "empty")) == 2
    assert initial_credits(flow, facts(flow, "full")) == 0
    assert initial_credits(flow, replace(facts(flow, "full"), ready=True)) == 2


def test_the_producer_may_be_as_far_ahead_as_it_has_credits() -> None:
    flow = ring(seed("pipeline"), 3, 7)
    assert run_ahead(flow, PRODUCER) == (3, "empty")
    assert run_ahead(flow, CONSUMER) == (0, "")


def test_who_waits_and_who_gives() -> None:
    flow = ring(seed("pipeline"), 2, 5)
    assert waiters(flow, facts(flow, "empty")) == (PRODUCER,)
    assert list(givers(facts(flow, "empty"))) == [CONSUMER]
    bootstrap = EventFacts("e", facts(flow, "full").symbol, 1, (1,), False, HERE, (HERE,), (("path a", HERE),))
    assert givers(bootstrap) == {}


def test_a_run_that_stops_early_gives_the_rows_that_it_has() -> None:
    flow = ring(seed("pipeline"), 2, 1)
    assert table(flow, "full", CONSUMER) == [(0, 0, 0, 0, 1, 0, 0)]
    assert table(replace(flow, steps=(), edges=()), "full", CONSUMER) == []


def test_verdicts_say_their_strength() -> None:
    flow = ring(seed("pipeline"), 2, 5)
    assert verdict_text(flow) == "credit flow proved for every K"
    checked = replace(flow, strength=Strength.CHECKED, tried="for K up to 4096", reason="it ends")
    assert verdict_text(checked) == "credit flow checked for K up to 4096; not proved: it ends"
    assert verdict_text(ring(seed("pipeline"), 2, 3, bootstrap=False)) == "credit flow fails: 1 finding"
    unknown = replace(flow, strength=Strength.UNKNOWN, reason="depends on data")
    assert verdict_text(unknown) == "credit flow not analysed: depends on data"
    model = model_of("__co__ void f(global f32 [4] a) { parallel b by 1 : block { shared f32 [4] s; } }")
    bare = KernelFlow(model.kernels[0], Strength.PROVED)
    assert verdict_text(bare) == "no events; copies and buffers proved"
    assert verdict_text(replace(bare, strength=Strength.FAILS)) == "no events; copies and buffers fail: 0 findings"
    assert verdict_text(replace(bare, strength=Strength.UNKNOWN, reason="x")) == "credit flow not analysed: x"


def test_steps_are_sentences() -> None:
    wait = Step(0, PRODUCER, "wait", HERE, (("k", 2),), "empty", 0, 1, 1, shape=(2,))
    assert step_text(wait) == "path p1 == 0 waits on empty[0] for generation 1, parity 1"
    assert step_text(replace(wait, shape=())) == "path p1 == 0 waits on empty for generation 1, parity 1"
    trigger = Step(0, PRODUCER, "trigger", HERE, event="full", slot=1, bytes=32768, shape=(2,))
    assert step_text(trigger) == "path p1 == 0 arrives on full[1] and 32,768 bytes are to land"
    copy = Step(0, PRODUCER, "copy", HERE, slot=1, buffer="lhs_s", bytes=8192)
    assert step_text(copy) == "path p1 == 0 starts a copy into lhs_s[1]"
    out = replace(copy, slot=None, buffer="out_s", bytes=None, leaves=True)
    assert step_text(out) == "path p1 == 0 copies out_s to global memory"
    assert step_text(replace(out, op="land")) == "The copy of out_s has arrived in global memory"
    assert step_text(replace(out, slot=1)) == "path p1 == 0 copies out_s[1] to global memory"
    landed = replace(copy, op="land", event="done", slot=0, landed="lhs_s[1]")
    assert step_text(landed) == "The copy into lhs_s[1] has landed"
    assert step_text(replace(copy, op="unheard-of")) == "path p1 == 0: unheard-of"
    assert iteration_text((("ti", 1), ("kk", 4))) == "ti = 1, kk = 4"


def test_the_failing_step_is_the_iteration_that_the_story_names() -> None:
    flow = placed(ring(seed("pipeline"), 2, 5), TEXT)
    trigger = next(step.span for step in flow.steps if step.op == "trigger" and step.event == "empty")
    story = (Related("the multiply still reads 'a' (iv_k = 2, slot = 0)", HERE),)
    finding = FlowFinding("uncommitted-release", trigger, related=story, steps=flow.steps)
    told = failing_step(finding)
    assert told is not None
    assert (flow.steps[told].op, flow.steps[told].iteration) == ("trigger", (("iv_k", 2),))
    other = failing_step(replace(finding, related=()))
    assert other is not None
    assert flow.steps[other].iteration == (("iv_k", 0),)
    assert failing_step(replace(finding, span=Span(5, 6))) is None


def test_a_deadlock_fails_at_the_wait_that_is_never_passed() -> None:
    flow = placed(ring(seed("pipeline"), 2, 5, bootstrap=False), TEXT)
    (finding,) = flow.findings
    told = failing_step(finding)
    assert told is not None
    assert (finding.steps[told].op, finding.steps[told].path) == ("wait", PRODUCER)
