"""Races, releases, futures and barriers are mended: the finding goes, no other comes, the simulator runs it right."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from croqc.service.fix import fix_text
from croqc.text.edits import apply_edits
from tests.rules.mending import (
    LAYOUTS,
    Case,
    added,
    example,
    instead,
    mend,
    report_of,
    shown,
    simulated,
    strengths,
    without,
)
from tests.rules.pumps import BOOTSTRAP, CURRENT, RING, TILED, TURNS, TWO

COURSE, CLASSIC, NEW, CONSUMERS = (example(f"pipeline_{name}") for name in ("course", "classic", "current", "1p2c"))
PERSISTENT, SWAP, SWAP_INT, TRIPLE = (example(n) for n in ("persistent_1p2c", "swap_f16", "swap_s32", "rotate_triple"))

COMMIT = "          mma.commit;\n"
GIVE = "          trigger empty[stage];\n"
FILL = "          trigger full[stage];\n"
TAKE = "          wait full[stage];\n"
SPACE = "          wait empty[stage];\n"
READY = "          wait lf0, rf0;\n          foreach"
BACK = "          trigger empty[k % 2];\n"
DONE = "          trigger full[k % 2];\n"
BOUND = "          trigger full.at(k) after lf, rf;\n"
SWAPPED = "          swap(lf0, lf1);\n          swap(rf0, rf1);\n"
TURNED = "          swap(rf0, rf1);\n          swap(lf0, lf1);\n"
ISSUED = instead(NEW, "mma.row.row acc", "m = mma.row.row.async acc")
ASYNC = instead(ISSUED, "          trigger empty.at(k);\n", "          wait m;\n          trigger empty.at(k);\n")
NAMED = instead(
    instead(
        instead(COURSE, "dma.copy lhs", "lf = dma.copy.async lhs"), "dma.copy rhs", "rf = dma.copy.async rhs"
    ), FILL, "          wait lf, rf;\n" + FILL,
)  # fmt: skip
STORED = instead(
    PERSISTENT, "        dma.copy output_s => output.subspan(TILE_M, TILE_N).at(block_m, block_n);\n",
    "        st = tma.copy.async output_s => output.subspan(TILE_M, TILE_N).at(block_m, block_n);\n        wait st;\n",
)  # fmt: skip
LAST = instead(COURSE, "        mma.store", "        mma.commit;\n        mma.store")
HANDOFF = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] tile;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [cdiv(K, 64)] {
          dma.copy src.subspan(16, 64).at(b, k) => tile;
          __bar_arrive(1, 256);
          __bar_sync(2, 256);
        }
      }
      inthreads.async (w == 1) {
        foreach {k} in [cdiv(K, 64)] {
          __bar_sync(1, 256);
          dma.copy tile => dst.subspan(16, 64).at(b, k);
          __bar_arrive(2, 256);
        }
      }
    }
  }
}
"""
PLAIN = """// croq: run M=32 K=448
// croq: expect dst == src
__co__ void pump(global f16 [M, K] src, global f16 [M, K] dst) {
  parallel b by cdiv(M, 16) : block {
    shared f16 [16, 64] tile;
    foreach {k} in [cdiv(K, 64)] {
      f = dma.copy.async src.subspan(16, 64).at(b, k) => tile;
      wait f;
      st = tma.copy.async tile => dst.subspan(16, 64).at(b, k);
      wait st;
    }
  }
}
"""


def moved(text: str, line: str, behind: str) -> str:
    """The text with its first such line behind another one."""
    return instead(without(text, line, 1), behind, behind + line, 1)


RACE, RELEASE, PUBLISH, UNREAD = "stage-race", "uncommitted-release", "early-publish", "unwritten-read"
SYNC, BARRIER, STALE = "block-sync-in-role", "named-barrier-mismatch", "stale-buffer"
EARLY, TWICE = "future-not-waited", "future-waited-twice"

