"""Which rows and columns of an accumulator are tested before they are written."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Tile, Var
from croqc.pipe.passes.cover import cover
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import DST, box, kernel
from tests.pipe.lowering import env_of, only

ACC = ir.Accumulator("acc", "f32", 64, 32, Unit.GROUP4)
REST = Op("-", (Var("M"), Var("at")))


def edge(extent: int) -> Expr:
    return Fn("__min", (Fn("__max", (REST, Lit(0)), "s32"), Lit(extent)), "s32")


def tile(rows: Expr, columns: Expr, *valid: Expr | None) -> Tile:
    return replace(box(DST), origin=(Var("at"), Lit(0)), shape=(rows, columns), valid=valid)


@pytest.mark.parametrize(
    ("dest", "more", "rows", "columns"),
    [
        (tile(Lit(64), Lit(32), None, None), {}, (), ()),
        (tile(Lit(64), Lit(32), edge(64), None), {}, (REST,), ()),  # a row of the tile is below 64 anyhow
        (tile(Lit(48), Lit(32), edge(48), None), {}, (edge(48),), ()),
        (tile(Lit(48), Lit(16), None, None), {}, (Lit(48),), (Lit(16),)),
        (tile(Var("n"), Lit(32), None, None), {}, (Var("n"),), ()),
        (tile(Lit(64), Lit(32), None, None), {"limits": (Var("m"), Var("n"))}, (Var("m"),), (Var("n"),)),
        (tile(Lit(32), Lit(48), edge(32), None), {"transposed": True}, (Lit(48),), (REST,)),
    ],
)
def test_bounds_of_a_store(
    dest: Tile, more: dict[str, object], rows: tuple[Expr, ...], columns: tuple[Expr, ...]
) -> None:
    stmt = replace(ir.StoreTile(NOWHERE, ACC, Lit(0), dest), **more)
    (done,) = only(cover(kernel(stmt), env_of({"M": 100, "K": 32})), ir.StoreTile)
    assert (done.row_limits, done.column_limits) == (rows, columns)
