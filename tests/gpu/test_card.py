"""What a visit to a card left, judged. Run by `make gpu`; `GPU_VISIT` names the file, without it the visit is made."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.gpu.cases import given
from tests.gpu.mutants import FILES, listed
from tests.gpu.parts.mutants import RUNS
from tests.gpu.parts.overlaps import FORTH
from tests.gpu.visit import PARTS

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The figures of a visit."""
    named = os.environ.get("GPU_VISIT")
    path = Path(named) if named else tmp_path_factory.mktemp("visit") / "figures.json"
    if not named:
        subprocess.run([sys.executable, "-m", "tests.gpu.visit", "--out", str(path)], check=True)
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_the_doctor_finds_the_card(visit: dict[str, Any]) -> None:
    assert visit["machine"]["ready"], visit["machine"]


def test_card_and_simulator_have_one_verdict(visit: dict[str, Any]) -> None:
    assert len(visit["examples"]) >= 45
    given = [row for row in visit["examples"] if not row["case"].endswith("(ragged)")]
    assert [row for row in given if not row["agree"]] == []


def test_the_card_was_measured(visit: dict[str, Any]) -> None:
    timed = [row["gpu"]["timing"] for row in visit["examples"] if "timing" in row["gpu"]]
    assert timed and all(each["ceiling"]["gbps"] > 0 for each in timed)


def test_no_size_crashes_what_the_simulator_runs(visit: dict[str, Any]) -> None:
    """Tiles that are not whole make wrong data, in both; the entry checks refuse the rest, in both."""
    assert [row for row in visit["examples"] if not row["agree"]] == []


def test_each_example_agrees_with_an_independent_reference(visit: dict[str, Any]) -> None:
    """At three sizes, on new inputs; where a kernel's text asks for whole tiles, the honest "wrong" or a refusal."""
    rows = visit["references"]["rows"]
    assert len(rows) == 3 * len(given())
    assert [row for row in rows if not row["agree"]] == []


def test_launches_that_overlap_read_what_the_ones_in_front_wrote(visit: dict[str, Any]) -> None:
    rows = visit["overlaps"]
    assert [row["chain"] for row in rows] == list(FORTH)
    assert [row for row in rows if row["wrong"] or row["hangs"] or row.get("trouble")] == []
    assert all(row["runs"] >= 5 for row in rows)  # as many are made in any case


def test_deterministic_kernels_give_equal_bits(visit: dict[str, Any]) -> None:
    assert [row for row in visit["repeats"] if row["troubles"]] == []
    assert [row for row in visit["repeats"] if row["different"] != 1 and not row["atomics"]] == []


def test_hung_kernels_tell_what_the_simulator_tells(visit: dict[str, Any]) -> None:
    assert len(visit["hangs"]) == 3
    assert [row for row in visit["hangs"] if not row["agree"]] == []
    for row in visit["hangs"]:
        assert row["gpu"]["verdict"] == "hangs"
        assert any(note.startswith("the static verdict agrees") for note in row["gpu"]["notes"]), row


def test_stuck_mutants_stand_where_verifier_and_simulator_say(visit: dict[str, Any]) -> None:
    assert len(visit["stuck"]) == len(listed().stuck)
    assert [row for row in visit["stuck"] if not row["agree"]] == []


def test_races_show_and_sound_kernels_bear_delays(visit: dict[str, Any]) -> None:
    """That a race shows is chance; that none of forty does, is a fault of the delays."""
    sound = [row for row in visit["racy"] if not row["rule"]]
    assert len(sound) == len(FILES)
    assert [row for row in sound if row["wrong"] or row["runs"] != RUNS] == []
    changed = [row for row in visit["racy"] if row["rule"]]
    assert len(changed) == len(listed().racy)
    assert any(row["wrong"] for row in changed)


def test_compute_sanitizer_finds_nothing(visit: dict[str, Any]) -> None:
    """Where it takes the kernel; its refusals are recorded."""
    rows = visit["sanitizer"]["rows"]
    assert len(rows) == 3 * len(given())
    assert [row for row in rows if row["errors"] or (row["errors"] is None and not row["refusal"])] == []
    taken = [row for row in rows if row["errors"] is not None]
    assert [row for row in taken if row["verdict"] not in ("verified", "consistent")] == []
    assert {row["tool"] for row in taken} == {"memcheck", "racecheck", "synccheck"}


def test_a_crash_names_its_kernel_and_harms_nothing(visit: dict[str, Any]) -> None:
    trouble = visit["crash"]["trouble"]
    assert (trouble["kind"], trouble["kernel"]) == ("crashed", "scatter")
    assert visit["crash"]["afterwards"] == "verified"


def test_too_little_memory_is_said(visit: dict[str, Any]) -> None:
    assert visit["too_large"]["kind"] == "memory"


def test_large_data_is_judged_on_the_card(visit: dict[str, Any]) -> None:
    assert [row for row in visit["large"] if not row["agree"]] == []


def test_a_click_is_soon_verified(visit: dict[str, Any]) -> None:
    """4096^3, warm server, cold kernel cache: within 1.5 s, of which NVRTC takes 0.4 s."""
    assert {row["verdict"] for row in visit["click"]["rows"]} == {"verified"}
    assert visit["click"]["median"]["total"] <= 1.5
    assert visit["click"]["median"]["nvrtc"] <= 0.4


def test_profiles_have_no_faults(visit: dict[str, Any]) -> None:
    """Times rise, each wait and trigger of the credit flow is there, sums fit the kernel's time, little is lost."""
    assert len(visit["profiles"]) == 6
    assert [(row["case"], row["faults"]) for row in visit["profiles"] if row["faults"]] == []


def test_every_part_came_to_its_end(visit: dict[str, Any]) -> None:
    assert [part for part in PARTS if isinstance(visit[part], dict) and "error" in visit[part]] == []
