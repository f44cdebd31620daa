"""Zeros that the first multiply makes unnecessary, on kernels by hand."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit, Op, Var
from croqc.pipe.passes.overwrite import overwrite
from croqc.pipe.printer import expression
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import VECTOR, arrive, held, kernel, multiply, put, visit
from tests.pipe.lowering import env_of, only

ENV = env_of({"M": 128, "K": 128})
ACC = multiply().acc
ZEROS = ir.Fill(NOWHERE, ACC, Lit(0), Lit(0.0, "f32"), declares=True)
STEPS = Fn("cdiv", (Var("K"), Lit(64)), "s32")  # K is an extent: at least 1


def loop(*body: ir.Stmt, name: str = "k", start: Expr = Lit(0), stop: Expr = STEPS) -> ir.Loop:  # noqa: B008
    return ir.Loop(NOWHERE, name, start, stop, Lit(1), body)


def adds(*body: ir.Stmt) -> list[str | None]:
    """When each multiply of a body adds, behind the pass."""
    found = only(overwrite(kernel(*body), ENV), ir.Multiply)
    return [None if each.adds is None else expression(each.adds) for each in found]


def test_the_first_turn_overwrites() -> None:
    done = overwrite(kernel(ZEROS, loop(arrive(), multiply(), multiply())), ENV)
    assert [type(stmt) for stmt in done.body] == [ir.Declare, ir.Loop]
    first, second = only(done, ir.Multiply)
    assert first.adds == Op("!=", (Var("k"), Lit(0)), "bool")
    assert second.adds is None


def test_the_first_step_of_the_first_turn_overwrites() -> None:
    assert adds(ZEROS, loop(loop(multiply(), name="step", stop=Lit(4)))) == ["k != 0 || step != 0"]


def test_each_of_several_accumulators_of_a_loop_is_overwritten_first() -> None:
    """Each of them is declared without zeros; none may be added to in the first turn."""
    low = replace(ACC, name="low")
    both = (ZEROS, replace(ZEROS, acc=low), loop(multiply(), multiply(acc=low), multiply()))
    assert adds(*both) == ["k != 0", "k != 0", None]
    assert [type(stmt) for stmt in overwrite(kernel(*both), ENV).body] == [ir.Declare, ir.Declare, ir.Loop]


def test_zeros_of_several_accumulators_of_a_loop_that_may_not_run_stay_in_front_of_it() -> None:
    low = replace(ACC, name="low")
    both = (ZEROS, replace(ZEROS, acc=low), loop(multiply(), multiply(acc=low), stop=Var("turns")))
    assert adds(*both) == ["k != 0", "k != 0"]
    found = overwrite(kernel(*both), ENV)
    assert [type(stmt) for stmt in found.body] == [ir.Declare, ir.Declare, ir.If, ir.If, ir.Loop]
    assert {fill.acc.name for fill in only(found, ir.Fill)} == {ACC.name, "low"}


def test_what_starts_behind_zero_is_compared_with_its_start() -> None:
    assert adds(ZEROS, loop(multiply(), start=Lit(2), stop=Lit(4))) == ["k != 2"]


def test_a_loop_that_may_not_run_keeps_its_zeros() -> None:
    done = overwrite(kernel(ZEROS, loop(multiply(), stop=Var("turns"))), ENV)
    declared, otherwise, _ = done.body
    assert declared == ir.Declare(NOWHERE, ACC)
    assert isinstance(otherwise, ir.If)
    assert expression(otherwise.cond) == "turns <= 0"
    assert otherwise.then == (replace(ZEROS, declares=False),)


def test_the_zeros_of_a_loop_that_may_not_run_stand_directly_in_front_of_it() -> None:
    """Its end is named behind the fill, and only there."""
    named = ir.Let(NOWHERE, "turns", "s32", Var("n"))
    done = overwrite(kernel(ZEROS, named, loop(multiply(), stop=Var("turns"))), ENV)
    assert [type(stmt) for stmt in done.body] == [ir.Declare, ir.Let, ir.If, ir.Loop]


def test_the_fence_in_front_of_a_loop_stays_behind_its_zeros() -> None:
    fence = ir.Fence(NOWHERE, ir.Fencing.WGMMA)
    done = overwrite(kernel(ZEROS, fence, loop(multiply(), stop=Var("turns"))), ENV)
    assert [type(stmt) for stmt in done.body] == [ir.Declare, ir.If, ir.Fence, ir.Loop]


def test_zeros_of_registers_that_exist_go_wholly() -> None:
    done = overwrite(kernel(replace(ZEROS, declares=False), loop(multiply())), ENV)
    assert [type(stmt) for stmt in done.body] == [ir.Loop]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param((replace(ZEROS, value=Lit(1.0, "f32")), loop(multiply())), id="ones"),
        pytest.param((ZEROS, loop(ir.If(NOWHERE, Var("x"), (multiply(),)))), id="behind a condition"),
        pytest.param((ZEROS, loop(ir.Jump(NOWHERE, "continue"), multiply())), id="behind a jump"),
        pytest.param(
            (ZEROS, loop(ir.Text(NOWHERE, "f(acc);", frozenset({"f", "acc"})), multiply())), id="behind a text"
        ),
        pytest.param((ZEROS, loop(loop(multiply(), name="i", stop=Var("turns")))), id="inner loop of no turn"),
        pytest.param((ZEROS, loop(multiply(instruction=ir.Instruction.MMA_SYNC))), id="mma.sync"),
        pytest.param(
            (replace(ZEROS, acc=replace(ACC, count=2)), loop(multiply(acc=replace(ACC, count=2)))), id="an array"
        ),
    ],
)
def test_other_zeros_stay(body: tuple[ir.Stmt, ...]) -> None:
    assert overwrite(kernel(*body), ENV).body == body


def test_a_multiply_right_behind_zeros_overwrites() -> None:
    done = overwrite(kernel(ZEROS, multiply(), multiply()), ENV)
    assert [type(stmt) for stmt in done.body] == [ir.Declare, ir.Multiply, ir.Multiply]
    assert [each.adds for each in only(done, ir.Multiply)] == [Lit(False, "bool"), None]


def test_zeros_of_each_turn_go_and_those_before_the_loop_stay() -> None:
    done = overwrite(kernel(ZEROS, loop(replace(ZEROS, declares=False), multiply())), ENV)
    assert [type(stmt) for stmt in done.body] == [ir.Fill, ir.Loop]
    assert [each.adds for each in only(done, ir.Multiply)] == [Lit(False, "bool")]


def test_ordinary_code_on_elements_sees_the_zeros() -> None:
    for stmt in (visit(put(held(), Lit(1.0, "f32"))), ir.Reduce(NOWHERE, "sum", VECTOR, Lit(0), ACC, Lit(0))):
        assert adds(ZEROS, stmt, multiply()) == [None]


def test_another_accumulator_is_let_by() -> None:
    other = ir.Accumulator("other", "f32", 64, 64, Unit.GROUP4)
    assert adds(ZEROS, loop(multiply(acc=other), multiply())) == [None, "k != 0"]
