"""Integers compute as the table of 3.1 says: results are values of their type, signed meets unsigned as unsigned.

C computes narrow integers as int, so that generated code must cut them back. The simulator agrees: see the values.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from croqc.engines.sim.code.values import BINARY, arms
from croqc.pipe.build.scalars import wrapped
from croqc.pipe.exprs import Lit, divide, modulo
from croqc.service.check import check_text
from croqc.text.diagnostics import Severity
from tests.codegen.compiling import log_of, lowered

KERNEL = """// croq: run N=32
__co__ void f(global u8 [N] a, global s8 [N] b, global s16 [N] c, global u16 [N] d, global s32 [N] i, global u32 [N] u,
              global s64 [N] l, global u64 [N] w, global f32 [N] r) {{
  parallel t by 32 : thread {{
    x = {expr};
    r.at(t) = __to<f32>(x);
    a.at(t) = 0; b.at(t) = 0; c.at(t) = 0; d.at(t) = 0; i.at(t) = 0; u.at(t) = 0; l.at(t) = 0; w.at(t) = 0;
  }}
}}
"""


def spelled(expr: str, form: str = "x = {expr};") -> str:
    """The C++ of an expression, with its type in front; its unit compiles."""
    report = check_text(KERNEL.replace("x = {expr};", form).format(expr=expr))
    assert [item.message for item in report.diagnostics if item.severity is Severity.ERROR] == []
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    log_of(item.program.unit.text, "sm_90a")
    (found,) = re.findall(r"  const (\w+ x = .*);", item.program.unit.text)
    return found.replace(" x = ", ": ").replace("[t]", "")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        ("a.at(t) + a.at(t)", "u8: u8(a + a)"),
        ("b.at(t) - b.at(t)", "s8: s8(b - b)"),
        ("c.at(t) * c.at(t)", "s16: s16(c * c)"),
        ("b.at(t) / b.at(t)", "s8: s8(b / b)"),  # -128 / -1
        ("d.at(t) % d.at(t)", "u16: d % d"),
        ("a.at(t) & a.at(t)", "u8: a & a"),
        ("a.at(t) << 1", "u8: u8(a << 1)"),
        ("a.at(t) >> 1", "u8: a >> 1"),
        ("-b.at(t)", "s8: s8(-b)"),
        ("~d.at(t)", "u16: u16(~d)"),
        ("(a.at(t) + a.at(t)) / (a.at(t) + a.at(t))", "u8: u8(u8(a + a) / u8(a + a))"),
        ("a.at(t) + a.at(t) < a.at(t)", "bool: u8(a + a) < a"),
        ("t + 6000000000", "s64: s64(t) + 6000000000ll"),  # an index beside 64 bits is no index any more
        ("(t * 3000000000) % 7", "s64: s64(t) * 3000000000ll % 7ll"),
        ("t - 1u", "u32: u32(t) - 1u"),
        ("__to<f64>(0.1f)", "double: double(0.1f)"),  # the digits of f32
        ("__to<f64>(r.at(t)) * 0.1f", "double: double(r) * double(0.1f)"),
        ("__to<f64>(r.at(t)) * 0.5f + 0.1", "double: double(r) * double(0.5f) + 0.1"),
        ("__to<f64>(r.at(t)) * 2.0f", "double: double(r) * 2.0"),
        ("(t > 3 ? l.at(t) : t) + 1", "s64: (t > 3 ? l : s64(t)) + 1ll"),
        ("(t > 3 ? u.at(t) : 1) / 2", "u32: (t > 3 ? u : 1u) / 2u"),
        ("i.at(t) < 5u", "bool: u32(i) < 5u"),
        ("i.at(t) * 3ll", "s64: s64(i) * 3ll"),
        ("u.at(t) * 2147483648", "s64: s64(u) * 2147483648ll"),
        ("u.at(t) * 2147483648u", "u32: u * 2147483648u"),
        ("u.at(t) > 5u - 6u", "bool: u > 4294967295u"),
        ("(t > 5 ? 1u : 2u) - 3u > 7u", "bool: (t > 5 ? 1u : 2u) - 3u > 7u"),  # C must not compute in int
        ("(a.at(t) + a.at(t)) / 2", "int: int(u8(a + a)) / 2"),  # beside a number both are s32
        ("a.at(t) + d.at(t)", "u16: u16(u16(a) + d)"),
        ("a.at(t) + b.at(t)", "u8: u8(a + u8(b))"),
        ("i.at(t) + i.at(t)", "int: i + i"),
        ("u.at(t) - u.at(t)", "u32: u - u"),
        ("__to<f32>(a.at(t) + a.at(t))", "float: float(u8(a + a))"),
    ],
)
def test_narrow_results_are_cut_back(expr: str, text: str) -> None:
    assert spelled(expr) == text


def test_compound_assignment_computes_as_the_expression_does() -> None:
    form = "mutable u8 y = 1; y /= a.at(t); y += b.at(t); x = {expr};"
    report = check_text(KERNEL.replace("x = {expr};", form).format(expr="y"))
    item = lowered(report, report.functions[0])
    assert item.program is not None, item.problem
    assert "y = u8(y / a[t]);" in item.program.unit.text
    assert "y = u8(y + u8(b[t]));" in item.program.unit.text


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        ("i.at(t) < u.at(t)", "u32(i) < u"),
        ("u.at(t) > i.at(t)", "u > u32(i)"),
        ("b.at(t) < a.at(t)", "u8(b) < a"),
        ("a.at(t) >= b.at(t)", "a >= u8(b)"),
        ("c.at(t) < d.at(t)", "u16(c) < d"),
        ("c.at(t) == u.at(t)", "u32(c) == u"),  # unsigned wider than signed
        ("i.at(t) < d.at(t)", "i < int(d)"),  # signed that holds every unsigned value
        ("l.at(t) < u.at(t)", "l < s64(u)"),
        ("l.at(t) < w.at(t)", "u64(l) < w"),
        ("u.at(t) < -1", "u < 4294967295u"),
        ("w.at(t) != -1", "w != 18446744073709551615ull"),
        ("a.at(t) < 10", "int(a) < 10"),
        ("t < u.at(t)", "u32(t) < u"),
    ],
)
def test_comparisons_take_the_type_of_the_table_on_either_side(expr: str, text: str) -> None:
    assert spelled(expr) == f"bool: {text}"


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        ("(t == 0) ? a.at(t) : b.at(t)", "int: t == 0 ? int(a) : int(b)"),
        ("(t == 0) ? a.at(t) : a.at(t)", "u8: t == 0 ? a : a"),
        ("__max(a.at(t), b.at(t))", "u8: max(a, u8(b))"),
        ("__min(w.at(t), 7)", "u64: min(w, 7ull)"),
    ],
)
def test_choices_and_conversions(expr: str, text: str) -> None:
    assert spelled(expr) == text


@pytest.mark.parametrize(("expr", "text"), [("__to<u8>(300)", "u8: 44"), ("__to<s8>(200)", "s8: -56")])
def test_a_converted_number_is_one(expr: str, text: str) -> None:
    """Where it is read its value stands; only an island names it."""
    assert spelled(expr, 'x = {expr}; __cpp__("(void)x;");') == text


@pytest.mark.parametrize(
    ("number", "elem", "left"),
    [
        (300, "u8", 44),
        (-1, "u8", 255),
        (200, "s8", -56),
        (-129, "s8", 127),
        (1 << 31, "s32", -(1 << 31)),
        (5, "s64", 5),
    ],
)
def test_an_integer_type_keeps_the_low_bits(number: int, elem: str, left: int) -> None:
    assert wrapped(number, elem) == left


@pytest.mark.parametrize(
    ("a", "b", "quotient", "rest"), [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1), (-7, -2, 3, -1)]
)
def test_literals_divide_towards_zero(a: int, b: int, quotient: int, rest: int) -> None:
    assert (divide(Lit(a), Lit(b)), modulo(Lit(a), Lit(b))) == (Lit(quotient), Lit(rest))


@pytest.mark.parametrize(
    ("op", "a", "b", "result", "kind"),
    [
        ("<", np.int32(-1), np.uint32(1), False, "bool"),
        ("<", np.int8(-1), np.uint8(1), False, "bool"),
        ("<", np.int16(-1), np.uint32(1), False, "bool"),
        ("<", np.int32(-1), np.uint16(1), True, "bool"),
        ("+", np.int32(-1), np.uint32(1), 0, "uint32"),
        ("-", np.int8(-1), np.uint8(1), 254, "uint8"),
        ("+", np.int32(-1), np.uint16(1), 0, "int32"),
        ("+", np.uint8(200), np.uint8(100), 44, "uint8"),
        ("<<", np.uint8(200), 1, 144, "uint8"),
        (">>", np.int16(-4), 1, -2, "int16"),
        ("cdiv", np.uint8(200), np.uint8(100), 2, "uint8"),
        ("cdiv", np.uint8(201), np.uint8(100), 3, "uint8"),
    ],
)
def test_the_simulator_computes_in_the_types_of_the_table(
    op: str, a: object, b: object, result: int, kind: str
) -> None:
    with np.errstate(over="ignore"):
        found = BINARY[op](np.array([a]), np.array([b]) if isinstance(b, np.generic) else b)
    assert (found.tolist(), found.dtype.name) == ([result], kind)


def test_the_simulator_chooses_among_values_not_types() -> None:
    a, b = np.array([200], np.uint8), np.array([-100], np.int8)
    assert np.where([False], *arms(a, b)).tolist() == [-100]
    wide = arms(np.array([1], np.int64), np.array([2], np.uint64))
    assert [item.dtype.name for item in wide] == ["uint64", "uint64"]
