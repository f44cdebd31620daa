"""Transactions: whose arrival carries which bytes. A tile of 64 x 64 halves is 8192 bytes."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Fn, Lit, Read, Var, whole
from croqc.pipe.passes.fold import fold
from croqc.pipe.printer import expression
from croqc.pipe.verify import verify
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import FULL, OTHER, TILE, arrive, box, kernel, load, role, slot, write
from tests.pipe.kernels import SRC as SOURCE
from tests.pipe.lowering import env_of, lines_of, only

TMA = ir.Mechanism.TMA
ENV = env_of({"M": 128, "K": 128})
WARPGROUP = Fn("warpgroup", (), "s32")


def folded(*body: ir.Stmt, events: tuple[ir.Event, ...] = (FULL,)) -> ir.Kernel:
    done = fold(kernel(*body, events=events), ENV)
    verify(replace(done, passed=("mechanism", "fold")))
    return done


def test_synchronous_loads_join_the_next_arrival() -> None:
    done = folded(role(load(mechanism=TMA), load(mechanism=TMA, dest=whole(OTHER)), arrive()))
    (event,) = done.events
    assert event.name == "full"
    (joined,) = only(done, ir.Arrive)
    assert (joined.bytes, joined.after) == (2 * 8192, ())
    assert [copy.completes for copy in only(done, ir.Copy)] == [slot(), slot()]


def test_the_whole_box_counts_where_a_part_overhangs() -> None:
    ragged = load(mechanism=TMA, zero_fill=True, source=box(SOURCE, valid=(Lit(3), None)))
    (joined,) = only(folded(role(ragged, arrive())), ir.Arrive)
    assert joined.bytes == 8192


def test_a_trigger_after_a_future_takes_its_copy_alone() -> None:
    first = load(mechanism=TMA, is_async=True, handle="f")
    second = load(mechanism=TMA, is_async=True, handle="g")
    done = folded(first, second, arrive(after=("f",)))
    (joined,) = only(done, ir.Arrive)
    assert (joined.slot.event, joined.bytes) == ("full", 8192)


def test_a_load_that_nobody_waits_for_arrives_nowhere() -> None:
    """A next arrival could come before its bytes: one too many for the barrier's generation."""
    copy = load(mechanism=TMA, is_async=True, handle="g")
    done = folded(copy, copy)
    assert only(done, ir.Arrive) == []
    assert [(each.slot.event, each.bytes) for each in only(done, ir.Expect)] == [("g_landed", 8192)] * 2
    heard = folded(copy, ir.Await(NOWHERE, ("g",), arrive().unit))
    assert [each.slot.event for each in only(heard, ir.Arrive)] == ["g_landed"]


def test_a_load_without_an_arrival_gets_a_barrier_of_its_own() -> None:
    done = folded(load(mechanism=TMA), write(TILE))
    assert [event.name for event in done.events] == ["full", "load_landed"]
    assert done.events[1].arrivals == (1, 1)  # 256 threads are two warpgroups, and each makes the load
    kinds = [type(stmt) for stmt in done.body]
    assert kinds == [ir.Copy, ir.Arrive, ir.Wait, ir.Write]
    assert "bytes 8192" in "\n".join(lines_of(done.body))


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
    assert wait.slot == ir.SlotRef("f_landed", WARPGROUP)


def test_loads_to_one_place_land_in_their_order() -> None:
    """Which of two transactions comes last nobody knows: the second waits for the first."""
    halves = [replace(whole(TILE), origin=(Lit(row), Lit(0)), shape=(Lit(32), Lit(64))) for row in (0, 32, 16)]

    def own(*numbers: int) -> list[str]:
        loads = (load(mechanism=TMA, dest=halves[number]) for number in numbers)
        return [stmt.slot.event for stmt in only(folded(role(*loads, arrive())), ir.Wait)]

    assert own(0, 1) == []
    assert own(0, 2) == own(0, 0) == ["load_landed", "load_landed_1"]


def waits(*body: ir.Stmt) -> list[str]:
    """The events that a kernel waits for after fold."""
    done = folded(*body, events=(FULL, replace(FULL, name="empty")))
    return [stmt.slot.event for stmt in only(done, ir.Wait)]


PRODUCER = role(load(mechanism=TMA), arrive())
READ = ir.Let(NOWHERE, "x", "f16", Read(whole(TILE), (Lit(0), Lit(0))))


def test_a_path_that_reads_what_it_loads_waits_for_it_itself() -> None:
    assert waits(role(load(mechanism=TMA), arrive(), READ)) == ["load_landed"]


