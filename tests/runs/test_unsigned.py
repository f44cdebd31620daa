"""Values of u64 of 2^63 and more: given to a run, computed with, compared to the last bit (reference, 3.1)."""

from __future__ import annotations

import numpy as np
import pytest

from croqc.engines.sim.code.values import cast
from croqc.runs.compare import EXACT, compare
from croqc.service.check import check_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import Request

TOP = 2**64 - 1
KERNEL = """// croq: run N=3 p={p} q=0x{q:x}
// croq: expect {expect}
__co__ void f(global u64 [N] y, global f32 [N] v, u64 p, u64 q, f32 r) {{
  parallel t by N {{ y.at(t) = {value}; v.at(t) = r; }}
}}
"""


def run(p: int, q: int, value: str, expect: str = "auto") -> RunReport:
    text = KERNEL.format(p=p, q=q, value=value, expect=expect)
    [report] = run_file(check_text(text), Request(), lambda _: check_text(text))
    return report


@pytest.mark.parametrize(("p", "value"), [(TOP, "p"), (TOP - 3, "p / 3 + q"), (2**63, "p > q ? p : q")])
def test_a_run_line_gives_all_values_of_u64(p: int, value: str) -> None:
    report = run(p, 7, value)
    assert (report.result.verdict.value, dict(report.result.sizes)["p"]) == ("consistent", p)


def test_what_u64_does_not_hold_is_refused() -> None:
    report = run(TOP + 1, 7, "p")
    assert report.result.verdict.value == "not-run" and "is not a value for 'p'" in report.message
    signed = check_text(KERNEL.format(p=TOP, q=7, value="y.at(t)", expect="auto").replace("u64 p", "s64 p"))
    [report] = run_file(signed, Request(), lambda _: signed)
    assert "'p' is of type s64" in report.message


def test_a_formula_says_that_it_cannot() -> None:
    """In f64 2^64 - 4 and 2^64 - 1 are the same number: that would verify a kernel that forgets a summand."""
    report = run(TOP - 3, 3, "p + q - 3", "y == p + q - 3")
    assert report.result.verdict.value == "not-run"
    assert (
        report.message
        == "this holds values of 2^63 and more, and formulas compute integers in 63 bits; write 'expect auto'"
    )
    assert run(2**63 - 9, 3, "p + q", "y == p + q").result.verdict.value == "verified"


def test_orders_are_compared_to_the_last_bit() -> None:
    got, want = np.array([TOP, TOP - 1], np.uint64), np.array([TOP, TOP], np.uint64)
    assert compare(got, want, EXACT).differing == 1
    assert cast(TOP, np.dtype(np.uint64)) == np.uint64(TOP)


def test_a_whole_number_for_a_float_may_be_any() -> None:
    text = KERNEL.format(p=1, q=1, value="p", expect="v == 18446744073709551616.0").replace("q=0x1", f"r={TOP}")
    [report] = run_file(check_text(text), Request(), lambda _: check_text(text))
    assert report.result.verdict.value == "verified"
