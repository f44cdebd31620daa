"""The exhaustive search on pipelines small enough to follow by hand."""

from __future__ import annotations

import pytest

from croqc.sema.model import Model
from tests.flow.pipes import check
from tests.truth.agreement import model_of
from tests.truth.exhaustive import Explored, explore_program
from tests.truth.ops import Kind, Touch, conflict
from tests.truth.program import Program, Sizes
from tests.truth.unroll import count_arrivals, unroll

PIPE = """__co__ void pipe(global s32 [R, C] src, global s32 [R, C] dst) {
  parallel b by 1 : block {
    shared event full[2], empty[2];
    shared s32 [16, 16] ring[2];
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [cdiv(C, 16)] {
          wait empty[k % 2];
          dma.copy src.subspan(16, 16).at(b, k) => ring[k % 2];
          trigger full[k % 2];
        }
      }
      inthreads.async (p == 1) {
        foreach {s} in [2] {
          trigger empty[s];
        }
        foreach {k} in [cdiv(C, 16)] {
          wait full[k % 2];
          dma.copy ring[k % 2] => dst.subspan(16, 16).at(b, k);
          trigger empty[k % 2];
        }
      }
    }
  }
}
"""
SIZES: tuple[Sizes, ...] = tuple({"R": 16, "C": 16 * count} for count in (1, 2, 3, 5))


def model(text: str) -> Model:
    found = model_of(Program(text, SIZES, ()))
    assert found is not None
    return found


def explored(text: str) -> Explored:
    found = explore_program(Program(text, SIZES, ()), model(text))
    assert found is not None
    return found


def changed(old: str, new: str, count: int = 1) -> str:
    assert old in PIPE
    return PIPE.replace(old, new, count)


def test_the_pipeline_is_clean_and_wholly_seen() -> None:
    found = explored(PIPE)
    assert (found.faults, found.complete) == (frozenset(), True)


def test_what_the_paths_of_two_turns_do() -> None:
    instance = unroll(model(PIPE), {"R": 16, "C": 32})
    producer, consumer = instance.paths.values()
    turn = [Kind.WAIT, Kind.TOUCH, Kind.ARRIVE]
    assert [op.kind for op in producer] == turn * 2
    assert [op.kind for op in consumer] == [Kind.ARRIVE] * 2 + turn * 2
    assert [op.slot and op.slot[2] for op in producer if op.kind is Kind.WAIT] == [0, 1]
    assert {count_arrivals([instance])[slot] for slot in count_arrivals([instance])} == {1}
    assert [touch.box for touch in producer[4].touches] == [((1, 2), (0, 16), (0, 16))]


FAULTS = [
    ("deadlock", changed("          trigger empty[s];", "")),
    ("deadlock", changed("foreach {s} in [2]", "foreach {s} in [1]")),
    ("deadlock", changed("[cdiv(C, 16)]", "[C / 32]")),
    ("race", changed("          wait empty[k % 2];\n", "")),
    ("unwritten", changed("ring[k % 2];\n", "ring[(k + 1) % 2];\n")),
    ("unwritten", changed("          wait full[k % 2];\n", "")),
    ("unwritten", changed("trigger empty[s];", "trigger full[s];")),
    ("overrun", changed("          trigger empty[k % 2];", "          trigger empty[k % 2]; trigger empty[k % 2];")),
    ("race", changed("dma.copy src.subspan(16, 16).at(b, k)", "f = dma.copy.async src.subspan(16, 16).at(b, k)")),
]


@pytest.mark.parametrize(("fault", "text"), FAULTS, ids=[f"{n}-{row[0]}" for n, row in enumerate(FAULTS)])
def test_faults(fault: str, text: str) -> None:
    assert fault in explored(text).faults


def test_a_copy_bound_to_the_trigger_is_waited_for() -> None:
    bound = changed("dma.copy src", "f = dma.copy.async src").replace(
        "trigger full[k % 2];", "trigger full[k % 2] after f;"
    )
    found = explored(bound)
    assert (found.faults, found.complete) == (frozenset(), True)


def test_reads_of_what_half_was_written() -> None:
    half = changed(
        "src.subspan(16, 16).at(b, k) => ring[k % 2]",
        "src.subspan(8, 16).at(b, k) => ring[k % 2].subspan(8, 16).at(0, 0)",
    )
    assert "unwritten" in explored(half).faults


TWO = PIPE.replace("parallel p by 2", "parallel p by 3").replace("(p == 1)", "(p > 0)")


def test_counts_of_two_consumers() -> None:
    instance = unroll(model(TWO), {"R": 16, "C": 48})
    assert sorted(count_arrivals([instance]).values()) == [1, 1, 2, 2]


def test_arrivals_of_two_paths_that_nothing_orders_mix() -> None:
    """Both consumers give each stage twice, and nothing holds back the faster one's second arrival."""
    mixed = TWO.replace("        foreach {s} in [2] {", "        foreach {s} in [2] {\n          trigger empty[s];")
    assert {"mixup", "overrun"} & explored(mixed).faults


