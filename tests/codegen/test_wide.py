"""Offsets that may pass 2^31 are computed in 64 bits, on the card and on the host; what sizes bound stays in 32."""

from __future__ import annotations

import pytest

from croqc.codegen.words import spell
from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var
from croqc.pipe.wide import is_small, widened
from croqc.service.check import check_text
from croqc.service.cuda import cuda_of
from tests.codegen.compiling import log_of

M, N, AT = Var("M"), Var("N"), Var("i")
MN = Op("*", (M, N))
KERNEL = """// croq: run M=128 N=128
__co__ void big(global f16 [M, N] x, global f16 [M, N, 4] y) {
  parallel b by cdiv(M * N, 256) : block, t by 256 : thread {
    BODY
  }
}
"""


def line_of(body: str, value: str) -> str:
    """The line of the unit that holds a value; the unit compiles."""
    report = check_text(KERNEL.replace("BODY", body))
    found = cuda_of(report, None, {}, "full")
    assert found.problems == ()
    log_of(found.result.text, "sm_90a")
    (line,) = (line.strip() for line in found.result.text.splitlines() if value in line)
    return line


@pytest.mark.parametrize(
    ("extent", "small"),
    [
        (M, True),
        (Lit(2**31 - 1), True),
        (Lit(2**31), False),
        (Var("L", "s64"), False),
        (MN, False),
        (Op("+", (M, N)), False),
        (Op("/", (M, Lit(2))), True),
        (Op("/", (MN, Lit(2))), False),
        (Fn("cdiv", (M, Lit(64)), "s32"), True),
        (Fn("cdiv", (MN, Lit(64)), "s32"), False),
        (Fn("__min", (MN, Lit(64)), "s32"), True),
        (Cast(MN, "s32"), True),
    ],
    ids=str,
)
def test_what_certainly_fits_32_bits(extent: Expr, small: bool) -> None:
    assert is_small(extent) is small


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (AT, "i"),
        (Op("+", (AT, Lit(1))), "s64(i) + 1"),
        (Op("+", (Op("*", (AT, Lit(256))), M)), "s64(i) * 256 + M"),
        (Op("/", (MN, Lit(4))), "s64(M) * N / 4"),
        (Op("/", (AT, Lit(4))), "i / 4"),
        (Op("*", (MN, Op("*", (AT, AT)))), "s64(M) * N * (s64(i) * i)"),
        (Fn("cdiv", (MN, Lit(256)), "s32"), "cdiv(s64(M) * N, 256ll)"),
        (Fn("cdiv", (M, Lit(256)), "s32"), "cdiv(M, 256)"),
        (Fn("__min", (MN, AT), "s32"), "min(s64(M) * N, s64(i))"),
    ],
)
def test_no_sum_or_product_is_left_in_32_bits(expr: Expr, text: str) -> None:
    assert spell(widened(expr), lambda read: "") == text


@pytest.mark.parametrize(
    ("body", "value", "line"),
    [
        ("v = x.span_as([M * N]); v.at(b * 256 + t) = 7.0f;", "7.0f", "x[s64(b) * 256 + t] = f16(7.0f);"),
        ("v = x.span_as([M * N]); v.at(b # t) = 7.0f;", "7.0f", "x[s64(b) * 256 + t] = f16(7.0f);"),
        ("v = y.span_as([M * N, 4]); v.at(b # t, 2) = 7.0f;", "7.0f", "y[(s64(b) * 256 + t) * 4 + 2] = f16(7.0f);"),
        ("v = y.span_as([4, M * N]); v.at(1, t) = 7.0f;", "7.0f", "y[s64(1) * (s64(M) * N) + t] = f16(7.0f);"),
        ("y.at(t, 1, 0) = 7.0f;", "7.0f", "y[s64(t) * (s64(N) * 4) + s64(1) * 4] = f16(7.0f);"),
        (
            "v = x.span_as([M * N]).subspan(256).at(b); v.at(t) = 7.0f;",
            "if (",
            "if (t < int(min(max(s64(M) * N - s64(b) * 256, 0ll), 256ll))) {",
        ),
    ],
)
def test_offsets(body: str, value: str, line: str) -> None:
    report = check_text(KERNEL.replace("BODY", body))
    text = cuda_of(report, None, {}).result.text
    log_of(text, "sm_90a")
    kernel = text[text.index('extern "C"') :]
    assert [found.strip() for found in kernel.splitlines() if value in found] == [line]


def test_the_host_counts_blocks_in_64_bits() -> None:
    assert "dim3(cdiv(s64(M) * N, 256ll), 1, 1)" in line_of("x.at(0, 0) = 1.0f;", "launch_overlapping(big, ")
    told = line_of("x.at(0, 0) = 1.0f;", "a launch needs blocks")
    assert told == 'require(cdiv(s64(M) * N, 256ll) > 0, "a launch needs blocks: cdiv(M * N, 256) is 0 or less");'
    most = line_of("x.at(0, 0) = 1.0f;", "a grid has up to")
    assert most.startswith("require(cdiv(s64(M) * N, 256ll) <= 2147483647, ")


TRANSFER = """// croq: run M=128 N=64
__co__ void part(global f32 [M, N] x, global f32 [M, N] y) {
  parallel b by cdiv(M * N, 64) : block {
    shared f32 [64] buf;
    parallel p by 1 : group-4 {
      tma.copy.zfill x.span_as([M * N]).subspan(64).at(b) => buf;
      tma.copy buf => y.span_as([M * N]).subspan(64).at(b);
    }
  }
}
"""


def test_tma_counts_in_32_bits() -> None:
    report = check_text(TRANSFER)
    found = cuda_of(report, None, {}, "full")
    assert found.problems == ()
    assert 'require(s64(M) * N <= 2147483647, "TMA counts up to 2147483647: M * N is more");' in found.result.text
    assert "{cuuint64_t(s64(M) * N)}" in found.result.text
    (problem,) = cuda_of(report, None, {"M": 65536, "N": 65536}).problems
    assert "4,294,967,296 elements long for TMA, which counts in 32 bits" in problem.message
