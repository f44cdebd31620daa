"""Ends of groups of multiplies: in front of every read that a group may be open at, whichever way control took."""

from __future__ import annotations

import pytest

from croqc.pipe import ir
from croqc.pipe.exprs import Lit, Var
from croqc.pipe.passes.commits import commits
from croqc.pipe.walk import Body
from croqc.text.record import replace
from croqc.text.span import NOWHERE
from tests.pipe.kernels import ACC, DST, box, held, kernel, multiply, put, visit
from tests.pipe.lowering import env_of

END, MULTIPLY = ir.Commit(NOWHERE), multiply()
STORE = ir.StoreTile(NOWHERE, ACC, Lit(0), box(DST))
FILL = ir.Fill(NOWHERE, ACC, Lit(0), Lit(1.0, "f32"), declares=True)
OTHER = replace(ACC, name="other")
FENCE = ir.Fence(NOWHERE, ir.Fencing.WGMMA)
READING = multiply(acc=OTHER, a_registers=ACC.name)
ISLAND = ir.Text(NOWHERE, "for (int i = 0; i < 32; ++i) acc[i] *= 2.0f;", frozenset({"for", "int", "i", "acc"}))
BREAK, CONTINUE, RETURN = (ir.Jump(NOWHERE, word) for word in ("break", "continue", "return"))


def loop(*body: ir.Stmt) -> ir.Loop:
    return ir.Loop(NOWHERE, "k", Lit(0), Var("K"), Lit(1), body)


def sometimes(*body: ir.Stmt) -> ir.If:
    return ir.If(NOWHERE, Var("K"), body)


def told(*body: ir.Stmt) -> str:
    """The statements behind the pass: `M`ultiply, `E`nd, `S`ettle, `R`ead, `F`ill, fence `|`, `I`sland, letters of
    jumps; loops in brackets, conditions in braces."""
    return _told(commits(replace(kernel(*body), accumulators=(ACC,)), env_of({})).body)


def _told(body: Body) -> str:
    found = ""
    for stmt in body:
        match stmt:
            case ir.Loop() | ir.While():
                found += f"[{_told(stmt.body)}]"
            case ir.If():
                found += f"{{{_told(stmt.then)}}}"
            case ir.Jump():
                found += stmt.word[0]
            case _:
                marks = {
                    ir.Multiply: "M",
                    ir.Commit: "E",
                    ir.Settle: "S",
                    ir.StoreTile: "R",
                    ir.Visit: "R",
                    ir.Fill: "F",
                    ir.Fence: "|",
                    ir.Text: "I",
                }
                found += marks[type(stmt)]
    return found


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ((MULTIPLY, END, STORE), "MESR"),
        ((END, MULTIPLY, END, END, STORE, END, STORE), "MESRR"),
        ((loop(MULTIPLY, END), END, STORE), "[ME]SR"),
        ((loop(MULTIPLY, sometimes(BREAK), END), END, STORE), "[M{b}E]ESR"),
        ((ir.While(NOWHERE, Var("K"), (MULTIPLY, sometimes(BREAK), END)), END, STORE), "[M{b}E]ESR"),
        ((loop(sometimes(MULTIPLY, BREAK)), END, STORE), "[{Mb}]ESR"),
        ((loop(END, STORE, MULTIPLY, sometimes(CONTINUE), END), END, STORE), "[ESRM{c}E]ESR"),
        ((loop(loop(MULTIPLY, sometimes(BREAK), END), END), END, STORE), "[[M{b}E]E]SR"),
        ((loop(MULTIPLY, sometimes(RETURN), END), END, STORE), "[M{r}E]SR"),
        ((loop(MULTIPLY, END, sometimes(BREAK), STORE), END, STORE), "[ME{b}SR]SR"),
        ((FILL, MULTIPLY), "FM"),
        ((loop(FILL, MULTIPLY),), "[FME]"),
        ((loop(FILL, MULTIPLY, sometimes(CONTINUE)),), "[EFM{c}E]"),
        ((loop(FILL, MULTIPLY, END),), "[FME]"),
        ((loop(FILL, MULTIPLY, sometimes(END, STORE)), END), "[FM{ESR}E]"),
        ((loop(replace(FILL, acc=OTHER), loop(MULTIPLY), ir.Commit(NOWHERE, 1)),), "[F[M]E]"),
        ((MULTIPLY, END, visit(put(held(), Lit(1.0, "f32"))), STORE), "MESRR"),
        ((MULTIPLY, END, ISLAND, STORE), "MESIR"),
        ((MULTIPLY, END, ir.Text(NOWHERE, "accumulated = 1;", frozenset({"accumulated"})), STORE), "MEISR"),
        ((MULTIPLY, END, ir.Text(NOWHERE, "SCALE;", frozenset({"SCALE", "acc"})), STORE), "MESIR"),  # a macro names it
        ((FENCE, MULTIPLY, END, FENCE, READING, END), "|MES|ME"),  # before the fence: it takes copies of registers
        ((FENCE, MULTIPLY, END, READING, END, STORE), "|MESMER"),
        ((loop(FENCE, MULTIPLY, END, FENCE, READING, END), STORE), "[|MES|ME]R"),
    ],
)
def test_ends_and_what_settles_behind_them(body: Body, want: str) -> None:
    assert told(*body) == want
