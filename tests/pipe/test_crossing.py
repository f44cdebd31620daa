"""Proxy fences of global memory: where TMA works on what the kernel's threads have written there."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Space
from croqc.pipe.passes.barriers import barriers
from croqc.pipe.walk import statements
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import DST, SRC, arrive, box, kernel, load, role, slot, store
from tests.pipe.lowering import env_of

TMA = ir.Mechanism.TMA
LOAD = load(Unit.BLOCK, mechanism=TMA, completes=slot(), engine="tma")
BEGUN = load(mechanism=TMA, completes=slot(), engine="tma")
SYNC = ir.Sync(NOWHERE, Unit.BLOCK)


def element(at: ir.Tensor = SRC) -> ir.Write:
    return ir.Write(NOWHERE, box(at), (Lit(0), Lit(0)), Lit(1.0, "f16"))


def words(*body: ir.Stmt) -> str:
    """The statements; `+` behind one that fences shared memory alone, `++` all memory."""
    done = barriers(kernel(*body, ir.Rotate(NOWHERE, ())), env_of({"M": 128, "K": 128}))
    found = []
    for stmt in statements(done.body):
        publishes = isinstance(stmt, ir.Sync | ir.Arrive) and stmt.publishes
        everything = isinstance(stmt, ir.Sync | ir.Arrive) and stmt.publishes_global
        found.append(type(stmt).__name__.lower() + ("++" if everything else "+" * publishes))
    return " ".join(found[:-1])


def test_a_load_of_what_threads_have_written() -> None:
    assert words(element(), SYNC, LOAD) == "write sync++ copy"
    assert words(element(), LOAD) == "write sync++ copy"
    assert words(element(DST), SYNC, LOAD) == "write sync copy"


def test_a_copy_by_threads_and_an_accumulator_write_too() -> None:
    by_threads = store(Unit.BLOCK, dest=box(SRC), mechanism=ir.Mechanism.VECTOR, vector=16)
    assert words(by_threads, LOAD) == "copy sync++ copy"


def test_a_store_over_what_threads_have_written() -> None:
    assert words(element(DST), store(Unit.BLOCK, mechanism=TMA)) == "write sync++ copy storesread sync"
    assert words(element(SRC), store(Unit.BLOCK, mechanism=TMA)) == "write sync copy storesread sync"


def test_a_load_of_what_tma_has_stored() -> None:
    again = store(Unit.BLOCK, dest=box(SRC), mechanism=TMA)
    assert words(again, LOAD) == "sync copy storesread sync++ copy"


def test_writes_of_one_turn_are_loaded_in_the_next() -> None:
    loop = ir.Loop(NOWHERE, "k", Lit(0), Lit(4), Lit(1), (LOAD, element()))
    assert words(loop) == "loop sync++ copy write"


def test_a_path_that_tells_another_one_of_its_writes_fences_and_meets() -> None:
    writer, reader = role(element(), arrive()), role(BEGUN, path="path w == 1")
    assert words(writer, reader) == "role write arrive++ role copy"
    done = barriers(kernel(writer, reader), env_of({"M": 128, "K": 128}))
    assert [stmt.meets for stmt in statements(done.body) if isinstance(stmt, ir.Arrive)] == [True]


def test_a_thread_by_itself_fences_and_meets_nobody() -> None:
    alone = role(element(), replace(BEGUN, unit=Unit.THREAD), unit=Unit.THREAD)
    done = barriers(kernel(alone), env_of({"M": 128, "K": 128}))
    assert ir.Sync(NOWHERE, Unit.THREAD, False, True) in list(statements(done.body))


def test_an_island_may_write_what_tma_loads() -> None:
    assert words(ir.Text(NOWHERE, "touch();", frozenset({"touch"})), LOAD) == "text sync++ copy"
    assert SRC.space is Space.GLOBAL
