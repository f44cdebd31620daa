"""Broken pipelines are mended: the finding goes, no other comes, the simulator runs them right, the layout stays."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from croqc.rules.table import FLOW_RULES
from croqc.text.edits import apply_edits
from tests.rules.mending import (
    LAYOUTS,
    Case,
    added,
    example,
    instead,
    mend,
    report_of,
    second,
    shown,
    simulated,
    strengths,
    without,
)
from tests.rules.pumps import BOOTSTRAP, BOTH, CURRENT, RING, TILED, TURNS, TWO
from tests.truth.mutate import mutants
from tests.truth.program import Program

pytestmark = pytest.mark.slow

GIVE = "          trigger empty[k % 2];\n"
FILL = "          trigger full[k % 2];\n"
TAKE = "          wait full[k % 2];\n"
GIVE_AT = "          trigger empty.at(k);\n"
EX_BOOT = "        foreach {s} in [STAGES] {\n          trigger empty[s];\n        }\n"
COURSE_BOOT = EX_BOOT.replace("STAGES", "MATMUL_STAGES")
COURSE, CLASSIC, NEW, CONSUMERS = (example(f"pipeline_{name}") for name in ("course", "classic", "current", "1p2c"))

CASES = (
    # credits at start
    Case("course-start", "credit-deadlock", without(COURSE, COURSE_BOOT), COURSE),
    Case("classic-start", "credit-deadlock", without(CLASSIC, EX_BOOT), CLASSIC),
    Case("current-start", "credit-deadlock", without(NEW, " = ready"), NEW),
    Case("1p2c-start", "credit-deadlock", without(CONSUMERS, EX_BOOT), CONSUMERS),
    Case("start", "credit-deadlock", without(RING, BOOTSTRAP), RING),
    Case("two-starts", "credit-deadlock", without(TWO, BOOTSTRAP), TWO),
    Case("start-current", "credit-deadlock", without(CURRENT, " = ready"), CURRENT),
    Case("start-tiles", "credit-deadlock", re.sub(r"          if \(t == 0\) \{\n(.*\n){4}", "", TILED), TILED),
    Case("start-short", "credit-deadlock", instead(RING, "{s} in [2]", "{s} in [1]"), RING),
    Case(
        "start-one-slot", "credit-deadlock", instead(RING, BOOTSTRAP, "        trigger empty[0];\n"),
        lines=("trigger empty[1];",),
    ),
    Case("start-late", "credit-deadlock", instead(without(RING, BOOTSTRAP), GIVE + "        }\n",
         GIVE + "        }\n" + BOOTSTRAP), RING),
    Case("start-wrong-tile", "credit-deadlock", instead(TILED, "t == 0", "t == 1"), TILED),
    Case("start-each-tile", "credit-overrun", instead(TILED, "if (t == 0)", "if (true)"), TILED),
    Case(
        "start-each-tile-bare", "credit-overrun",
        re.sub(r"          if \(t == 0\) \{\n((?:  .*\n){3})          \}\n",
               lambda found: found.group(1).replace("            ", "          ", 1).replace("\n  ", "\n"), TILED),
        TILED,
    ),
    Case("start-and-ready", "credit-overrun", instead(RING, "empty[2];", "empty[2] = ready;"),
         instead(without(RING, BOOTSTRAP), "empty[2];", "empty[2] = ready;")),
    Case("start-by-producer", "arrival-count-mismatch",
         instead(RING, "(w == 0) {\n", "(w == 0) {\n" + BOOTSTRAP), RING),
    Case("start-by-one-role", "arrival-count-mismatch", without(TWO, BOOTSTRAP, 1), TWO),
    Case("start-by-one-path", "arrival-count-mismatch",
         instead(BOTH, "foreach {s} in [2]", "if (w == 1) foreach {s} in [2]"), BOTH),
    # triggers
    Case("course-publish", "credit-deadlock", without(COURSE, "          trigger full[stage];\n"), COURSE),
    Case("classic-publish", "credit-deadlock", without(CLASSIC, "          trigger full[stage];\n"), CLASSIC),
    Case("current-publish", "credit-deadlock", without(NEW, "          trigger full.at(k) after lf, rf;\n"), NEW),
    Case("publish", "credit-deadlock", without(RING, FILL), RING),
    Case("publish-current", "credit-deadlock", without(CURRENT, "          trigger full.at(k) after tile;\n"), CURRENT),
    Case("classic-other-slot", "credit-deadlock",
         instead(CLASSIC, "trigger full[stage];", "trigger full[(stage + 1) % STAGES];"), CLASSIC),
    Case("course-return", "credit-deadlock", without(COURSE, "          trigger empty[stage];\n"), COURSE),
    Case("course-return-commit", "credit-deadlock",
         without(COURSE, "          mma.commit;\n          trigger empty[stage];\n"), COURSE),
    Case("return", "credit-deadlock", without(RING, GIVE), RING),
    Case("two-returns", "credit-deadlock", without(TWO, GIVE), TWO),
    Case("return-current", "credit-deadlock", without(CURRENT, "          trigger empty.at(k);\n"), CURRENT),
    Case("no-space-event", "credit-deadlock", without(without(RING, GIVE), BOOTSTRAP), RING),
    Case("return-by-one-role", "arrival-count-mismatch", without(TWO, GIVE, 1), TWO),
    Case("return-by-one-path", "arrival-count-mismatch",
         instead(BOTH, GIVE, "          if (w == 1) {\n  " + GIVE + "          }\n"), BOTH),
    Case("return-sometimes", "credit-deadlock", instead(RING, GIVE, GIVE.replace("trig", "if (k < 3) trig")), RING),
    Case("own-wait", "credit-deadlock",
         instead(RING, "          wait empty[k % 2];\n", "          wait empty[k % 2];\n          wait full[k % 2];\n"),
         RING),
    Case("publish-twice", "credit-overrun", instead(RING, FILL, FILL + FILL), RING),
    Case("return-twice", "credit-overrun", instead(RING, GIVE, GIVE + GIVE), RING),
    # counts, turns, rings, orders
    Case("turns", "arrival-count-mismatch",
         instead(TURNS, "    shared event left = ready, right;\n    shared event<1> full;\n",
                 "    shared event full, left = ready, right;\n"), TURNS),
    Case("turns-alone", "arrival-count-mismatch", instead(TURNS, "event<1>", "event"), TURNS),
    Case("count", "arrival-count-mismatch", instead(RING, "event full", "event<3> full"), RING),
    Case("trips", "trip-count-mismatch", instead(RING, "cdiv(K, 64)", "K / 64", 1), RING),
    Case("trips-fewer", "trip-count-mismatch", second(RING, "cdiv(K, 64)", "K / 64"), RING),
    Case("trips-minus", "trip-count-mismatch", instead(RING, "cdiv(K, 64)", "cdiv(K, 64) - 1", 1), RING),
    Case("modulus", "ring-mismatch", instead(CLASSIC, "k % STAGES", "k % 3", 1), CLASSIC),
    Case("modulus-consumer", "ring-mismatch", second(CLASSIC, "k % STAGES", "k % 3"), CLASSIC),
    Case("order-reduced", "order-out-of-step", instead(CURRENT, "empty.at(k)", "empty.at(k % 2)"), CURRENT),
    Case("order-reduced-5", "order-out-of-step",
         instead(CURRENT, "wait empty.at(k)", "wait empty.at(k % 10)"), CURRENT),
    Case("order-per-tile", "order-out-of-step", re.sub(r"\b(full|empty)\[k % 2\]", r"\1.at(k)", TILED), TILED),
    # slips
    Case("wait-twice", "credit-deadlock", instead(RING, TAKE, TAKE + TAKE), RING),
    Case("wait-for-other-event", "credit-deadlock", instead(RING, "wait empty[", "wait full["), RING),
    Case("trigger-other-event", "credit-deadlock",
         instead(RING, FILL, FILL.replace("full", "empty")), RING),
    Case("wait-for-other-slot", "credit-deadlock", instead(RING, "wait full[k % 2]", "wait full[(k + 1) % 2]"), RING),
    Case("trigger-in-other-role", "credit-deadlock", instead(without(RING, FILL), GIVE, FILL + GIVE), RING),
    Case("data-ready", "credit-overrun", instead(RING, "full[2],", "full[2] = ready,"), RING),
    Case("order-shifted", "order-out-of-step", instead(CURRENT, "wait empty.at(k)", "wait empty.at(k + 2)"), CURRENT),
    Case("order-twice", "order-out-of-step", instead(CURRENT, GIVE_AT, GIVE_AT + GIVE_AT), CURRENT),
    # left over
    Case("unused", "unused-event", instead(RING, "empty[2];", "empty[2], done;"), RING),
    Case("unused-first", "unused-event", instead(RING, "full[2],", "done, full[2],"), RING),
    Case("unused-triggered", "unused-event",
         instead(instead(RING, "empty[2];\n", "empty[2];\n    shared event done;\n"), GIVE + "        }\n",
                 GIVE + "        }\n        trigger done;\n"), RING),
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


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_what_is_mended_runs_right(case: Case) -> None:
    assert simulated(mend(case.broken, case.rule)) == {"verified"}


DEADLOCKS = [case for case in CASES if case.rule == "credit-deadlock"]


@pytest.mark.parametrize("case", DEADLOCKS, ids=[case.name for case in DEADLOCKS])
def test_what_deadlocks_hangs_in_the_simulator(case: Case) -> None:
    assert "hangs" in simulated(case.broken)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_every_other_fix_leaves_nothing_either(case: Case) -> None:
    for fix in shown(case.broken)[0].fixes[1:]:
        assert shown(apply_edits(case.broken, fix.edits)) == []


@pytest.mark.parametrize("text", [RING, CURRENT], ids=["ring", "current"])
def test_what_a_safe_fix_mends_is_clean_whatever_was_broken(text: str) -> None:
    tried = 0
    for mutant in mutants(Program(text, ({},), ())):
        for item in report_of(mutant.text).diagnostics:
            for fix in item.fixes:
                if fix.safe and item.code in FLOW_RULES:
                    tried += 1
                    assert shown(apply_edits(mutant.text, fix.edits)) == [], (mutant.label, fix.title)
    assert tried >= 3


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_fix_keeps_the_layout_of_the_file(case: Case, layout: Callable[[str], str]) -> None:
    assert mend(layout(case.broken), case.rule) == layout(mend(case.broken, case.rule))
