"""Casts to narrow floats in a run without an expectation: the plain order makes them as the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Croq

CASTS = """// croq: run N={n}
__co__ void casts(global f32 [N] a, global f32 [N] y) {{
  parallel b by cdiv(N, 64) : block, t by 64 : thread {{
    if (b * 64 + t < N) {{
      y.at(b # t) = {value};
    }}
  }}
}}
"""
A = "a.at(b # t)"


@pytest.mark.parametrize(
    "value",
    [
        f"__to<f32>(__to<f16>({A} * 3.7f))",
        f"__to<f32>(__to<bf16>({A} * 3.7f)) + {A}",
        f"__to<f32>(__to<f8_e4m3>({A} * 100.0f)) + __to<f32>(__to<f8_e5m2>({A} * 0.001f))",
        f"__to<f32>(__to<f16>(__exp({A}) * 1.3f + {A} * {A}))",
    ],
)
def test_a_cast_is_a_rounding_of_the_program(croq: Croq, value: str) -> None:
    Path("k.co").write_text(CASTS.format(n=20000, value=value), encoding="utf-8")
    outcome = croq("run", "k.co")
    assert (outcome.status, "consistent" in outcome.out) == (0, True), outcome.out


def test_the_bound_stays_as_tight_as_without_casts(croq: Croq) -> None:
    """2^-24 apart at most, and not a step of f16: only elements on an edge may be."""
    Path("k.co").write_text(CASTS.format(n=64, value=f"__to<f32>(__to<f16>({A} * 3.7f))"), encoding="utf-8")
    assert "rtol 4.77e-07" in croq("run", "k.co").out


@pytest.mark.parametrize(
    ("elem", "out", "value"),
    [
        ("f32", "f64", f"{A} / 3"),
        ("f16", "f32", f"{A} * {A}"),
        ("f16", "f64", f"__exp({A}) + 1.0f"),
        ("bf16", "f32", f"{A} - {A} * {A}"),
    ],
)
def test_so_is_an_operation_whose_result_goes_to_a_wider_type(croq: Croq, elem: str, out: str, value: str) -> None:
    """3.1: the result has the type of the operands. What is computed in the wider type is judged by that."""
    text = CASTS.format(n=2000, value=value).replace("f32 [N] a", f"{elem} [N] a").replace("f32 [N] y", f"{out} [N] y")
    Path("k.co").write_text(text, encoding="utf-8")
    outcome = croq("run", "k.co")
    assert (outcome.status, "consistent" in outcome.out) == (0, True), outcome.out
    Path("k.co").write_text(text.replace(f"= {value}", f"= __to<f64>({A}) / 3.0"), encoding="utf-8")
    assert f"rtol {4 * 2.0 ** {'f64': -52, 'f32': -23}[out]:.3g}" in croq("run", "k.co").out
