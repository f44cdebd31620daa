"""A buffer is the same buffer by every name: what is reached through `select` and named views is never passed over."""

from __future__ import annotations

import pytest

from croqc.flow.report import KernelFlow, Strength
from tests.flow.test_no_false_proof import flow_of

RING = """__co__ void f(global s32 [R, C] src, global s32 [R, C] dst) {{
  parallel b by cdiv(R, 4) : block {{
    shared s32 [4, 32] r0, r1, r2;
    shared event full[3], empty[3] = ready;
    parallel w by 2 : group {{
      inthreads.async (w == 0) {{
        foreach {{k}} in [cdiv(C, 32)] {{
          wait empty[k % 3];
          {give}
          trigger full[k % 3];
        }}
      }}
      inthreads.async (w == 1) {{
        foreach {{k}} in [cdiv(C, 32)] {{
          wait full[k % 3];
          {take}
          trigger empty[k % 3];
        }}
      }}
    }}
  }}
}}
"""
LOAD = "dma.copy src.subspan(4, 32).at(b, k) => {to};"
STORE = "dma.copy {of} => dst.subspan(4, 32).at(b, k);"
IN_TURN = "select(k % 3, r0, r1, r2)"


def ring(give: str, take: str) -> KernelFlow:
    return flow_of(RING.format(give=give, take=take))


def rules(flow: KernelFlow) -> set[str]:
    return {finding.rule for finding in flow.findings}


@pytest.mark.parametrize(
    ("give", "take"),
    [
        (LOAD.format(to=IN_TURN), f"x = {IN_TURN}; {STORE.format(of='x')}"),
        (f"y = {IN_TURN}; {LOAD.format(to='y')}", f"x = {IN_TURN}; {STORE.format(of='x')}"),
        # A view of the chosen one, and a choice of a choice, are the same buffer still.
        (LOAD.format(to=IN_TURN), f"x = {IN_TURN}; z = x.subspan(4, 32).at(0, 0); {STORE.format(of='z')}"),
        (
            LOAD.format(to=IN_TURN),
            f"y = select(k % 3, r0, r1, r1); x = select(k % 3, y, r1, r2); {STORE.format(of='x')}",
        ),
    ],
)
def test_a_ring_of_selected_buffers_is_proved(give: str, take: str) -> None:
    flow = ring(give, take)
    assert (flow.strength, rules(flow)) == (Strength.PROVED, set())


@pytest.mark.parametrize(
    ("give", "take"),
    [
        # Slot 2 is r0 again: the load of k = 2 has a credit of its own, though r0 is still read for k = 0.
        (LOAD.format(to="select(k % 3, r0, r1, r0)"), "x = select(k % 3, r0, r1, r0); " + STORE.format(of="x")),
        (LOAD.format(to="r0"), "x = select(k % 3, r0, r0, r0); " + STORE.format(of="x")),
        ("x = select(k % 3, r0, r0, r0); " + LOAD.format(to="x"), STORE.format(of="r0")),
        (LOAD.format(to="r0"), "x = select(k % 3, r0, r0, r0); int v = x.at(0, 0); dst.at(0, 0) = v;"),
        (LOAD.format(to="r0"), "x = select(k % 3, r0, r0, r0); y = select(k % 2, x, r0); " + STORE.format(of="y")),
        (LOAD.format(to="r0"), "x = select(k % 3, r0, r0, r0); y = x.subspan(2, 32).at(0, 0); " + STORE.format(of="y")),
    ],
)
def test_one_buffer_behind_several_slots_is_a_race(give: str, take: str) -> None:
    assert rules(ring(give, take)) == {"stage-race"}


def test_the_next_buffer_is_read_before_it_is_written() -> None:
    flow = ring(LOAD.format(to=IN_TURN), "x = select((k + 1) % 3, r0, r1, r2); " + STORE.format(of="x"))
    assert rules(flow) == {"unwritten-read"}  # k = 0 reads r1, which is filled for k = 1


@pytest.mark.parametrize("index", ["src.at(0, 0)", "k"])
def test_a_choice_that_cannot_be_told_is_not_analysed(index: str) -> None:
    """By data; or by an index that leaves the values, for which there is no buffer to name."""
    flow = ring(LOAD.format(to=IN_TURN), f"x = select({index}, r0, r1, r2); {STORE.format(of='x')}")
    assert (flow.strength, rules(flow)) == (Strength.UNKNOWN, set())
    assert flow.reason
    assert flow.place is not None
