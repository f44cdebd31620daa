"""Shapes as C writes them: one finding for a declaration, and the one fix that gives the declaration that was meant."""

from __future__ import annotations

import pytest

from croqc.service.check import check_text
from croqc.service.fix import fix_text
from croqc.text.edits import apply_edits

LOCAL = "__co__ void f(global f32 [N] x) {{ parallel b by N : block {{ {} x.at(b) = 0.0f; }} }}\n"
PARAM = "__co__ void f({}) {{ parallel b by M : block {{ x.at(b) = 0.0f; }} }}\n"


def syntax_findings(text: str) -> list[tuple[str, str]]:
    return [(item.message, item.hint) for item in check_text(text).diagnostics if item.code == "syntax-error"]


def fixed(text: str) -> str:
    """The text after the fixes of its syntax errors."""
    found = [item for item in check_text(text).diagnostics if item.code == "syntax-error"]
    return apply_edits(text, [edit for item in found for edit in item.fixes[0].edits])


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("shared f32 s[16, 64];", "shared f32 [16, 64] s;"),
        ("shared f32 s[16][64];", "shared f32 [16, 64] s;"),
        ("shared f32 [16][64] s;", "shared f32 [16, 64] s;"),
        ("local f32 s[4] = {0.5f};", "local f32 [4] s{0.5f};"),
        ("local f32 s[4] = 0.5f;", "local f32 [4] s{0.5f};"),
        ("local mutable f32 s[4]{0.5f};", "local f32 [4] s{0.5f};"),
        ("local int s[4];", "local s32 [4] s;"),
        ("shared f32 s[8], t[8];", "shared f32 [8] s, t;"),
        ("shared f32 s[8], t[4][2], u[8];", "shared f32 [8] s; shared f32 [4, 2] t; shared f32 [8] u;"),
        ("local f32 s = 1.0f, t[4] = {2.0f};", "local f32 s = 1.0f; local f32 [4] t{2.0f};"),
        ("shared event s[2, 3];", "shared event s[2][3];"),
        ("shared f32 [4] s[2, 3];", "shared f32 [4] s[2][3];"),
    ],
)
def test_a_shape_behind_the_name_of_a_local_is_one_finding_with_its_fix(written: str, meant: str) -> None:
    text = LOCAL.format(written)
    assert len(syntax_findings(text)) == 1
    assert fixed(text) == LOCAL.format(meant)
    assert syntax_findings(LOCAL.format(meant)) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("global f32 x[M]", "global f32 [M] x"),
        ("global f32 x[M, N]", "global f32 [M, N] x"),
        ("global f32 x[M][N]", "global f32 [M, N] x"),
        ("global f32 [M][N] x", "global f32 [M, N] x"),
        ("int x[M]", "s32 [M] x"),
    ],
)
def test_a_shape_behind_the_name_of_a_parameter(written: str, meant: str) -> None:
    text = PARAM.format(written)
    assert len(syntax_findings(text)) == 1
    assert fixed(text) == PARAM.format(meant)


def test_a_kernel_with_shapes_behind_names_has_no_followers_and_is_fixed_safely() -> None:
    text = """// croq: run M=8 N=256
// croq: expect y == x
__co__ void cp(global f32 x[M, N], global f32 y[M][N]) {
  parallel r by M : block, t by 128 : thread {
    foreach k in [cdiv(N, 128)] { c = k * 128 + t; if (c < N) y.at(r, c) = x.at(r, c); }
  }
}
"""
    report = check_text(text)
    assert [(item.message, item.hint) for item in report.diagnostics] == [
        ("the shape goes between type and name", "write 'f32 [M, N] x'")
    ]
    result = fix_text(report, lambda new, _: check_text(new))
    assert "cp(global f32 [M, N] x, global f32 [M, N] y)" in result.report.source.text
    assert list(result.report.diagnostics) == []


def test_a_macro_in_the_shape_stays_as_it_is_written() -> None:
    text = "#define TM 64\n" + LOCAL.format("shared f32 s[16, TM];")
    assert fixed(text) == "#define TM 64\n" + LOCAL.format("shared f32 [16, TM] s;")
    made = "#define S s[4]\n" + LOCAL.format("shared f32 S;")
    assert [item.fixes for item in check_text(made).diagnostics if item.code == "syntax-error"] == [()]


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("local int s[3] = {1, 2, 3};", "write 's32 [3] s', and '{v}' to fill it with one value"),
        ("mutable s[2];", "write 'f32 [2] s'"),
        ("shared f32 s[8] /* rows */, t[8];", "write 'f32 [8] s'"),
    ],
)
def test_no_fix_where_it_would_lose_or_guess_something(written: str, hint: str) -> None:
    found = [item for item in check_text(LOCAL.format(written)).diagnostics if item.code == "syntax-error"]
    assert [(item.hint, item.fixes) for item in found] == [(hint, ())]


def test_a_parameter_is_no_array_of_buffers() -> None:
    [(message, hint)] = syntax_findings(PARAM.format("global f32 [M] x[2]"))
    assert (message, hint) == ("a parameter is no array of buffers", "give all extents in front of the name")
