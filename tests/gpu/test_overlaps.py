"""The part of a visit whose launches overlap, as far as it can be tried without a card."""

from __future__ import annotations

import os

import numpy as np
import pytest

from croqc.engines.arguments import LaunchArgs
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.service.check import check_text
from tests.codegen.compiling import complaints, log_of
from tests.engines.children import STUB, parent
from tests.gpu.mutants import model_of
from tests.gpu.parts import overlaps as part


@pytest.mark.parametrize("name", part.FORTH)
def test_what_is_wanted_is_what_the_simulator_finds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part, "TURNS", 3)
    model = model_of(check_text(part.text_of(name)))
    assert model is not None
    start = np.arange(1024, dtype=np.int32)
    arrays = {"x": start.copy(), "y": np.zeros(1024, np.int32)}
    found = simulate(model, LaunchArgs(arrays, dims={"N": 1024}), SimOptions())
    assert found.error is None
    for array, values in part.wanted(start).items():
        assert (np.asarray(found.outputs[array]) == values).all(), array


@pytest.mark.parametrize("name", part.FORTH)
def test_each_launch_reads_what_the_one_in_front_wrote(name: str) -> None:
    program = part.chain(name, 1 << 12)
    assert complaints(log_of(program.unit.text, "sm_90a")) == []
    assert len(program.launches) == 2 * part.TURNS
    assert ("tma_load" in program.unit.text) is (name == "tma")


@pytest.mark.slow
@pytest.mark.parametrize(("what", "wrong", "trouble"), [("", part.RUNS, ""), ("outside", 0, "error 700")])
def test_wrong_runs_are_counted(monkeypatch: pytest.MonkeyPatch, what: str, wrong: int, trouble: str) -> None:
    """On the stub a kernel writes nothing, so that the arrays are never what they must be."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(STUB), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("STUB", what)
    monkeypatch.setattr(part, "SIZE", 1 << 12)
    with parent("good") as card:
        rows = part.overlaps(card)
    assert [row["chain"] for row in rows] == list(part.FORTH)
    assert [row["wrong"] for row in rows] == [wrong] * 2
    assert all(trouble in row.get("trouble", "") for row in rows)
