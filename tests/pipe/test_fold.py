"""Transactions: whose arrival carries which bytes. A tile of 64 x 64 halves is 8192 bytes."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Lit
from croqc.pipe.passes.fold import fold
from croqc.pipe.printer import statements
from croqc.pipe.verify import verify
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import SRC as SOURCE
from tests.pipe.kernels import TILE, arrive, box, kernel, load, slot, write
from tests.pipe.lowering import env_of, only

TMA = ir.Mechanism.TMA
ENV = env_of({"M": 128, "K": 128})


def folded(*body: ir.Stmt) -> ir.Kernel:
    done = fold(kernel(*body), ENV)
    verify(replace(done, passed=("mechanism", "fold")))
    return done


def test_synchronous_loads_join_the_next_arrival() -> None:
    done = folded(load(mechanism=TMA), load(mechanism=TMA), arrive())
    (event,) = done.events
    assert event.name == "full"
    (joined,) = only(done, ir.Arrive)
    assert isinstance(joined, ir.Arrive)
    assert (joined.bytes, joined.after) == (2 * 8192, ())
    assert [copy.completes for copy in only(done, ir.Copy)] == [slot(), slot()]  # type: ignore[attr-defined]


def test_the_whole_box_counts_where_a_part_overhangs() -> None:
    ragged = load(mechanism=TMA, zero_fill=True, source=box(SOURCE, valid=(Lit(3), None)))
    (joined,) = only(folded(ragged, arrive()), ir.Arrive)
    assert joined.bytes == 8192  # type: ignore[attr-defined]


def test_a_trigger_after_a_future_takes_its_copy_alone() -> None:
    first = load(mechanism=TMA, is_async=True, handle="f")
    second = load(mechanism=TMA, is_async=True, handle="g")
    done = folded(first, second, arrive(after=("f",)))
    joined = [each for each in only(done, ir.Arrive) if isinstance(each, ir.Arrive)]
    assert [(each.slot.event, each.bytes) for each in joined] == [("g_landed", 8192), ("full", 8192)]


def test_a_load_without_an_arrival_gets_a_barrier_of_its_own() -> None:
    done = folded(load(mechanism=TMA), write(TILE))
    assert [event.name for event in done.events] == ["full", "load_landed"]
    assert done.events[1].arrivals == (1,)
    kinds = [type(stmt) for stmt in done.body]
    assert kinds == [ir.Copy, ir.Arrive, ir.Wait, ir.Write]
    assert "bytes 8192" in "\n".join(statements(done.body, 0))


def test_what_stands_between_a_load_and_an_arrival_parts_them() -> None:
    done = folded(load(mechanism=TMA), write(), arrive())
    last = done.body[-1]
    assert isinstance(last, ir.Arrive)
    assert last.bytes == 0


def test_waits_for_a_future_wait_for_its_barrier() -> None:
    asked = ir.Await(NOWHERE, ("f",), arrive().unit)
    done = folded(load(mechanism=TMA, is_async=True, handle="f"), write(), asked)
    wait = done.body[-1]
    assert isinstance(wait, ir.Wait)
    assert wait.slot == ir.SlotRef("f_landed", Lit(0))


def test_copies_of_threads_carry_no_bytes() -> None:
    done = folded(load(mechanism=ir.Mechanism.VECTOR, vector=16), arrive())
    (joined,) = only(done, ir.Arrive)
    assert joined.bytes == 0  # type: ignore[attr-defined]
