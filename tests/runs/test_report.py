"""The JSON of a run, field by field as the protocol names them."""

from __future__ import annotations

import json
import math

from croqc.runs.report import ExpectationResult, HangEntry, Norms, RunResult, Verdict, Worst
from croqc.text.source import Position


def test_fields_of_a_run() -> None:
    expectation = ExpectationResult(
        "y ~= x", False, 0.5, 0.25, Worst((1, 2), math.nan, 3), 4, 6, Norms(math.inf, 0.5), ((0, 2), (1, 3))
    )
    hang = HangEntry("path w == 0", Position(4, 2), Position(4, 16), "empty", 1, 2, "path w == 1")
    result = RunResult(Verdict.HANGS, "sim", "sm_90a", (("M", 64), ("alpha", 0.5)), 7, 3, (expectation,), (hang,), 1.25)
    assert result.to_json() == {
        "verdict": "hangs",
        "engine": "sim",
        "arch": "sm_90a",
        "sizes": {"M": 64, "alpha": 0.5},
        "seed": 7,
        "schedule": 3,
        "expectations": [
            {
                "text": "y ~= x",
                "ok": False,
                "rtol": 0.5,
                "atol": 0.25,
                "worst": {"index": [1, 2], "got": "nan", "want": 3},
                "differing": 4,
                "total": 6,
                "norms": {"maxAbs": "inf", "relL2": 0.5},
                "within": [[0, 2], [1, 3]],
            }
        ],
        "hang": [
            {
                "path": "path w == 0",
                "range": {"start": {"line": 4, "character": 2}, "end": {"line": 4, "character": 16}},
                "event": "empty",
                "slot": 1,
                "generation": 2,
                "owedBy": "path w == 1",
            }
        ],
        "time": 1.25,
    }
    json.dumps(result.to_json(), allow_nan=False)


def test_the_verdicts_are_those_of_the_protocol() -> None:
    assert [verdict.value for verdict in Verdict] == [
        "verified", "consistent", "wrong", "hangs", "crashed", "not-run",
    ]  # fmt: skip


def test_an_expectation_without_elements_has_no_worst() -> None:
    result = ExpectationResult("y == x", True, 0.0, 0.0, None, 0, 0, Norms(0.0, 0.0))
    assert result.to_json()["worst"] is None
    assert result.to_json()["within"] is None
