"""A size that does something else beyond those that are tried takes "proved" away, wherever the kernel names it."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.report import Strength
from tests.flow.test_no_false_proof import KERNEL, flow_of

BOOTSTRAP = """__co__ void f(global s32 [R, C] src, global s32 [R, C] dst) {{
  parallel b by 1 : block {{
    shared s32 [4, 32] ring[3];
    shared event full[3], empty[3];
    foreach {{t}} in [cdiv(R, 4)] {{
      parallel w by 2 : group {{
        inthreads.async (w == 0) {{
          foreach {{k}} in [cdiv(C, 32)] {{
            wait empty[k % 3];
            dma.copy src.subspan(4, 32).at(t, k) => ring[k % 3];
            trigger full[k % 3];
          }}
        }}
        inthreads.async (w == 1) {{
          if ({cond}) {{ foreach {{s}} in [3] {{ trigger empty[s]; }} }}
          foreach {{k}} in [cdiv(C, 32)] {{
            wait full[k % 3];
            dma.copy ring[k % 3] => dst.subspan(4, 32).at(t, k);
            trigger empty[k % 3];
          }}
        }}
      }}
    }}
  }}
}}
"""
PLAIN = KERNEL.format(guard="")
NATURAL = PLAIN.replace("{\n  parallel g", '{\n  assert(J >= 0, "J");\n  parallel g', 1)


def produced(turns: str) -> str:
    """The producer makes other turns than the consumer's cdiv(K, 64)."""
    return PLAIN.replace("[cdiv(K, 64)] {\n          wait empty", f"[{turns}] {{\n          wait empty")


def test_credits_given_once_are_proved() -> None:
    assert flow_of(BOOTSTRAP.format(cond="t == 0")).strength is Strength.PROVED


@pytest.mark.parametrize("cond", ["t * 192 == C * 7", "t == cdiv(C, 32) + 5", "C * 7 == t * 192"])
def test_an_outer_index_against_a_size_is_checked_at_most(cond: str) -> None:
    """C = 192 and tile 7 give all credits once more, and so do C = 32 and tile 6: far more tiles than are tried."""
    flow = flow_of(BOOTSTRAP.format(cond=f"t == 0 || {cond}"))
    assert flow.strength in (Strength.CHECKED, Strength.FAILS)


@pytest.mark.parametrize(
    "turns",
    [
        *("cdiv(K, 64) + K / 5000", "cdiv(K, 64) - K / 5000", "cdiv(K, 64) + (K >> 14)"),
        *("cdiv(K, 64) + K * K / 100000000", "cdiv(K, 64) + K % 6400 / 6399", "cdiv(K, 64) - K / 640"),
    ],
)
def test_turns_that_part_only_for_large_sizes_are_checked_at_most(turns: str) -> None:
    assert flow_of(produced(turns)).strength in (Strength.CHECKED, Strength.FAILS)


def test_so_are_those_that_the_host_works_out() -> None:
    text = produced("n").replace("{\n  parallel g", "{\n  int n = cdiv(K, 64) + K / 10000;\n  parallel g", 1)
    assert flow_of(text).strength in (Strength.CHECKED, Strength.FAILS)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        *(("empty.at(k)", "empty.at(k + K / 3000 * 2)"), ("empty.at(k)", "empty.at(k + K / 3000 % 2 * 2)")),
        *(("=> a_s[k % 2]", "=> a_s[(k + K / 4096) % 2]"), ("=> a_s[k % 2]", "=> a_s[(k + g / 3000) % 2]")),
    ],
)
def test_slots_and_orders_that_move_only_for_large_sizes_are_checked_at_most(part: str, other: str) -> None:
    assert flow_of(PLAIN.replace(f"wait {part}", f"wait {other}").replace(part, other, 1)).strength in (
        Strength.CHECKED,
        Strength.FAILS,
    )


@pytest.mark.parametrize("guard", ["if (k < cdiv(K, 64) - K / 5000)", "if (k * 640 != K * 7)", "if (J % 10 != 7)"])
def test_conditions_that_turn_only_for_some_sizes_are_checked_at_most(guard: str) -> None:
    assert flow_of(KERNEL.format(guard=guard)).strength in (Strength.CHECKED, Strength.FAILS)


