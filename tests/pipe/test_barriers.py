"""Where a barrier must be and where it must not."""

from __future__ import annotations

from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Var
from croqc.pipe.passes.barriers import barriers
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import DST, OTHER, SRC, arrive, kernel, load, multiply, role, slot, store, write
from tests.pipe.lowering import env_of, lines_of

VECTOR, TMA = ir.Mechanism.VECTOR, ir.Mechanism.TMA
SIZES = {"M": 128, "K": 128}
HINT = ir.Text(NOWHERE, 'asm("setmaxnreg.dec.sync.aligned.u32 40;");', frozenset({"asm", "setmaxnreg"}))
NOTHING = ir.Let(NOWHERE, "x", "s32", Lit(0))


def heads(*body: ir.Stmt, arch: str = "sm_90a") -> list[str]:
    """The first word of each statement; `+` behind one that fences, `*` behind an arrival that meets."""
    done = barriers(kernel(*body, NOTHING), env_of(SIZES, arch))
    found = []
    for line in lines_of(done.body):
        marks = "+" * ("publishes" in line) + "*" * ("meets" in line)
        found.append(line.split()[0] + marks)
    return found[:-1] if found[-1] == "let" else found


def by_threads(**more: object) -> ir.Copy:
    return load(Unit.BLOCK, mechanism=VECTOR, vector=16, **more)


def test_a_copy_of_several_threads_is_followed_by_a_barrier() -> None:
    assert heads(by_threads()) == ["copy", "sync"]


def test_before_it_only_where_shared_memory_was_touched() -> None:
    assert heads(write(), by_threads()) == ["tile[0,", "sync", "copy", "sync"]
    assert heads(by_threads(), by_threads()) == ["copy", "sync", "copy", "sync"]


def test_what_one_turn_leaves_meets_the_next() -> None:
    loop = ir.Loop(NOWHERE, "k", Lit(0), Var("K"), Lit(1), (by_threads(), write(OTHER)))
    assert heads(loop) == ["for", "sync", "copy", "sync", "other[0,"]


def test_a_store_by_tma_waits_for_ordinary_writes_and_fences() -> None:
    assert heads(write(), store(Unit.BLOCK, mechanism=TMA)) == ["tile[0,", "sync+", "copy", "stores", "sync"]
    assert heads(write(OTHER), store(Unit.BLOCK, mechanism=TMA)) == ["other[0,", "sync", "copy", "stores", "sync"]


def test_an_arrival_after_ordinary_accesses_meets() -> None:
    assert heads(role(write(OTHER), arrive())) == ["role", "other[0,", "arrive*"]
    assert heads(role(arrive())) == ["role", "arrive"]


def test_an_arrival_after_what_other_paths_see_in_global_memory_meets() -> None:
    """Only thereby is what threads beside the one that arrives have written, or read, in front of the arrival."""
    reads, writes = role(load(mechanism=VECTOR, vector=16), path="path w == 1"), write(SRC)
    assert heads(role(writes, arrive()), reads)[:3] == ["role", "src[0,", "arrive*"]
    assert heads(role(writes, arrive()))[:3] == ["role", "src[0,", "arrive"]
    assert heads(role(write(DST), arrive()), reads)[:3] == ["role", "dst[0,", "arrive"]
    both = replace(
        role(writes, arrive(), load(mechanism=VECTOR, vector=16)), path="path w == 0, path w == 1", several=True
    )
    assert heads(both)[:3] == ["role", "src[0,", "arrive*"]
    assert heads(replace(both, several=False))[:3] == ["role", "src[0,", "arrive"]


def test_an_arrival_that_publishes_to_wgmma_fences() -> None:
    consumer = role(multiply(), path="path w == 1")
    assert heads(role(write(), arrive()), consumer)[:3] == ["role", "tile[0,", "arrive+*"]


def test_an_arrival_after_multiplies_needs_none() -> None:
    assert heads(role(multiply(), ir.Commit(NOWHERE), arrive())) == ["role", "acc", "commit", "arrive"]


def test_one_thread_meets_nobody() -> None:
    assert heads(write(), arrive(Unit.THREAD)) == ["tile[0,", "arrive"]


def test_a_transfer_of_a_role_that_nothing_preceded_needs_none() -> None:
    transfer = load(mechanism=TMA, completes=slot())
    assert heads(role(transfer, arrive(bytes=8192))) == ["role", "copy", "arrive"]


def test_an_island_may_touch_all_memory() -> None:
    assert heads(ir.Text(NOWHERE, "touch();", frozenset({"touch"})), by_threads()) == ["text", "sync", "copy", "sync"]
    assert heads(HINT, by_threads()) == [
        "text",
        "copy",
        "sync",
    ]
    more = 'asm("setmaxnreg.dec.sync.aligned.u32 40;"); touch();'
    assert heads(ir.Text(NOWHERE, more, frozenset({"touch"})), by_threads()) == ["text", "sync", "copy", "sync"]


def test_targets_without_an_async_proxy_have_no_fence() -> None:
    asked = ir.Await(NOWHERE, ("f",), Unit.BLOCK)
    assert heads(asked, arch="sm_80") == ["await", "sync"]


def test_the_last_barrier_of_a_kernel_orders_nothing() -> None:
    done = barriers(kernel(by_threads()), env_of(SIZES))
    assert [type(stmt) for stmt in done.body] == [ir.Copy]


def test_writes_before_an_explicit_barrier_need_no_second() -> None:
    assert heads(write(), ir.Sync(NOWHERE, Unit.BLOCK), by_threads()) == ["tile[0,", "sync", "copy", "sync"]


def test_a_barrier_of_one_warpgroup_does_not_hold_the_others_back() -> None:
    """Another warpgroup may not have written yet when the block copies."""
    meets = ir.Sync(NOWHERE, Unit.GROUP4)
    assert heads(write(), meets, by_threads()) == ["tile[0,", "sync", "sync", "copy", "sync"]
    own = load(mechanism=VECTOR, vector=16)
    assert heads(role(write(), meets, own)) == ["role", "tile[0,", "sync", "copy", "sync"]
