"""Fixes of credit flow are tried out: completed where they reach the next fault only, else not offered."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, TYPING_BUDGET, analyze_flow
from croqc.flow.report import KernelFlow
from croqc.sema.model import Model
from croqc.service import flow_check
from croqc.service.check import check_text
from croqc.service.fix import choose_edits, fix_text
from croqc.service.fix_trials import ROOM, TRIALS
from croqc.service.flow import flow_result
from croqc.service.flow_check import with_flow
from croqc.service.settings import Settings
from croqc.text.edits import apply_edits
from tests.rules.mending import example, instead, report_of, second, shown, simulated, without
from tests.rules.pumps import BOOTSTRAP, CURRENT, RING, STORES, TURNS

SPACE, FILL = "          wait empty[k % 2];\n", "          trigger full[k % 2];\n"
TAKE, GIVE = "          wait full[k % 2];\n", "          trigger empty[k % 2];\n"
COURSE, CLASSIC, NEW, CONSUMERS = (example(f"pipeline_{name}") for name in ("course", "classic", "current", "1p2c"))
SWAP = example("swap_f16")


def titles(text: str) -> list[str]:
    return [fix.title for item in shown(text) for fix in item.fixes]


def first(text: str) -> str:
    """The text after the first fix of its only finding."""
    (item,) = shown(text)
    return apply_edits(text, item.fixes[0].edits)


# --- what is offered -------------------------------------------------------------------------------


def test_a_fix_that_reaches_the_next_fault_is_completed() -> None:
    """Without a credit at start, and without the trigger of the data, either edit alone leaves the other fault."""
    broken = without(without(RING, BOOTSTRAP), FILL)
    (found,) = titles(broken)
    assert ", and " in found
    assert first(broken) == RING


def test_three_faults_are_mended_by_one_fix() -> None:
    start = BOOTSTRAP.replace("[2]", "[MATMUL_STAGES]")
    broken = without(without(COURSE, start), "          trigger full[stage];\n")
    assert first(without(broken, "          mma.commit;\n")) == COURSE


def test_a_fix_that_leaves_something_is_not_offered() -> None:
    """A wait for the other handle: to wait for the right one as well would be to wait for one of them twice."""
    (item,) = shown(instead(SWAP, "wait lf0, rf0;\n          foreach", "wait lf1, rf0;\n          foreach"))
    assert item.code == "future-not-waited"
    assert item.fixes == ()


def test_where_two_handoffs_take_turns_nothing_is_moved() -> None:
    """Which of the two waits for `full` belongs where is not for a fix to say."""
    broken = instead(TURNS, "          wait full;\n          dma.copy tile => dst.subspan(16, 64).at(b, 2 * k);\n"
                     "          trigger right;\n", "          trigger right;\n          wait full;\n"
                     "          dma.copy tile => dst.subspan(16, 64).at(b, 2 * k);\n")  # fmt: skip
    assert titles(broken) == []


def test_the_longer_loop_with_a_tile_more_is_never_the_model() -> None:
    (found,) = titles(second(CLASSIC, "[cdiv(K, TILE_K)]", "[cdiv(K, TILE_K) + 1]"))
    assert found == "Let it run over 'cdiv(K, TILE_K)', too"


def test_a_fix_that_is_proved_is_safe_and_one_of_two_is_not() -> None:
    (item,) = shown(without(RING, GIVE))
    assert [fix.safe for fix in item.fixes] == [True]
    (item,) = shown(instead(RING, "cdiv(K, 64)", "K / 32", 1))
    assert len(item.fixes) == 2
    assert not any(fix.safe for fix in item.fixes)


@pytest.mark.slow
def test_a_trigger_that_one_role_owes_is_safe_where_the_kernel_is_checked_only() -> None:
    """The guard over M and N keeps the kernel from being proved for every size, whatever is mended."""
    store = "out.at(b * 16 + r, k * 64 + c) = "
    guarded = instead(STORES, store, f"if (b * 16 + r < M && k * 64 + c < N)\n              {store}")
    broken = without(guarded, "          trigger empty.at(k);\n")
    (item,) = shown(broken)
    assert [(fix.title, fix.safe) for fix in item.fixes] == [("Trigger 'empty' at the end of each turn", True)]
    assert first(broken) == guarded


def test_macros_of_the_settings_are_those_of_the_trial() -> None:
    broken = without(instead(RING, "{s} in [2]", "{s} in [N]"), BOOTSTRAP.replace("[2]", "[N]"))
    text = instead(broken, "full[2], empty[2]", "full[N], empty[N]")
    report = with_flow(check_text(text, Settings(defines={"N": "2"})), TYPING_BUDGET)
    (item,) = (one for one in report.diagnostics if one.code == "credit-deadlock")
    assert apply_edits(text, item.fixes[0].edits).count("foreach {s} in [N]") == 1


def test_a_trial_takes_the_effort_of_the_check() -> None:
    """An order kept modulo 40 shows at 41 turns only; what mends it must hold beyond them."""
    broken = instead(CURRENT, "wait empty.at(k)", "wait empty.at(k % 10)")
    report = with_flow(check_text(broken), CHECK_BUDGET)
    (item,) = (one for one in report.diagnostics if one.code == "order-out-of-step")
    assert apply_edits(broken, item.fixes[0].edits) == CURRENT


def test_the_number_of_trials_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    from croqc.service import fix_trials

    seen = []
    monkeypatch.setattr(fix_trials, "check_text", lambda text, *rest: seen.append(text) or check_text(text, *rest))
    shown(instead(SWAP, "wait lf0, rf0;\n          foreach", "wait lf1, rf0;\n          foreach"))
    assert len(seen) == len(set(seen)) <= TRIALS


# --- what takes them -------------------------------------------------------------------------------


def test_a_round_takes_one_fix_of_credit_flow_in_a_function() -> None:
    """Each is tried out alone: two at once were not."""
    broken = instead(RING, "empty[2];", "empty[2], one, two;")
    report = report_of(broken)
    assert [item.code for item in report.diagnostics].count("unused-event") == 2
    assert choose_edits(report, None, unsafe=False)[1] == 1
    assert fix_text(report, lambda text, _: report_of(text)).text == RING


def test_the_picture_offers_what_check_offers() -> None:
    broken = second(CLASSIC, "[cdiv(K, TILE_K)]", "[cdiv(K, TILE_K) + 1]")
    (entry,) = flow_result(report_of(broken)).flows
    (found,) = entry.findings
    assert [fix.title for fix in found.fixes] == titles(broken)


# --- slips that any finding shows ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("broken", "title"),
    [
        (instead(without(RING, SPACE), FILL, FILL + SPACE), "Wait for 'empty' first"),
        (instead(RING, SPACE, SPACE.replace("wait", "if (k > 0) wait")), "Wait for 'empty' in every turn"),
        (instead(RING, "=> ring[k % 2]", "=> ring[(k + 1) % 2]"), "Name the slot that the turn works on"),
        (instead(CLASSIC, "mma.commit;", "if (k < 4) mma.commit;"), "Commit in every turn"),
    ],
    ids=["wait-last", "sometimes", "other-stage", "commit"],
)
def test_a_slip_is_mended_whatever_it_shows_as(broken: str, title: str) -> None:
    assert titles(broken) == [title]
    assert first(broken) in (RING, CLASSIC)


BRANCHES = "          if (k % 3 == 0) {{\n            {one}\n          }} else {{\n            {other}\n          }}\n"


@pytest.mark.parametrize("line", [SPACE, FILL, TAKE, GIVE], ids=["space", "fill", "take", "give"])
@pytest.mark.parametrize("swapped", [False, True])
def test_what_one_branch_lacks_is_written_in_both(line: str, swapped: bool) -> None:
    """The same in both branches is the ring as it was; in one of them only, the other turns miss it."""
    here = "int z = k;"
    whole, lacking = (f"{line.strip()} {here}", here) if "wait" in line else (f"{here} {line.strip()}", here)
    assert shown(instead(RING, line, BRANCHES.format(one=whole, other=whole))) == []
    one, other = (lacking, whole) if swapped else (whole, lacking)
    broken = instead(RING, line, BRANCHES.format(one=one, other=other))
    (item,) = shown(broken)
    assert any(fix.safe and "in both branches" in fix.title for fix in item.fixes), item.fixes
    assert fix_text(report_of(broken), lambda text, _: report_of(text)).applied == 1
    assert shown(apply_edits(broken, item.fixes[0].edits)) == []


def test_credits_that_all_go_to_one_slot_go_to_each() -> None:
    broken = instead(RING, "trigger empty[s];", "trigger empty[0];")
    (item,) = shown(broken)
    assert [(fix.title, fix.safe) for fix in item.fixes] == [("Give each slot of 'empty' a credit at start", True)]
    assert first(broken) == RING


HALF = "tma.copy.async src.subspan(16, 32).at(b, 2 * k{}) => ring[k % 2].subspan(16, 32).at(0, {});"
UNNAMED = instead(
    RING,
    "dma.copy src.subspan(16, 64).at(b, k) => ring[k % 2];",
    f"{HALF.format('', 0)}\n          {HALF.format(' + 1', 1)}",
)


def test_names_for_unnamed_copies_lead_to_no_second_wait() -> None:
    """Each gets a name of its own, and the trigger tells of both."""
    text = UNNAMED
    for name in ("f", "f2"):
        item = next(one for one in report_of(text).diagnostics if one.code == "unnamed-async-copy")
        assert (
            item.hint
            == f"give it a name for the trigger: '{name} = ...; trigger full[k % 2] after {name};', with no wait"
        )
        named = next(fix for fix in item.fixes if fix.title == f"Name it '{name}', which the trigger tells of")
        text = apply_edits(text, named.edits)
    assert "trigger full[k % 2] after f, f2;" in text
    assert shown(text) == []


def test_the_hint_for_two_copies_without_a_trigger_names_each_apart() -> None:
    text = instead(UNNAMED, FILL, "          sync.shared;\n")
    hints = [one.hint for one in report_of(text).diagnostics if one.code == "unnamed-async-copy"]
    assert hints == ["give it a name: 'f = ...; wait f;'", "give it a name: 'f2 = ...; wait f2;'"]


# --- copies, turns, exits --------------------------------------------------------------------------


def test_the_copy_that_is_left_out_is_written_as_its_neighbour() -> None:
    line = "          tma.copy.swiz<128> rhs.subspan(TILE_N, TILE_K).at(block_n, k) => rhs_s[stage];\n"
    assert first(without(CONSUMERS, line)) == CONSUMERS


def test_its_future_is_bound_with_that_of_its_neighbour() -> None:
    line = "          rf = tma.load.async.swiz<128> rhs.subspan(TILE_N, TILE_K).at(block_n, k) => rhs_s[k % STAGES];\n"
    mended = first(instead(without(NEW, line), "after lf, rf", "after lf"))
    assert mended == NEW.replace(" rf = ", " rhs_lf = ").replace("lf, rf", "lf, rhs_lf")
    assert simulated(mended) == {"verified"}


def test_no_copy_is_guessed_where_two_could_be_meant() -> None:
    line = "          tma.copy.swiz<128> rhs.subspan(TILE_N, TILE_K).at(block_n, k) => rhs_s[stage];\n"
    other = instead(
        without(CONSUMERS, line), "global f16 [N, K] rhs,", "global f16 [N, K] rhs, global f16 [N, K] bias,"
    )
    assert titles(other) == []


def test_a_turn_that_nobody_takes_is_left_out() -> None:
    last = FILL + "        }\n        wait empty[0];\n        dma.copy src.subspan(16, 64).at(b, 0) => ring[0];\n"
    broken = instead(RING, FILL + "        }\n", last + "        trigger full[0];\n")
    assert first(broken) == RING


@pytest.mark.parametrize("place", [TAKE, GIVE])
def test_a_role_leaves_with_its_partner(place: str) -> None:
    leaves = "          if (k == 3) break;\n"
    broken = instead(RING, place, leaves + place)
    mended = first(broken)
    assert mended.count(leaves) == 2
    assert shown(mended) == []


@pytest.mark.parametrize("place", [TAKE, GIVE])
def test_no_partner_is_given_a_yield_of_its_own(place: str) -> None:
    """It has no place in the loop (reference, 4.5): its own rule tells it, and 'break' is its fix."""
    broken = instead(RING, place, "          if (k == 3) yield;\n" + place)
    assert [item.code for item in shown(broken) if item.fixes] == ["yield-in-loop"]


def test_a_role_does_not_leave_for_what_only_its_partner_knows() -> None:
    broken = instead(RING, TAKE, "          n = k + 1;\n          if (n == 3) break;\n" + TAKE)
    assert titles(broken) == []


# --- how much trials may take ----------------------------------------------------------------------

LATE = """__co__ void f(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [1, 8] buf[4];
    shared event full[4], empty[4] = ready;
    parallel w by 2 : group-4, t by 128 : thread {
      inthreads.async (w == 0 && t == 0) {
        foreach {k} in [2000000000] {
          wait empty[k % 4];
          dma.copy src.subspan(1, 8).at(b, k) => buf[k % 4];
          trigger full[k % 4];
        }
      }
      inthreads.async (w > 0) {
        foreach {k} in [2000000000] {
          wait full[k % 4];
          bool z = k % 1000003 == 1000002;
          if (z) { trigger full[0]; }
          trigger empty[k % 4];
        }
      }
    }
  }
}
"""


def test_all_trials_together_hold_the_budget_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stray trigger comes after more turns than can be run, so that every text takes all that it is given."""
    spent: list[int] = []

    def counted(model: Model, budget: int) -> tuple[KernelFlow, ...]:
        flows = analyze_flow(model, budget)
        spent.append(sum(flow.spent for flow in flows))
        return flows

    monkeypatch.setattr(flow_check, "analyze_flow", counted)
    budget = 2 * TYPING_BUDGET
    report = with_flow(check_text(LATE), budget)
    verdict, *trials = spent
    assert verdict >= budget and 0 < sum(trials) <= ROOM + TYPING_BUDGET
    (item,) = report.flow_found or ()
    assert item.fixes == ()
    assert item.hint.endswith("some fixes were not tried: that takes more steps than the budget")


def test_what_ends_soon_is_tried_as_before() -> None:
    (item,) = shown(LATE.replace("2000000000", "20").replace("trigger empty[k % 4];", ""))
    assert "not tried" not in item.hint and item.fixes