def test_a_reader_that_has_waited_for_the_event_lets_it_land_there() -> None:
    assert waits(PRODUCER, role(ir.Wait(NOWHERE, slot()), READ, path="path w == 1")) == ["full"]


def test_a_reader_that_waits_for_something_else_does_not() -> None:
    other = ir.SlotRef("empty", Lit(0))
    assert waits(PRODUCER, role(ir.Wait(NOWHERE, other), READ, path="path w == 1")) == ["load_landed", "empty"]
    assert waits(PRODUCER, role(READ, ir.Wait(NOWHERE, slot()), path="path w == 1")) == ["load_landed", "full"]


WAIT = ir.Wait(NOWHERE, slot())
ELSE = ir.Wait(NOWHERE, ir.SlotRef("empty", Lit(0)))


def loop(*body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), Var("K"), Lit(1), body)


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param((ir.If(NOWHERE, Var("D"), (WAIT,), (ELSE,)), READ), id="one arm waits for something else"),
        pytest.param((ir.If(NOWHERE, Var("D"), (WAIT,)), READ), id="one arm does not wait"),
        pytest.param((loop(WAIT), READ), id="a loop that may have no turn"),
        pytest.param((loop(READ, WAIT),), id="the turn before"),
        pytest.param((ir.If(NOWHERE, Var("D"), (WAIT, READ), (READ,)),), id="the second access"),
    ],
)
def test_a_wait_that_some_way_leaves_out_does_not_count(reader: tuple[ir.Stmt, ...]) -> None:
    assert waits(PRODUCER, role(*reader, path="path w == 1"))[0] == "load_landed"


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param((ir.If(NOWHERE, Var("D"), (WAIT,), (ELSE, WAIT)), READ), id="both arms"),
        pytest.param((WAIT, ir.If(NOWHERE, Var("D"), (READ,)), loop(READ)), id="in front of all"),
        pytest.param((loop(WAIT, READ),), id="in each turn"),
        pytest.param((ir.Scope(NOWHERE, (WAIT,)), READ), id="a scope"),
    ],
)
def test_a_wait_on_every_way_counts(reader: tuple[ir.Stmt, ...]) -> None:
    assert "load_landed" not in waits(PRODUCER, role(*reader, path="path w == 1"))


def test_what_the_block_touches_lands_at_its_statement() -> None:
    assert waits(PRODUCER, READ) == ["load_landed"]


def test_every_unit_that_loads_has_a_barrier_of_its_own() -> None:
    def slots(unit: Unit) -> tuple[ir.SlotRef, int]:
        done = folded(load(unit, mechanism=TMA), write(TILE))
        (wait,) = only(done, ir.Wait)
        return wait.slot, done.events[1].slots

    assert slots(Unit.GROUP4) == (ir.SlotRef("load_landed", WARPGROUP), 2)
    assert slots(Unit.GROUP) == (ir.SlotRef("load_landed", Fn("warp", (), "s32")), 8)
    assert slots(Unit.BLOCK) == (ir.SlotRef("load_landed", Lit(0)), 1)


def test_copies_of_threads_carry_no_bytes() -> None:
    done = folded(load(mechanism=ir.Mechanism.VECTOR, vector=16), arrive())
    (joined,) = only(done, ir.Arrive)
    assert joined.bytes == 0


def test_a_wait_right_behind_its_transfer_waits_for_its_barrier() -> None:
    """Not for cp.async, which knows nothing of it; another transfer in flight stays so."""
    first, second = (load(mechanism=TMA, is_async=True, handle=name) for name in ("f", "g"))
    done = folded(role(first, second, ir.Await(NOWHERE, ("g",), Unit.GROUP4), ir.Await(NOWHERE, ("f",), Unit.GROUP4)))
    assert only(done, ir.Await) == []
    assert [stmt.slot.event for stmt in only(done, ir.Wait)] == ["g_landed", "f_landed"]
    assert {copy.handle: copy.completes.event for copy in only(done, ir.Copy) if copy.completes} == {
        "f": "f_landed",
        "g": "g_landed",
    }
    arrivals = [stmt.slot.event for stmt in only(done, ir.Arrive)]
    assert sorted(arrivals) == ["f_landed", "g_landed"]


def test_an_arrival_elsewhere_waits_for_the_transfers_that_it_names() -> None:
    transfer = load(mechanism=TMA, is_async=True, handle="f")
    done = folded(role(transfer, write(), ir.If(NOWHERE, Lit(True, "bool"), (arrive(after=("f",)),))))
    (late,) = (stmt for stmt in only(done, ir.Arrive) if stmt.slot.event == "full")
    assert (late.after, late.bytes) == ((), 0)
    assert [stmt.slot.event for stmt in only(done, ir.Wait)] == ["f_landed"]


