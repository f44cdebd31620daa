"""Every case of the given sizes 50 times on the card, in one process and with one module: the same bits."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from croqc.engines.gpu.job import make_job
from croqc.engines.gpu.parent import Parent
from croqc.service.run_data import make_data
from croqc.service.run_plan import Request
from tests.gpu.cases import Case, given, lowering, name_of, plan
from tests.gpu.held import held

REPEATS: Final = 50
LIMIT: Final = 60.0  # seconds for all cases of a process


def repeats(card: Parent) -> list[dict[str, Any]]:
    """How many different bits there were. `atomics`: equal bits are not promised."""
    found = []
    with tempfile.TemporaryDirectory(prefix="croq-repeats-") as name:
        made = [(case, repeated_job(case, Path(name) / str(number))) for number, case in enumerate(given())]
        with held(card, "repeats"):
            answers = answered([folder for _, folder in made])
        for (case, _), answer in zip(made, answers, strict=True):
            atomics = "atomic" in case.file.read_text(encoding="utf-8")
            troubles = [answer["trouble"]] if answer["trouble"] else []
            row = {"case": name_of(case), "different": answer["different"], "atomics": atomics, "troubles": troubles}
            print(row, flush=True)
            found.append(row)
    return found


def repeated_job(case: Case, folder: Path) -> Path:
    """The folder that `tests.gpu.repeated` reads."""
    folder.mkdir()
    report, planned = plan(case, Request())
    analysis = planned.function.analysis
    assert analysis is not None
    program = lowering(report, planned)(False)
    data = make_data(analysis.model, planned.sizes, 0)
    job = make_job(program, data.arrays, folder, report.target.name)
    outputs = [array.name for array in program.arrays if array.is_parameter or array.name == program.done.result]
    (folder / "job.json").write_text(json.dumps({"job": job.to_json(), "outputs": outputs}), encoding="utf-8")
    return folder


def answered(folders: list[Path]) -> list[dict[str, Any]]:
    """What each program came to: one process for all, and a fresh one behind each that fails."""
    left, found = list(folders), []
    while left:
        command = [sys.executable, "-m", "tests.gpu.repeated", str(REPEATS), *map(str, left)]
        try:
            said = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False).stderr
        except subprocess.TimeoutExpired:
            said = f"not through within {LIMIT:g} s"
        answers = [each / "repeated.json" for each in left]
        done = [json.loads(each.read_text(encoding="utf-8")) for each in answers if each.exists()]
        if not done or not (done[-1]["trouble"] or len(done) == len(left)):
            done.append({"different": 0, "trouble": (said.strip().splitlines() or ["it ended"])[-1]})
        found += done
        left = left[len(done) :]
    return found
