"""Multiplies that are complete at their statements are waited for once, in front of the first that could tell."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Expr, Fn, Lit, Var, whole
from croqc.pipe.passes.completion import completion
from croqc.pipe.walk import Body
from croqc.sema.model import Unit
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, DST, TILE, arrive, box, held, kernel, load, multiply, put, role, slot, visit, write
from tests.pipe.lowering import after, env_of, only

END = ir.Commit(NOWHERE, movable=True)
PLAIN: Body = (multiply(), END)
STORE = ir.StoreTile(NOWHERE, ACC, Lit(0), box(DST))
FILL = ir.Fill(NOWHERE, ACC, Lit(0), Lit(1.0, "f32"))
WAIT = ir.Wait(NOWHERE, slot())
SYNC = ir.Sync(NOWHERE, Unit.BLOCK)
CALL = ir.Call(NOWHERE, "f", ())
ISLAND = ir.Text(NOWHERE, "f();", frozenset({"f"}))
LOAD = ir.LoadFragment(NOWHERE, "x", whole(TILE), 64, 64, True, Unit.GROUP4, False)
SIZE = Var("K")
BREAK = ir.Jump(NOWHERE, "break")


def let(value: Expr) -> ir.Let:
    return ir.Let(NOWHERE, "x", "s32", value)


PURE = let(Lit(1))
FOREIGN = Fn("f", (), "s32", foreign=True)


def loop(*body: ir.Stmt, stop: Expr = SIZE) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), stop, Lit(1), body)


def sometimes(*body: ir.Stmt) -> ir.If:
    return ir.If(NOWHERE, Var("K"), body)


def told(*body: ir.Stmt) -> str:
    """The statements behind the pass: `M`ultiply, `E`nd, `.` for others; brackets around what stands in one."""
    return _told(completion(kernel(*body), env_of({})).body)


def _told(body: Body) -> str:
    found = ""
    for stmt in body:
        match stmt:
            case ir.Multiply():
                found += "M"
            case ir.Commit():
                found += "?" if stmt.movable else "E"
            case ir.Loop() | ir.Role() | ir.Scope():
                found += f"[{_told(stmt.body)}]"
            case ir.If():
                found += f"[{_told(stmt.then)}]"
            case _:
                found += "."
    return found


@pytest.mark.parametrize(
    ("body", "want"),
    [
        pytest.param((*PLAIN, *PLAIN), "MME", id="a run"),
        pytest.param((*PLAIN, PURE, *PLAIN), "M.ME", id="arithmetic between"),
        pytest.param((loop(PURE, *PLAIN),), "[.M]E", id="a loop of them"),
        pytest.param((loop(loop(*PLAIN), *PLAIN), *PLAIN), "[[M]M]ME", id="nested loops, and one behind"),
        pytest.param((sometimes(*PLAIN), *PLAIN), "[ME]ME", id="under a condition"),
        pytest.param((*PLAIN, WAIT, *PLAIN), "M.ME", id="a wait between"),
        pytest.param((loop(WAIT, loop(*PLAIN), arrive()),), "[.[M]E.]", id="a turn of a consumer"),
        pytest.param((*PLAIN, arrive(), *PLAIN), "ME.ME", id="an arrival"),
        pytest.param((*PLAIN, SYNC), "ME.", id="a barrier"),
        pytest.param((*PLAIN, load()), "ME.", id="a copy"),
        pytest.param((*PLAIN, write()), "ME.", id="a write"),
        pytest.param((*PLAIN, STORE), "ME.", id="a store of the accumulator"),
        pytest.param((*PLAIN, FILL), "ME.", id="a fill of it"),
        pytest.param((*PLAIN, visit(put(held(), Lit(1.0, "f32")))), "ME.", id="a visit of it"),
        pytest.param((*PLAIN, CALL), "ME.", id="a call"),
        pytest.param((*PLAIN, ISLAND), "ME.", id="an island"),
        pytest.param((*PLAIN, let(FOREIGN), *PLAIN), "ME.ME", id="a call in a value"),
        pytest.param((*PLAIN, loop(*PLAIN, stop=FOREIGN)), "ME[ME]", id="a call in a bound"),
        pytest.param((*PLAIN, replace(multiply(), index=FOREIGN), END), "MEME", id="in an operand"),
        pytest.param((loop(*PLAIN, sometimes(BREAK)), *PLAIN), "[ME[.]]ME", id="a jump out of the loop"),
        pytest.param((*PLAIN, loop(load(), *PLAIN)), "ME[.ME]", id="a loop that overwrites operands"),
        pytest.param((role(*PLAIN), SYNC), "[ME].", id="the end of a role"),
        pytest.param((ir.Scope(NOWHERE, PLAIN), *PLAIN), "[ME]ME", id="the end of a level"),
        pytest.param((multiply(a_registers="x"), END, LOAD), "ME.", id="registers that are loaded anew"),
    ],
)
def test_where_runs_end(body: Body, want: str) -> None:
    assert told(*body) == want


def test_an_end_of_the_source_stays_where_it_is() -> None:
    assert told(multiply(), ir.Commit(NOWHERE), PURE, arrive()) == "ME.."


def test_an_end_does_not_move_behind_a_multiply_that_nothing_completes() -> None:
    """`mma.async` without a wait in front of a trigger is a fault, and must stay one."""
    assert told(*PLAIN, multiply(), arrive()) == "MEM."
    assert told(*PLAIN, loop(multiply()), arrive()) == "ME[M]."


def test_instructions_that_run_at_their_place_have_no_groups() -> None:
    by_warps = replace(multiply(), instruction=ir.Instruction.MMA_SYNC)
    assert told(by_warps, END, by_warps, END) == "MEME"


FUTURES = """
__co__ void f(global f16 [64, 128] a, global f16 [64, 128] b, global f32 [64, 64] out) {
  parallel p by 1 : block {
    shared f16 [64, 64] x, y;
    shared event done;
    parallel w by 1 : group-4 {
      c = mma.fill.f32 0.0f;
      dma.copy a.subspan(64, 64).at(0, 0) => x;
      dma.copy b.subspan(64, 64).at(0, 0) => y;
      m = mma.row.row.async c, x, y;
      n = mma.row.row.async c, x, y;
      swap(m, n);
      wait m;
      wait n;
      trigger done;
      mma.store c, out;
    }
  }
}
"""


def test_the_wait_for_a_multiply_ends_its_group_in_front_of_the_trigger() -> None:
    kernel_ = after("commits", FUTURES, {})
    order = [type(stmt) for stmt in only(kernel_, ir.Stmt) if isinstance(stmt, ir.Multiply | ir.Commit | ir.Arrive)]
    assert order == [ir.Multiply, ir.Multiply, ir.Commit, ir.Arrive]
