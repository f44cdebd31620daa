"""The mutants that a visit runs: that the list is what the generator makes, and all of it that needs no card."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from croqc.codegen.program import Program
from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.hang import WaitRecord, hung_paths
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.protocol import Job
from croqc.engines.gpu.run import CardOptions, CardResult, Lower
from croqc.engines.sim.simulate import SimOptions, simulate
from croqc.flow.paths import kernel_paths
from croqc.sema.model import Model
from croqc.service.check import check_text
from tests.codegen.compiling import complaints, log_of
from tests.engines.children import parent
from tests.gpu import mutants
from tests.gpu.mutants import EXAMPLES, MOST, OF_ONE, Mutant, line_in, listed, model_of, stands, text_of
from tests.gpu.parts import mutants as part

STUCK, RACY = listed().stuck, listed().racy
ALL = [*STUCK, *RACY]


def name_of(mutant: Mutant) -> str:
    return mutant.name


def lowered(mutant: Mutant, report: bool = False, delays: bool = False) -> tuple[Model, Program]:
    checked = check_text(text_of(mutant))
    model = model_of(checked)
    assert model is not None
    return model, mutants.program(checked, model, report, delays)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_list_is_what_the_generator_makes() -> None:
    """And so that each stuck one is condemned by verifier and simulator, and stands in both where the list says; that
    each racy one is accused of a race and gives wrong data in the simulator."""
    assert mutants.generate() == listed()


def test_the_list_keeps_its_bounds() -> None:
    for kind in (STUCK, RACY):
        assert 0 < len(kind) <= MOST
        assert max(Counter(each.operator for each in kind).values()) <= OF_ONE
    assert len({text_of(each) for each in ALL}) == len(ALL)
    assert all(each.standing for each in STUCK)


def test_what_is_sound_is_neither() -> None:
    for file in ("pipeline_1p2c.co", "swap_f16.co"):
        assert mutants.judged(file, (EXAMPLES / file).read_text(encoding="utf-8")) == mutants.NEITHER


def test_a_known_pair_is_judged() -> None:
    """The producer of pipeline_1p2c that announces nothing fills the ring of three; the consumers see no stage."""
    key = "drop-trigger", 27, 0
    found = mutants.judged("pipeline_1p2c.co", mutants.texts("pipeline_1p2c.co")[key])
    assert (found.kind, found.rule) == ("stuck", "credit-deadlock")
    assert [(each.path, each.line, each.event, each.slot, each.generation) for each in found.standing] == [
        ("path p = 1", 38, "full", 0, 0),
        ("path p = 2", 38, "full", 0, 0),
        ("path p == 0", 24, "empty", 0, 1),
    ]
    late = mutants.judged("pipeline_1p2c.co", mutants.texts("pipeline_1p2c.co")["drop-wait", 38, 0])
    assert (late.kind, late.rule) == ("racy", "stage-race")


@pytest.mark.parametrize("mutant", STUCK, ids=name_of)
def test_records_of_these_places_become_the_list(mutant: Mutant) -> None:
    """What waits of the card would write, in two blocks, read back: paths, lines, events, slots, generations, debts."""
    report = check_text(text_of(mutant))
    model, program = lowered(mutant, report=True)
    (kernel,) = model.kernels
    first = {path.name: (path.scattered or path.threads)[0] for path in kernel_paths(model, kernel)}
    records = []
    for each in mutant.standing:
        sites = [
            number
            for number, site in enumerate(program.unit.sites or (), 1)
            if line_in(report, site.span) == each.line and site.event.rstrip("_") == each.event
        ]
        assert sites, each
        thread = first[each.path]
        records += [
            WaitRecord(sites[0], each.slot, each.generation, each.generation & 1, True, block, thread)
            for block in (3, 1)
        ]
    hung, notes = hung_paths(model, program, records)
    assert stands(report, hung) == mutant.standing
    assert notes == ("kernel 'matmul' stands still in block 1 and 1 more",)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", ALL, ids=name_of)
def test_each_compiles(mutant: Mutant) -> None:
    racy = not mutant.standing
    _, program = lowered(mutant, report=not racy, delays=racy)
    said = [text for text in complaints(log_of(program.unit.text, "sm_90a")) if "wgmma" not in text]
    assert said == []  # of multiplies that are never committed ptxas says that it waits for them itself


# --- the parts of the visit, with the simulator for a card ---------------------------------------------


def simulated(model: Model, lower: Lower, args: LaunchArgs, card: Parent, options: CardOptions) -> CardResult:
    assert lower(options.report).unit.sites is not None
    assert options.timeout == part.TIME
    result = simulate(model, args, SimOptions(seed=7, workers=1))
    return CardResult(hung=result.hung, hang=result.hang)


def some(monkeypatch: pytest.MonkeyPatch, stuck: tuple[Mutant, ...], racy: tuple[Mutant, ...]) -> None:
    monkeypatch.setattr(part, "listed", lambda: mutants.Kinds(stuck, racy))
    monkeypatch.setattr(part, "run_on_card", simulated)


def test_stuck_ones_are_set_against_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = replace(STUCK[1], standing=(replace(STUCK[1].standing[0], generation=9), *STUCK[1].standing[1:]))
    some(monkeypatch, (STUCK[0], moved, STUCK[2]), ())
    with parent("good") as card:
        rows = part.stuck(card)
    assert [row["agree"] for row in rows] == [True, False, True]
    assert (rows[1]["card"][0]["generation"], rows[1]["list"][0]["generation"]) == (STUCK[1].standing[0].generation, 9)


def test_one_that_ends_does_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    some(monkeypatch, (replace(RACY[0], standing=()),), ())
    with parent("good") as card:
        (row,) = part.stuck(card)
    assert (row["hung"], row["agree"]) == (False, False)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy's stand-in for the processes that are started: kernels do nothing, or what STUB says."""
    folder = Path(__file__).parents[1] / "engines" / "stub"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.slow
