"""Which stores may meet elements that a TMA store is still on its way to, and who waits for it then."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.again import overtaken
from croqc.pipe.exprs import ZERO, Expr, Lit, Op, Var
from croqc.pipe.passes.barriers import barriers
from croqc.pipe.passes.stored import stored
from croqc.pipe.walk import statements
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, DST, box, kernel, role, store
from tests.pipe.lowering import env_of

ENV = env_of({"M": 128, "K": 128})
TMA, VECTOR = ir.Mechanism.TMA, ir.Mechanism.VECTOR
B, K, I = Var("b"), Var("k"), Var("i")  # noqa: E741
HALF = ir.Let(NOWHERE, "i", "s32", Op("/", (K, Lit(2)), "s32"))
ROWS = ir.Let(NOWHERE, "i", "s32", Op("*", (K, Lit(64)), "s32"))


def of(left: Expr, by: int, more: int = 0) -> Expr:
    return Op("+", (Op("*", (left, Lit(by)), "s32"), Lit(more)), "s32")


def out(row: Expr, column: Expr = ZERO, mechanism: ir.Mechanism = TMA) -> ir.Copy:
    """A store of 64 x 64 elements."""
    return store(Unit.BLOCK, dest=box(DST, row, column), mechanism=mechanism, vector=16)


def turns(*body: ir.Stmt, step: int = 1) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), Lit(8), Lit(step), body)


def meets(*body: ir.Stmt) -> bool:
    return overtaken(kernel(*body)) == {"dst"}


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        (out(B), out(B), True),
        (out(B), out(B, mechanism=VECTOR), True),
        (out(B), ir.StoreTile(NOWHERE, ACC, Lit(0), box(DST, B, Lit(0))), True),
        (out(B), ir.Write(NOWHERE, box(DST), (Lit(0), Lit(0)), Lit(1.0, "f16")), True),
        (out(Lit(0)), out(Lit(64)), False),
        (out(Lit(0)), out(Lit(63)), True),
        (out(of(B, 128)), out(of(B, 128, 64)), False),
        (out(of(B, 128, 64)), out(of(B, 128)), False),
        (out(of(B, 128)), out(of(B, 128, 32)), True),
        (out(of(B, 32)), out(of(B, 32, 64)), False),  # the block's number is the same in both
        (out(of(I, 32)), out(of(I, 32, 64)), True),  # a variable need not be
        (out(of(I, 128)), out(of(I, 128, 64)), False),  # whatever it is
        (out(of(I, 128)), out(of(I, 128, 96)), True),  # reaches into the next one's
        (out(I), out(B, Lit(64)), False),  # columns of their own
    ],
)  # fmt: skip
def test_two_stores(one: ir.Stmt, other: ir.Stmt, may: bool) -> None:
    assert meets(one, other) is may


def test_ordinary_stores_end_in_order() -> None:
    assert not meets(out(B, mechanism=VECTOR), out(B, mechanism=VECTOR))
    assert not meets(out(B, mechanism=VECTOR), out(B))


@pytest.mark.parametrize(
    ("loop", "may"),
    [
        (turns(out(B)), True),
        (turns(out(of(K, 64))), False),
        (turns(out(of(K, 32))), True),
        (turns(out(of(K, 32)), step=2), False),
        (turns(HALF, out(of(I, 64))), True),
        (turns(ROWS, out(I)), False),
        (turns(out(of(B, 512, 0)), out(of(B, 512, 64))), True),
        (ir.While(NOWHERE, Lit(True, "bool"), (out(of(K, 64)),)), True),
        (replace(turns(turns(out(of(K, 64)))), name="j"), True),
        (replace(turns(turns(out(of(K, 64), of(Var("j"), 64)))), name="j"), False),
    ],
)
def test_one_store_in_several_turns(loop: ir.Stmt, may: bool) -> None:
    assert meets(loop) is may


def test_what_has_been_written_is_overtaken_by_nothing() -> None:
    wait = ir.StoresRead(NOWHERE, Unit.BLOCK, 0, True)
    assert not meets(out(B), wait, out(B))
    assert meets(out(B), replace(wait, keep=1), out(B))
    assert meets(out(B), replace(wait, written=False), out(B))
    assert not meets(turns(wait, out(B)))


def test_an_island_may_look_at_it() -> None:
    assert meets(out(B), ir.Text(NOWHERE, "look();", frozenset({"look"})))


def waits(*body: ir.Stmt) -> list[bool]:
    """Whether each wait is for what is written."""
    done = stored(barriers(kernel(*body), ENV), ENV)
    return [stmt.written for stmt in statements(done.body) if isinstance(stmt, ir.StoresRead)]


def test_waits_are_for_what_is_written_where_it_may_be_overtaken() -> None:
    assert waits(out(B), out(B, mechanism=VECTOR)) == [True]
    assert waits(out(of(B, 128)), out(of(B, 128, 64))) == [False, False]
    assert waits(role(turns(out(B)))) == [True]
