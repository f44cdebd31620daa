"""The scheduler alone: fairness, operations in flight, the ordered schedule, stuck tasks, the budget."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from croqc.engines.sim.errors import StepLimitError
from croqc.engines.sim.machine.scheduler import Block, Budget, Operation, Scheduler, Steps, Task
from croqc.text.span import NOWHERE


def steps(name: str, count: int, log: list[str]) -> Steps:
    for number in range(count):
        log.append(f"{name}{number}")
        yield None


def scheduler(seed: int | None, limit: int = 1000) -> Scheduler:
    return Scheduler(Budget(limit), None if seed is None else Random(seed))


def logged(seed: int | None) -> list[str]:
    log: list[str] = []
    under = scheduler(seed)
    for name in "ab":
        under.add(Task(name, steps(name, 6, log)))
    assert under.run() == ()
    return log


def test_each_path_keeps_its_own_order_and_both_end() -> None:
    for seed in range(20):
        log = logged(seed)
        for name in "ab":
            assert [entry for entry in log if entry[0] == name] == [f"{name}{number}" for number in range(6)]


def test_seeds_interleave_differently_and_repeat() -> None:
    assert logged(1) == logged(1)
    assert len({tuple(logged(seed)) for seed in range(20)}) > 10


def test_the_ordered_schedule_runs_the_first_path_as_far_as_it_goes() -> None:
    assert logged(None) == [f"{name}{number}" for name in "ab" for number in range(6)]


def test_a_blocked_path_goes_on_when_its_test_holds() -> None:
    log: list[str] = []

    def waiter() -> Steps:
        yield Block(lambda: "b2" in log, NOWHERE)
        log.append("passed")

    for seed in (None, 0, 1, 2):
        log.clear()
        under = scheduler(seed)
        under.add(Task("a", waiter()))
        under.add(Task("b", steps("b", 4, log)))
        assert under.run() == ()
        assert log.index("passed") > log.index("b2")


def test_tasks_that_can_never_go_on_are_given_back() -> None:
    under = scheduler(0)
    under.add(Task("stuck", iter_block()))
    under.add(Task("free", steps("f", 3, [])))
    assert [task.name for task in under.run()] == ["stuck"]


def iter_block() -> Steps:
    yield Block(lambda: False, NOWHERE)


def test_operations_of_one_queue_finish_in_order_and_others_do_not_have_to() -> None:
    orders = set()
    for seed in range(30):
        log: list[str] = []
        under = scheduler(seed)
        queue = object()
        for name in ("q0", "q1"):
            under.issue(Operation(partial(log.append, name), queue))
        under.issue(Operation(partial(log.append, "free")))
        under.add(Task("a", steps("a", 1, [])))
        assert under.run() == ()
        under.settle()
        assert log.index("q0") < log.index("q1")
        orders.add(tuple(log))
    assert len(orders) == 3


def test_an_operation_after_another_finishes_behind_it() -> None:
    for seed in range(20):
        log: list[str] = []
        under = scheduler(seed)
        first = Operation(partial(log.append, "first"))
        under.issue(Operation(partial(log.append, "second"), None, first))
        under.issue(first)
        under.add(Task("a", steps("a", 3, [])))
        under.run()
        under.settle()
        assert log == ["first", "second"]


def test_draining_into_an_accumulator_keeps_the_order_of_its_queue() -> None:
    log: list[str] = []
    under = scheduler(0)
    queue, mine, other = object(), object(), object()
    for name, into in (("other", other), ("mine", mine), ("later", other)):
        under.issue(Operation(partial(log.append, name), queue, None, into))
    under.drain_into(mine)
    assert log == ["other", "mine"]
    under.drain(queue)
    assert log == ["other", "mine", "later"]


def test_the_ordered_schedule_finishes_operations_at_their_issue() -> None:
    log: list[str] = []
    scheduler(None).issue(Operation(lambda: log.append("now")))
    assert log == ["now"]


def test_the_budget_ends_a_run() -> None:
    under = scheduler(0, limit=10)
    under.add(Task("long", steps("l", 100, [])))
    with pytest.raises(StepLimitError, match="did not end within 10 steps"):
        under.run()
