"""Effort that the budget once did not see: values of long loops, accesses compared in a crowd, rules over many events.

Counted in calls, never in time.
"""

from __future__ import annotations

from typing import Any

import pytest

from croqc.flow import candidates
from croqc.flow.accesses import Accesses
from croqc.flow.analysis import TYPING_BUDGET
from croqc.flow.machine import Machine
from croqc.refactor.base import Code
from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from tests.flow.pipes import check, ring


@pytest.mark.parametrize("factor", [100_000, 10**6])
def test_a_long_loop_over_a_size_is_not_spelt_out(factor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With K = 1 the loop makes `factor` turns; 400 values are used at most, so that ten times as many are enough to
    choose from. Not all numbers of turns are tried then, so that nothing may be called proved."""
    made: list[int] = []
    admitted = candidates._admitted

    def counted(program: Any, size: Any, values: set[int]) -> list[int]:
        made.append(len(values))
        return admitted(program, size, values)

    monkeypatch.setattr(candidates, "_admitted", counted)
    assert check(ring(turns=f"[K * {factor}]")).strength == "checked"
    assert made
    assert max(made) < 4 * candidates.MOST_TURNS


def test_a_condition_of_a_long_period_is_not_spelt_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The period is 2 * 997 * 1009, about two million: a size that is held against `k` has no value for each turn."""
    made: list[int] = []
    admitted = candidates._admitted

    def counted(program: Any, size: Any, values: set[int]) -> list[int]:
        made.append(len(values))
        return admitted(program, size, values)

    monkeypatch.setattr(candidates, "_admitted", counted)
    guard = "if (k % 997 != 996 || k % 1009 != 1008 || k > K) { trigger empty[s]; }"
    text = ring(take=f"wait full[s]; dma.copy buf[s] => dst.subspan(16, 64).at(b, k); {guard}")
    assert check(text).strength != "proved"
    assert max(made) < 10 * candidates.MOST_TURNS


def test_accesses_compared_in_a_crowd_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 400 copies meets the 400 of the turn before: 160,000 comparisons in a turn of some 400 steps. A
    comparison takes about a third of a step's time."""
    compared = steps = 0
    repeats, run = Accesses._repeats, Machine.run

    def counted(accesses: Accesses, access: Any, other: Any) -> bool:
        nonlocal compared
        compared += 1
        return repeats(accesses, access, other)

    def ran(machine: Machine) -> Machine:
        nonlocal steps
        try:
            return run(machine)
        finally:
            steps += machine.steps

    monkeypatch.setattr(Accesses, "_repeats", counted)
    monkeypatch.setattr(Machine, "run", ran)
    reads = " ".join(f"dma.copy buf[s] => dst.subspan(16, 64).at(b, k + {n});" for n in range(400))
    check(ring(take=f"wait full[s]; {reads} trigger empty[s];"))
    assert compared > 100_000
    assert compared <= 4 * steps


def _asked(events: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often the drawing of findings asks what a reference names, where `events` are given without need."""
    calls = 0
    event_of = Code.event_of

    def counted(code: Code, ref: Any) -> Any:
        nonlocal calls
        calls += 1
        return event_of(code, ref)

    names = [f"x{n}" for n in range(events)]
    gives = " ".join(f"trigger {name};" for name in names)
    takes = " ".join(f"wait {name};" for name in names)
    load = "wait empty[s]; dma.copy src.subspan(16, 64).at(b, k) => buf[s]; trigger full[s]; "
    take = "wait full[s]; dma.copy buf[s] => dst.subspan(16, 64).at(b, k); trigger empty[s];"
    decl = f"shared event full[{{N}}], empty[{{N}}], {', '.join(names)};"
    text = ring(decl=decl, load=load + gives, take=f"{takes} {take}")
    with monkeypatch.context() as patched:
        patched.setattr(Code, "event_of", counted)
        report = with_flow(check_text(text), TYPING_BUDGET)
    assert [item.code for item in report.diagnostics if item.severity.value == "error"] == ["credit-overrun"]
    return calls


def test_rules_go_through_many_events_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many events are twice as many references, and so as many questions; not four times as many."""
    few, many = _asked(60, monkeypatch), _asked(120, monkeypatch)
    assert many <= 2.5 * few


@pytest.mark.parametrize(("guard", "each"), [("t < 100", 1), ("t > 5", 7), ("t == 127", 128)])
def test_threads_are_asked_until_one_takes_part(guard: str, each: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An access of a stage counts for the path as soon as one of its threads makes it; four threads count as a step."""
    asked = spent = calls = 0
    some_thread = Machine.some_thread

    def counted(machine: Machine, path: Any, branch: Any, value: Any, split: bool) -> bool:
        nonlocal asked, spent, calls

        def ask(env: Any) -> Any:
            nonlocal asked
            asked += 1
            return value(env)

        before = machine.steps
        held = some_thread(machine, path, branch, ask, split)
        calls, spent = calls + held, spent + machine.steps - before
        return held

    monkeypatch.setattr(Machine, "some_thread", counted)
    read = f"if ({guard}) {{ buf[s].at(0, 0) = 0.0f; x = buf[s].at(0, 0); }}"
    text = ring(take=f"wait full[s]; {read} trigger empty[s];").replace(
        "by 2 : group-4", "by 2 : group-4, t by 128 : thread"
    )
    check(text)
    assert calls > 0
    assert asked == each * calls
    assert spent >= asked // 4 - calls
