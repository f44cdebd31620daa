"""Blocks over several processes: the same bytes, the same reports, as in one."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.engines.sim import spread
from tests.sim.kernels import BOOTSTRAP, PIPELINE, ran, run, run_pipeline


@pytest.fixture(autouse=True)
def every_launch_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "WORTH_STEPS", 0)


def test_the_result_does_not_depend_on_the_workers() -> None:
    results = [run_pipeline(PIPELINE, 256, seed=3, workers=workers)[0] for workers in (1, 2, 3)]
    assert all(result.error is None for result in results)
    assert len({result.outputs["output"].tobytes() for result in results}) == 1
    assert len({result.steps for result in results}) == 1


def test_progress_counts_every_block() -> None:
    seen: list[tuple[int, int]] = []
    run_pipeline(PIPELINE, 256, workers=2, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 16) for done in range(1, 17)]


LATE = """__co__ void f(global s32 [16] src, global s32 [16] out) {
  parallel b by 16 : block {
    shared event e;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) { if (src.at(b) == 0) trigger e; }
      inthreads.async (w == 1) { wait e; out.at(b) = 1; }
    }
  }
}"""


def test_a_block_that_hangs_in_a_worker_is_reported() -> None:
    src = np.zeros(16, np.int32)
    src[5] = 1
    arrays = {"src": src, "out": np.zeros(16, np.int32)}
    for workers in (1, 2):
        (entry,) = run(LATE, arrays, workers=workers).hang
        assert (entry.path, entry.event, entry.generation) == ("path w == 1", "e", 0)


def test_a_block_that_breaks_off_in_a_worker_is_reported() -> None:
    text = """__co__ void f(global s32 [16] out) {
      parallel b by 16 : block { assert(b != 7, "not seven"); parallel t by 1 : thread { out.at(b) = 1; } }
    }"""
    result = run(text, {"out": np.zeros(16, np.int32)}, workers=2)
    assert result.error is not None
    assert result.error.message == "assertion failed: not seven"


def test_prints_of_all_blocks_come_in_the_order_of_the_blocks_run() -> None:
    text = """__co__ void f(global s32 [16] out) {
      parallel b by 16 : block { println(b); parallel t by 1 : thread { out.at(b) = 1; } }
    }"""
    results = [ran(text, {"out": np.zeros(16, np.int32)}, workers=workers, seed=2) for workers in (1, 3)]
    assert results[0].prints == results[1].prints
    assert sorted(results[0].prints) == sorted(f"{{{b}}}\n" for b in range(16))


def test_atomics_keep_a_launch_in_one_process() -> None:
    text = """__co__ void f(global s32 [1] out) {
      parallel b by 16 : block parallel t by 32 : thread { __atomic_add(out.at(0), 1); }
    }"""
    assert ran(text, {"out": np.zeros(1, np.int32)}, workers=3).outputs["out"].tolist() == [512]


def test_the_step_budget_holds_over_all_workers() -> None:
    whole = run_pipeline(PIPELINE, 256, workers=1)[0].steps
    result, _ = run_pipeline(PIPELINE, 256, workers=2, max_steps=whole - 1)
    assert result.error is not None
    assert result.error.message == f"the kernel did not end within {whole - 1} steps"


def test_a_pipeline_without_bootstrap_hangs_in_the_first_block() -> None:
    result, _ = run_pipeline(PIPELINE.replace(BOOTSTRAP, ""), 256, workers=2)
    assert len(result.hang) == 2


def test_a_copy_that_nothing_waits_for_is_noted_once() -> None:
    text = """__co__ void f(global s32 [64, 8] src, global s32 [64, 8] out) {
      parallel b by 64 : block {
        shared s32 [1, 8] x;
        f = dma.copy.async src.subspan(1, 8).at(b, 0) => x;
        g = dma.copy.async src.subspan(1, 8).at(b, 0) => x;
        wait f;
        dma.copy x => out.subspan(1, 8).at(b, 0);
      }
    }"""
    arrays = {"src": np.zeros((64, 8), np.int32), "out": np.zeros((64, 8), np.int32)}
    for workers in (1, 2):
        assert ran(text, arrays, workers=workers).notes == (
            "copies or multiplies that nothing waits for were in flight when a block ended",
        )
    assert run_pipeline(PIPELINE, 128, workers=1)[0].notes == ()
