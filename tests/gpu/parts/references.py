"""Every case on the card against a reference that is not the product's, with inputs that are drawn anew each visit."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np

from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.run import CardOptions, run_on_card
from croqc.runs.compare import compare
from croqc.service.run_data import make_data
from croqc.service.run_plan import CardRequest, Request
from tests.gpu.cases import Case, cases, lowering, name_of, plan, run, said
from tests.gpu.reference import RESULT, Reference
from tests.gpu.references import reference_of


def references(card: Parent) -> dict[str, Any]:
    """`rows`: what came of each case, and what had to (see `references.Reference`). `seed` draws the inputs."""
    seed = secrets.randbits(31)
    rows = []
    for case in cases():
        rows.append(examined(case, card, seed))
        print(rows[-1]["case"], rows[-1]["outcome"], rows[-1]["agree"], flush=True)
    return {"seed": seed, "rows": rows}


def examined(case: Case, card: Parent, seed: int) -> dict[str, Any]:
    """`outcome`: "right", "wrong" or "refused", by the reference; `verdict`: what `croq run` says, with its notes.
    `agree`: the outcome is the expected one, and the verdict says so."""
    reference = reference_of(case.file.name, case.function)
    told = said(run(case, card, CardRequest(), seed))
    row: dict[str, Any] = {"case": name_of(case), "verdict": told["verdict"], "message": told["message"]}
    row |= {"notes": told["notes"], "error": None, "atol": None}
    if told["verdict"] == "crashed":  # a check at entry: there is nothing to compare
        row["outcome"] = "refused"
    else:
        row |= _compared(case, card, seed, reference)
    expected = reference.outcome(case.kind)
    verdict = {"right": "verified", "wrong": "wrong", "refused": "crashed"}[expected]
    row["agree"] = row["outcome"] == expected and told["verdict"] == verdict
    return row


def _compared(case: Case, card: Parent, seed: int, reference: Reference) -> dict[str, Any]:
    report, planned = plan(case, Request(seed=seed))
    analysis = planned.function.analysis
    assert analysis is not None
    data = make_data(analysis.model, planned.sizes, seed)
    args = LaunchArgs(data.arrays, data.scalars, data.dims)
    result = run_on_card(analysis.model, lowering(report, planned), args, card, CardOptions(report.target.name))
    if result.error is not None or result.hung:
        return {"outcome": result.error.message if result.error is not None else "hangs"}
    outputs = {**result.outputs, RESULT: result.result}
    return judged(reference, data.arrays, outputs)


def judged(reference: Reference, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs against the reference. `error`: the greatest one; `atol`: what it may be beside rtol."""
    exact = {name: wide(array) for name, array in inputs.items()}
    try:
        wanted = reference.compute(np, exact)
    except ValueError as error:  # no whole tiles: the shapes do not come out
        return {"outcome": "wrong", "reason": str(error)}
    worst, atol, right = 0.0, 0.0, True
    for name, want in wanted.items():
        tolerance = reference.tolerance(name, np.asarray(outputs[name]), want, inputs)
        got = wide(outputs[name])
        if got.shape != want.shape:
            return {"outcome": "wrong", "reason": f"shape {got.shape}, not {want.shape}"}
        found = compare(got, want, tolerance)
        right = right and found.differing == 0
        worst, atol = max(worst, found.norms.max_abs), max(atol, tolerance.atol)
    return {"outcome": "right" if right else "wrong", "error": worst, "atol": atol}


def wide(array: Any) -> Any:
    """f64, or int64 for integers."""
    values = np.asarray(array)
    return values.astype(np.int64 if values.dtype.kind in "iub" else np.float64)
