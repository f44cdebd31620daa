"""Barriers of warpgroups have numbers that the program does not use."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import Expr, Lit, Var
from croqc.pipe.named_barriers import first_barrier
from croqc.sema.model import Unit
from croqc.text.span import NOWHERE
from tests.pipe.kernels import arrive
from tests.pipe.lowering import after

MEETS = ir.Sync(NOWHERE, Unit.GROUP4)
TEXT = """
__co__ void k(global f32 [256] x) {
  parallel p by 2 : group-4, t by 128 : thread {
    shared f32 [256] buf;
    buf.at(p # t) = x.at(p # t);
    __bar_sync(1, 256);
    sync.barrier : group-4;
    x.at(p # t) = buf.at(255 - (p # t));
  }
}
"""


def call(number: Expr, name: str = "bar_sync") -> ir.Stmt:
    return ir.Call(NOWHERE, name, (number, Lit(256)))


@pytest.mark.parametrize(
    ("used", "first"),
    [((), 1), ((1,), 2), ((3,), 1), ((2,), 3), ((1, 4), 2), ((1, 3), 4), ((2, 4, 6, 8, 10, 12), 13)],
)
def test_the_lowest_that_are_free(used: tuple[int, ...], first: int) -> None:
    assert first_barrier((*(call(Lit(number)) for number in used), MEETS), 256) == first


def test_arrivals_that_meet_need_them_too() -> None:
    assert first_barrier((call(Lit(1), "bar_arrive"), arrive(meets=True)), 256) == 2
    assert first_barrier((call(Lit(1)), arrive()), 256) == 1


def test_none_are_needed_by_one_warpgroup() -> None:
    assert first_barrier((call(Var("n")), MEETS), 128) == 1


def test_what_cannot_be_is_said_at_the_call() -> None:
    with pytest.raises(LoweringError, match="write it as a number"):
        first_barrier((call(Var("n")), MEETS), 256)
    with pytest.raises(LoweringError, match="the 2 warpgroups of this block need 2 barriers of 16 in a row"):
        first_barrier((*(call(Lit(number)) for number in range(2, 16, 2)), MEETS), 256)


def test_of_a_text() -> None:
    assert after("barriers", TEXT, {}).first_barrier == 2
