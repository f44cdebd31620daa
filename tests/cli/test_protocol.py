"""The schemas of docs/protocol.md hold for what `--json` prints, and bite."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

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
