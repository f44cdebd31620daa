"""Expressions of the host as numbers."""

from __future__ import annotations

import pytest

from croqc.pipe.evaluate import evaluate
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Read, Space, Tensor, Var, whole

SIZES = {"M": 130, "N": 64, "scale": 2.5}
M, N = Var("M"), Var("N")


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (Lit(7), 7),
        (M, 130),
        (Op("+", (M, N)), 194),
        (Op("-", (M, N)), 66),
        (Op("-", (N,)), -64),
        (Op("*", (M, Lit(2))), 260),
        (Op("/", (M, N)), 2),
        (Op("%", (M, N)), 2),
        (Op("/", (Op("-", (N, M)), Lit(32))), -2),  # -66 / 32, towards zero
        (Op("%", (Op("-", (N, M)), Lit(32))), -2),
        (Fn("cdiv", (M, N), "s32"), 3),
        (Op("*", (M, Lit(2**31 // 130 + 1))), 2**31 - 2**31 % 130 + 130 - 2**32),  # 32 bits, as C has them
        (Op("*", (Cast(M, "s64"), Lit(2**31)), "s64"), 130 * 2**31),
        (Op("-", (Cast(N, "u8"), Lit(65, "u8")), "u8"), 255),
        (Fn("__min", (M, N), "s32"), 64),
        (Fn("__max", (M, N), "s32"), 130),
        (Op(">=", (M, N), "bool"), 1),
        (Op("&&", (Op("<", (M, N), "bool"), Lit(True, "bool")), "bool"), 0),
        (Op("||", (Op("<", (M, N), "bool"), Lit(True, "bool")), "bool"), 1),
        (Cast(Var("scale", "f32"), "s32"), 2),
    ],
)
def test_values(expr: Expr, value: int) -> None:
    assert evaluate(expr, SIZES) == value


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (Op("<<", (Lit(1), Lit(-1))), "a shift by -1 has no value: the count must be from 0 to 31"),
        (Op("<<", (Cast(M, "s64"), Lit(64)), "s64"), "a shift by 64 has no value: the count must be from 0 to 63"),
        (Cast(Op("/", (Lit(1.0, "f32"), Lit(0.0, "f32")), "f32"), "s32"), "inf has no value as s32"),
    ],
)
def test_what_c_leaves_open(expr: Expr, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        evaluate(expr, SIZES)


@pytest.mark.parametrize(
    "expr",
    [
        Var("K"),
        Fn("f", (M, N), "s32", foreign=True),
        Fn("__exp", (M,), "f32"),
        Read(whole(Tensor("x", "s32", (N,), Space.GLOBAL)), (Lit(0),)),
    ],
)
def test_what_the_host_cannot_know(expr: Expr) -> None:
    with pytest.raises(ValueError, match="not known at the launch"):
        evaluate(expr, SIZES)
