"""Values and indices that nobody reads are left out; whatever may do something, or is read somewhere, stays."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Read, Space, Tensor, Var, whole
from croqc.pipe.passes.unread import unread
from croqc.pipe.walk import statements
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, DST, SRC, held, kernel, put, slot, visit
from tests.pipe.lowering import env_of

THREE, TURNS = Lit(3), Var("K")


def let(name: str, value: Expr = THREE, changes: bool = False) -> ir.Let:
    return ir.Let(NOWHERE, name, "s32", value, changes)


def loop(name: str, *body: ir.Stmt, stop: Expr = TURNS) -> ir.Loop:
    return ir.Loop(NOWHERE, name, Lit(0), stop, Lit(1), body)


def reads(name: str) -> ir.Write:
    return ir.Write(NOWHERE, whole(DST), (Var(name), Lit(0)), Lit(1.0, "f16"))


def names(*body: ir.Stmt) -> list[str]:
    made = unread(kernel(*body), env_of({"M": 128, "K": 128}))
    return [stmt.name for stmt in statements(made.body) if isinstance(stmt, ir.Let)]


SIZED = whole(Tensor("part", "f16", (Var("a"), Lit(4)), Space.GLOBAL))


@pytest.mark.parametrize(
    ("body", "left"),
    [
        pytest.param((let("a"),), [], id="nobody"),
        pytest.param((let("a"), reads("a")), ["a"], id="behind it"),
        pytest.param((reads("a"), let("a")), [], id="only in front of it"),
        pytest.param((let("a"), let("b", Var("a"))), [], id="by what nobody reads"),
        pytest.param((let("a"), loop("a", reads("a"))), [], id="another of its name"),
        pytest.param((let("a"), loop("k", let("a"), reads("a"))), ["a"], id="another one in a loop"),
        pytest.param((let("a"), loop("a", reads("a")), reads("a")), ["a"], id="behind another one"),
        pytest.param((let("a"), loop("k", reads("k"), stop=Var("a"))), ["a"], id="the bound of a loop"),
        pytest.param((loop("k", let("a"), reads("k")),), [], id="in a loop"),
        pytest.param((let("a"), ir.If(NOWHERE, Var("a", "bool"), ())), ["a"], id="a condition"),
        pytest.param((let("a"), ir.Wait(NOWHERE, replace(slot(), at=Var("a")))), ["a"], id="a slot"),
        pytest.param((let("a"), ir.Text(NOWHERE, "use(A)", frozenset({"use", "A", "a"}))), ["a"], id="an island"),
        pytest.param((let("a", changes=True), ir.Set(NOWHERE, "a", Lit(1))), ["a"], id="a variable"),
        pytest.param((let("a", Fn("next", (), "s32", foreign=True)),), ["a"], id="a device function"),
        pytest.param((let("a", Read(whole(SRC), (Lit(0), Lit(0)))),), [], id="an element"),
        pytest.param((let("a"), let("b", Read(SIZED, (Lit(0), Lit(0)))), reads("b")), ["a", "b"], id="an extent"),
        pytest.param(
            (let("a"), visit(put(held(ACC, register=Var("a")), Lit(0.0, "f32")))), ["a"], id="a register's number"
        ),
        pytest.param((let("a"), reads("b"), ir.Scope(NOWHERE, (reads("a"),))), ["a"], id="in a scope"),
    ],
)
def test_what_is_left_of_the_values(body: tuple[ir.Stmt, ...], left: list[str]) -> None:
    assert names(*body) == left


def test_indices_that_nobody_reads_have_no_name() -> None:
    start = replace(kernel(reads("w")), grid=(Lit(4), Lit(4)), grid_names=("b", "c"), cluster=(("d", 2),))
    made = unread(start, env_of({"M": 128, "K": 128}))
    assert [index.name for index in made.indices] == ["w"]
    assert (made.grid_names, made.cluster) == (("", ""), (("", 2),))
    used = unread(replace(start, body=(let("x", Op("+", (Var("c"), Var("d")))), reads("x"))), env_of({}))
    assert (used.indices, used.grid_names, used.cluster) == ((), ("", "c"), (("d", 2),))