def test_one_number_of_turns_for_both_sides_is_proved_however_it_is_worked_out() -> None:
    """Only how often both run matters, and every rest of that by the ring is tried."""
    assert flow_of(PLAIN.replace("cdiv(K, 64)", "cdiv(K, 64) + K / 5000")).strength is Strength.PROVED


def test_a_slot_moved_by_a_number_is_proved_where_each_rest_is_tried() -> None:
    """(k + J) % 2 is the same slot on both sides, and J is tried as 0 and as 1."""
    assert flow_of(NATURAL.replace("a_s[k % 2]", "a_s[(k + J) % 2]")).strength is Strength.PROVED


def test_a_last_turn_told_by_the_size_that_ends_the_loop_is_proved() -> None:
    assert flow_of(KERNEL.format(guard="if (k < cdiv(K, 64))")).strength is Strength.PROVED


@pytest.mark.parametrize("turns", ["J > 2 ? 7 : 9", "J > 2 ? cdiv(K, 64) : 9", "(((J > 2 ? 7 : 9)))"])
def test_turns_that_a_condition_on_sizes_chooses_are_followed(turns: str) -> None:
    """Sizes are no data: as often on both sides is right, and 7 or 9 turns against cdiv(K, 64) are not."""
    right = flow_of(PLAIN.replace("cdiv(K, 64)]", f"{turns}]"))
    assert (right.strength, right.findings) in ((Strength.CHECKED, ()), (Strength.PROVED, ()))
    wrong = flow_of(produced(turns))
    assert [found.rule for found in wrong.findings] == ["trip-count-mismatch"]


def test_a_choice_that_parts_only_for_large_sizes_is_checked_at_most() -> None:
    flow = flow_of(produced("K < 4000 ? cdiv(K, 64) : cdiv(K, 64) + 1"))
    assert flow.strength in (Strength.CHECKED, Strength.FAILS)


@pytest.mark.parametrize(
    "more", ["(M * M) / 10000", "M * M * M / 1000000", "cdiv(M * M, 10000) - 1", "cdiv(M, 4) * cdiv(M, 4) / 625"]
)
def test_a_size_that_is_multiplied_and_divided_on_one_side_alone_is_checked_at_most(more: str) -> None:
    """Nothing more up to M = 99; from M = 200 on, the producer makes turns that nobody takes."""
    assert flow_of(produced(f"cdiv(K, 64) + {more}")).strength in (Strength.CHECKED, Strength.FAILS)


@pytest.mark.parametrize(
    ("moved", "strength"),
    [
        ("k + J * 4", Strength.PROVED),  # two slots with two parities: four orders on, all is as it was
        ("k + J * 12 + K / 64 * 8", Strength.PROVED),
        ("k + J / 5 * 4", Strength.PROVED),
        ("k + J * 2", Strength.FAILS),
        ("k + J / 5 * 2", Strength.FAILS),
        ("k + J * 4 + J / 3000 * 2", Strength.FAILS),
        ("k + (J + J / 3000) * 4", Strength.CHECKED),
        ("k + J * J * 4", Strength.CHECKED),
    ],
)
def test_an_order_that_a_size_moves_is_settled_by_how_far_it_moves_it(moved: str, strength: Strength) -> None:
    assert flow_of(NATURAL.replace(".at(k)", f".at({moved})")).strength is strength


@pytest.mark.parametrize("least", [100, 30_000])
def test_sizes_that_begin_far_up_are_proved_by_the_turns_from_there_on(least: int) -> None:
    text = PLAIN.replace("{\n  parallel g", f'{{\n  assert(K > {least}, "K");\n  parallel g', 1)
    assert flow_of(text).strength is Strength.PROVED
    longer = text.replace("[cdiv(K, 64)]", "[cdiv(K, 64) - K % 7 / 6]", 1)
    (found,) = flow_of(longer).findings
    assert found.rule == "trip-count-mismatch" and found.sizes["K"] > least


def test_sizes_that_begin_too_far_up_say_where_the_effort_ended() -> None:
    text = PLAIN.replace("{\n  parallel g", '{\n  assert(K > 9000000, "K");\n  parallel g', 1)
    flow = flow_of(text, TYPING_BUDGET)
    assert (flow.strength, flow.reason) == (
        Strength.CHECKED, "the run at K = 9000001 spent the budget of 200,000 steps"
    )  # fmt: skip
