"""Clicks and large runs of a visit, with a stub of CuPy in the card's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from croqc.service import run_data
from croqc.service.check import check_text
from croqc.service.run_data import make_data
from tests.engines.children import on_stub
from tests.gpu.cases import EXAMPLES
from tests.gpu.parts import click as part
from tests.gpu.parts.large import LINE, SIZES, large


@pytest.mark.slow
def test_each_click_compiles_and_is_verified(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_data, "LARGE", 1024)
    monkeypatch.setattr(part, "CLICKS", 2)
    with on_stub(monkeypatch, tmp_path, adds=8 * 1024) as card:
        found = part.click(card, "stream_add.co", "add.co", {"M": 8, "N": 1024})
    assert [row["verdict"] for row in found["rows"]] == ["verified"] * 2
    for row in found["rows"]:
        assert 0 < row["nvrtc"] < row["total"] and 0 < row["check"] < row["total"]
        assert row["notes"] == []
    assert found["kernel"] == "stream_add.co: M=8 N=1024"
    assert found["median"]["total"] == pytest.approx(sum(row["total"] for row in found["rows"]) / 2)
    assert found["agree"] and len(found["first"]) == 2
    stages = ["device", "compile", "load", "upload", "run", "judge", "time", "measure"]
    for row in (*found["first"], *found["rows"]):
        assert list(row["phases"]) == stages
        parts = sum(row["phases"].values()) + row["host"] + row["check"]
        assert parts == pytest.approx(row["total"], abs=0.002)
        assert row["phases"]["compile"] >= row["nvrtc"] - 0.001 > 0
    assert set(found["phases"]) == set(stages)
    assert list(tmp_path.iterdir()) == []  # the card's own cache is left alone


@pytest.mark.slow
def test_a_click_that_is_wrong_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With its figures, and said: the stub's kernels leave their outputs as they are."""
    monkeypatch.setattr(run_data, "LARGE", 1024)
    monkeypatch.setattr(part, "CLICKS", 1)
    with on_stub(monkeypatch, tmp_path) as card:
        found = part.click(card, "stream_add.co", "add.co", {"M": 8, "N": 1024})
    assert [row["verdict"] for row in (*found["first"], *found["rows"])] == ["wrong", "wrong"]
    assert not found["agree"]


@pytest.mark.slow
def test_large_runs_are_judged_where_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_data, "LARGE", 1024)
    with on_stub(monkeypatch, tmp_path, adds=8 * 1024) as card:
        (row,) = large(card, {"stream_add.co": {"M": 8, "N": 1024}})
    assert row["agree"], row
    assert (row["wrong"]["differing"], row["wrong"]["error"]) == (8 * 1024, pytest.approx(1000, abs=1e-3))


@pytest.mark.parametrize("file", SIZES)
def test_the_wrong_one_is_an_expectation(file: str) -> None:
    """Of data that is large enough to stay on the card."""
    text = (EXAMPLES / file).read_text(encoding="utf-8")
    report = check_text(LINE.sub(r"\1 1000 + ", text))
    assert [item.message for item in report.diagnostics] == [item.message for item in check_text(text).diagnostics]
    (before,), (after,) = (each.directives.functions[0].expects for each in (check_text(text), report))
    assert after.text == before.text.replace("= ", "= 1000 + ", 1)
    analysis = report.functions[0].analysis
    assert analysis is not None
    assert make_data(analysis.model, SIZES[file], 0, on_card=True).draws
