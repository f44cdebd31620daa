"""The figure of click to verified, with a stub of CuPy in the card's place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from croqc.engines.gpu.parent import Parent, child_command
from croqc.service import run_data
from tests.engines.test_child import STUB
from tests.gpu.parts import click as part


@pytest.mark.slow
def test_each_click_compiles_and_is_verified(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_data, "LARGE", 1024)
    monkeypatch.setattr(part, "CLICKS", 2)
    monkeypatch.setenv("STUB_ADDS", str(8 * 1024))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STUB), os.environ.get("PYTHONPATH", "")]))
    with Parent(child_command(tmp_path)) as card:
        found = part.click(card, "stream_add.co", "add.co", {"M": 8, "N": 1024})
    assert [row["verdict"] for row in found["rows"]] == ["verified"] * 2
    for row in found["rows"]:
        assert 0 < row["nvrtc"] < row["total"] and 0 < row["check"] < row["total"]
        assert row["notes"] == []
    assert found["kernel"] == "stream_add.co: M=8 N=1024"
    assert found["median"]["total"] == pytest.approx(sum(row["total"] for row in found["rows"]) / 2)
    assert list(tmp_path.iterdir()) == []  # the card's own cache is left alone
