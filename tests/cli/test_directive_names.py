"""`check` holds the names of run and expect lines against the kernel that they concern."""

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
