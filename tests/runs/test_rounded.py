"""Where the plain order of `expect auto` rounds, and how far two legal executions may be apart (reference, 3.1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.runs.elements import Array
from croqc.runs.rounded import coarser, rounded_in
from croqc.sema.model import Model
from croqc.sema.types import Data
from croqc.service.check import check_text
from croqc.service.run import RunReport, run_file
from croqc.service.run_plan import Request

KERNEL = """// croq: run N={n}
__co__ void f({params}) {{
  parallel t by N {{
    {body}
  }}
}}
"""
H, X, Z = "global f16 [N] h", "global f32 [N] x", "global f64 [N] z"


def text(params: str, body: str, n: int = 300) -> str:
    return KERNEL.format(params=params, body=body, n=n)


def run(text: str) -> RunReport:
    [report] = run_file(check_text(text), Request(), lambda _: check_text(text))
    return report


def model_of(params: str, body: str) -> Model:
    analysis = check_text(text(params, body)).functions[0].analysis
    assert analysis is not None
    return analysis.model


def plain_order(model: Model, **arrays: Array) -> Mapping[str, Array]:
    dims = {"N": len(next(iter(arrays.values())))}
    result = simulate(model, LaunchArgs(arrays, {}, dims), SimOptions(schedule="ordered", exact=True))
    assert result.error is None
    return result.outputs


Y = "global f32 [N] y"
NARROW = {
    "a quotient of f32 in f64": (f"f32 c, {Z}", "z.at(t) = c / 3;"),
    "a product of f16 in f32": (f"{H}, {Y}", "y.at(t) = h.at(t) * h.at(t);"),
    "a declared f16": (f"{H}, {Y}", "f16 v = h.at(t) * h.at(t); y.at(t) = v;"),
    "an inferred f16": (f"{H}, {Y}", "v = h.at(t) * h.at(t); y.at(t) = v;"),
    "several roundings": (f"{H}, {Y}", "y.at(t) = (h.at(t) / 3) * h.at(t) - h.at(t) / 7;"),
    "bf16": (f"global bf16 [N] b, {Y}", "y.at(t) = b.at(t) * b.at(t) - b.at(t);"),
    "f32 that meets f64": (f"{X}, {Z}, f64 g", "z.at(t) = x.at(t) / 3 * g;"),
    "f16 that meets f32": (f"{H}, {X}, {Y}", "y.at(t) = h.at(t) * h.at(t) + x.at(t);"),
    "a choice of f16": (f"{H}, {Y}", "y.at(t) = h.at(t) > 0 ? h.at(t) * h.at(t) : h.at(t) / 3;"),
    "an integer as f32": (f"global s32 [N] i, {Z}", "f32 v = i.at(t); z.at(t) = v / 7;"),
    "a narrower variable": (f"{X}, {Z}", "f16 v = __to<f16>(x.at(t)); z.at(t) = v;"),
    "a mutable narrower variable": (f"{X}, {Z}", "mutable f32 s = 0.0f; s += x.at(t) / 3; s += 0.1f; z.at(t) = s;"),
    "a sum of f32 in f64": (f"{X}, {Z}", "mutable f32 s = 0.0f; foreach k in [N] { s += x.at(k) / 3; } z.at(t) = s;"),
    "a sum that stands still": (
        f"{H}, global f16 [N] y",
        "mutable f16 s = 0; foreach k in [6000] { s += 1; } y.at(t) = s * h.at(t);",
    ),
    "an element that takes a sum": (
        f"{X}, global f16 [N] y",
        "y.at(t) = 0; foreach k in [N] { y.at(t) += x.at(k) / 3; }",
    ),
    "a function of f16": (f"{H}, {Y}", "y.at(t) = __exp(h.at(t));"),
    "a function of f32": (f"{X}, {Z}", "z.at(t) = __tanh(x.at(t)) * 3;"),
    "a literal of f32": (Z, "z.at(t) = 0.1f;"),
    "a literal of f32 in f64": (f"{Z}, global f64 [N] w", "w.at(t) = z.at(t) * 0.1f;"),
}


@pytest.mark.parametrize("name", NARROW)
def test_the_plain_order_rounds_where_the_types_do(name: str) -> None:
    report = run(text(*NARROW[name]))
    assert report.result.verdict.value == "consistent", (report.message, report.result.expectations)


def test_every_operation_is_rounded_to_its_type() -> None:
    """Worked out step by step in NumPy's own types, and rounded as often as the program says."""
    h = np.random.default_rng(1).standard_normal(300).astype(np.float16)
    x = h.astype(np.float32) * np.float32(1.7)
    body = "f16 v = h.at(t) * h.at(t) + h.at(t); f32 q = x.at(t) / 3; z.at(t) = v * (q - 0.1f);"
    model = model_of(f"{H}, {X}, {Z}", body)
    got = plain_order(model, h=h, x=x, z=np.zeros(300))["z"]
    want = (h * h + h).astype(np.float32) * (x / np.float32(3) - np.float32(0.1))
    assert want.dtype == np.float32 and np.array_equal(got, want.astype(np.float64))


