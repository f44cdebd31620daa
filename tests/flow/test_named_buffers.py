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


ARRAY = RING.replace("r0, r1, r2;", "r0, ring[3];")


@pytest.mark.parametrize("index", ["k % 3", "(k + 1) % 3"])
def test_a_view_keeps_the_slot_that_it_was_made_with(index: str) -> None:
    """The slot is that of the first value; the verifier follows the last one only, so it must not judge: with the
    first index the ring is right, with the second it is not."""
    take = f"mutable int s = {index}; x = ring[s]; s = (2 * k) % 3; {STORE.format(of='x')}"
    flow = flow_of(ARRAY.format(give=LOAD.format(to="ring[k % 3]"), take=take))
    assert (flow.strength, rules(flow)) == (Strength.UNKNOWN, set())
    assert "'s' changes" in flow.reason


def test_a_view_of_an_index_that_changes_later_is_followed() -> None:
    """The name is made anew in every iteration, with the index as it is then."""
    loop = "foreach {{k}} in [cdiv(C, 32)] {{\n          wait full"
    text = ARRAY.replace(loop, "mutable int s = 0;\n        " + loop)
    take = f"x = ring[s]; {STORE.format(of='x')} s = (s + 1) % 3;"
    flow = flow_of(text.format(give=LOAD.format(to="ring[k % 3]"), take=take))
    assert (flow.strength, rules(flow)) == (Strength.PROVED, set())


@pytest.mark.parametrize("name", ["f", "g"])
def test_a_view_of_data_that_is_swapped_since_is_not_judged(name: str) -> None:
    """With `f` it is right (the view keeps the first tile), with `g` it is read in flight."""
    flow = flow_of(f"""__co__ void f(global s32 [R, C] src, global s32 [R, C] dst) {{
      parallel b by cdiv(R, 4) : block {{
        shared s32 [4, 32] r0, r1;
        f = dma.copy.async src.subspan(4, 32).at(b, 0) => r0;
        g = dma.copy.async src.subspan(4, 32).at(b, 1) => r1;
        wait f;
        x = {name}.data;
        swap(f, g);
        dma.copy x => dst.subspan(4, 32).at(b, 0);
        wait f;
      }} }}""")
    assert (flow.strength, rules(flow)) == (Strength.UNKNOWN, set())


def test_an_atomic_that_declares_a_number_writes() -> None:
    flow = ring("mutable s32 old = __atomic_add(r0.at(0, 0), 1);", "int v = r0.at(0, 0); dst.at(b, k) = v;")
    assert rules(flow) == {"stage-race"}  # k = 1 adds while k = 0 may still be read: three credits for one buffer


def test_a_function_may_write_what_it_is_given() -> None:
    """What `fill` does to r0 while the other role looks at it for another k is not known."""
    flow = ring("call fill(r0);", "call look(r0);")
    assert (flow.strength, rules(flow)) == (Strength.UNKNOWN, set())
    assert "writes what it is given" in flow.reason


def test_a_copy_into_the_data_of_a_future_is_a_write() -> None:
    give = f"f = {LOAD.format(to='r1')} dma.copy src.subspan(4, 32).at(b, k) => f.data;"
    assert rules(ring(give, STORE.format(of="r1"))) == {"stage-race"}


@pytest.mark.parametrize("value", ["r1", "0", "r1 + r1"])
def test_a_buffer_that_is_assigned_as_a_whole_is_written(value: str) -> None:
    """Three credits for one buffer: k = 1 writes r0 while k = 0 may still be read."""
    give = f"{LOAD.format(to='r1')} r0 = {value};"
    assert rules(ring(give, STORE.format(of="r0"))) == {"stage-race"}
