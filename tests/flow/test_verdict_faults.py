"""Faults of rings and the rule, the place and the reason that each comes to. The verdicts are worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.flow.pipes import block, check, ring

EXAMPLES = Path(__file__).parents[2] / "examples"
READY = {"decl": "shared event full[{N}], empty[{N}] = ready;", "grant": ""}
COPY = "dma.copy src.subspan(16, 64).at(b, k) => buf[s];"
OUT = "dma.copy buf[s] => dst.subspan(16, 64).at(b, k);"
TAKE = f"wait full[s]; {OUT} trigger empty[s];"


@dataclass(frozen=True)
class Case:
    """An example with one text replaced: where the finding stands, and what its facts say."""

    example: str
    old: str
    new: str
    rule: str
    place: str
    args: dict[str, Any]
    count: int = -1


CASES = {
    "no bootstrap": Case(
        "pipeline_course", "trigger empty[s];", "", "credit-deadlock", "empty[stage]",
        {"cause": "bootstrap-missing", "path": "path p1 == 0", "generation": 0, "owing": ("path p1 == 1",)},
    ),
    "bootstrap one slot short": Case(
        "pipeline_course", "{s} in [MATMUL_STAGES]", "{s} in [MATMUL_STAGES - 1]", "credit-deadlock", "empty[stage]",
        {"cause": "bootstrap-short", "slot": 1, "iteration": "iv_k = 1"},
    ),
    "bootstrap of the wrong event": Case(
        "pipeline_course", "trigger empty[s];", "trigger full[s];", "unwritten-read",
        "lhs_load_s[stage].chunkat(_, iv_warp)", {"buffer": "lhs_load_s", "slot": 0},
    ),
    "bootstrap in the wrong tile": Case(
        "persistent_1p2c", "if (ti == 0)", "if (ti == 1)", "credit-deadlock", "empty[stage]",
        {"cause": "bootstrap-late"},
    ),
    "bootstrap for every tile": Case(
        "persistent_1p2c", "if (ti == 0)", "if (true)", "credit-overrun", "trigger empty[s];",
        {"cause": "bootstrap-repeated", "waiter": "path p == 0"},
    ),
    "bootstrap by one of two consumers": Case(
        "persistent_1p2c", "if (ti == 0)", "if (ti == 0 && p == 1)", "arrival-count-mismatch", "trigger empty[s];",
        {"expected": 2, "found": 1, "why": "bootstrap"},
    ),
    "no commit": Case(
        "pipeline_course", "mma.commit;", "", "uncommitted-release", "trigger empty[stage];",
        {"path": "path p1 == 1", "other": "path p1 == 0", "slot": 0},
    ),
    "commit behind the trigger": Case(
        "pipeline_course", "mma.commit;\n          trigger empty[stage];", "trigger empty[stage]; mma.commit;",
        "uncommitted-release", "trigger empty[stage];", {"event": "empty"},
    ),
    "data not waited for": Case(
        "pipeline_course", "wait full[stage];", "", "stage-race", "mma.row.row mc, ma, mb;",
        {"access": "read", "against": "write", "iteration": "iv_k = 0"},
    ),
    "space not waited for": Case(
        "pipeline_course", "wait empty[stage];", "", "stage-race",
        "dma.copy lhs.subspan(MATMUL_WARP_M, MATMUL_TILE_K).at(block_m, iv_k) => lhs_load_s[stage];",
        {"access": "write", "against": "read", "iteration": "iv_k = 2", "other_iteration": "iv_k = 0"},
    ),
    "data never published": Case(
        "pipeline_course", "trigger full[stage];", "", "credit-deadlock", "full[stage]", {"cause": "never-triggered"},
    ),
    "space never given back": Case(
        "pipeline_course", "trigger empty[stage];", "", "credit-deadlock", "empty[stage]",
        {"cause": "not-returned", "generation": 1, "iteration": "iv_k = 2"},
    ),
    "producer rounds down": Case(
        "pipeline_course", "[cdiv(K, MATMUL_TILE_K)]", "[K / MATMUL_TILE_K]", "trip-count-mismatch",
        "[K / MATMUL_TILE_K]", {"deadlock": True, "fewer": 1, "more": 2, "short": "path p1 == 0"}, 1,
    ),
    "producer has three of four stages": Case(
        "pipeline_classic", "k % STAGES", "k % 3", "ring-mismatch", "k % 3",
        {"modulus": 3, "length": 4, "expected": 4}, 1,
    ),
    "block-wide barrier in a role": Case(
        "pipeline_course", "wait full[stage];", "wait full[stage]; sync.shared;", "block-sync-in-role", "sync.shared;",
        {"path": "path p1 == 0"},
    ),
    "copies not bound": Case(
        "pipeline_current", " after lf, rf", "", "early-publish", "trigger full.at(k);", {"buffer": "lhs_s"},
    ),
    "one of two copies not bound": Case(
        "pipeline_current", " after lf, rf", " after lf", "early-publish", "trigger full.at(k) after lf;",
        {"buffer": "rhs_s"},
    ),
    "order kept modulo N": Case(
        "pipeline_current", "empty.at(k);\n          lf", "empty.at(k % STAGES);\n          lf", "order-out-of-step",
        "empty.at(k % STAGES)", {"iteration": "k = 3", "own": 1, "order": 0},
    ),
    "order kept modulo 5N": Case(
        "pipeline_current", "empty.at(k);\n          lf", "empty.at(k % 15);\n          lf", "order-out-of-step",
        "empty.at(k % 15)", {"iteration": "k = 15"},
    ),
    "one operand is not swapped": Case(
        "swap_f16", "swap(rf0, rf1);", "", "stale-buffer", "rf0.data.chunkat(_, k)", {"name": "rf0", "why": "tile"},
    ),
    "synchronous, one operand is not swapped": Case(
        "swap_s32", "swap(rf0, rf1);", "", "stale-buffer", "rf0.data.at(k, qy)", {"name": "rf0"},
    ),
    "handles are not rotated": Case(
        "rotate_triple", "rotate(f0, f1, f2);", "", "stale-buffer", "f0.data.at(i, j)", {"name": "f0"},
    ),
    "copy not waited for": Case(
        "swap_f16", "wait lf0, rf0;", "", "future-not-waited", "ma", {"why": "read"}, 1,
    ),
    "the buffer is loaded while it is multiplied": Case(
        "swap_f16", "mma.commit;\n\n          swap", "swap", "stage-race",
        "lf1 = dma.copy.async lhs.subspan(TILE_M, TILE_K).at(bm, tile_k) => shared;", {"same": True, "access": "write"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_faults_in_examples(name: str) -> None:
    case = CASES[name]
    text = (EXAMPLES / f"{case.example}.co").read_text(encoding="utf-8")
    assert case.old in text
    verdict = check(text.replace(case.old, case.new, case.count))
    assert verdict.places == [(case.rule, case.place)]
    assert verdict.strength == "fails"
    args = verdict.seen[0].finding.args
    assert {key: args[key] for key in case.args} == case.args


def test_a_consumer_that_rounds_down_leaves_data_behind() -> None:
    text = (EXAMPLES / "pipeline_course.co").read_text(encoding="utf-8")
    head, tail = text.split("mma.fill")
    verdict = check(f"{head}mma.fill{tail.replace('[cdiv(K, MATMUL_TILE_K)]', '[K / MATMUL_TILE_K]')}")
    assert verdict.places == [("trip-count-mismatch", "[K / MATMUL_TILE_K]")]
    assert verdict.strength == "proved"
    assert verdict.seen[0].finding.args["deadlock"] is False


def test_a_consumer_with_three_of_four_stages() -> None:
    head, tail = (EXAMPLES / "pipeline_classic.co").read_text(encoding="utf-8").split("w == 1")
    verdict = check(f"{head}w == 1{tail.replace('k % STAGES', 'k % 3')}")
    assert verdict.places == [("ring-mismatch", "k % 3")]


SMALL: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "a release too many": (
        ring(take=TAKE + " trigger empty[s];"), "credit-overrun", "trigger empty[s];", {"cause": "surplus"},
    ),
    "data published twice": (
        ring(load=f"wait empty[s]; {COPY} trigger full[s]; trigger full[s];"), "credit-overrun", "trigger full[s];", {},
    ),
    "data waited for twice": (
        ring(take="wait full[s]; " + TAKE), "credit-deadlock", "full[s]", {"cause": "ended", "generation": 1},
    ),
    "space waited for twice": (
        ring(load=f"wait empty[s]; wait empty[s]; {COPY} trigger full[s];"), "credit-deadlock", "empty[s]",
        {"generation": 1},
    ),
    "ready and a bootstrap": (
        ring(decl=READY["decl"]), "credit-overrun", "trigger empty[i];", {"event": "empty", "slot": 0},
    ),
    "a bootstrap behind the first wait": (
        ring(grant="", take="wait full[s]; if (k == 0) { foreach {i} in [2] { trigger empty[i]; } } " + TAKE[14:]),
        "credit-deadlock", "empty[s]", {"cause": "bootstrap-late"},
    ),
    "only one consumer gives back": (
        ring(3, 2, take=TAKE.replace("trigger", "if (p == 1) trigger")), "arrival-count-mismatch", "trigger empty[s];",
        {"expected": 2, "found": 1},
    ),
    "one consumer does not wait": (
        ring(3, 2, take=TAKE.replace("wait", "if (p == 1) wait")), "stage-race", OUT, {"path": "path p = 2"},
    ),
    "more arrivals than there are": (
        ring(decl="shared event<3> full[{N}]; shared event empty[{N}];"), "arrival-count-mismatch", "full",
        {"expected": 3, "found": 1, "why": "written"},
    ),
    "producers in turns without event<1>": (
        block("""shared event full, turn[2]; shared f16 [16, 64] buf;
          parallel p by 3 : group-4 {
            inthreads.async (p < 2) { foreach {k} in [cdiv(K, 128)] {
              wait turn[p]; dma.copy src.subspan(16, 64).at(b, k) => buf; trigger full; } }
            inthreads.async (p == 2) { trigger turn[0];
              foreach {k} in [cdiv(K, 128)] { foreach {j} in [2] {
                wait full; dma.copy buf => dst.subspan(16, 64).at(b, k); trigger turn[1 - j]; } } } }"""),
        "arrival-count-mismatch", "trigger full;", {"propose": "event<1>"},
    ),
    "arrivals in no order": (
        block("""shared event done, ack, go = ready;
          parallel p by 3 : group-4 {
            inthreads.async (p == 0) { wait go; trigger done; wait ack; trigger done; }
            inthreads.async (p == 1) { wait go; trigger done; trigger done; }
            inthreads.async (p == 2) { wait done; trigger ack; wait done; } }"""),
        "generation-mixup", "trigger done;", {"event": "done"},
    ),
    "two consumers, one buffer to store from": (
        ring(3, 2, buffers="shared f16 [16, 64] buf[{N}], out;",
             take="wait full[s]; dma.copy buf[s] => out; trigger empty[s];", **READY),
        "stage-race", "dma.copy buf[s] => out;", {"access": "write", "against": "write"},
    ),
    "orders that start again in every tile": (
        block("""shared event full[2], empty[2] = ready; shared f16 [16, 64] buf[2];
          foreach {ti} in [cdiv(n, 4)] {
            parallel p by 2 : group-4 {
              inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { s = k % 2;
                wait empty.at(k); dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full.at(k); } }
              inthreads.async (p == 1) { foreach {k} in [cdiv(K, 64)] { s = k % 2;
                wait full.at(k); dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty.at(k); } } } }"""),
        "order-out-of-step", "empty.at(k)", {"iteration": "ti = 1, k = 0"},
    ),
    "a leak for every tile": (
        block("""shared event full[2], empty[2]; shared f16 [16, 64] buf[2];
          foreach {ti} in [cdiv(n, 4)] {
            parallel p by 2 : group-4 {
              inthreads.async (p == 0) { foreach {k} in [cdiv(K, 64)] { s = k % 2;
                wait empty[s]; dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full[s]; } }
              inthreads.async (p == 1) { if (ti == 0) { foreach {i} in [2] { trigger empty[i]; } }
                foreach {k} in [cdiv(K, 64)] { s = k % 2;
                  wait full[s]; dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty[s]; }
                trigger empty[0]; } } }"""),
        "credit-overrun", "trigger empty[0];", {"event": "empty"},
    ),
    "a handle without a copy": (
        block("shared f16 [16, 64] a; f = dma.any; g = dma.copy src.subspan(16, 64).at(b, 0) => a; swap(f, g);"
              " dma.copy g.data => dst.subspan(16, 64).at(b, 0);"),
        "stale-buffer", "g.data", {"why": "empty"},
    ),
    "a future waited for twice": (
        block("f = dma.copy.async src.subspan(16, 64).at(b, 0) => shared; wait f; wait f;"
              " dma.copy f.data => dst.subspan(16, 64).at(b, 0);"),
        "future-waited-twice", "f", {"name": "f"},
    ),
    "a bound future waited for": (
        ring(load="wait empty[s]; f = dma.copy.async src.subspan(16, 64).at(b, k) => buf[s];"
             " trigger full[s] after f; wait f;"),
        "future-waited-twice", "f", {},
    ),
    "a future nobody waits for": (
        block("shared f16 [16, 64] a; f = dma.copy.async src.subspan(16, 64).at(b, 0) => a;"),
        "future-not-waited", "f = dma.copy.async src.subspan(16, 64).at(b, 0) => a;", {"why": "never"},
    ),
    "a named barrier of other counts": (
        block("""shared f16 [16, 64] a;
          parallel p by 2 : group-4 {
            inthreads.async (p == 0) { __bar_sync(1, 256); }
            inthreads.async (p == 1) { __bar_sync(1, 128); } }"""),
        "named-barrier-mismatch", "__bar_sync(1, 128)", {"why": "counts"},
    ),
    "a named barrier that waits for more": (
        block("""shared f16 [16, 64] a;
          parallel p by 2 : group-4 {
            inthreads.async (p == 0) { __bar_sync(1, 384); }
            inthreads.async (p == 1) { __bar_sync(1, 384); } }"""),
        "named-barrier-mismatch", "__bar_sync(1, 384)", {"why": "waits"},
    ),
    "a named barrier beyond the last": (
        block("""shared f16 [16, 64] a;
          parallel p by 2 : group-4 {
            inthreads.async (p == 0) { foreach k in [3] { __bar_sync(14 + k, 256); } }
            inthreads.async (p == 1) { foreach k in [3] { __bar_sync(14 + k, 256); } } }"""),
        "named-barrier-mismatch", "__bar_sync(14 + k, 256)", {"why": "number", "number": 16},
    ),
    "a class of copies without its trigger": (
        ring(load="wait empty[s]; tma.copy.async<full[s]> src.subspan(16, 64).at(b, k) => buf[s];"
             " if (k + 1 < cdiv(K, 64)) { trigger full[s]; }"),
        "credit-deadlock", "full[s]", {"cause": "ended"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_faults_in_small_pipelines(name: str) -> None:
    text, rule, place, args = SMALL[name]
    verdict = check(text)
    assert verdict.places == [(rule, place)]
    assert verdict.strength == "fails"
    found = verdict.seen[0].finding.args
    assert {key: found[key] for key in args} == args


def test_an_event_that_nobody_waits_for() -> None:
    verdict = check(ring(decl="shared event full[{N}], empty[{N}], done;", behind="trigger done;"))
    assert verdict.places == [("unused-event", "done")]
    assert verdict.strength == "proved"


def test_data_that_nobody_takes() -> None:
    verdict = check(ring(3, take=f"if (k + 1 < cdiv(K, 64)) {{ {TAKE} }}"))
    assert verdict.rules == ["unconsumed-credit"]
    assert verdict.seen[0].text == "trigger full[s];"
