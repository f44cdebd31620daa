"""Blocks and paths: clusters, cooperative launches, re-entered parallels, and what a hang report says."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.engines.hang import hang_entry
from croqc.text.source import Source
from tests.sim.kernels import BOOTSTRAP, PIPELINE, ran, run, run_pipeline


def test_the_entry_of_the_report_has_lines_and_who_owes_it() -> None:
    text = PIPELINE.replace(BOOTSTRAP, "")
    result, _ = run_pipeline(text, 256)
    prefix = "// a line above\n"
    producer, consumer = (hang_entry(hung, Source(prefix + text), len(prefix)) for hung in result.hang)
    lines = (prefix + text).splitlines()
    assert lines[producer.start.line].strip() == "wait empty[stage];"
    assert (producer.start.column, producer.end.column) == (10, 28)
    wait, trigger = lines.index("          wait full[stage];"), lines.index("          trigger empty[stage];")
    assert producer.owed_by == f"path p1 == 1 (waits in line {wait + 1}, triggers it in line {trigger + 1})"
    assert (producer.event, producer.slot, producer.generation) == ("empty", 0, 0)
    assert (consumer.path, consumer.event) == ("path p1 == 1", "full")


def test_a_wait_that_nothing_triggers_is_owed_by_nobody() -> None:
    text = """__co__ void f(global s32 [1] out) {
      parallel b by 1 : block {
        shared event e;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { wait e; }
          inthreads.async (w == 1) { out.at(0) = 1; }
        }
      }
    }"""
    (hung,) = run(text, {"out": np.zeros(1, np.int32)}).hang
    entry = hang_entry(hung, Source(text), 0)
    assert (entry.event, entry.slot, entry.owed_by) == ("e", None, "nobody: nothing triggers it")


def test_a_debtor_that_has_ended_is_said_to_have_ended() -> None:
    text = """__co__ void f(global s32 [1] out) {
      parallel b by 1 : block {
        shared event e;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { foreach i in 3 { wait e; } }
          inthreads.async (w == 1) { foreach i in 1 { trigger e; } }
        }
      }
    }"""
    (hung,) = run(text, {"out": np.zeros(1, np.int32)}).hang
    assert hung.generation == 1
    assert hang_entry(hung, Source(text), 0).owed_by.startswith("path w == 1 (has ended, triggers it in line 6")


def test_a_barrier_that_a_role_never_reaches_hangs() -> None:
    text = """__co__ void f(global s32 [1] out) {
      parallel b by 1 : block {
        shared event e;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { sync.shared; trigger e; }
          inthreads.async (w == 1) { wait e; sync.shared; }
        }
      }
    }"""
    barrier, event = run(text, {"out": np.zeros(1, np.int32)}).hang
    assert barrier.event == "the barrier of the block"
    assert [debtor.path for debtor in barrier.owed_by] == ["path w == 1"]
    assert event.event == "e"


PARTED = """__co__ void f(global s32 [128] x, global s32 [128] out) {{
  parallel b by 1 : block, t by 128 : thread {{
    {}
    out.at(t) = t;
  }}
}}"""


@pytest.mark.parametrize(
    ("body", "absent"),
    [
        ("if (t < 64) {\n sync.shared; }", "threads 64 to 127"),
        ("if (x.at(t) > 0) {\n sync.shared; }", "thread 5"),  # data decides
        ("foreach i in [1 + t / 96] {\n sync.shared; }", "threads 0 to 95"),
        ("foreach i in [4] { if (t == i + 7) continue;\n sync.shared; }", "thread 7"),
        ("mutable int i = 0; while (i < t % 64) {\n sync.shared; i += 1; }", "threads 0 and 64"),
        ("mutable int i = 0; while (i < t % 16) {\n sync.shared; i += 1; }", "8 threads, from 0 to 112"),
        ("if (t > 99) {\n inthreads (t > 110) { out.at(t) = 0; } }", "threads 0 to 99"),
    ],
)
def test_a_barrier_that_a_part_of_the_threads_never_reaches_hangs(body: str, absent: str) -> None:
    text = PARTED.format(body)
    data = np.ones(128, np.int32)
    data[5] = 0
    (hung,) = run(text, {"x": data, "out": np.zeros(128, np.int32)}).hang
    entry = hang_entry(hung, Source(text), 0)
    assert (entry.event, entry.start.line) == ("the barrier of the block", 3)
    assert entry.owed_by == f"{absent}, which do not come here"


@pytest.mark.parametrize(
    "body",
    [
        "if (t < 64) { yield; } sync.shared;",  # who has left is not waited for
        "if (x.at(t) > 0) { sync.shared; }",  # all come
        "if (t < 64) { x.at(t) = 1; } sync.shared;",
        "foreach i in [4] { if (t == i) break; } sync.shared;",
        "inthreads (t < 64) { x.at(t) = 1; }",
    ],
)
def test_a_barrier_that_all_threads_reach_opens(body: str) -> None:
    ran(PARTED.format(body), {"x": np.ones(128, np.int32), "out": np.zeros(128, np.int32)})


CLUSTER = """__co__ void f(global s32 [2, 2] out) {
  parallel b by 2 : cluster, c by 2 : block {
    shared event e;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) { trigger.cluster e; }
      inthreads.async (w == 1) { wait e; out.at(b, c) = 1; }
    }
  }
}"""


def test_a_grid_barrier_under_a_condition_of_threads_hangs() -> None:
    text = """__co__ void f(global s32 [2] out) {
      parallel b by 2 : block<cooperative>, t by 32 : thread { if (t == b) { sync.barrier : block; } }
    }"""
    found = run(text, {"out": np.zeros(2, np.int32)}).hang
    assert [(each.event, each.absent[:2]) for each in found] == [
        ("the barrier of the grid", (1, 2)),
        ("the barrier of the grid", (0, 2)),
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_blocks_of_a_cluster_arrive_on_each_other(seed: int) -> None:
    """Two arrivals, one from each block of the cluster, complete a generation in both."""
    result = ran(CLUSTER, {"out": np.zeros((2, 2), np.int32)}, seed=seed)
    assert result.outputs["out"].tolist() == [[1, 1], [1, 1]]


def test_a_grid_barrier_lets_blocks_see_each_other() -> None:
    text = """__co__ void f(global s32 [8] out, global s32 [8] sums) {
      parallel b by 8 : block<cooperative> {
        parallel t by 1 : thread {
          out.at(b) = b + 1;
          sync.barrier : block;
          mutable s32 sum = 0;
          foreach k in 8 sum += out.at(k);
          sums.at(b) = sum;
        }
      }
    }"""
    arrays = {"out": np.zeros(8, np.int32), "sums": np.zeros(8, np.int32)}
    for seed in range(3):
        assert ran(text, arrays, seed=seed).outputs["sums"].tolist() == [36] * 8


def test_a_reentered_parallel_has_the_same_paths_with_the_same_counters() -> None:
    """The producer may be a tile ahead; counters of waits go on from tile to tile."""
    text = """__co__ void f(global s32 [12, 8] src, global s32 [12, 8] out) {
      parallel b by 1 : block {
        shared event full[2], empty[2] = ready;
        shared s32 [8] ring[2];
        foreach tile in 4 {
          parallel w by 2 : group-4 {
            inthreads.async (w == 0) {
              foreach k in 3 {
                s = (tile * 3 + k) % 2;
                wait empty[s];
                f = tma.copy.async src.subspan(1, 8).at(tile * 3 + k, 0).span_as(8) => ring[s];
                trigger full[s] after f;
              }
            }
            inthreads.async (w == 1) {
              foreach k in 3 {
                s = (tile * 3 + k) % 2;
                wait full[s];
                dma.copy ring[s] => out.subspan(1, 8).at(tile * 3 + k, 0).span_as(8);
                trigger empty[s];
              }
            }
          }
        }
      }
    }"""
    src = np.arange(96, dtype=np.int32).reshape(12, 8)
    for seed in range(6):
        got = ran(text, {"src": src, "out": np.zeros_like(src)}, seed=seed).outputs["out"]
        assert (got == src).all()


def test_events_declared_in_a_loop_are_fresh_each_time() -> None:
    text = """__co__ void f(global s32 [3] out) {
      parallel b by 1 : block {
        foreach i in 3 {
          shared event e;
          parallel w by 2 : group-4 {
            inthreads.async (w == 0) { trigger e; }
            inthreads.async (w == 1) { wait e; out.at(i) = 1; }
          }
        }
      }
    }"""
    for seed in range(4):
        assert ran(text, {"out": np.zeros(3, np.int32)}, seed=seed).outputs["out"].tolist() == [1, 1, 1]


def test_a_surplus_trigger_lets_a_parity_wait_pass_for_the_wrong_round() -> None:
    """Two generations complete before the wait: its parity bit says that nothing has happened, and it hangs."""
    text = """__co__ void f(global s32 [1] out) {
      parallel b by 1 : block {
        shared event e, go;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { trigger e; trigger e; trigger go; }
          inthreads.async (w == 1) { wait go; wait e; out.at(0) = 1; }
        }
      }
    }"""
    (hung,) = run(text, {"out": np.zeros(1, np.int32)}).hang
    assert (hung.event, hung.generation) == ("e", 0)


def test_a_transfer_bound_to_another_slot_lands_in_a_later_generation() -> None:
    """Classic: `async<e[1]>` with a trigger of e[0] in between does not hold e[0] back."""
    text = """__co__ void f(global s32 [64] src, global s32 [64] out) {
      parallel b by 1 : block {
        shared event e[2];
        shared s32 [64] x;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { tma.copy.async<e[1]> src => x; trigger e[0]; }
          inthreads.async (w == 1) { wait e[0]; dma.copy x => out; }
        }
      }
    }"""
    src = np.arange(64, dtype=np.int32)
    outcomes = {
        bool((run(text, {"src": src, "out": np.zeros(64, np.int32)}, seed=seed).outputs["out"] == src).all())
        for seed in range(20)
    }
    assert outcomes == {True, False}


def test_an_arrival_too_many_in_one_generation_ends_the_run() -> None:
    """The second trigger comes while the first one's bytes are still on their way: undefined on the hardware."""
    text = """__co__ void f(global s32 [64] src, global s32 [64] out) {
      parallel b by 1 : block {
        shared event e;
        shared s32 [64] x;
        parallel w by 2 : group-4 {
          inthreads.async (w == 0) { f = tma.copy.async src => x; trigger e after f; trigger e; }
          inthreads.async (w == 1) { wait e; dma.copy x => out; }
        }
      }
    }"""
    arrays = {"src": np.zeros(64, np.int32), "out": np.zeros(64, np.int32)}
    errors = [result.error for seed in range(12) if (result := run(text, arrays, seed=seed)).error is not None]
    assert errors
    assert errors[0].message == "an arrival on 'e' beyond the 1 of its generation"
    assert text[errors[0].span.start : errors[0].span.end] == "trigger e;"