def test_the_classic_form_joins_its_arrival_whatever_stands_between() -> None:
    """Bytes that no arrival expects would complete a generation that nobody opened."""
    named = load(mechanism=TMA, is_async=True, completes=slot())
    done = folded(role(named, write(OTHER), arrive()))
    (joined,) = only(done, ir.Arrive)
    assert (joined.bytes, [event.name for event in done.events]) == (8192, ["full"])


def test_the_classic_form_expects_its_bytes_where_its_arrival_is_in_another_list() -> None:
    named = load(mechanism=TMA, is_async=True, completes=slot())
    done = folded(named, ir.If(NOWHERE, Lit(True, "bool"), (arrive(),)))
    (expected,) = only(done, ir.Expect)
    assert (expected.slot, expected.bytes, only(done, ir.Arrive)[0].bytes) == (slot(), 8192, 0)


def test_a_future_that_is_waited_for_at_once_waits_at_its_barrier() -> None:
    done = folded(load(mechanism=TMA, is_async=True, handle="f"), ir.Await(NOWHERE, ("f",), Unit.GROUP4))
    assert [type(stmt) for stmt in done.body] == [ir.Copy, ir.Arrive, ir.Wait]
    (wait,) = only(done, ir.Wait)
    assert wait.slot == ir.SlotRef("f_landed", WARPGROUP)


def test_a_wait_that_stands_in_front_of_its_copy_is_one_for_its_barrier() -> None:
    """In a loop, the copy of the turn before."""
    turn = (ir.Await(NOWHERE, ("f",), Unit.GROUP4), load(mechanism=TMA, is_async=True, handle="f"))
    done = folded(ir.Loop(NOWHERE, "k", Lit(0), Lit(4), Lit(1), turn))
    assert not only(done, ir.Await) and len(only(done, ir.Wait)) == 1


def test_the_futures_of_a_ring_share_a_barrier_with_its_slots() -> None:
    """After a swap `f` names the slot that was loaded as `g`: the barrier is the slot's, not the name's."""
    handles = (("f", "tile", 0), ("g", "tile", 1))
    loads = [load(Unit.BLOCK, mechanism=TMA, is_async=True, handle=name) for name in ("f", "g")]
    body = (*loads, ir.Rotate(NOWHERE, ("f", "g")), ir.Await(NOWHERE, ("f",), Unit.GROUP4))
    done = fold(replace(kernel(*body), handles=handles), ENV)
    verify(replace(done, passed=("mechanism", "fold")))
    (event,) = (each for each in done.events if each.name != "full")
    assert (event.slots, event.arrivals) == (2, (1, 1))
    assert [copy.completes and copy.completes.at for copy in only(done, ir.Copy)] == [Var("f"), Var("g")]
    assert [wait.slot for wait in only(done, ir.Wait)] == [ir.SlotRef(event.name, Var("f"))]


def test_each_warpgroup_has_a_ring_of_its_own() -> None:
    one = load(mechanism=TMA, is_async=True, handle="f")
    done = fold(replace(kernel(one), handles=(("f", "tile", 0), ("g", "tile", 1))), ENV)
    (event,) = (each for each in done.events if each.name != "full")
    assert event.slots == 4
    (copy,) = only(done, ir.Copy)
    assert copy.completes is not None and expression(copy.completes.at) == "warpgroup() * 2 + f"


def test_what_a_future_cannot_mean_is_refused() -> None:
    one = load(mechanism=TMA, is_async=True, handle="f")
    wait = ir.Await(NOWHERE, ("f",), Unit.GROUP4)
    with pytest.raises(LoweringError, match="wait for its event instead"):
        folded(one, arrive(after=("f",)), wait)
    with pytest.raises(LoweringError, match="for all of them, or for none"):
        folded(one, load(mechanism=ir.Mechanism.VECTOR, is_async=True, handle="f"), wait)
    with pytest.raises(LoweringError, match="other copies by another unit"):
        folded(one, write(), load(Unit.BLOCK, mechanism=TMA, is_async=True, handle="f"), wait)


def test_of_two_triggers_after_one_copy_the_second_is_not_told_too_early() -> None:
    one = load(mechanism=TMA, is_async=True, handle="f")
    later = arrive(slot=slot(1), after=("f",))
    done = folded(one, arrive(after=("f",)), later)
    assert [each.after for each in only(done, ir.Arrive)] == [(), ("f",)]
