"""Counters that the program moves on itself: what follows them is tried far enough, or told as not proved."""

from __future__ import annotations

import pytest

from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import flow_of

PIPE = """#define S 3
__co__ void k(global s32 [R, C] src, global s32 [R, C] dst, int J) {{
  parallel b by 4 : block {{
    shared s32 [4, 32] ring[S];
    shared event full[S], empty[S] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{
        {load}
      }}
      inthreads.async (w == 1) {{
        {use}
      }}
    }}
  }}
}}
"""
COPY_IN = "dma.copy src.subspan(4, 32).at(b, k) => ring[k % S];"
COPY_OUT = "dma.copy ring[k % S] => dst.subspan(4, 32).at(b, k);"


def load(head: str, late: str = "") -> str:
    """A loop of the loader; where `late` holds it publishes a slot before it has filled it."""
    right = f"{COPY_IN} trigger full[k % S];"
    wrong = f"trigger full[k % S]; {COPY_IN}"
    body = f"if ({late}) {{ {wrong} }} else {{ {right} }}" if late else right
    return f"{head} {{ wait empty[k % S]; {body} @ }}"


def use(head: str) -> str:
    return f"{head} {{ wait full[k % S]; {COPY_OUT} trigger empty[k % S]; @ }}"


def pipe(first: str, second: str, before: str = "", step: str = "") -> str:
    parts = (f"{before} {part.replace('@', step)}" for part in (first, second))
    return PIPE.format(**dict(zip(("load", "use"), parts, strict=True)))


@pytest.mark.parametrize("end", ["J", "cdiv(C, 32)"])
@pytest.mark.parametrize("late", ["k == 9", "k >= 4", "k % 7 == 6"])
def test_a_fault_in_a_late_turn_of_a_while_is_found(end: str, late: str) -> None:
    head = f"while (k < {end})"
    text = pipe(load(head, late), use(head), "mutable int k = 0;", "k += 1;")
    assert [item.rule for item in flow_of(text).findings] == ["stage-race"]


@pytest.mark.parametrize("end", ["J", "cdiv(C, 32)"])
def test_a_while_over_what_may_change_is_never_proved(end: str) -> None:
    head = "while (k < last)"
    flow = flow_of(pipe(load(head), use(head), f"mutable int k = 0; mutable int last = {end};", "k += 1;"))
    assert (flow.strength, flow.findings) == (Strength.CHECKED, ())
    assert flow.reason == "in which turn this holds follows the count 'k' and 'last' and the sizes"
    assert flow.place is not None


def test_counting_down_from_a_size_is_the_same() -> None:
    down = "while (left > 0)"
    before = "mutable int k = 0; mutable int left = J;"
    flow = flow_of(pipe(load(down), use(down), before, "k += 1; left -= 1;"))
    assert flow.strength is Strength.CHECKED
    assert [
        item.rule for item in flow_of(pipe(load(down, "k == 9"), use(down), before, "k += 1; left -= 1;")).findings
    ] == ["stage-race"]


def test_a_count_against_a_constant_is_reached_in_a_long_loop_of_fixed_length() -> None:
    """The joint state repeats long before turn 100."""
    before, step = "mutable int n = 0;", "n += 1;"
    text = pipe(load("foreach k in [200]", "n == 100"), use("foreach k in [200]"), before, step)
    assert [item.rule for item in flow_of(text).findings] == ["stage-race"]


def test_a_count_that_nothing_asks_for_costs_no_turns() -> None:
    before, step = "mutable int n = 0;", "n += 1;"
    plain = flow_of(pipe(load("foreach k in [100000]"), use("foreach k in [100000]"), before, step))
    assert plain.strength is Strength.PROVED
    assert plain.spent < 10_000


@pytest.mark.parametrize(
    ("first", "strength"), [(7, Strength.FAILS), (200, Strength.CHECKED), (100000, Strength.CHECKED)]
)
def test_a_counter_that_falls_to_what_it_is_held_against_is_not_taken_to_have_passed_it(
    first: int, strength: Strength
) -> None:
    head = "foreach k in [cdiv(C, 32)]"
    text = pipe(load(head, "left < 5"), use(head), f"mutable int left = {first};", "left -= 1;")
    assert flow_of(text).strength is strength


def test_a_counter_that_falls_and_decides_nothing_hinders_no_proof() -> None:
    head = "foreach k in [cdiv(C, 32)]"
    flow = flow_of(pipe(load(head), use(head), "mutable int left = 0; mutable int up = 3;", "left -= 1; up += 1;"))
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


TILES = """__co__ void k(global s32 [R, C] src, global s32 [R, C] dst) {
  parallel b by 2 : block {
    shared s32 [4, 32] ring[3];
    shared event full[3], empty[3];
    mutable int n = 0;
    foreach t in [cdiv(cdiv(R, 4), 2)] { if (t * 2 + b < cdiv(R, 4)) {
      parallel w by 2 : group {
        inthreads.async (w == 0) { foreach k in [cdiv(C, 32)] {
          wait empty[k % 3]; dma.copy src.subspan(4, 32).at(t * 2 + b, k) => ring[k % 3]; trigger full[k % 3];
        } }
        inthreads.async (w == 1) {
          if (FIRST) { foreach s in [3] { trigger empty[s]; } }
          foreach k in [cdiv(C, 32)] {
            wait full[k % 3]; dma.copy ring[k % 3] => dst.subspan(4, 32).at(t * 2 + b, k); trigger empty[k % 3];
          }
        }
      }
      n += 1;
    } }
  }
}
"""


@pytest.mark.parametrize(("first", "tiles"), [("n % 4 == 0", 5), ("n % 8 == 0", 9)])
def test_what_a_count_of_tiles_does_once_more_is_found(first: str, tiles: int) -> None:
    """Each block gives its credits again in its fifth or ninth tile, of which there are two blocks and four rows."""
    (finding,) = flow_of(TILES.replace("FIRST", first)).findings
    assert finding.sizes["R"] > (tiles - 1) * 8
    assert flow_of(TILES.replace("FIRST", "n == 0")).findings == ()


NESTED = "foreach t in [cdiv(C, 64)] {{ foreach j in [2] {{ {} }} }}"


@pytest.mark.parametrize("late", ["n >= 40", "n == 41", "n > 13"])
def test_a_count_in_a_loop_of_fixed_length_is_followed_as_far(late: str) -> None:
    here = "(t * 2 + j) % S"
    body = load("", late).replace("k % S", here).replace(", k)", ", t * 2 + j)").strip()[1:-1].replace("@", "n += 1;")
    other = use("").replace("k % S", here).replace(", k)", ", t * 2 + j)").strip()[1:-1].replace("@", "")
    flow = flow_of(pipe(f"mutable int n = 0; {NESTED.format(body)}", NESTED.format(other)))
    assert [found.rule for found in flow.findings] == ["stage-race"]


def test_a_while_that_is_left_early_in_one_role_is_gone_through_as_far_as_that() -> None:
    head, step = "while (cdiv(C, 32) > k)", "k += 1;"
    first = load(head).replace("{ wait", "{ if (b % 3 != 1 && k > 8) { break; } wait", 1)
    (finding,) = flow_of(pipe(first, use(head), "mutable int k = 0;", step)).findings
    assert finding.rule in ("credit-deadlock", "trip-count-mismatch")
    assert finding.sizes["C"] > 288
