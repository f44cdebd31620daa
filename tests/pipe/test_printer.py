"""The IR as text: each expression and statement, worked out by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Read, Space, Tensor, Tile, Var, whole
from croqc.pipe.printer import FORMS, expression, tile
from croqc.sema.model import Unit
from croqc.text.span import NOWHERE
from tests.pipe.lowering import lines_of

AT, BY = Var("i"), Var("j")
LHS = Tensor("lhs", "f16", (Var("M"), Var("K")), Space.GLOBAL)
RING = Tensor("ring", "f16", (Lit(64), Lit(64)), Space.SHARED, 3)


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Lit(3), "3"),
        (Lit(3, "s64"), "3:s64"),
        (Lit(True, "bool"), "true"),
        (Lit(0.5, "f32"), "0.5:f32"),
        (Op("*", (Op("+", (AT, BY)), Lit(2))), "(i + j) * 2"),
        (Op("-", (AT, Op("-", (BY, Lit(1))))), "i - (j - 1)"),
        (Op("-", (Op("-", (AT, BY)), Lit(1))), "i - j - 1"),
        (Op("!", (Op("<", (AT, BY), "bool"),), "bool"), "!(i < j)"),
        (Op("?:", (Op("<", (AT, BY), "bool"), AT, BY)), "i < j ? i : j"),
        (Cast(Op("+", (AT, BY)), "f32"), "f32(i + j)"),
        (Fn("cdiv", (AT, Lit(4)), "s32"), "cdiv(i, 4)"),
        (Read(whole(LHS), (AT, BY)), "lhs[0, 0 : M x K].at(i, j)"),
    ],
)
def test_expressions(expr: Expr, text: str) -> None:
    assert expression(expr) == text


def test_a_tile_names_slot_origin_extents_dims_and_bounds() -> None:
    origin = Op("*", (Var("block_m"), Lit(64))), Op("*", (Var("k"), Lit(64)))
    box = Tile(RING, AT, origin, (Lit(64), Lit(128)), (0, 1), (None, None))
    assert tile(box) == "ring[i][block_m * 64, k * 64 : 64 x 128]"
    row = Tile(LHS, Lit(0), (AT, Lit(0)), (Var("K"),), (1,), (Op("-", (Var("K"), BY)),))
    assert tile(row) == "lhs[i, 0 : K] of dims 1 (valid K - j)"


def test_every_statement_has_a_form() -> None:
    kinds = {
        each
        for each in vars(ir).values()
        if isinstance(each, type) and issubclass(each, ir.Stmt) and each is not ir.Stmt
    }
    assert kinds == set(FORMS)


def test_what_is_inside_is_indented_and_what_is_decided_is_named() -> None:
    wait = ir.Wait(NOWHERE, ir.SlotRef("full", AT, ordered=True), "full_phase")
    arrive = ir.Arrive(NOWHERE, ir.SlotRef("empty", AT), Unit.GROUP4, bytes=4096, meets=True)
    body = (ir.Loop(NOWHERE, "i", Lit(0), Lit(4), Lit(1), (wait, arrive), unroll=0),)
    assert lines_of(body, 0) == [
        "for i from 0 to 4 step 1  unroll 0",
        "  wait full[order i]  phase full_phase",
        "  arrive empty[i]  unit group-4, bytes 4096, meets",
    ]


def test_what_a_probe_measures_stands_inside_it() -> None:
    probe = ir.Probe(NOWHERE, 3, AT, Var("k"), (ir.Sync(NOWHERE, Unit.BLOCK),))
    assert lines_of((probe,), 0) == ["probe 3  slot i, turn k", "  sync  unit block"]


def test_both_arms_of_a_condition() -> None:
    jump = ir.Jump(NOWHERE, "break")
    assert lines_of((ir.If(NOWHERE, AT, (jump,), (ir.Sync(NOWHERE, Unit.BLOCK),)),), 1) == [
        "  if i",
        "    break",
        "  else",
        "    sync  unit block",
    ]
