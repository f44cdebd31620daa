"""The phase of an older `wait<n> e` is held against the path's own count of waits (reference, chapter 0)."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import CHECK_BUDGET, analyze_flow
from croqc.flow.report import FlowFinding, KernelFlow, Strength
from croqc.service.check import check_text
from croqc.service.flow_check import with_flow
from croqc.text.diagnostics import Diagnostic
from croqc.text.edits import apply_edits

RING = """__co__ void f(global s32 [R, 16] x, global s32 [R, 16] y) {{
  parallel b by 1 : block {{
    shared event full[2], empty[2], go, back, late{ready};
    shared s32 [1, 16] ring[2];
    parallel p by 2 : group-4 {{
      inthreads.async (p == 0) {{
        trigger go;
        {first}
        foreach {{k}} in [R] {{
          wait empty[k % 2];
          dma.copy x.subspan(1, 16).at(k, 0) => ring[k % 2];
          trigger full[k % 2];
        }}
      }}
      inthreads.async (p == 1) {{
        trigger empty;
        {second}
        foreach {{k}} in [R] {{
          {wait} full[k % 2];
          dma.copy ring[k % 2] => y.subspan(1, 16).at(k, 0);
          trigger empty[k % 2];
        }}
      }}
    }}
  }}
}}
"""


def ring(wait: str = "wait", first: str = "", second: str = "wait go;", ready: str = "") -> str:
    return RING.format(wait=wait, first=first, second=second, ready=ready)


def flow_of(text: str) -> KernelFlow:
    (function,) = check_text(text).functions
    assert function.analysis is not None
    (flow,) = analyze_flow(function.analysis.model, CHECK_BUDGET)
    return flow


def faults(flow: KernelFlow) -> list[FlowFinding]:
    """Without the warnings about those of the kernel's events that a case does not use."""
    return [each for each in flow.findings if each.rule != "unused-event"]


def told(text: str) -> Diagnostic:
    report = with_flow(check_text(text), CHECK_BUDGET)
    (found,) = (each for each in report.diagnostics if each.code == "order-out-of-step")
    return found


@pytest.mark.parametrize(
    ("wait", "own", "slot", "iteration"),
    [
        ("wait<0>", 1, 0, "k = 2"),  # k = 0 and 1 are the first waits of both slots, k = 2 is the second of slot 0
        ("wait<1>", 0, 0, "k = 0"),
        ("wait<2>", 1, 0, "k = 2"),
        ("wait<7>", 0, 0, "k = 0"),
    ],
)
def test_one_phase_in_every_turn_of_a_ring_is_out_of_step(wait: str, own: int, slot: int, iteration: str) -> None:
    (found,) = faults(flow_of(ring(wait)))
    assert found.rule == "order-out-of-step"
    args = {key: found.args[key] for key in ("event", "slot", "own", "phase", "path", "iteration")}
    phase = int(wait[5])
    expected = {
        "event": "full",
        "slot": slot,
        "own": own,
        "phase": phase,
        "path": "path p == 1",
        "iteration": iteration,
    }
    assert args == expected


@pytest.mark.parametrize(
    ("second", "right"),
    [
        ("wait<0> go;", True),
        ("wait<2> go;", True),
        ("wait<1> go;", False),
        ("wait<0> go; trigger late; wait<1> go;", True),  # `go` comes once more, when `late` was waited for
        ("wait<0> go; trigger late; wait<0> go;", False),
        ("wait go; trigger late; wait<1> go;", True),
        ("wait go; trigger late; wait<0> go;", False),
    ],
)
def test_the_count_is_that_of_the_path(second: str, right: bool) -> None:
    twice = "wait<0> late; trigger go;" if "late" in second else ""
    flow = flow_of(ring(first=twice, second=second))
    assert [each.rule for each in faults(flow)] == ([] if right else ["order-out-of-step"])
    assert (flow.strength is Strength.PROVED) == right


@pytest.mark.parametrize(("phases", "right"), [("01", True), ("10", True), ("0 ", True), ("00", False), ("11", False)])
def test_of_a_slot_that_is_ready_either_count_holds(phases: str, right: bool) -> None:
    """Its first phase is 0 where the credit at start counts as a completion, and 1 where it does not."""
    one, two = (f"wait<{phase}> late;" if phase != " " else "wait late;" for phase in phases)
    flow = flow_of(
        ring(first="wait back; trigger late;", second=f"wait go; {one} trigger back; {two}", ready=" = ready")
    )
    assert [each.rule for each in faults(flow)] == ([] if right else ["order-out-of-step"])


def test_the_fix_lets_the_path_count() -> None:
    right = ring("wait").replace(", back, late", "")
    text = right.replace("wait full", "wait<0> full")
    (fix,) = told(text).fixes
    assert apply_edits(text, fix.edits) == right


def test_a_phase_that_a_macro_writes_is_told_at_its_use() -> None:
    text = "#define HAS(e) wait<1> e\n" + ring("wait").replace("wait full[k % 2]", "HAS(full[k % 2])")
    found = told(text)
    assert text[found.span.start : found.span.end] in ("HAS(full[k % 2])", "full[k % 2]")
    assert not found.fixes