CASES = (
    # commits
    Case("course-commit", RELEASE, without(COURSE, COMMIT), COURSE),
    Case("classic-commit", RELEASE, without(CLASSIC, COMMIT), CLASSIC),
    Case("1p2c-commit", RELEASE, without(CONSUMERS, COMMIT), CONSUMERS),
    Case("course-late-commit", RELEASE, moved(COURSE, COMMIT, GIVE), COURSE),
    Case("classic-late-commit", RELEASE, moved(CLASSIC, COMMIT, GIVE), CLASSIC),
    Case("1p2c-late-commit", RELEASE, moved(CONSUMERS, COMMIT, GIVE), CONSUMERS),
    Case("persistent-commit", RELEASE, without(PERSISTENT, "  " * 2 + COMMIT), PERSISTENT),
    Case("commit-behind-loop", RELEASE, without(LAST, COMMIT), LAST),
    Case("multiply-late-wait", RELEASE, moved(ASYNC, "          wait m;\n", "          trigger empty.at(k);\n"), ASYNC),
    # copies that are announced
    Case("current-after", PUBLISH, without(NEW, " after lf, rf"), NEW),
    Case("current-after-one", PUBLISH, instead(NEW, " after lf, rf", " after lf"), NEW),
    Case("pump-after", PUBLISH, without(CURRENT, " after tile"), CURRENT),
    Case("course-async", PUBLISH, without(NAMED, "          wait lf, rf;\n"), NAMED),
    Case("course-late-wait", PUBLISH, moved(NAMED, "          wait lf, rf;\n", FILL), NAMED),
    Case("classic-slot", PUBLISH, instead(CLASSIC, "<full[stage]>", "<full[(stage + 1) % STAGES]>"), CLASSIC),
    # waits
    Case("course-space", RACE, without(COURSE, SPACE), COURSE),
    Case("course-data", RACE, without(COURSE, TAKE), COURSE),
    Case("classic-space", RACE, without(CLASSIC, SPACE), CLASSIC),
    Case("classic-data", RACE, without(CLASSIC, TAKE), CLASSIC),
    Case("current-space", RACE, without(NEW, "          wait empty.at(k);\n"), NEW),
    Case("current-data", RACE, without(NEW, "          wait full.at(k);\n"), NEW),
    Case("space", RACE, without(RING, "          wait empty[k % 2];\n"), RING),
    Case("data", RACE, without(RING, "          wait full[k % 2];\n"), RING),
    Case("1p2c-space", "generation-mixup", without(CONSUMERS, SPACE), CONSUMERS),
    Case("persistent-space", "generation-mixup", without(PERSISTENT, "    " + SPACE), PERSISTENT),
    Case("two-space", "generation-mixup", without(TWO, "          wait empty[k % 2];\n"), TWO),
    Case("1p2c-data", RACE, without(CONSUMERS, TAKE), CONSUMERS),
    Case("tiled-space", RACE, without(TILED, "            wait empty[k % 2];\n"), TILED),
    Case("one-of-two", UNREAD, without(TWO, "          wait full[k % 2];\n", 1), TWO),
    Case("tiled-data", RACE, without(TILED, "            wait full[k % 2];\n"), TILED),
    Case("no-credit", RACE, without(without(RING, BOOTSTRAP), "          wait empty[k % 2];\n"), RING),
    Case("no-credit-current", RACE, without(without(CURRENT, " = ready"), "          wait empty.at(k);\n"), CURRENT),
    Case("late-data", RACE, instead(without(COURSE, TAKE), COMMIT, COMMIT + TAKE), COURSE),
    Case("late-space", RACE, instead(without(COURSE, SPACE), FILL, SPACE + FILL), COURSE),
    Case("space-between", RACE, instead(without(NEW, "          wait empty.at(k);\n"), "          rf =",
                                        "          wait empty.at(k);\n          rf ="), NEW),
    Case("two-late-data", UNREAD, instead(without(TWO, "          wait full[k % 2];\n", 1), BACK,
                                          BACK + "          wait full[k % 2];\n", 1), TWO),
    Case("turns-late-space", RACE, moved(TURNS, "          wait right;\n",
                                         "          dma.copy src.subspan(16, 64).at(b, 2 * k + 1) => tile;\n"), TURNS),
    # triggers
    Case("course-early-give", RACE, instead(without(COURSE, GIVE), TAKE, TAKE + GIVE), COURSE),
    Case("course-early-give-commit", RACE, instead(without(COURSE, COMMIT + GIVE), TAKE, TAKE + GIVE), COURSE),
    Case("course-early-fill", RACE, instead(without(COURSE, FILL), SPACE, SPACE + FILL), COURSE),
    Case("classic-early-fill", RACE, instead(without(CLASSIC, FILL), SPACE, SPACE + FILL), CLASSIC),
    Case("fill-between", RACE, instead(without(COURSE, FILL), "=> lhs_load_s[stage];\n",
                                       "=> lhs_load_s[stage];\n" + FILL), COURSE),
    Case("early-give", RACE, instead(without(RING, BACK), "          wait full[k % 2];\n",
                                     "          wait full[k % 2];\n" + BACK), RING),
    # one path
    Case("swap-commit", RACE, instead(SWAP, "          mma.commit;\n\n", "\n"), lines=("mma.commit;",)),
    Case("store", RACE, without(STORED, "        wait st;\n"), STORED),
    Case("plain-store", RACE, without(PLAIN, "      wait st;\n"), PLAIN),
    # what is read
    Case("started-full", UNREAD, instead(COURSE, "trigger empty[s]", "trigger full[s]"), COURSE),
    Case("ready-full", UNREAD, instead(NEW, "full[STAGES], empty[STAGES] = ready",
                                       "full[STAGES] = ready, empty[STAGES]"), NEW),
    Case("pump-started-full", UNREAD, instead(RING, "trigger empty[s]", "trigger full[s]"), RING),
    # barriers
    Case("course-sync", SYNC, instead(COURSE, COMMIT, COMMIT + "          sync.shared;\n"),
         lines=("sync.barrier : group-4;",)),
    Case("threads-sync", SYNC, instead(CLASSIC, COMMIT, COMMIT + "          sync.shared;\n"),
         lines=("sync.barrier : group-4;",)),
    Case("thread-sync", SYNC, instead(CLASSIC, FILL, "          sync.shared;\n" + FILL), CLASSIC),
    Case("count", BARRIER, instead(HANDOFF, "__bar_sync(1, 256)", "__bar_sync(1, 128)"), HANDOFF),
    Case("counts", BARRIER, instead(HANDOFF, "(1, 256)", "(1, 512)"), HANDOFF),
    Case("one-id", BARRIER, instead(HANDOFF, "(2, 256)", "(1, 256)"), HANDOFF),
    # handles
    Case("one-swap", STALE, without(SWAP, "          swap(rf0, rf1);\n"), SWAP),
    Case("other-swap", STALE, without(SWAP, "          swap(lf0, lf1);\n"), instead(SWAP, SWAPPED, TURNED)),
    Case("no-swap", STALE, without(SWAP, SWAPPED), lines=("swap(lf0, lf1);", "swap(rf0, rf1);")),
    Case("no-rotate", STALE, without(TRIPLE, "        rotate(f0, f1, f2);\n"), TRIPLE),
    Case("rotate-order", STALE, instead(TRIPLE, "rotate(f0, f1, f2)", "rotate(f0, f2, f1)"), TRIPLE),
    Case("rotate-two", STALE, instead(TRIPLE, "rotate(f0, f1, f2)", "swap(f0, f1)"), TRIPLE),
    Case("swapped-again", STALE, instead(SWAP, "          swap(lf0, lf1);\n", "          swap(lf0, lf1);\n" * 2), SWAP),
    # futures
    Case("no-wait", EARLY, instead(SWAP, READY, "          foreach"), SWAP),
    Case("one-wait", EARLY, instead(SWAP, READY, READY.replace(", rf0", "")), lines=("wait rf0;",)),
    Case("late-wait", EARLY, instead(instead(SWAP, READY, "          foreach"), "          mma.commit;\n",
                                     "          mma.commit;\n          wait lf0, rf0;\n", 1), SWAP),
    Case("rotate-wait", EARLY, without(TRIPLE, "        wait f0;\n", 1), TRIPLE),
    Case("last-wait", EARLY, without(TRIPLE, "      wait f1;\n"), TRIPLE),
    Case("both-last-waits", EARLY, instead(SWAP, "        wait lf0, rf0;\n        foreach", "        foreach"), SWAP),
    Case("wait-behind-swap", EARLY, instead(instead(SWAP, READY, "          foreach"), SWAPPED,
                                            SWAPPED + "          wait lf0, rf0;\n"), SWAP),
    Case("multiply-wait", EARLY, without(ASYNC, "          wait m;\n"), ASYNC),
    Case("plain-wait", EARLY, without(PLAIN, "      wait f;\n"), PLAIN),
    Case("plain-late-wait", EARLY, instead(without(PLAIN, "      wait f;\n"), "wait st;", "wait f, st;"),
         lines=("wait f;", "wait st;")),
    Case("wait-again", TWICE, instead(SWAP, READY, "          wait lf0, rf0;\n          wait rf0;\n          foreach"),
         SWAP),
    Case("wait-both-again", TWICE, instead(SWAP, READY, "          wait lf0, rf0;\n" + READY), SWAP),
    Case("wait-again-one", TWICE, instead(SWAP, READY, "          wait rf0;\n" + READY), lines=("wait lf0;",)),
    Case("wait-and-bind", TWICE, instead(NEW, BOUND, "          wait lf, rf;\n" + BOUND), NEW),
    Case("wait-and-bind-one", TWICE, instead(NEW, BOUND, "          wait lf;\n" + BOUND), NEW),
)  # fmt: skip
IDS = [case.name for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_the_finding_goes_and_no_other_comes(case: Case) -> None:
    mended = mend(case.broken, case.rule)
    if case.mended:
        assert mended == case.mended
    else:
        assert added(case.broken, mended) == case.lines
    assert shown(mended) == []
    assert strengths(mended) == ["proved"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_what_is_mended_runs_right(case: Case) -> None:
    assert simulated(mend(case.broken, case.rule)) == {"verified"}


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_every_other_fix_mends_as_well(case: Case) -> None:
    for fix in shown(case.broken)[0].fixes[1:]:
        assert shown(apply_edits(case.broken, fix.edits)) == [], fix.title


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_fix_keeps_the_layout_of_the_file(case: Case, layout: Callable[[str], str]) -> None:
    assert mend(layout(case.broken), case.rule) == layout(mend(case.broken, case.rule))


def test_nothing_is_edited_where_a_macro_made_the_statement() -> None:
    broken = "#define BACK trigger empty[stage];\n" + instead(without(COURSE, COMMIT), GIVE, "          BACK\n")
    found = shown(broken)
    assert [(item.code, item.fixes) for item in found] == [(RELEASE, ())]


def test_a_body_without_braces_stays_whole() -> None:
    broken = instead(without(COURSE, COMMIT), GIVE, "          if (iv_k >= 0)\n            trigger empty[stage];\n")
    whole = "          mma.commit;\n          if (iv_k >= 0)\n            trigger empty[stage];\n"
    assert whole in mend(broken, RELEASE)


def test_comments_stay_where_they_are() -> None:
    broken = instead(moved(COURSE, COMMIT, GIVE), COMMIT, "          mma.commit;  // the tile is read\n")
    mended = mend(broken, RELEASE)
    assert "          mma.commit;\n          trigger empty[stage];\n          // the tile is read\n" in mended


def test_no_guess_where_two_events_could_be_meant() -> None:
    other = instead(RING, "empty[2];", "empty[2], spare[2];")
    other = instead(other, BACK, BACK + "          trigger spare[k % 2];\n")
    broken = without(other, "          wait empty[k % 2];\n")
    assert [(item.code, item.fixes) for item in shown(broken) if item.code == RACE] == [(RACE, ())]


def test_no_guess_which_of_two_producers_begins() -> None:
    found = shown(without(TURNS, "          wait right;\n"))
    assert [(item.code, item.fixes) for item in found] == [(RACE, ())]


@pytest.mark.parametrize("name", ["course-late-commit", "course-space", "current-after", "started-full", "thread-sync"])
def test_what_is_sure_is_mended_without_asking(name: str) -> None:
    case = next(one for one in CASES if one.name == name)
    fixed = fix_text(report_of(case.broken), lambda text, _: report_of(text))
    assert (fixed.text, fixed.applied) == (case.mended, 1)