def test_multiplies_read_until_the_commit() -> None:
    text = """__co__ void pipe(global f16 [64, C] lhs, global f16 [8, 16] rhs, global f32 [64, 8] out) {
  parallel b by 1 : block {
    shared event full, empty = ready;
    shared f16 [64, 16] l;
    shared f16 [8, 16] r;
    dma.copy rhs => r;
    parallel p by 2 : group-4 {
      inthreads.async (p == 0) {
        foreach {k} in [cdiv(C, 16)] {
          wait empty;
          dma.copy lhs.subspan(64, 16).at(0, k) => l;
          trigger full;
        }
      }
      inthreads.async (p == 1) {
        acc = mma.fill.f32 0.0f;
        foreach {k} in [cdiv(C, 16)] {
          wait full;
          ma = mma.load l;
          mb = mma.load r;
          mma.row.row acc, ma, mb;
          COMMIT
        }
        mma.store acc, out;
      }
    }
  }
}
"""
    right = explored(text.replace("COMMIT", "mma.commit;\n          trigger empty;"))
    wrong = explored(text.replace("COMMIT", "trigger empty;\n          mma.commit;"))
    assert (right.faults, right.complete) == (frozenset(), True)
    assert wrong.faults == {"race"}


def test_touches_conflict_where_one_writes_and_boxes_meet() -> None:
    read, write = Touch((0,), ((0, 1), (0, 8)), False), Touch((0,), ((0, 1), (4, 9)), True)
    assert conflict(read, write)
    assert not conflict(read, read)
    assert not conflict(read, Touch((0,), ((0, 1), (8, 9)), True))
    assert not conflict(read, Touch((1,), ((0, 1), (0, 8)), True))


# --- `parallel`s that divide the block in unlike ways ---------------------------------------------------

FIRST = "parallel w by 2 : group-4 { inthreads.async (w == 1) { BODY } } "
SECOND = "parallel u by 8 : group { inthreads.async (u == WARP) { BODY } } "
LOAD, STORE = "dma.copy src.subspan(16, 16).at(0, 0) => x;", "dma.copy x => dst.subspan(16, 16).at(0, 0);"


def beside(body: str) -> str:
    event = "shared event e; " if " e;" in body else ""
    return f"""__co__ void pipe(global s32 [R, C] src, global s32 [R, C] dst) {{
      parallel b by 1 : block {{ {event}shared s32 [16, 16] x; {body} }} }}"""


def first(body: str) -> str:
    return FIRST.replace("BODY", body)


def second(body: str, warp: int) -> str:
    return SECOND.replace("BODY", body).replace("WARP", str(warp))


def test_each_kind_has_its_paths_and_its_threads_come_one_after_the_other() -> None:
    instance = unroll(model(beside(first(LOAD) + second(STORE, 5))), SIZES[0])
    assert list(instance.paths) == [*(f"w = {w}" for w in range(2)), *(f"u = {u}" for u in range(8))]
    assert [op.kind for op in instance.paths["w = 1"]] == [Kind.TOUCH, Kind.ARRIVE]
    assert [op.kind for op in instance.paths["u = 5"]] == [Kind.WAIT, Kind.TOUCH, Kind.ARRIVE]
    waits = {name: [op.slot for op in ops if op.kind is Kind.WAIT] for name, ops in instance.paths.items()}
    assert [waits[f"u = {u}"] for u in (0, 3, 4, 7)] == [[(-1, 1, 0)], [(-1, 1, 0)], [(-1, 1, 1)], [(-1, 1, 1)]]
    assert count_arrivals([instance]) == {}


SHARED = [
    (set(), first(LOAD) + second(STORE, 5)),
    ({"race", "unwritten"}, first(LOAD) + second(STORE, 2)),
    (set(), second(LOAD, 6) + first(STORE)),
    ({"race", "unwritten"}, second(LOAD, 3) + first(STORE)),
    (set(), first(LOAD) + "sync.shared; " + second(STORE, 2)),
    (set(), first(f"{LOAD} trigger e;") + second(f"wait e; {STORE}", 2)),
    ({"deadlock"}, first("wait e;") + second("trigger e;", 6)),
    (set(), first("wait e;") + second("trigger e;", 2)),
    (set(), f"foreach k in [3] {{ {first(LOAD)}{second(STORE, 5)} }}"),
    ({"race", "unwritten"}, f"foreach k in [3] {{ {second(STORE, 5)}{first(LOAD)} }}"),
    ({"race"}, f"{first(LOAD)}sync.shared; foreach k in [2] {{ {first(STORE)}{second(LOAD, 1)} }}"),
    (set(), first(LOAD) + second("wait e;", 4) + first("trigger e;").replace("w == 1", "w == 0") + second(STORE, 6)),
]


@pytest.mark.parametrize(("faults", "body"), SHARED, ids=range(len(SHARED)))
def test_unlike_siblings_as_the_verifier_sees_them(faults: set[str], body: str) -> None:
    text = beside(body)
    found = explored(text)
    assert found.complete
    assert found.hard == bool(faults)
    assert found.faults & {"race", "unwritten", "deadlock"} <= faults
    assert bool(faults) == bool(check(text).rules)


def test_parallels_that_are_divided_alike_are_run_by_the_same_paths() -> None:
    again = first(STORE).replace("w by", "q by").replace("w ==", "q ==")
    instance = unroll(model(beside(first(LOAD) + again)), SIZES[0])
    assert [len(ops) for ops in instance.paths.values()] == [0, 2]
    assert not explored(beside(first(LOAD) + again)).faults


def test_a_barrier_in_one_of_unlike_ones_is_not_followed() -> None:
    text = beside("parallel w by 2 : group-4 { sync.shared; } " + second(LOAD, 1))
    assert explore_program(Program(text, SIZES, ()), model(text)) is None
