"""`select` among futures: which transfer a name stands for in each turn, and what that says of waits and reads."""

from __future__ import annotations

import pytest

from croqc.flow.analysis import analyze_flow
from croqc.flow.futures import future_tables
from croqc.flow.report import KernelFlow, Strength
from croqc.service.check import check_text
from tests.flow.test_no_false_proof import flow_of

TEXT = """__co__ void pump(global s32 [R, C] src, global s32 [R, C] dst, int J) {{
  assert(J >= 0, "J");
  parallel b by cdiv(R, 4) : block {{
    shared s32 [4, 32] r0, r1;
    f0 = dma.copy.async src.subspan(4, 32).at(b, 0) => r0;
    f1 = dma.copy.async src.subspan(4, 32).at(b, 1) => r1;
    foreach {{k}} in [{turns}] {{
      {body}
      dma.copy f.data => dst.subspan(4, 32).at(b, k);
    }}
    {behind}
  }}
}}
"""


def of(body: str, turns: str = "2", behind: str = "") -> KernelFlow:
    return flow_of(TEXT.format(body=body, turns=turns, behind=behind))


@pytest.mark.parametrize("index", ["k % 2", "1 - k % 2", "(k + J) % 2", "k < 1 ? 0 : 1"])
def test_an_index_that_sizes_and_loops_decide_is_followed(index: str) -> None:
    flow = of(f"f = select({index}, f0, f1); wait f;")
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


FAULTS = {
    "read before its wait": ("f = select(k % 2, f0, f1);", "", "future-not-waited"),
    "read before its wait in one turn": ("f = select(k % 2, f0, f1); if (k == 0) { wait f; }", "", "future-not-waited"),
    "waited by its own name as well": ("f = select(k % 2, f0, f1); wait f;", "wait f1;", "future-waited-twice"),
    "the same one in each turn": ("f = select(0, f0, f1); wait f;", "", "future-waited-twice"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_with_a_selected_future(name: str) -> None:
    body, behind, rule = FAULTS[name]
    assert [found.rule for found in of(body, behind=behind).findings] == [rule]


def test_the_ones_that_are_not_taken_count_as_waited_for() -> None:
    """Only one of the two is ever taken; the other one is left to itself (reference, 5.4)."""
    flow = of("f = select(J % 2, f0, f1); if (k == 0) { wait f; }", turns="1")
    assert (flow.strength, flow.findings) == (Strength.PROVED, ())


def test_another_name_for_a_future_is_the_same_transfer() -> None:
    assert of("f = f0; if (k == 0) { wait f; }", turns="2", behind="wait f1;").findings == ()
    (found,) = of("f = f0; wait f;", turns="1", behind="wait f0; wait f1;").findings
    assert found.rule == "future-waited-twice"


TURNED = """__co__ void pump(global s32 [R, C] src, global s32 [R, C] dst) {{
  parallel b by cdiv(R, 4) : block {{
    with c in [cdiv(C, 32)] {{
      f0 = dma.copy.async src.subspan(4, 32).at(b, 0) => shared;
      f1 = dma.any;
      foreach c(1:) {{
        f1 = dma.copy.async src.subspan(4, 32).at(b, c) => shared;
        f = select({index}, f0, f1);
        {body}
      }}
      wait f0;
      dma.copy f0.data => dst.subspan(4, 32).at(b, cdiv(C, 32) - 1);
    }}
  }}
}}
"""
STORED = "dma.copy f.data => dst.subspan(4, 32).at(b, c - 1);"
IN_TURNS = {
    "the older one": ("0", f"wait f; {STORED} swap(f0, f1);", []),
    "read behind the exchange of the names": ("0", f"wait f; swap(f0, f1); {STORED}", []),
    "read in front of the wait": ("0", f"{STORED} wait f; swap(f0, f1);", ["future-not-waited"]),
    "the younger one in each other turn": ("1 - c % 2", f"wait f; {STORED} swap(f0, f1);", ["stale-buffer"]),
}


@pytest.mark.parametrize("name", IN_TURNS)
def test_a_placeholder_among_the_chosen_has_the_type_of_the_others(name: str) -> None:
    """The copy of tile c - 1 is read while the one of tile c is in flight (reference, 5.4)."""
    index, body, rules = IN_TURNS[name]
    flow = flow_of(TURNED.format(index=index, body=body))
    assert [found.rule for found in flow.findings] == rules
    assert flow.strength is (Strength.FAILS if rules else Strength.PROVED)


UNKNOWN = {
    "data": ("src.at(0, 0)", "2", "which transfer 'select' takes depends on data"),
    "threads": ("t", "2", "which transfer 'select' takes differs between threads of one path"),
    "too large": ("k", "3", "the index of 'select' is outside its values"),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_be_followed_is_told_at_its_place(name: str) -> None:
    index, turns, reason = UNKNOWN[name]
    text = TEXT.format(body=f"f = select({index}, f0, f1); wait f;", turns=turns, behind="")
    if name == "threads":
        text = text.replace("foreach {k}", "parallel t by 32 : thread { foreach {k}").replace(
            "    }\n    \n", "    } }\n"
        )
    flow = flow_of(text)
    assert (flow.strength, flow.reason) == (Strength.UNKNOWN, reason)
    (function,) = check_text(text).functions
    assert flow.place is not None
    own = function.parsed.source.text[flow.place.start : flow.place.end]
    assert own == f"f = select({index}, f0, f1)"


def test_a_hover_knows_the_buffer_of_a_selected_future() -> None:
    """Turn 0 takes the second of the futures and so what it was copied into, turn 1 the first."""
    text = TEXT.format(body="f = select(1 - k, f0, f1); wait f;", turns="2", behind="")
    (function,) = check_text(text).functions
    assert function.analysis is not None
    model = function.analysis.model
    future = next(symbol for symbol in model.symbols if symbol.name == "f")
    (flow,) = analyze_flow(model)
    (table,) = future_tables(flow, model, future, 4)
    assert [(row.iteration, row.waited, row.names) for row in table.rows] == [
        ((("k", 0),), "r1", "r1"), ((("k", 1),), "r0", "r0")
    ]  # fmt: skip
