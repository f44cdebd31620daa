"""One group of multiplies kept in flight, where the ring's other side goes through it likewise."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.printer import expression
from croqc.pipe.walk import statements
from tests.pipe.lowering import EXAMPLES, after, only

CLASSIC = (EXAMPLES / "pipeline_classic.co").read_text(encoding="utf-8")
SIZES = {"M": 128, "N": 128, "K": 512}


def kept(text: str) -> list[int]:
    """How many groups each end of multiplies leaves in flight."""
    return [stmt.keep for stmt in only(after("inflight", text, SIZES), ir.Commit)]


def test_the_consumer_keeps_a_group() -> None:
    assert kept(CLASSIC) == [1, 0]


@pytest.mark.parametrize(("turns", "slots"), [("7", [2]), ("0", [])])  # 7 turns over 4 slots: the last is 6 % 4
def test_a_number_of_turns_that_is_known_is_not_tested(turns: str, slots: list[int]) -> None:
    """The slot of the last turn is given back behind the loop, without a condition; without a turn nothing is."""
    made = after("inflight", CLASSIC.replace("[cdiv(K, TILE_K)]", f"[{turns}]"), SIZES)
    behind = _behind_the_last_end(made)
    assert [stmt.slot.at.value for stmt in behind if isinstance(stmt, ir.Arrive)] == slots
    assert not any(isinstance(stmt, ir.If) for stmt in behind)


def _behind_the_last_end(made: ir.Kernel) -> list[ir.Stmt]:
    everything = list(statements(made.body))
    last = max(at for at, stmt in enumerate(everything) if isinstance(stmt, ir.Commit))
    return everything[last + 1 :]


@pytest.mark.parametrize(
    "slot",
    [
        pytest.param("0", id="the first slot alone"),
        pytest.param("k % (STAGES - 1)", id="another modulus"),
        pytest.param("(k + 1) % STAGES", id="a slot ahead"),
    ],
)
def test_a_loader_that_goes_through_the_ring_otherwise_gets_its_slots_at_once(slot: str) -> None:
    """Such a kernel hangs: it must stand where the text says."""
    changed = CLASSIC.replace("stage = k % STAGES;", f"stage = {slot};", 1)
    assert changed != CLASSIC
    assert kept(changed) == [0]


PART = (
    CLASSIC.replace("full[STAGES], empty[STAGES]", "full[STAGES + 2], empty[STAGES + 2]")
    .replace("[STAGES * TILE", "[(STAGES + 2) * TILE")
    .replace("trigger empty[s];", "trigger empty[s + 2];")
)


@pytest.mark.parametrize(
    ("loader", "consumer", "keeps"),
    [
        pytest.param("2 + k % STAGES", "2 + k % STAGES", [1, 0], id="the same ring"),
        pytest.param("2 + k % STAGES", "2 + k % (STAGES - 1)", [0], id="rings of other lengths"),
        pytest.param("2 + k % STAGES", "k + k % STAGES", [0], id="a ring that moves"),
        pytest.param("from + k % STAGES; from = 2", "2 + k % STAGES", [0], id="a first slot that is assigned"),
    ],
)
def test_a_ring_may_be_a_part_of_the_slots(loader: str, consumer: str, keeps: list[int]) -> None:
    text = PART.replace("foreach {k}", "s32 from = 2; foreach {k}", 1) if "from" in loader else PART
    head, between, tail = text.split("stage = k % STAGES;")
    assert kept(f"{head}stage = {loader};{between}stage = {consumer};{tail}") == keeps


def test_the_slot_of_the_turn_before_is_given_back() -> None:
    kernel = after("inflight", PART.replace("k % STAGES", "2 + k % STAGES"), SIZES)
    given = [stmt.slot for stmt in only(kernel, ir.Arrive) if stmt.slot.event == "empty"]
    assert [expression(slot.at) for slot in given[1:]] == ["2 + (k_2 - 1) % 4", "2 + (cdiv(K, 64) - 1) % 4"]


WAITS_INSIDE = """
__co__ void f(global f16 [M, 512] a, global f16 [M, 512] b, global f32 [M, 64] out) {
  parallel p by cdiv(M, 64) : block {
    shared f16 [64, 64] ring[2], extra[8];
    shared event full[2], empty[2] = ready, got[8];
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        foreach {k} in [8] {
          wait empty.at(k);
          f = tma.load.async a.subspan(64, 64).at(p, k) => ring[k % 2];
          trigger full.at(k) after f;
          if (k > 0) {
            g = tma.load.async b.subspan(64, 64).at(p, k - 1) => extra[k - 1];
            trigger got[k - 1] after g;
          }
        }
        h = tma.load.async b.subspan(64, 64).at(p, 7) => extra[7];
        trigger got[7] after h;
      }
      inthreads.async (w == 1) {
        c = mma.fill.f32 0.0f;
        foreach {k} in [8] {
          wait full.at(k);
          foreach {i} in [1] {
            wait got[k];
            mma.row.row c, ring[k % 2], extra[k];
          }
          mma.commit;
          trigger empty.at(k);
        }
        mma.store c, out.subspan(64, 64).at(p, 0);
      }
    }
  }
}
"""


def test_a_wait_in_an_inner_loop_gets_its_slots_at_once() -> None:
    """Turn 2 of the loader, which fills what turn 1 waits for inside, needs the slot of turn 0: held back, a circle."""
    assert kept(WAITS_INSIDE) == [0]
