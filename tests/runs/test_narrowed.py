"""A narrow type between two operations: right kernels agree within a step of it, wrong ones are found still."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from croqc.runs.compare import Tolerance, steps_apart
from croqc.runs.narrowed import narrowed_in
from croqc.service.check import check_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import Request

REGISTERS = Path("tests/gpu/kernels/attention.co").read_text().replace(" rtol=0.02 atol=0.01", "")
FORMULA = "// croq: expect o ~= (q @ k.T) @ v.T\n"
SHARED = """// croq: run S=256
__co__ void att(global f16 [S, 64] q, global f16 [S, 64] k, global f16 [64, S] v, global f16 [S, 64] o) {
  parallel b by cdiv(S, 64) : block {
    shared f16 [64, 64] qs, ps, os;
    shared f16 [64, 64] ks[2], vs[2];
    shared event qf, kf[2], vf[2], ke[2] = ready, ve[2] = ready;
    parallel w by 2 : group-4 {
      inthreads.async (w == 0) {
        fq = tma.load.async q.subspan(64, 64).at(b, 0) => qs;
        trigger qf after fq;
        foreach {j} in [cdiv(S, 64)] {
          wait ke.at(j);
          f = tma.load.async k.subspan(64, 64).at(j, 0) => ks[j % 2];
          trigger kf.at(j) after f;
          wait ve.at(j);
          g = tma.load.async v.subspan(64, 64).at(0, j) => vs[j % 2];
          trigger vf.at(j) after g;
        }
      }
      inthreads.async (w == 1) {
        acc = mma.fill.f32 0.0f;
        wait qf;
        foreach {j} in [cdiv(S, 64)] {
          wait kf.at(j);
          sc = mma.fill.f32 0.0f;
          mma.row.row sc, qs, ks[j % 2];
          trigger ke.at(j);
          mma.store sc, ps;
          wait vf.at(j);
          mma.row.row acc, ps, vs[j % 2];
          trigger ve.at(j);
        }
        mma.store acc, os;
        dma.copy os => o.subspan(64, 64).at(b, 0);
      }
    }
  }
}
"""


def run(text: str, request: Request | None = None) -> RunReport:
    [report] = run_file(check_text(text), request or Request(), lambda _: check_text(text))
    return report


def verdict(text: str) -> str:
    return run(text).result.verdict.value


def test_the_bound_is_a_step_of_the_narrow_type() -> None:
    """f16 has 10 bits behind the point, f8_e4m3 has 3; the values have a root mean square of 5."""
    want = np.array([[5.0, -5.0], [1.0, 7.0]])
    assert np.sqrt(np.mean(want**2)) == 5.0
    assert steps_apart(Tolerance(0.0, 0.25), "f16", want) == Tolerance(2.0**-10, 0.25 + 4 * 2.0**-10 * 5.0)
    assert steps_apart(Tolerance(0.5, 0.0), "f8_e4m3", want) == Tolerance(0.625, 2.5)


def test_two_roundings_of_one_value_stay_within_it() -> None:
    """All elements of P one step of f16 up or down at random, drawn apart from any run: far more than orders do."""
    drawn = np.random.default_rng(3)
    p, v = drawn.standard_normal((64, 256)).astype(np.float16), drawn.standard_normal((256, 64))
    ways = drawn.choice(np.array([-np.inf, np.inf], np.float16), p.shape)
    want, got = p.astype(np.float64) @ v, np.nextafter(p, ways).astype(np.float64) @ v
    rtol, atol = steps_apart(Tolerance(0.0, 0.0), "f16", want)
    assert (np.abs(got - want) <= atol + rtol * np.abs(want)).all()
    assert np.abs(got - want).max() > atol / 10  # and the bound is no more than a few times what is needed


@pytest.mark.parametrize("schedule", range(4))
def test_both_orders_of_a_right_kernel_agree(schedule: int) -> None:
    report = run(SHARED, Request(seed=schedule))
    assert report.result.verdict.value == "consistent", report.result.expectations


@pytest.mark.parametrize("text", [FORMULA + SHARED, REGISTERS], ids=["shared", "registers"])
def test_a_formula_without_tolerances_holds_of_a_right_kernel(text: str) -> None:
    assert verdict(text) == "verified"


WRONG = {
    "a dropped tile": ("in [cdiv(S, 64)]", "in [cdiv(S, 64) - 1]"),
    "the same tile of K each time": ("k.subspan(64, 64).at(j, 0)", "k.subspan(64, 64).at(0, 0)"),
    "a swapped tile of V": ("v.subspan(64, 64).at(0, j)", "v.subspan(64, 64).at(0, j ^ 1)"),
    "rows of the first block": ("q.subspan(64, 64).at(b, 0)", "q.subspan(64, 64).at(0, 0)"),
    "scores of the tile before": ("          mma.store sc, ps;\n", "          if (j != 2) { mma.store sc, ps; }\n"),
}
WRONG_REGISTERS = {
    "a missing rescale": ("o.at(i, j) *= shrink.at(i);", "o.at(i, j) *= 1.0f;"),
    "a missing rescale of the sum": ("total.at(i) * shrink.at(i) + now", "total.at(i) + now"),
    "a dropped tile": ("foreach t in [cdiv(S, 64)]", "foreach t in [cdiv(S, 64) - 1]"),
    "a swapped index": ("v.subspan(64, 64).at(t, 0)", "v.subspan(64, 64).at(0, 0)"),
    "a missing division": ("o.at(i, j) /= total.at(i);", "o.at(i, j) /= most.at(i);"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_kernel_is_found(name: str) -> None:
    mutant = SHARED.replace(*WRONG[name])
    assert mutant != SHARED and verdict(FORMULA + mutant) == "wrong"


@pytest.mark.parametrize("name", WRONG_REGISTERS)
def test_a_wrong_kernel_in_registers_is_found(name: str) -> None:
    mutant = REGISTERS.replace(*WRONG_REGISTERS[name])
    assert mutant != REGISTERS and verdict(mutant) == "wrong"


def test_a_race_is_found_in_what_agrees_less_closely() -> None:
    """V is multiplied before it has come; without a formula nothing else tells."""
    assert verdict(SHARED.replace("          wait vf.at(j);\n", "")) == "wrong"


KERNEL = """__co__ void f(global f16 [N] h, global f32 [N] x, global f32 [N] y, global f16 [N] z, global f64 [N] w) {{
  parallel t by N {{ {} }}
}}
"""
BETWEEN = {
    "a cast that is computed with": ("y.at(t) = __to<f16>(__exp(x.at(t))) * x.at(t);", "y", {"f16"}),
    "a variable between": ("f16 v = __to<f16>(__exp(x.at(t))); y.at(t) = v * x.at(t);", "y", {"f16"}),
    "an element between": ("z.at(t) = __to<f16>(__exp(x.at(t))); y.at(t) += z.at(t);", "y", {"f16"}),
    "wider again, without more": ("f16 v = __to<f16>(__exp(x.at(t))); y.at(t) = v;", "y", {"f16"}),
    "f32 between f64": ("f32 v = __to<f32>(__exp(w.at(t))); w.at(t) = v * x.at(t);", "w", {"f32"}),
    "rounded at the end alone": ("z.at(t) = __to<f16>(__exp(x.at(t)) * x.at(t));", "z", set()),
    "moved behind it": ("f16 v = __to<f16>(__exp(x.at(t))); z.at(t) = v;", "z", set()),
    "exact in front of it": ("y.at(t) = __to<f16>(x.at(t)) * x.at(t);", "y", set()),
    "of one type all along": ("f16 v = __exp(h.at(t)); z.at(t) = v * h.at(t);", "z", set()),
    "an index is no value": ("f16 v = __to<f16>(__exp(x.at(t))); z.at(t * 1) = v;", "z", set()),
}


@pytest.mark.parametrize("name", BETWEEN)
def test_where_a_narrow_type_stands_between(name: str) -> None:
    body, output, want = BETWEEN[name]
    analysis = check_text(KERNEL.format(body)).functions[0].analysis
    assert analysis is not None
    assert narrowed_in(analysis.model).get(output, frozenset()) == want
