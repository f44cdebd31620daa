"""What the tutorial's kernels must show, end to end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Croq
from tests.cli.seeds import BOOTSTRAP, MACROS, PIPELINE, SWAP, without_expectations, without_macros


@pytest.mark.parametrize("text", [SWAP, PIPELINE], ids=["swap", "pipeline"])
def test_the_printed_kernels_are_clean(croq: Croq, text: str) -> None:
    Path("k.co").write_text(text, encoding="utf-8")
    outcome = croq("check", "--strict", "k.co")
    assert outcome.status == 0
    assert "no mistakes" in outcome.out


def test_swap_is_consistent(croq: Croq) -> None:
    Path("k.co").write_text(without_expectations(SWAP), encoding="utf-8")
    outcome = croq("run", "-D", "M=128", "-D", "N=256", "-D", "K=256", "k.co")
    assert outcome.status == 0
    assert "k.co: matmul M=128 K=256 N=256: consistent (sim, sm_90a, seed 0" in outcome.out


@pytest.mark.parametrize("sizes", [(64, 64, 128), (128, 64, 640), (192, 256, 384)])
def test_the_pipeline_is_consistent_at_divisible_sizes(croq: Croq, sizes: tuple[int, int, int]) -> None:
    Path("k.co").write_text(without_expectations(PIPELINE), encoding="utf-8")
    words = [word for name, value in zip("MNK", sizes, strict=True) for word in ("-D", f"{name}={value}")]
    outcome = croq("run", *words, "--schedules", 3, "k.co")
    assert outcome.status == 0
    assert ": consistent (" in outcome.out


def test_without_the_defines_there_is_one_error_a_name_with_its_fix(croq: Croq) -> None:
    Path("k.co").write_text(without_macros(PIPELINE), encoding="utf-8")
    outcome = croq("check", "--json", "k.co")
    assert outcome.status == 1
    every = json.loads(outcome.out)["files"][0]["diagnostics"]
    found = [item for item in every if item["severity"] in ("error", "warning")]
    assert sorted(item["message"].split("'")[1] for item in found) == sorted(MACROS)
    assert {item["code"] for item in found} == {"undeclared-name"}
    for item in found:
        (edit,) = item["fixes"][0]["edits"]
        name = item["message"].split("'")[1]
        assert edit["newText"].startswith(f"#define {name} ")
        assert edit["range"]["start"]["character"] == 0


def test_without_its_bootstrap_the_pipeline_hangs_and_says_where(croq: Croq) -> None:
    text = PIPELINE.replace(BOOTSTRAP, "")
    Path("k.co").write_text(text, encoding="utf-8")
    outcome = croq("run", "--json", "k.co")
    assert outcome.status == 1
    runs = json.loads(outcome.out)["runs"]
    assert [run["verdict"] for run in runs] == ["hangs", "hangs"]
    lines = text.splitlines()
    wait = lines.index("          wait empty[stage];") + 1
    assert [run["notes"] for run in runs] == [[f"'croq check' explains it: credit-deadlock at line {wait}"]] * 2
    for run in runs:
        producer, consumer = run["hang"]
        assert (producer["path"], producer["event"], producer["slot"], producer["generation"]) == (
            *("path p1 == 0", "empty", 0, 0),
        )
        assert "wait empty[stage];" in lines[producer["range"]["start"]["line"]]
        assert "path p1 == 1" in producer["owedBy"]
        assert (consumer["path"], consumer["event"], consumer["slot"], consumer["generation"]) == (
            *("path p1 == 1", "full", 0, 0),
        )
        assert "wait full[stage];" in lines[consumer["range"]["start"]["line"]]
        assert "path p1 == 0" in consumer["owedBy"]


def test_a_commit_that_is_missing_gives_wrong_data(croq: Croq) -> None:
    Path("k.co").write_text(PIPELINE.replace("          mma.commit;\n", ""), encoding="utf-8")
    outcome = croq("run", "--schedules", 20, "k.co")
    assert outcome.status == 1
    assert ": wrong (" in outcome.out
    assert "elements differ" in outcome.out


def test_five_unrelated_syntax_errors_are_five(croq: Croq) -> None:
    text = (
        PIPELINE.replace("wait empty[stage];", "wait empty[stage]")
        .replace("=> rhs_load_s[stage];", "rhs_load_s[stage];")
        .replace("mma.row.row mc, ma, mb;", "mma.row.row mc, ma mb;")
        .replace("mc = mma.fill.f16 0.0f;", "mc = mma.fill.f16;")
        .replace("shared event full[MATMUL_STAGES],", "shared event full[MATMUL_STAGES,")
    )
    Path("k.co").write_text(text, encoding="utf-8")
    outcome = croq("check", "--json", "k.co")
    found = json.loads(outcome.out)["files"][0]["diagnostics"]
    assert [item["code"] for item in found if item["severity"] != "information"] == ["syntax-error"] * 5
