"""Findings of copies into made buffers, multiplies, returns and operators that depend on no declared type."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.text.diagnostics import Severity
from tests.sema.study import study

KERNEL = (
    "__co__ void f(global f16 [64, 64] x, global f16 [64, 64] w, global f32 [64, 64] y, s32 n) {{\n"
    "  parallel b by 2 : block {{\n{}\n  }}\n}}\n"
)


def errors(text: str) -> list[tuple[str, str]]:
    found = [item for item in check_text(text).diagnostics if item.severity is Severity.ERROR]
    return [(item.code, text[item.span.start : item.span.end]) for item in found]


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("t = dma.transp<0, 0> x => shared; dma.copy t.data => w;", "transpose-order"),
        ("t = dma.transp<0> x => shared; dma.copy t.data => w;", "transpose-order"),
        ("t = dma.pad<{1}, {1, 1}, {0, 0}, 0.0f> x => shared; dma.copy t.data => w;", "pad-lists"),
        ("t = dma.pad<{1, 1}, {1, 1}, {1, 0}, 0.0f> x => shared;", "pad-lists"),
    ],
)
def test_lists_of_a_copy_into_a_made_buffer(line: str, rule: str) -> None:
    assert [code for code, _ in errors(KERNEL.format(line))] == [rule]


def test_lists_that_fit_a_made_buffer() -> None:
    assert errors(KERNEL.format("t = dma.transp<1, 0> x => shared; dma.copy t.data => w;")) == []


MULTIPLY = """
    shared f16 [64, 64] p; shared f16 [64, 64] q; shared f32 [4096] z;
    dma.copy x => p; dma.copy w => q;
    parallel g by 1 : group-4 {{
      acc = mma.fill.f32 0.0f;
      mma.row.row acc, {}, {};
      mma.store acc, {};
    }}"""


@pytest.mark.parametrize(
    ("a", "b", "dest", "found"),
    [
        ("p", "q", "y", []),
        ("x", "q", "y", ["x"]),
        ("p", "w", "y", ["w"]),
        ("x", "w", "y", ["w", "x"]),
        ("p", "q", "z", ["z"]),
    ],
)
def test_where_a_multiply_reads_and_writes(a: str, b: str, dest: str, found: list[str]) -> None:
    text = KERNEL.format(MULTIPLY.format(a, b, dest))
    assert sorted(errors(text)) == [("multiply-operand", name) for name in found]


@pytest.mark.parametrize("columns", [224, 240, 256])
def test_integer_multiplies_as_wide_as_the_hardware_has_them(columns: int) -> None:
    text = (
        f"__co__ void f(global s8 [64, 64] x, global s8 [{columns}, 64] w, global s32 [64, {columns}] y) {{\n"
        f"  parallel b by 1 : block {{\n    shared s8 [64, 64] p; shared s8 [{columns}, 64] q;\n"
        "    dma.copy x => p; dma.copy w => q;\n    parallel g by 1 : group-4 {\n"
        "      acc = mma.fill.s32 0;\n      mma.row.row acc, p, q;\n      mma.store acc, y;\n    }\n  }\n}\n"
    )
    assert errors(text) == []
    [info] = study(text).analysis.model.multiplies.values()
    assert (info.m, info.n, info.k_step) == (64, columns, 32)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if (n > 1) { return 1; } return 1.0f;", [("return-types", "1.0f")]),
        ("if (n > 1) { return 1.0f; } return n;", [("return-types", "n")]),
        ("if (n > 1) { return 1; } return n;", []),
    ],
)
def test_returns_of_numbers_where_the_type_is_deduced(body: str, found: list[tuple[str, str]]) -> None:
    assert errors(f"__co__ auto f(s32 n) {{ {body} }}\n") == found


def test_returns_of_numbers_convert_to_a_declared_type() -> None:
    assert errors("__co__ f32 f(s32 n) { if (n > 1) { return 1.0f; } return n; }\n") == []


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("5.0f % 2.0f", True),
        ("n % 2.0f", True),
        ("n % 2", False),
        ('"p" == "q"', True),
        ('"p" < "q"', True),
        ("n == 2", False),
        ("(n > 1) == (n > 2)", False),
    ],
)
def test_operands_of_remainder_and_comparison(expression: str, wrong: bool) -> None:
    found = errors(f"__co__ void f(s32 n) {{ x = {expression}; }}\n")
    assert found == ([("operand-types", expression)] if wrong else [])


def test_a_call_of_a_function_of_the_file() -> None:
    caller = "__co__ void f(s32 n) { parallel b by 1 { call g(n); } }\n"
    assert errors(f"__co__ void g(s32 n) {{ }}\n{caller}") == [("co-function-call", "g")]
    assert errors(f"{caller}__co__ void g(s32 n) {{ }}\n") == [("co-function-call", "g")]
    assert errors(f"__co__ void g(s32 n) {{ }}\n__device__ void g(int n) {{ }}\n{caller}") == []


@pytest.mark.parametrize(
    ("params", "repeats"),
    [
        ("global f32 [M] y", True),
        ("global f32 [8] y", True),
        ("global f16 [M] y", False),
        ("f32 [M]& y", False),
        ("global f32 [M, 4] y", False),
        ("global f32 [M] y, s32 n", False),
    ],
)
def test_two_functions_of_one_name(params: str, repeats: bool) -> None:
    text = f"__co__ void f(global f32 [N] x) {{ }}\n__co__ void f({params}) {{ }}\n"
    found = check_text(text).diagnostics
    assert [(item.code, item.span.start) for item in found] == (
        [("redeclared-function", text.rindex("f("))] if repeats else []
    )


@pytest.mark.parametrize(
    ("param", "statement", "marked"),
    [
        ("f32 [64] x", "x.at(b) = 1.0f; x.at(b) = 2.0f;", ["x.at(b)"]),
        ("f32 [64] x", "v = x.span_as(8, 8); v.at(b, 0) = 1.0f;", ["v.at(b, 0)"]),
        ("f32 [64] x", "dma.copy y => x;", ["x"]),
        ("f32 [64] x", "dma.copy x => y;", []),
        ("f32 [64]& x", "x.at(b) = 1.0f;", []),
        ("global f32 [64] x", "x.at(b) = 1.0f;", []),
    ],
)
def test_writes_that_do_not_reach_the_caller(param: str, statement: str, marked: list[str]) -> None:
    text = f"__co__ void f({param}) {{ parallel b by 8 : block {{ shared f32 [64] y; {statement} }} }}\n"
    found = [item for item in check_text(text).diagnostics if item.code == "lost-write"]
    assert [text[item.span.start : item.span.end] for item in found] == marked
