"""Where a load may land with an event: slots and generations of the waits in front of each access of what it loads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Read, Space, Tensor, Tile, Var, whole
from croqc.pipe.published import Published
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import FULL, arrive, kernel, load, role, shared

RING = Tensor("ring", "f16", (Lit(64), Lit(64)), Space.SHARED, slots=2)
K, S, ZERO, ONE = Var("k"), Var("s"), Lit(0), Lit(1)
K_MOD_2 = Op("%", (K, Lit(2)))
OTHERS = (replace(FULL, name="empty"), replace(FULL, name="done"))


def at(number: Expr, event: str = "full", ordered: bool = False) -> ir.SlotRef:
    return ir.SlotRef(event, number, ordered)


def wait(number: Expr = ZERO, event: str = "full", ordered: bool = False) -> ir.Wait:
    return ir.Wait(NOWHERE, at(number, event, ordered))


def give(number: Expr = ZERO) -> ir.Arrive:
    return arrive(slot=at(number, "empty"))


def read(number: Expr = ZERO) -> ir.Let:
    return ir.Let(NOWHERE, "x", "f16", Read(tile(number), (ZERO, ZERO)))


def tile(number: Expr) -> Tile:
    return whole(RING, number)


def loop(*body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", ZERO, Var("K"), ONE, body)


def lands_in(
    around: Callable[[ir.Copy, ir.Arrive], ir.Stmt],
    reader: tuple[ir.Stmt, ...],
    into: Expr = K_MOD_2,
    told: Expr = K_MOD_2,
    slots: int = 2,
) -> bool:
    """Whether the load of `ring[into]` may land with `trigger full[told]` behind it."""
    copy, told_of = replace(load(), dest=tile(into)), arrive(slot=at(told))
    full = replace(FULL, slots=slots, arrivals=(1,) * slots)
    made = kernel(role(around(copy, told_of)), role(*reader, path="path w == 1"), events=(full, *OTHERS))
    return Published(replace(made, shared=(shared(RING),))).may_land_with(copy, told_of)


def lands(
    reader: tuple[ir.Stmt, ...], into: Expr = K_MOD_2, told: Expr = K_MOD_2, slots: int = 2, once: bool = False
) -> bool:
    """The same in a loop that waits for its slot, or once."""

    def around(copy: ir.Copy, told_of: ir.Arrive) -> ir.Stmt:
        return ir.If(NOWHERE, K, (copy, told_of)) if once else loop(wait(told, "empty"), copy, told_of)

    return lands_in(around, reader, into, told, slots)


LET = ir.Let(NOWHERE, "s", "s32", K_MOD_2)
CHANGING = ir.Let(NOWHERE, "s", "s32", ZERO, changes=True)
MOVE = ir.Set(NOWHERE, "s", Op("%", (Op("+", (S, ONE)), Lit(2))))


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param((loop(wait(K_MOD_2), read(K_MOD_2), give(K_MOD_2)),), id="a ring"),
        pytest.param((loop(LET, wait(S), read(K_MOD_2), give(S)),), id="a name for the slot"),
        pytest.param((loop(wait(K, ordered=True), read(K_MOD_2), give(K_MOD_2)),), id="by order"),
        pytest.param((loop(wait(ZERO), read(ZERO), give(ZERO), wait(ONE), read(ONE), give(ONE)),), id="unrolled"),
        pytest.param((loop(wait(ZERO), wait(ONE), read(ZERO), give(ZERO), read(ONE), give(ONE)),), id="both at once"),
        pytest.param((CHANGING, loop(wait(S), read(S), give(S), MOVE)), id="a variable that moves on"),
    ],
)
def test_the_slot_that_was_waited_for_may_be_read(reader: tuple[ir.Stmt, ...]) -> None:
    assert lands(reader)


@pytest.mark.parametrize(
    "reader",
    [
        pytest.param((loop(wait(ONE), read(ZERO), read(ONE), give(ZERO)),), id="another slot"),
        pytest.param((loop(wait(K_MOD_2), read(K), give(K_MOD_2)),), id="perhaps another slot"),
        pytest.param((CHANGING, loop(wait(S), MOVE, read(S), give(S))), id="the variable has moved on"),
        pytest.param((wait(ZERO), loop(wait(ZERO, "done"), read(ZERO), give(ZERO))), id="the first turn's generation"),
        pytest.param(
            (loop(wait(ZERO), read(ZERO), give(ZERO), wait(ZERO, "done"), read(ZERO), give(ZERO)),),
            id="the generation before",
        ),
        pytest.param(
            (wait(ZERO), ir.Call(NOWHERE, "bar_sync", (ONE, Lit(256))), read(ZERO)),
            id="behind a barrier of the program",
        ),
    ],
)
def test_another_slot_or_generation_tells_nothing(reader: tuple[ir.Stmt, ...]) -> None:
    assert not lands(reader)


def test_what_tells_of_another_slot_of_the_ring_does_not_matter() -> None:
    reader = (loop(wait(ZERO), read(ZERO), give(ZERO), wait(ONE, "done"), read(ONE), give(ONE)),)
    assert lands(reader, into=ZERO, told=ZERO)
    assert not lands(reader, into=ONE, told=ZERO)


def test_a_slot_of_another_number_is_waited_for_by_that_number() -> None:
    assert lands((loop(wait(ONE), read(ZERO), give(ZERO)),), into=ZERO, told=ONE)
    assert not lands((loop(wait(ZERO), read(ZERO), give(ZERO)),), into=ZERO, told=ONE)


def test_an_event_of_one_slot_tells_of_all_that_came_before() -> None:
    assert lands((loop(wait(), read(K_MOD_2), give()),), told=ZERO, slots=1)


def test_what_is_loaded_once_stays_told_of() -> None:
    """As the queries of an attention kernel, with a ring beside them."""
    reader = (wait(), loop(wait(K_MOD_2, "done"), read(ZERO), give(K_MOD_2)))
    assert lands(reader, ZERO, ZERO, once=True)
    assert not lands(reader, ZERO, ZERO)


# --- the next generation -------------------------------------------------------------------------

READER = (loop(wait(K_MOD_2), read(K_MOD_2), give(K_MOD_2)),)


def turns(stop: Expr, *body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", ZERO, stop, ONE, body)


def test_a_path_that_comes_again_without_a_wait_waits_for_its_loads() -> None:
    """Its next arrival at the slot could meet bytes that are under way: one arrival too many for the generation."""
    assert not lands_in(lambda *both: loop(*both), READER)
    assert not lands_in(lambda *both: ir.While(NOWHERE, K, both), READER)
    assert lands_in(lambda *both: loop(wait(K_MOD_2, "empty"), *both), READER)


@pytest.mark.parametrize("number", [K, K_MOD_2])
def test_the_first_loads_of_a_ring_need_no_wait(number: Expr) -> None:
    """Each turn has a slot of its own, as long as there are no more turns than slots."""

    def first(stop: Expr, *around: ir.Stmt) -> bool:
        def made(*both: ir.Stmt) -> ir.Stmt:
            inner = turns(stop, *both)
            return replace(turns(Var("T"), *around, inner), name="t") if around else inner

        return lands_in(made, READER, number, number)

    assert first(Lit(2))
    assert first(Fn("__min", (Var("K"), Lit(2)), "s32"))
    assert not first(Lit(3))
    assert not first(Var("K"))
    assert not first(Lit(2), give())
    assert first(Lit(2), wait(ZERO, "done"))
