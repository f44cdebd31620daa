"""The part of a visit that repeats every case, on a stub of CuPy in the card's place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engines.children import STUB, parent
from tests.gpu.cases import given
from tests.gpu.parts import repeats as part

pytestmark = pytest.mark.slow
CASES = [case for case in given() if case.file.name in ("add.co", "rotate_triple.co", "tma_futures.co")]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STUB), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setattr(part, "given", lambda: CASES)
    return monkeypatch


def test_equal_bits_are_one_result(few: pytest.MonkeyPatch) -> None:
    with parent("good") as card:
        rows = part.repeats(card)
    assert [row["case"].partition(" ")[0] for row in rows] == ["add.co:", "rotate_triple.co:", *["tma_futures.co:"] * 3]
    assert [(row["different"], row["troubles"], row["atomics"]) for row in rows] == [(1, [], False)] * 5


@pytest.mark.parametrize(
    ("what", "trouble"), [("stuck", "hangs"), ("outside", "StatusError: error 700"), ("turns", "")]
)
def test_what_differs_or_fails_is_told(few: pytest.MonkeyPatch, what: str, trouble: str) -> None:
    """Each case for itself. The stub's kernel that takes turns writes 1, 2, 3, 1, 2, 3 … into each array whose
    address it has; the last case hands its result to TMA alone."""
    few.setenv("STUB", what)
    with parent("good") as card:
        rows = part.repeats(card)
    assert [row["troubles"] for row in rows] == [[trouble] if trouble else []] * 5
    assert [row["different"] for row in rows] == ([0] * 5 if trouble else [3, 3, 3, 3, 1])


def test_a_process_that_dies_costs_one_case(few: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folders = [part.repeated_job(CASES[0], tmp_path / str(number)) for number in range(3)]
    (folders[1] / "job.json").write_text("no JSON", encoding="utf-8")
    found = part.answered(folders)
    assert [each["different"] for each in found] == [1, 0, 1]
    assert "JSONDecodeError" in found[1]["trouble"]
