"""An atomic changes its first argument alone (reference, 4.6): what says which element, and the value, are read."""

from __future__ import annotations

import pytest

from tests.flow.pipes import Verdict, check

HEAD = "__co__ void f(global s32 [C, 128] src, s32 [128]& out, global s32 [128] dst) {\n  parallel b by 1 : block {\n"
EACH = "parallel t by 128 : thread {{ {} }}"
TAKE = EACH.format("__atomic_add(out.at(t), x[k % 2].at(t));")
ROW = "src.subspan(1, 128).at(0, 0).span_as(128)"
FILL = f"parallel p by 2 : group-4 {{ inthreads.async (p == 1) {{ dma.copy {ROW} => x; }} }}"
LOAD = "dma.copy src.subspan(1, 128).at(k, 0).span_as([128]) => x[k % 2];"


def kernel(body: str) -> Verdict:
    return check(f"{HEAD}{body}\n  }} }}")


def ring(take: str, grant: str = "empty[2] = ready, full[2]", after: str = "", taken: str = "") -> Verdict:
    return kernel(f"""shared event {grant}; shared s32 [128] x[2]; shared s32 [128] h {{0}};
      parallel p by 2 : group-4 {{
        inthreads.async (p == 0) {{
          foreach {{k}} in [C] {{ wait empty[k % 2]; {LOAD} trigger full[k % 2]; }} {after}
        }}
        inthreads.async (p == 1) {{
          foreach {{k}} in [C] {{ wait full[k % 2]; {take} trigger empty[k % 2]; }} {taken}
        }}
      }}""")


@pytest.mark.parametrize(
    "value", ["__atomic_add(out.at(t), x[k % 2].at(t));", "__atomic_add(out.at(x[k % 2].at(t)), 1);"]
)
def test_a_slot_that_gives_the_value_or_the_place_is_read_before_it_is_written(value: str) -> None:
    found = ring(EACH.format(value), "full[2] = ready, empty[2]")
    assert found.rules == ["unwritten-read"]


def test_a_ring_whose_slots_are_added_up_is_proved() -> None:
    assert (ring(TAKE).rules, ring(TAKE).strength) == ([], "proved")


def test_two_that_read_one_slot_need_no_order() -> None:
    """One of them by an atomic: both only read what the barrier has published."""
    found = kernel(f"""shared s32 [128] x;
      {FILL}
      sync.shared;
      parallel u by 256 : thread {{ __atomic_add(out.at(u % 128), x.at(u % 128)); }}
      parallel q by 2 : group-4 {{ inthreads.async (q == 1) {{ dma.copy x => dst; }} }}""")
    assert (found.rules, found.strength) == ([], "proved")


def test_a_value_that_is_read_too_early_is_told_as_a_read() -> None:
    found = kernel(f"""shared s32 [128] x;
      {FILL}
      parallel u by 256 : thread {{ __atomic_add(out.at(u % 128), x.at(u % 128)); }}""")
    assert found.rules == ["stage-race"]
    args = found.seen[0].finding.args
    assert (args["access"], args["against"]) == ("read", "write")


@pytest.mark.parametrize("index", ["0", "t"])
def test_atomics_do_not_excuse_a_plain_read_of_what_they_change(index: str) -> None:
    """Two atomics on one element need no order, but the second takes the value of `h` as it stands."""
    found = kernel(f"""shared s32 [128] h {{0}};
      parallel p by 2 : group-4 {{
        inthreads.async (p == 0) {{ foreach {{k}} in [C] {{ {EACH.format(f"__atomic_add(h.at({index}), 1);")} }} }}
        inthreads.async (p == 1) {{ {EACH.format(f"__atomic_add(out.at(t), h.at({index}));")} }}
      }}""")
    assert found.strength != "proved"
    assert index == "t" or found.rules == ["stage-race"]


def test_atomics_of_two_paths_on_one_element_need_no_order() -> None:
    found = kernel(f"""shared s32 [128] h {{0}};
      parallel p by 2 : group-4 {{ foreach {{k}} in [C] {{ {EACH.format("__atomic_add(h.at(0), 1);")} }} }}""")
    assert (found.rules, found.strength) == ([], "proved")


@pytest.mark.parametrize(
    ("work", "store"),
    [
        (EACH.format("__atomic_add(h.at(t), x[k % 2].at(t));"), "dma.copy h => dst;"),
        (EACH.format("h.at(t) += x[k % 2].at(t);"), EACH.format("out.at(t) = h.at(t);")),
    ],
)
def test_credits_left_at_the_end_are_normal_where_the_loader_stores_the_result(work: str, store: str) -> None:
    """The consumer writes `h` and the producer reads it, behind another event: `empty` stays one that gives space."""
    found = ring(work, "empty[2] = ready, full[2], done", after=f"wait done; {store}", taken="trigger done;")
    assert (found.rules, found.strength) == ([], "proved")


def test_credits_left_are_normal_where_data_goes_both_ways() -> None:
    """The producer looks at what the consumer has counted so far; what the last turn counts, nobody asks."""
    found = kernel(f"""shared event full, empty = ready; shared s32 [128] x, h {{0}};
      parallel p by 2 : group-4 {{
        inthreads.async (p == 0) {{
          foreach {{k}} in [C] {{
            wait empty; {EACH.format("out.at(t) = h.at(t);")}
            dma.copy src.subspan(1, 128).at(k, 0).span_as([128]) => x; trigger full;
          }}
        }}
        inthreads.async (p == 1) {{
          foreach {{k}} in [C] {{ wait full; {EACH.format("h.at(t) += x.at(t);")} trigger empty; }}
        }}
      }}""")
    assert (found.rules, found.strength) == ([], "proved")
