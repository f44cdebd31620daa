"""The two kernels of the tutorial, whole and with one line missing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.kernels import BOOTSTRAP, PIPELINE, SWAP, is_product, ran, run_pipeline

COMMIT = "          mma.commit;\n"
WAIT_FULL = "          wait full[stage];\n"
WAIT_EMPTY = "          wait empty[stage];\n"
TRIGGER_FULL = "          trigger full[stage];\n"


def without(line: str) -> str:
    assert PIPELINE.count(line) == 1
    return PIPELINE.replace(line, "")


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_swap_multiplies_integers_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lhs, rhs = (rng.integers(-8, 9, shape).astype(np.int32) for shape in ((128, 256), (256, 256)))
    result = ran(SWAP, {"lhs": lhs, "rhs": rhs}, seed=seed)
    assert isinstance(result.result, np.ndarray)
    assert (result.result == lhs @ rhs).all()


@pytest.mark.parametrize(("size", "seed"), [(128, 0), (128, 1), (128, 2), (512, 3)])
def test_the_pipeline_gives_the_product(size: int, seed: int) -> None:
    result, want = run_pipeline(PIPELINE, size, seed=seed)
    assert (result.error, result.hang) == (None, ())
    assert is_product(result.outputs["output"], want, size)


@pytest.mark.parametrize("exact", [False, True])
def test_the_ordered_schedule_gives_the_product(exact: bool) -> None:
    result, want = run_pipeline(PIPELINE, 256, schedule="ordered", exact=exact)
    assert (result.error, result.hang) == (None, ())
    got = result.outputs["output"]
    assert is_product(got, want, 256)
    if exact:
        assert (got == want.astype(np.float16)).all()


def test_equal_seeds_give_equal_runs_and_others_do_not() -> None:
    steps = [run_pipeline(PIPELINE, 256, seed=seed)[0].steps for seed in (4, 4, 5, 6)]
    assert steps[0] == steps[1]
    assert len(set(steps)) > 1


@pytest.mark.parametrize("schedule", ["random", "ordered"])
def test_without_the_bootstrap_both_paths_wait_for_each_other(schedule: str) -> None:
    text = without(BOOTSTRAP)
    result, _ = run_pipeline(text, 256, schedule=schedule)
    assert result.error is None
    producer, consumer = result.hang
    assert (producer.path, producer.event, producer.slot, producer.generation) == ("path p1 == 0", "empty", 0, 0)
    assert (consumer.path, consumer.event, consumer.slot, consumer.generation) == ("path p1 == 1", "full", 0, 0)
    assert text[producer.span.start : producer.span.end] == "wait empty[stage];"
    (debtor,) = producer.owed_by
    assert debtor.path == "path p1 == 1"
    assert text[debtor.trigger.start : debtor.trigger.end] == "trigger empty[stage];"
    assert debtor.stands == consumer.span


def test_without_the_hand_over_nobody_owes_the_data() -> None:
    result, _ = run_pipeline(without(TRIGGER_FULL), 512)
    consumer = next(entry for entry in result.hang if entry.event == "full")
    assert consumer.owed_by == ()
    producer = next(entry for entry in result.hang if entry.event == "empty")
    assert (producer.slot, producer.generation) == (0, 1)


@pytest.mark.parametrize("line", [COMMIT, WAIT_FULL, WAIT_EMPTY], ids=["commit", "wait full", "wait empty"])
def test_a_missing_line_gives_wrong_data_under_some_schedule(line: str) -> None:
    size = 512
    wrong = 0
    for seed in range(4):
        result, want = run_pipeline(without(line), size, seed=seed)
        assert result.error is None
        wrong += not is_product(result.outputs["output"], want, size)
    assert wrong > 0


def test_a_trigger_in_front_of_its_copies_gives_wrong_data_under_some_schedule() -> None:
    early = without(TRIGGER_FULL).replace(WAIT_EMPTY, WAIT_EMPTY + TRIGGER_FULL)
    results = [run_pipeline(early, 512, seed=seed) for seed in range(4)]
    assert any(not is_product(result.outputs["output"], want, 512) for result, want in results)
