"""What cannot be followed, what is too large, and how far a verdict reaches then."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import TYPING_BUDGET, analyze_flow
from croqc.sema.analyze import analyze
from croqc.sema.model import Context
from croqc.syntax.parser import parse_file
from croqc.targets import TARGETS
from tests.flow.pipes import HEAD, block, check, ring

TAKE = "wait full[s]; dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty[s];"
UNDECIDED = {
    "credit only for some data": (
        ring(take="wait full[s]; if (src.at(0, 0) > 0.0f) { trigger empty[s]; }"), "depends on data",
        "src.at(0, 0) > 0.0f",
    ),
    "credit only for some data, by a name": (
        ring(before="int m = call slot(b);", take="wait full[s]; if (m > k) { trigger empty[s]; }"), "depends on data",
        "m > k",
    ),
    "a role for some data": (
        block("""shared event done;
          parallel p by 2 : group-4 {
            inthreads.async (p == x.at(b)) { trigger done; }
            inthreads.async (p == 1) { wait done; } }""").replace("K] src", "K] src, global s32 [M] x"),
        "depends on data", "p == x.at(b)",
    ),
    "the loop is left for some data": (
        ring(take=f"if (src.at(0, 0) > 0.0f) break; {TAKE}"), "depends on data", "src.at(0, 0) > 0.0f",
    ),
    "a slot from memory": (
        ring(before="mutable int o = 0;", take="o = call slot(k); wait full[o];" + TAKE[14:]), "depends on data",
        "full[o]",
    ),
    "foreign control": (ring(before='__cpp__("return;");'), "foreign code", '__cpp__("return;");'),
    "foreign barrier": (ring(before='__cpp__("asm volatile(\\"bar.sync 1;\\");");'), "foreign code", ""),
    "some threads of a path trigger": (
        block("""shared event done;
          parallel p by 2 : group-4, t by 128 : thread {
            inthreads.async (p == 0) { if (t == 0) { trigger done; } }
            inthreads.async (p == 1) { wait done; } }"""),
        "threads of one path part here", "t == 0",
    ),
    "parts that may overlap": (
        block("""shared f16 [32, 64] o;
          parallel p by 2 : group-4, t by 128 : thread {
            if (t < 16) { foreach j in 64 { o.at((p * 16 + t * 3) % 32, j) = 1.0f; } } }"""),
        "whether two parts of a buffer overlap cannot be told", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_is_not_analysed(name: str) -> None:
    text, reason, place = UNDECIDED[name]
    verdict = check(text)
    assert (verdict.strength, verdict.flow.reason, verdict.places) == ("unknown", reason, [])
    assert verdict.flow.place is not None
    at = verdict.flow.place
    shown = text[at.start : at.end]
    assert not place or shown == place


def test_data_that_decides_nothing_of_the_order() -> None:
    inside = "if (src.at(0, 0) > 0.0f) { dma.copy buf[s] => dst.subspan(16, 64).at(b, k); }"
    assert check(ring(take=f"wait full[s]; {inside} trigger empty[s];")).strength == "proved"
    counted = "mutable int hits = 0; while (hits < 3) { if (src.at(0, 0) > 0.0f) { hits = 9; } hits += 1; }"
    assert check(ring(behind=counted)).strength == "proved"


def test_an_island_is_read_as_empty_with_a_note() -> None:
    text = ring(before='__cpp__("printf(\\"here\\");");')
    verdict = check(text)
    assert verdict.strength == "proved"
    assert [(text[note.span.start : note.span.end], note.function) for note in verdict.flow.notes] == [
        ('__cpp__("printf(\\"here\\");");', "")
    ]


def test_an_island_that_waits_for_the_multiplies_counts_as_a_commit() -> None:
    kernel = block("""shared event full[2], empty[2] = ready; shared f16 [64, 64] a[2];
      parallel p by 2 : group-4 {
        inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] {
          wait empty[k % 2]; dma.copy src.subspan(64, 64).at(b, k) => a[k % 2]; trigger full[k % 2]; } }
        inthreads.async (p == 1) { c = mma.fill.f32 0.0f; foreach {k} in [cdiv(K, 64)] { wait full[k % 2];
          x = mma.load a[k % 2]; y = mma.load a[k % 2]; mma.row.row c, x, y; COMMIT trigger empty[k % 2]; } } }""")
    assert check(kernel.replace("COMMIT", "")).rules == ["uncommitted-release"]
    assert check(kernel.replace("COMMIT", '__cpp__("warpgroup_wait<0>();");')).strength == "proved"


def test_sizes_that_an_assertion_excludes_are_not_reported() -> None:
    text = ring(taken="[K / 64]")
    assert check(text).rules == ["trip-count-mismatch"]
    head, tail = text.split("  parallel b", 1)
    assert check(f'{head}  assert(K % 64 == 0, "whole tiles");\n  parallel b{tail}').places == []


def test_a_function_that_is_broken_is_not_analysed() -> None:
    tree = parse_file(HEAD + "parallel b by 8 : block { shared event e; wait e; trigger ; } }", {})
    function = tree.functions[-1].tree
    assert function is not None
    flows = analyze_flow(analyze(function, Context(TARGETS["sm_90a"])).model)
    assert [(flow.strength.value, flow.reason) for flow in flows] == [("unknown", "it cannot be read")]


# --- large kernels ---------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [10**6, 2**60])
def test_long_loops_of_a_fixed_length_are_proved(turns: int) -> None:
    assert check(ring(3, turns=f"[{turns}]")).strength == "proved"
    verdict = check(ring(3, turns=f"[{turns}]", taken=f"[{turns + 1}]"))
    assert verdict.rules == ["trip-count-mismatch"]
    assert (verdict.seen[0].finding.args["fewer"], verdict.seen[0].finding.args["more"]) == (turns, turns + 1)


@pytest.mark.slow
def test_a_long_ring_is_checked_up_to_a_size() -> None:
    verdict = check(ring(10_000, buffers="shared f16 [16, 64] buf[{N}];"))
    assert verdict.strength == "checked"
    assert verdict.flow.tried.startswith("for K up to ")


def test_a_thousand_events() -> None:
    names = [f"e{number}" for number in range(1000)]
    verdict = check(
        block(
            f"""shared event {", ".join(names)};
            parallel p by 2 : group-4 {{
              inthreads.async (p == 0) {{ {" ".join(f"trigger {name};" for name in names)} }}
              inthreads.async (p == 1) {{ {" ".join(f"wait {name};" for name in names)} }} }}"""
        )
    )
    assert verdict.strength == "proved"


@pytest.mark.parametrize(
    ("extent", "tried"), [("n", "for n up to "), ("1000", f"for the first {TYPING_BUDGET:,} steps")]
)
def test_ten_nested_loops(extent: str, tried: str) -> None:
    loops = " ".join(f"foreach {{i{depth}}} in [{extent}] {{" for depth in range(10))
    verdict = check(
        block(
            f"""shared event full, empty = ready; shared f16 [16, 64] a;
            parallel p by 2 : group-4 {{
              inthreads.async (p == 0) {{ {loops} wait empty; dma.copy src.subspan(16, 64).at(b, 0) => a;
                trigger full; {"}" * 10} }}
              inthreads.async (p == 1) {{ {loops} wait full; dma.copy a => dst.subspan(16, 64).at(b, 0);
                trigger empty; {"}" * 10} }} }}"""
        )
    )
    assert verdict.strength == "checked"
    assert verdict.flow.tried.startswith(tried)


def test_the_budget_bounds_the_effort_and_not_the_verdict() -> None:
    assert check(ring(3)).strength == "proved"
    small = check(ring(3), budget=200)  # none and one turn take some 65 steps, two 90
    assert (small.strength, small.flow.tried) == ("checked", "for K up to 65")
    assert small.flow.reason == "the run at K = 129 spent the budget of 200 steps"


def test_equal_text_gives_equal_findings() -> None:
    text = ring(3, 2, load="wait empty[s]; trigger full[s];")
    first, second = check(text), check(text)
    assert first.places == second.places
    assert [one.finding.steps for one in first.seen] == [one.finding.steps for one in second.seen]