@pytest.mark.parametrize(("what", "wrong", "trouble"), [("", 200, ""), ("outside", 0, "error 700"), ("busy", 0, "")])
def test_racy_ones_are_counted(
    monkeypatch: pytest.MonkeyPatch, stub: None, what: str, wrong: int, trouble: str
) -> None:
    """On the stub a kernel writes nothing, so that its output is never what it must be. No process is through within
    a hundredth of a second."""
    monkeypatch.setenv("STUB", what)
    monkeypatch.setattr(part, "SHAKEN_LIMIT", 60.0 if what != "busy" else 0.01)
    some(monkeypatch, (), RACY[:2])
    monkeypatch.setattr(part, "FILES", ("rotate_triple.co",))
    with parent("good") as card:
        rows = part.racy(card)
    assert [row["mutant"] for row in rows] == ["rotate_triple.co", RACY[0].name, RACY[1].name]
    assert [row["rule"] for row in rows] == ["", RACY[0].rule, RACY[1].rule]
    if what == "busy":
        assert {row["trouble"] for row in rows} == {"not through within 0.01 s"}
        return
    assert {row["wrong"] for row in rows} == {wrong}
    assert {row["share"] for row in rows} == {1.0 if wrong else None}
    assert not any(row["hangs"] for row in rows)
    assert all(trouble in row["trouble"] for row in rows) and (not trouble) == (not rows[0]["trouble"])


@pytest.mark.slow
def test_each_run_has_its_seed_and_starts_alike(monkeypatch: pytest.MonkeyPatch, stub: None, tmp_path: Path) -> None:
    """The stub's kernel spoils the first byte of each array when its seed is a multiple of 4; the arrays start anew."""
    monkeypatch.setenv("STUB", "spoils")
    part.shaken_job(tmp_path, (EXAMPLES / "rotate_triple.co").read_text(encoding="utf-8"), "rotate_triple.co", 10)
    data = json.loads((tmp_path / "job.json").read_text())
    job = Job.of_json(data["job"])
    assert "u32 delay_seed)" in job.code and {item.name for item in job.arrays} == {"src", "out"}
    for array in job.arrays:
        (tmp_path / f"{array.name}.want").write_bytes((tmp_path / f"{array.name}.in").read_bytes())
    subprocess.run([sys.executable, "-m", "tests.gpu.shaken", str(tmp_path)], check=True)
    assert json.loads((tmp_path / "shaken.json").read_text()) == {"runs": 10, "wrong": 3, "first": 0, "hangs": False}


@pytest.mark.slow
@pytest.mark.parametrize(("what", "seconds", "runs", "hangs"), [("stuck", 9.0, 0, True), ("", 0.0, 5, False)])
def test_what_hangs_or_has_no_time_left_is_ended(
    monkeypatch: pytest.MonkeyPatch, stub: None, tmp_path: Path, what: str, seconds: float, runs: int, hangs: bool
) -> None:
    """A run that does not end is the last one; without time there are a few runs all the same."""
    monkeypatch.setenv("STUB", what)
    text = (EXAMPLES / "rotate_triple.co").read_text(encoding="utf-8")
    part.shaken_job(tmp_path, text, "rotate_triple.co", 200, seconds)
    subprocess.run([sys.executable, "-m", "tests.gpu.shaken", str(tmp_path)], check=True)
    found = json.loads((tmp_path / "shaken.json").read_text())
    assert (found["runs"], found["wrong"], found["hangs"]) == (runs, runs, hangs)
