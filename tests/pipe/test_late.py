"""Where threads meet between a wait of all of them and the arrival of one for all, and where they need not."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Lit, Var
from croqc.pipe.passes.barriers import barriers
from croqc.pipe.walk import statements
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import FULL, arrive, kernel, load, multiply, role, slot
from tests.pipe.lowering import env_of

ANY = Var("K")
WAIT = ir.Wait(NOWHERE, slot())
COMMIT = ir.Commit(NOWHERE)
OWN = ir.Event("landed", 1, (1,), False, NOWHERE, own=True)
LANDED = ir.SlotRef("landed", Lit(0))
MMA = multiply(instruction=ir.Instruction.MMA_SYNC, a_registers="a", b_registers="b")
MULTIPLIES = multiply(instruction=ir.Instruction.TCGEN05)


def words(*body: ir.Stmt, cluster: tuple[tuple[str, int], ...] = ()) -> str:
    """The statements, those inside others behind them; `arrive*` meets."""
    start = replace(kernel(*body, ir.Rotate(NOWHERE, ()), events=(FULL, OWN)), cluster=cluster)
    done = barriers(start, env_of({"K": 128}))
    found = []
    for stmt in statements(done.body):
        meets = isinstance(stmt, ir.Arrive) and stmt.meets
        found.append(type(stmt).__name__.lower() + "*" * meets)
    return " ".join(found[:-1])


def loop(*body: ir.Stmt, stop: Expr = ANY) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), stop, Lit(1), body)


def test_one_thread_arrives_when_all_have_passed_the_wait() -> None:
    assert words(role(WAIT, arrive())) == "role wait arrive*"
    assert words(role(arrive(), WAIT)) == "role arrive wait"


def test_they_meet_once() -> None:
    assert words(role(WAIT, arrive(), arrive())) == "role wait arrive* arrive"
    assert words(role(WAIT, ir.Sync(NOWHERE, Unit.GROUP4), arrive())) == "role wait sync arrive"
    assert words(role(WAIT, ir.Call(NOWHERE, "bar_sync", (Lit(3), Lit(128))), arrive())) == "role wait call arrive"


def test_a_barrier_of_a_part_or_of_others_is_not_enough() -> None:
    assert words(role(WAIT, ir.Sync(NOWHERE, Unit.GROUP), arrive())) == "role wait sync arrive*"
    assert words(role(WAIT, ir.Call(NOWHERE, "bar_arrive", (Lit(3), Lit(256))), arrive())) == "role wait call arrive*"


def test_a_wait_of_one_turn_is_still_polled_in_the_next() -> None:
    assert words(role(loop(arrive(), WAIT))) == "role loop arrive* wait"
    met = ir.Sync(NOWHERE, Unit.GROUP4)
    assert words(role(loop(arrive(), WAIT, met))) == "role loop arrive wait sync"


@pytest.mark.parametrize("keep", [0, 1])
def test_wgmma_multiplies_that_are_waited_for_hold_up_all_four_warps(keep: int) -> None:
    ends = replace(COMMIT, keep=keep)
    assert words(role(WAIT, multiply(), ends, arrive())) == "role wait multiply commit arrive"


def test_multiplies_from_before_the_wait_say_nothing_of_it() -> None:
    assert words(role(multiply(), WAIT, COMMIT, arrive())) == "role multiply wait commit arrive*"


def test_multiplies_in_a_loop_count_where_it_certainly_has_turns() -> None:
    steps = loop(multiply(), stop=Lit(4))
    assert words(role(WAIT, steps, COMMIT, arrive())) == "role wait loop multiply commit arrive"
    none = loop(multiply())
    assert words(role(WAIT, none, COMMIT, arrive())) == "role wait loop multiply commit arrive*"


def test_mma_sync_holds_up_its_warp_alone() -> None:
    assert words(role(WAIT, MMA, arrive(Unit.GROUP), unit=Unit.GROUP)) == "role wait multiply arrive"
    assert words(role(WAIT, MMA, arrive())) == "role wait multiply arrive*"


def test_a_thread_alone_and_threads_that_each_arrive_meet_nobody() -> None:
    assert words(role(WAIT, arrive(Unit.THREAD), unit=Unit.THREAD)) == "role wait arrive"
    assert words(role(WAIT, arrive(by_threads=True))) == "role wait arrive"


def test_other_paths_have_waits_of_their_own() -> None:
    both = role(WAIT), role(arrive(), path="path w == 1")
    assert words(*both) == "role wait role arrive"
    again = role(WAIT), role(arrive())
    assert words(*again) == "role wait role arrive*"
    assert words(role(WAIT), arrive(Unit.BLOCK)) == "role wait arrive*"


def test_a_load_is_armed_again_when_all_have_seen_it_land() -> None:
    turn = load(completes=LANDED, mechanism=ir.Mechanism.TMA), ir.Arrive(NOWHERE, LANDED, Unit.GROUP4, bytes=8)
    wait = ir.Wait(NOWHERE, LANDED)
    assert words(role(loop(*turn, wait))) == "role loop copy arrive* wait"


def test_a_barrier_of_the_path_itself_tells_no_others() -> None:
    """Two loads in a row: nobody else completes the first one's next generation."""
    own = ir.Arrive(NOWHERE, LANDED, Unit.GROUP4)
    assert words(role(WAIT, own)) == "role wait arrive"
    assert words(role(ir.Wait(NOWHERE, LANDED), arrive())) == "role wait arrive"


def test_bytes_tell_the_other_blocks_of_a_cluster() -> None:
    sent = load(completes=slot(1), mechanism=ir.Mechanism.TMA, multicast=True)
    assert words(role(WAIT, sent), cluster=(("c", 2),)) == "role wait sync copy"


def test_tcgen05_multiplies_are_one_threads_and_hold_up_nobody() -> None:
    told = ir.ArriveCommitted(NOWHERE, slot())
    assert words(role(WAIT, MULTIPLIES, told)) == "role wait multiply sync arrivecommitted"
    end = ir.Complete(NOWHERE, LANDED, "p")
    assert words(role(WAIT, MULTIPLIES, end, end)) == "role wait multiply complete sync complete"
