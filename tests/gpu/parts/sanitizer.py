"""Every example once under compute-sanitizer's memcheck, racecheck and synccheck, several at a time.

Each run is a `croq run --engine gpu` of its own with a lock folder of its own, so that what a tool says belongs to one
kernel; the part holds the card's lock for all of them. Refusals of a tool are kept in its own words.
`--report-api-errors no`: without it memcheck counts the failed look-ups of entry points that cuda-bindings makes when
it is loaded, which concern no kernel.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Final

from croqc.engines.gpu.lock import lock_path
from croqc.engines.gpu.parent import Parent
from croqc.service.run_plan import CardRequest
from tests.gpu.cases import Case, given, name_of, run
from tests.gpu.held import held

TOOLS: Final = ("memcheck", "racecheck", "synccheck")
AT_ONCE: Final = 12
LIMIT: Final = 100.0  # seconds a run
FOUND: Final = 86  # the exit status of a tool that found something
OPTIONS: Final = ("--target-processes", "all", "--report-api-errors", "no", "--error-exitcode", str(FOUND))
_SUMMARY = re.compile(
    r"^========= (?:ERROR SUMMARY: (\d+) errors?"
    r"|RACECHECK SUMMARY: \d+ hazards? displayed \((\d+) errors?, (\d+) warnings?\))"
)
_USUAL = ("COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY")


@dataclass(frozen=True)
class Found:
    """What a tool says of a run. `errors` is None where it came to no summary, `refusal` then says why. `said`: its
    other lines, the first ones; `verdict`: of the run itself, "" where it did not come to one."""

    case: str
    tool: str
    errors: int | None
    warnings: int
    verdict: str
    said: tuple[str, ...] = ()
    refusal: str = ""


def program() -> str | None:
    """compute-sanitizer, from the path or from the toolkit."""
    homes = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
    places = os.pathsep.join([os.environ.get("PATH", ""), *(f"{home}/bin" for home in homes if home)])
    return shutil.which("compute-sanitizer", path=places)


def command(tool: str, case: Case, sanitizer: str) -> list[str]:
    sizes = [word for name, value in case.sizes.items() for word in ("-D", f"{name}={value}")]
    croq = [sys.executable, "-m", "croqc.cli.main", "run", "--engine", "gpu", "--json", "--repeat", "1"]
    wanted = ["--timeout", str(LIMIT), "--entry", case.function, "--arch", case.arch, *sizes, str(case.file)]
    return [sanitizer, "--tool", tool, *OPTIONS, *croq, *wanted]


def read(case: str, tool: str, output: str) -> Found:
    """What stands in the output of a run: the tool's lines begin with nine equals signs, the rest is JSON."""
    own = [line for line in output.splitlines() if line.startswith("=========")]
    summaries = [found for line in own if (found := _SUMMARY.match(line))]
    errors = [int(found[1] or found[2]) for found in summaries]
    warnings = sum(int(found[3] or 0) for found in summaries)
    said = [text for line in own if (text := line.lstrip("= ").rstrip()) and not text.startswith(_USUAL)]
    verdict = _verdict("\n".join(line for line in output.splitlines() if not line.startswith("=========")))
    refusal = "" if summaries else (said[0] if said else (output.strip().splitlines() or ["it said nothing"])[-1])
    return Found(case, tool, sum(errors) if summaries else None, warnings, verdict, tuple(said[:12]), refusal)


def _verdict(text: str) -> str:
    try:
        runs = json.loads(text[text.index("{") :])["runs"]
        return ", ".join(sorted({run["verdict"] for run in runs}))
    except (ValueError, KeyError):
        return ""


def examined(case: Case, tool: str, sanitizer: str) -> Found:
    """One run under one tool."""
    with tempfile.TemporaryDirectory() as own:
        try:
            done = subprocess.run(
                command(tool, case, sanitizer),
                env=os.environ | {"XDG_RUNTIME_DIR": own},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Found(name_of(case), tool, None, 0, "", refusal=f"not through within {LIMIT:g} s")
    found = read(name_of(case), tool, done.stdout)
    print(found.case, tool, found.errors, found.warnings, found.verdict, found.refusal, flush=True)
    return found


def sanitizer(card: Parent) -> dict[str, Any]:
    """All examples and kernels under all tools. `rows`: what each says."""
    found = program()
    if found is None:
        return {"error": "compute-sanitizer is not on the path nor in /usr/local/cuda"}
    run(given()[0], card, CardRequest(rounds=1))  # what the card reaches is measured now, not under a tool
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    with held(card, "compute-sanitizer"), ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(examined, case, tool, found) for tool in TOOLS for case in given()]
        rows = [each.result() for each in waiting]
    return {
        "version": version.splitlines()[-1] if version else "",
        "options": " ".join(OPTIONS),
        "rows": [asdict(row) for row in rows],
        "totals": {tool: _totals([row for row in rows if row.tool == tool]) for tool in TOOLS},
    }


def _totals(rows: list[Found]) -> dict[str, int]:
    return {
        "runs": len(rows),
        "refused": sum(row.errors is None for row in rows),
        "errors": sum(row.errors or 0 for row in rows),
        "warnings": sum(row.warnings for row in rows),
        "verified": sum(row.verdict in ("verified", "consistent") for row in rows),
    }


def main() -> None:
    """This part alone, for a look: prints the totals."""
    with Parent(lock=lock_path()) as card:
        print(json.dumps(sanitizer(card)["totals"], indent=1))


if __name__ == "__main__":
    main()