def test_functions_are_rounded_once() -> None:
    """Computed in f64: a card's own f32 function is as near to that as it can be."""
    x = np.random.default_rng(2).standard_normal(300).astype(np.float32)
    got = plain_order(model_of(f"{X}, {Z}", "z.at(t) = __exp(x.at(t));"), x=x, z=np.zeros(300))["z"]
    assert np.array_equal(got, np.exp(x.astype(np.float64)).astype(np.float32).astype(np.float64))


APART = {
    "sums of products may be contracted": (f"{X}, {Z}", "z.at(t) = x.at(t) * 3 + x.at(t);", {"z": "f32"}),
    "also through a variable": (f"{X}, {Z}", "p = x.at(t) * 3; q = p + x.at(t); z.at(t) = q;", {"z": "f32"}),
    "and into an element": (f"{X}, {Z}, {Y}", "y.at(t) += x.at(t) * 3; z.at(t) = y.at(t);", {"y": None, "z": "f32"}),
    "functions are the library's": (f"{H}, {Y}", "y.at(t) = __exp(h.at(t));", {"y": "f16"}),
    "atomic sums have any order": (
        f"{X}, {Y}, {Z}",
        "__atomic_add(y.at(0), x.at(t)); z.at(t) = y.at(t);",
        {"z": "f32"},
    ),
    "one operation is the same everywhere": (f"{X}, {Z}", "z.at(t) = x.at(t) / 3;", {"z": None}),
    "also several of one kind": (f"{H}, {Y}", "y.at(t) = h.at(t) * h.at(t) * h.at(t);", {"y": None}),
    "sums without products are, too": (f"{H}, {Y}", "y.at(t) = h.at(t) + h.at(t);", {"y": None}),
    "other outputs know nothing of it": (
        f"{H}, {X}, {Y}, {Z}",
        "y.at(t) = h.at(t) * h.at(t) + h.at(t); z.at(t) = x.at(t) * 2;",
        {"y": "f16", "z": None},
    ),
    "the coarsest on the way counts": (
        f"{H}, {Z}",
        "f16 v = h.at(t) * h.at(t) + h.at(t); f32 q = v * 3.0f; z.at(t) = q;",
        {"z": "f16"},
    ),
}


@pytest.mark.parametrize("name", APART)
def test_how_far_executions_may_be_apart(name: str) -> None:
    params, body, want = APART[name]
    model = model_of(params, body)
    elems = {symbol.name: symbol.type.elem for symbol in model.symbols if isinstance(symbol.type, Data)}
    passed = rounded_in(model)
    assert {out: coarser(passed[out], elems[out]) for out in want} == want


def test_accumulators_and_what_is_returned() -> None:
    model = check_text(MULTIPLY).functions[0].analysis
    assert model is not None and coarser(rounded_in(model.model)["z"], "f64") == "f32"
    returned = check_text(RETURNED).functions[0].analysis
    assert returned is not None and coarser(rounded_in(returned.model)["result"], "f64") == "f32"


MULTIPLY = """__co__ void f(global f16 [64, 64] a, global f64 [64, 64] z) {
  parallel b by 1 : block {
    shared f16 [64, 64] s;
    dma.copy a => s;
    parallel w by 1 : group-4 {
      acc = mma.fill.f32 0.0f;
      mma.row.row acc, s, s;
      mma.store acc, z;
    }
  }
}
"""
RETURNED = """__co__ auto f(global f32 [N] x) {
  f64 [N] made;
  parallel t by N { made.at(t) = __sin(x.at(t)); }
  return made;
}
"""


def test_a_wrong_kernel_stays_wrong() -> None:
    """The tile is read before its copy has landed; the output is wider than what is computed."""
    report = run(RACE)
    assert report.result.verdict.value == "wrong"
    [tight] = run(text(f"{X}, {Z}", "z.at(t) = x.at(t) / 3;")).result.expectations
    assert (tight.ok, tight.rtol) == (True, 4 * 2.0**-52)


RACE = """// croq: run N=256
__co__ void f(global f16 [N] h, global f32 [N] y) {
  parallel b by N / 64 : block {
    shared f16 [64] s;
    f = dma.copy.async h.chunkat(b) => s;
    parallel t by 64 : thread { y.at(b # t) = s.at(t) * s.at(t) + s.at(t); }
    wait f;
  }
}
"""


def test_another_variable_of_the_same_name_takes_nothing_away() -> None:
    model = model_of(f"{H}, {Z}", "z.at(t) = h.at(t) * h.at(t) + h.at(t);\n    if (t < 4) { f64 z = 1.0; }")
    assert rounded_in(model)["z"] == {"f16"}
