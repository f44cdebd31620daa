"""The schemas of docs/protocol.md hold for what `--json` prints, and bite."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import jsonschema
import pytest

from croqc.flow.analysis import TYPING_BUDGET
from croqc.runs.report import Ceiling, ExpectationResult, HangEntry, Norms, RunResult, Timing, Verdict, Worst
from croqc.service.check import check_text
from croqc.service.check_result import CheckResult, check_result
from croqc.service.doctor import DoctorResult
from croqc.service.flow import FlowResult, flow_result
from croqc.service.flow_check import with_flow
from croqc.service.json_text import to_data, to_json
from croqc.service.profile_result import ProfileResult
from croqc.service.run import RunReport
from croqc.service.run_result import RunsResult, hang_text, run_result
from croqc.text.record import replace
from croqc.text.source import Position
from tests.cli.conftest import Croq
from tests.cli.seeds import BOOTSTRAP, EXAMPLES, PIPELINE, without_macros

DOCUMENT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
SCHEMAS: dict[str, Any] = {
    name: json.loads(text) for name, text in re.findall(r"```json schema=(\w+)\n(.*?)```", DOCUMENT, re.DOTALL)
}


def validate(name: str, value: object) -> None:
    jsonschema.Draft202012Validator(SCHEMAS[name]).validate(value)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_the_schemas_are_schemas(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[name])


def test_check(croq: Croq) -> None:
    Path("broken.co").write_text(without_macros(PIPELINE).replace("swap(", "swap"), encoding="utf-8")
    Path("swap.co").write_text((EXAMPLES / "swap_s32.co").read_text(encoding="utf-8"), encoding="utf-8")
    result = json.loads(croq("check", "--json", "broken.co", "swap.co").out)
    validate("check", result)
    assert result["files"][0]["diagnostics"]
    worse = copy.deepcopy(result)
    worse["files"][0]["diagnostics"][0]["severity"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        validate("check", worse)


@pytest.mark.parametrize("change", [("", ""), (BOOTSTRAP, ""), ("lhs @ rhs.T", "lhs @ rhs.T + 1"), ("0.0f", "zero")])
def test_run(croq: Croq, change: tuple[str, str]) -> None:
    Path("k.co").write_text(PIPELINE.replace(*change) if change[0] else PIPELINE, encoding="utf-8")
    result = json.loads(croq("run", "--json", "k.co").out)
    validate("run", result)
    worse = copy.deepcopy(result)
    del worse["runs"][0]["verdict"]
    with pytest.raises(jsonschema.ValidationError):
        validate("run", worse)


@pytest.mark.parametrize("change", [("", ""), (BOOTSTRAP, ""), ("0.0f", "zero"), ("wait full[stage];", "wait")])
def test_flow(croq: Croq, change: tuple[str, str]) -> None:
    Path("k.co").write_text(PIPELINE.replace(*change) if change[0] else PIPELINE, encoding="utf-8")
    result = json.loads(croq("flow", "--json", "k.co").out)
    validate("flow", result)
    worse = copy.deepcopy(result)
    worse["flows"][0]["verdict"] = "maybe"
    with pytest.raises(jsonschema.ValidationError):
        validate("flow", worse)


EXPECTATION = ExpectationResult(
    "y ~= x", False, 0.5, 0.25, Worst((1, 2), math.nan, 3), 4, 6, Norms(math.inf, 0.5), ((0, 2), (1, 3))
)
HANG = HangEntry("path w == 0", Position(4, 2), Position(4, 16), "empty", 1, 2, "path w == 1", "[1]")
TIMING = Timing("H200", 3, 0.5, 0.25, 10**12, 10**9, Ceiling(4000.0, 790.0, "2026-01-02"))
SIZES = (("M", 64), ("alpha", -math.inf))
HUNG = RunResult(Verdict.HANGS, "sim", "sm_90a", SIZES, 7, 3, (EXPECTATION,), (HANG,), 1.25, 0.5, TIMING)
REPORT = RunReport("k.co", "f", "small", HUNG, "said", (Position(0, 1), Position(0, 2)), ("x",), ("y",), overload=1)


def run_as_json() -> dict[str, Any]:
    result = run_result([REPORT])
    validate("run", json.loads(to_json(result)))
    run: dict[str, Any]
    (run,) = to_data(result)["runs"]
    return run


def test_fields_of_an_expectation() -> None:
    assert run_as_json()["expectations"] == [
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
    ]


def test_fields_of_a_hang() -> None:
    assert run_as_json()["hang"] == [
        {
            "path": "path w == 0",
            "range": {"start": {"line": 4, "character": 2}, "end": {"line": 4, "character": 16}},
            "event": "empty",
            "slot": 1,
            "generation": 2,
            "owedBy": "path w == 1",
            "text": "path w == 0 waits for empty[1], generation 2; owed by path w == 1",
        }
    ]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"slot": None, "index": ""}, "path w == 0 waits for empty, generation 2; owed by path w == 1"),
        ({"owed_by": ""}, "path w == 0 waits for empty[1], generation 2"),
        ({"slot": 2, "index": "[1][0]", "owed_by": ""}, "path w == 0 waits for empty[1][0], generation 2"),
        ({"event": "", "slot": None, "index": "", "owed_by": ""}, "path w == 0 waits for the others"),
    ],
)
def test_a_hang_in_words(change: dict[str, Any], text: str) -> None:
    assert hang_text(replace(HANG, **change)) == text


def test_fields_of_a_timing() -> None:
    assert run_as_json()["timing"] == {
        "card": "H200",
        "rounds": 3,
        "median": 0.5,
        "best": 0.25,
        "operations": 10**12,
        "bytes": 10**9,
        "tflops": 2.0,
        "gbps": 2.0,
        "ceiling": {"gbps": 4000.0, "tflops": 790.0, "measured": "2026-01-02"},
    }


def test_fields_of_a_run() -> None:
    run = run_as_json()
    nested = [run.pop(name) for name in ("expectations", "hang", "timing")]
    assert all(nested)
    assert run == {
        "path": "k.co",
        "function": "f",
        "overload": 1,
        "name": "small",
        "verdict": "hangs",
        "engine": "sim",
        "arch": "sm_90a",
        "sizes": {"M": 64, "alpha": "-inf"},
        "seed": 7,
        "schedule": 3,
        "time": 1.25,
        "compileTime": 0.5,
        "message": "said",
        "range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}},
        "prints": ["x"],
        "notes": ["y"],
        "offer": None,
    }


def test_an_expectation_without_elements_has_no_worst() -> None:
    empty = ExpectationResult("y == x", True, 0.0, 0.0, None, 0, 0, Norms(0.0, 0.0))
    result = RunResult(Verdict.VERIFIED, "sim", "sm_90a", (), 0, 0, (empty,))
    (run,) = to_data(run_result([RunReport("k.co", "f", "", result)]))["runs"]
    assert (run["expectations"][0]["worst"], run["expectations"][0]["within"], run["range"]) == (None, None, None)


# --- one manner of making JSON -------------------------------------------------------------------


def resolved(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """A schema without `$ref` and without the null of `anyOf`."""
    while True:
        if "$ref" in schema:
            schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
        elif "anyOf" in schema:
            (schema,) = (one for one in schema["anyOf"] if one != {"type": "null"})
        else:
            return schema


def mismatches(kind: Any, schema: dict[str, Any], whole: dict[str, Any], where: str) -> list[str]:
    """Where a schema has other fields than the class that the JSON is made of."""
    schema = resolved(schema, whole)
    parts = [one for one in get_args(kind) if one is not type(None)]
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind)]
        if list(schema["properties"]) != names or sorted(schema["required"]) != sorted(names):
            return [f"{where}: {names} but {list(schema['properties'])}, {schema['required']}"]
        found = (mismatches(hints[name], schema["properties"][name], whole, f"{where}.{name}") for name in names)
        return [line for lines in found for line in lines]
    if get_origin(kind) is tuple:
        if "array" not in schema["type"]:
            return [f"{where}: {kind} is no {schema['type']}"]
        return mismatches(parts[0], schema["items"], whole, f"{where}[]") if "items" in schema else []
    if type(None) in get_args(kind) and len(parts) == 1:
        return mismatches(parts[0], schema, whole, where)
    return []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("check", CheckResult), ("run", RunsResult), ("flow", FlowResult), ("profile", ProfileResult)),
        ("doctor", DoctorResult),
    ],
)
def test_schemas_and_classes_have_the_same_fields_in_the_same_order(name: str, kind: type) -> None:
    assert mismatches(kind, SCHEMAS[name], SCHEMAS[name], name) == []
    broken = copy.deepcopy(SCHEMAS[name])
    broken["properties"]["extra"] = {}
    assert mismatches(kind, broken, broken, name) != []


def test_results_with_other_characters_stay_json_on_any_terminal(tmp_path: Path) -> None:
    (tmp_path / "k.co").write_text('// croq: run name="é😀"\n__co__ void f(global f32 [8] é) { }\n', encoding="utf-8")
    for command, status in (("check", 1), ("run", 1)):
        done = subprocess.run(
            [sys.executable, "-m", "croqc.cli.main", command, "--json", "k.co"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        validate(command, json.loads(done.stdout))


@pytest.mark.parametrize("name", ["add", "transpose", "pipeline_course", "persistent_1p2c"])
def test_the_bytes_are_those_of_the_standard_library(name: str) -> None:
    """`asdict` and an indent of two, as the results were always printed."""
    report = with_flow(check_text((EXAMPLES / f"{name}.co").read_text(encoding="utf-8")), TYPING_BUDGET)
    for result in (check_result([report]), flow_result(report)):
        assert to_json(result) == json.dumps(dataclasses.asdict(result), ensure_ascii=False, indent=2) + "\n"
