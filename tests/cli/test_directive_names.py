"""`check` holds run, expect and model lines against the kernel that they concern, as a run would."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Croq

KERNEL = """__co__ auto f(s32 [N] x, int n, global s32 [N] y) {
  s32 [N] sum;
  parallel p by N : thread
    sum.at(p) = x.at(p) + y.at(p) * n;
  return sum;
}
"""


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("run NN=3", 14, "'NN' is no size or scalar parameter of this kernel"),
        ("run y=3", 14, "'y' is no size or scalar parameter of this kernel"),
        ("expect summ == x", 17, "'summ' is no parameter, size or result of this kernel"),
        ("expect sum == x + z * n", 28, "'z' is no parameter, size or result of this kernel"),
    ],
)
def test_unknown_names(croq: Croq, line: str, column: int, message: str) -> None:
    Path("k.co").write_text(f"// croq: {line}\n{KERNEL}")
    outcome = croq("check", "k.co")
    assert outcome.status == 1
    assert f"k.co:1:{column}: error: {message}" in outcome.out


@pytest.mark.parametrize(
    "line", ["run N=3 n=2", "expect sum == x + y * n", "expect result[0:N] == x + y * n", "expect auto"]
)
def test_known_names(croq: Croq, line: str) -> None:
    Path("k.co").write_text(f"// croq: {line}\n{KERNEL}")
    assert croq("check", "--strict", "k.co").status == 0


WIDE = """__co__ f32 [M] f(f32 [M, N] x, f32 [4, N] w, s32 n, u8 small, bool on, f32 scale) {
  f32 [M] v;
  parallel p by M : thread
    v.at(p) = call twice(x.at(p, 0));
  return v;
}
"""


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("run N=1e3", 14, "dimension 'N' must be an integer of at least 1: write N=1000, without point or exponent"),
        ("run M=2 N=0", 18, "dimension 'N' must be an integer of at least 1"),
        ("run N=-4", 14, "dimension 'N' must be an integer of at least 1"),
        ("run N=true", 14, "dimension 'N' must be an integer of at least 1"),
        ("run N=1.5", 14, "dimension 'N' must be an integer of at least 1"),
        ("run n=2.0", 14, "'n' is of type s32, which takes an integer: write n=2, without point or exponent"),
        ("run n=2.5", 14, "'n' is of type s32, which takes an integer"),
        ("run n=true", 14, "'n' is of type s32, which takes an integer"),
        ("run small=256", 14, "'small' is of type u8, which holds 0 to 255"),
        ("run on=2", 14, "'on' is of type bool, which takes true or false"),
        ("run scale=true", 14, "'scale' is of type f32, which takes a number"),
        ("run arch=sm_77", 14, "'sm_77' is not known"),
        ("model twice(a, b) = a + b", 1, "the model of 'twice' does not fit: it has 2 parameters, 1 values are given"),
        ("expect v ~= x @ v.T", 26, "'.T' needs two axes, not [M]"),
        ("expect v ~= x", 17, "the sides have different shapes: [M] and [M, N]"),
        ("expect v ~= x @ w @ 2", 22, "'@' cannot multiply [M, N] by a single number"),
        ("expect v ~= sum(x, axis=2)", 22, "[M, N] has no axis 2"),
        ("expect v ~= softmax(n)", 22, "'softmax' needs an axis, not a single number"),
        ("expect v ~= x[0, 0, 0]", 22, "3 subscripts for [M, N]"),
        ("expect v ~= x[:, 0.5]", 27, "a subscript is one integer"),
        ("expect v ~= x[:, v]", 27, "a subscript is one integer"),
        ("expect v ~= x[::0, 0]", 24, "the step of a slice is not 0"),
        ("expect sum(w) ~= w[0, 0] + w[4, 0]", 39, "index 4 is outside an axis of 4"),
        ("expect w[2:2] == w[2:2]", 1, "this compares no element"),
        ("expect sum(w + w[0:3]) ~= 0", 21, "shapes [4, N] and [3, N] do not fit together"),
    ],
)
def test_what_a_run_would_refuse(croq: Croq, line: str, column: int, message: str) -> None:
    """With the words of the run, at the place."""
    Path("k.co").write_text(f"// croq: {line}\n{WIDE}")
    outcome = croq("check", "k.co")
    assert outcome.status == 1
    assert f"k.co:1:{column}: error: {message} [run-directive]" in outcome.out
    assert message in croq("run", "k.co").out


SIZED = "// croq: run N=8\n// croq: run N=5\n// croq: expect "


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("sum == x[1:5]", "k.co:3:17: error: the sides have different shapes: [8] and [4]"),
        ("sum[7] == x[0]", "k.co:3:21: error: index 7 is outside an axis of 5"),  # of the second run alone
        ("sum[5:] == x[5:]", "k.co:3:1: error: this compares no element"),
        ("sum[4] == x[4]", ""),
        ("sum[N - 1] == x[N - 1]", ""),
        ("sum[0:N] == x", ""),
    ],
)
def test_shapes_have_the_sizes_of_the_run_lines(croq: Croq, expect: str, told: str) -> None:
    Path("k.co").write_text(f"{SIZED}{expect}\n{KERNEL}")
    outcome = croq("check", "k.co")
    assert (told in outcome.out) if told else ("error" not in outcome.out)


@pytest.mark.parametrize(
    "line",
    [
        "run M=3 N=4 n=-5 small=255 on=true scale=1e-3",
        "run M=3 N=4 on=0 scale=2 arch=sm_80",
        "model twice(a) = a + a",
        "expect v ~= x[:, 0] * 2",
        "expect v ~= x @ w[0]",
        "expect w.T ~= x.T",  # M may be 4
        "expect v[-1] ~= x[M - 1, 0]",
        "expect v[::2] ~= v[0::2]",
    ],
)
def test_what_a_run_may_take(croq: Croq, line: str) -> None:
    Path("k.co").write_text(f"// croq: {line}\n{WIDE}")
    assert "run-directive" not in croq("check", "k.co").out
