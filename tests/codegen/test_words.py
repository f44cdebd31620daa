"""How values are spelled in C++: precedence, literals, casts of narrow floats."""

from __future__ import annotations

from math import inf, nan

import pytest

from croqc.codegen.words import UnsupportedTypeError, quoted, spell, type_word
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Read, Space, Tensor, Var, whole

ROW, COL = Var("i"), Var("j")
HALF, OTHER = Var("h", "f16"), Var("g", "bf16")


def text(expr: Expr, binding: int = 0) -> str:
    return spell(expr, lambda read: f"{read.tile.tensor.name}[{text(read.index[0])}]", binding)


@pytest.mark.parametrize(
    ("expr", "spelled"),
    [
        (Op("*", (Op("+", (ROW, COL)), Lit(2))), "(i + j) * 2"),
        (Op("+", (Op("*", (ROW, COL)), Lit(2))), "i * j + 2"),
        (Op("-", (ROW, Op("-", (COL, Lit(1))))), "i - (j - 1)"),
        (Op("-", (ROW, Op("+", (COL, Lit(1))))), "i - (j + 1)"),
        (Op("/", (ROW, Op("*", (COL, Lit(2))))), "i / (j * 2)"),
        (Op("%", (Op("/", (ROW, COL)), Lit(2))), "i / j % 2"),
        (Op("&&", (Op("||", (ROW, COL), "bool"), ROW), "bool"), "(i || j) && i"),
        (Op("<", (Op("+", (ROW, Lit(1))), COL), "bool"), "i + 1 < j"),
        (Op("==", (Op("<", (ROW, COL), "bool"), Lit(True, "bool")), "bool"), "i < j == true"),
        (Op("!", (Op("<", (ROW, COL), "bool"),), "bool"), "!(i < j)"),
        (Op("-", (Op("+", (ROW, COL)),)), "-(i + j)"),
        (Op("?:", (Op("<", (ROW, COL), "bool"), ROW, Op("?:", (ROW, COL, ROW)))), "i < j ? i : (i ? j : i)"),
        (Fn("cdiv", (Op("+", (ROW, COL)), Lit(4)), "s32"), "cdiv(i + j, 4)"),
        (Fn("ns::f", (ROW, COL), "s32", foreign=True), "ns::f(i, j)"),
        (Read(whole(Tensor("x", "f32", (Lit(8),), Space.GLOBAL)), (Op("+", (ROW, COL)),)), "x[i + j]"),
    ],
)
def test_precedence(expr: Expr, spelled: str) -> None:
    assert text(expr) == spelled


@pytest.mark.parametrize(
    ("expr", "spelled"),
    [
        (Op("<<", (Op("&", (ROW, COL)), Lit(1))), "(i & j) << 1"),
        (Op("&", (Op("<<", (ROW, COL)), Lit(1))), "(i << j) & 1"),
        (Op("|", (Op("&", (ROW, COL)), Lit(1))), "(i & j) | 1"),
        (Op("&", (Op("==", (ROW, COL), "bool"), Lit(1))), "(i == j) & 1"),
    ],
)
def test_bits_are_grouped_for_the_reader(expr: Expr, spelled: str) -> None:
    """C's precedence of these surprises people, and compilers warn."""
    assert text(expr) == spelled


@pytest.mark.parametrize(
    ("literal", "spelled"),
    [
        (Lit(-3), "-3"),
        (Lit(5, "s64"), "5ll"),
        (Lit(True, "bool"), "true"),
        (Lit(1.5, "f32"), "1.5f"),
        (Lit(1e30, "f32"), "1e+30f"),
        (Lit(1.5, "f64"), "1.5"),
        (Lit(-0.0, "f32"), "-0.0f"),
        (Lit(0.5, "f16"), "f16(0.5f)"),
        (Lit(inf, "f32"), "__int_as_float(0x7f800000)"),
        (Lit(-inf, "f32"), "__int_as_float(0xff800000)"),
        (Lit(nan, "f32"), "__int_as_float(0x7fffffff)"),
        (Lit(inf, "f16"), "f16(__int_as_float(0x7f800000))"),
    ],
)
def test_literals(literal: Lit, spelled: str) -> None:
    assert text(literal) == spelled


def test_a_negative_literal_is_a_unary_minus() -> None:
    assert text(Op("-", (ROW, Lit(-3)))) == "i - -3"
    assert text(Op("-", (Lit(-3),))) == "-(-3)"
    assert text(Op("-", (Op("-", (ROW,)),))) == "-(-i)"
    assert text(Op("!", (Op("!", (ROW,), "bool"),), "bool")) == "!(!i)"


@pytest.mark.parametrize(
    ("expr", "spelled"),
    [
        (Cast(ROW, "f32"), "float(i)"),
        (Cast(HALF, "f32"), "float(h)"),
        (Cast(Var("f", "f32"), "f16"), "f16(f)"),
        (Cast(ROW, "f16"), "f16(float(i))"),
        (Cast(HALF, "s32"), "int(float(h))"),
        (Cast(HALF, "f64"), "double(float(h))"),
        (Cast(HALF, "bf16"), "bf16(float(h))"),
        (Op("+", (HALF, HALF), "f16"), "f16(float(h) + float(h))"),
        (Op("-", (HALF,), "f16"), "f16(-float(h))"),
        (Op("<", (HALF, OTHER), "bool"), "float(h) < float(g)"),
        (Fn("__exp", (HALF,), "f16"), "f16(expf(float(h)))"),
        (Fn("__rsqrt", (HALF,), "f16"), "f16(1.0f / sqrtf(float(h)))"),
        (Fn("__exp", (Var("d", "f64"),), "f64"), "exp(d)"),
        (Fn("__ceil", (ROW,), "s32"), "i"),
        (Fn("__fabs", (ROW,), "s32"), "abs(i)"),
    ],
)
def test_narrow_floats_compute_in_single_precision(expr: Expr, spelled: str) -> None:
    assert text(expr) == spelled


def test_types() -> None:
    assert [type_word(elem) for elem in ("s32", "int", "f32", "tf32", "f64", "bool", "u8", "f8_e4m3")] == [
        *("int", "int", "float", "float", "double", "bool", "u8", "f8_e4m3")
    ]
    for elem in ("f4_e2m1", "u1", "f8_ue8m0"):
        with pytest.raises(UnsupportedTypeError, match=elem):
            type_word(elem)


def test_strings_are_plain_ascii() -> None:
    assert quoted('a "b"\\\n\té') == '"a \\"b\\"\\\\\\n\\t\\303\\251"'
