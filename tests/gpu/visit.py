"""One visit to a machine with a card: `python -m tests.gpu.visit --out figures.json`. Must not need a test framework.

It runs every example at three sizes and sets the verdict against the simulator's, runs each 50 times and compares bits,
lets kernels hang, crash and ask for too much, profiles some, and measures. Each part is kept as soon as it is done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from croqc.codegen.program import Program
from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.faults import Trouble
from croqc.engines.gpu.lock import lock_path
from croqc.engines.gpu.parent import Parent, child_command, kernel_cache
from croqc.engines.gpu.protocol import Array, Job
from croqc.engines.gpu.run import CardOptions, run_on_card
from croqc.runs.report import RunResult
from croqc.service.check import FileReport, check_file, check_text
from croqc.service.doctor import diagnose
from croqc.service.json_text import to_data
from croqc.service.lowering import program_for
from croqc.service.machine import examine
from croqc.service.run import RunReport, run_planned
from croqc.service.run_data import Size, make_data
from croqc.service.run_plan import CardRequest, Planned, Request, plan_runs
from croqc.service.run_result import run_entry
from croqc.service.settings import Settings
from tests.gpu.profiles import profiles

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = Path(__file__).with_name("kernels")
REPEATS = 50
RAGGED = 8  # added to every extent: rows stay multiples of 16 bytes, tiles are not whole
TIMED = 20


@dataclass(frozen=True)
class Case:
    """A run of an example; `kind` is "given", "double" or "ragged"."""

    file: Path
    function: str
    kind: str
    sizes: dict[str, Size]
    arch: str


def cases() -> Iterator[Case]:
    """Three sizes of every function of the examples and of the kernels beside this file."""
    for file in (*sorted(EXAMPLES.glob("*.co")), *sorted(KERNELS.glob("*.co"))):
        report = check_file(file)
        seen = set()
        for planned in plan_runs(report, Request()):
            if planned.function.name in seen:
                continue
            seen.add(planned.function.name)
            arch = planned.arch or report.target.name
            for kind in ("given", "double", "ragged"):
                yield Case(file, planned.function.name, kind, scaled(planned, kind), arch)


def scaled(planned: Planned, kind: str) -> dict[str, Size]:
    """The extents of a run twice as large, or 8 larger; scalar parameters stay."""
    analysis = planned.function.analysis
    assert analysis is not None
    dims = {each.name for each in analysis.model.symbols if each.kind.name == "DIMENSION"}
    found: dict[str, Size] = {}
    for name, value in planned.sizes.items():
        if name in dims and kind != "given":
            found[name] = int(value) * 2 if kind == "double" else int(value) + RAGGED
        else:
            found[name] = value
    return found


def plan(case: Case, request: Request) -> tuple[FileReport, Planned]:
    report = check_file(case.file, Settings(arch=case.arch))
    wanted = Request(case.function, case.sizes, card=request.card)
    return report, plan_runs(report, wanted)[0]


def run(case: Case, card: Parent | None, wanted: CardRequest | None) -> RunReport:
    """In the simulator, or on the card."""
    request = Request(card=wanted)
    report, planned = plan(case, request)
    return run_planned(report, planned, request, None, card)


def said(report: RunReport) -> dict[str, Any]:
    result: RunResult = report.result
    entry: dict[str, Any] = to_data(run_entry(report))
    found: dict[str, Any] = {"verdict": result.verdict.value, "message": report.message, "notes": list(report.notes)}
    if result.timing is not None:
        found |= {"timing": entry["timing"], "compile": entry["compileTime"]}
    if result.hang:
        found["hang"] = entry["hang"]
    return found


def examples(card: Parent) -> list[dict[str, Any]]:
    """Every case in the simulator and on the card, timed there; with waits that report at the sizes of its run line.
    `agree`: one verdict."""
    found = []
    for case in cases():
        sim = said(run(case, None, None))
        start = time.perf_counter()
        gpu = said(run(case, card, CardRequest(rounds=TIMED, report=case.kind == "given")))
        row = {"case": name_of(case), "sim": sim, "gpu": gpu, "seconds": round(time.perf_counter() - start, 3)}
        row["agree"] = sim["verdict"] == gpu["verdict"]
        print(row["case"], sim["verdict"], gpu["verdict"], gpu["message"], flush=True)
        found.append(row)
    return found


def lowering(report: FileReport, planned: Planned) -> Callable[[bool], Program]:
    """What the engine asks for the program of a run."""
    function = planned.function
    assert function.analysis is not None
    return partial(program_for, report, function, function.analysis.model, planned.sizes)


def name_of(case: Case) -> str:
    sizes = " ".join(f"{name}={value}" for name, value in case.sizes.items())
    return f"{case.file.name}: {case.function} {sizes} ({case.kind})"


def repeats(card: Parent) -> list[dict[str, Any]]:
    """The bits of 50 runs of every case of the given sizes. `atomics`: equal bits are not promised."""
    found = []
    for case in cases():
        if case.kind != "given":
            continue
        report, planned = plan(case, Request())
        analysis = planned.function.analysis
        assert analysis is not None
        data = make_data(analysis.model, planned.sizes, 0)
        args = LaunchArgs(data.arrays, data.scalars, data.dims)
        lower = lowering(report, planned)
        digests = set()
        troubles = set()
        for _ in range(REPEATS):
            result = run_on_card(analysis.model, lower, args, card, CardOptions(report.target.name))
            if result.error or result.hung:
                troubles.add(result.error.message if result.error else "hangs")
                break
            arrays = dict(result.outputs) | ({} if result.result is None else {"": result.result})
            bits = [arrays[name].tobytes() for name in sorted(arrays)]  # type: ignore[union-attr]
            digests.add(hashlib.sha256(b"".join(bits)).hexdigest())
        atomics = "atomic" in case.file.read_text(encoding="utf-8")
        row = {"case": name_of(case), "different": len(digests), "atomics": atomics, "troubles": sorted(troubles)}
        print(row, flush=True)
        found.append(row)
    return found


GRANT = re.compile(r"foreach \{s\} in \[\w+\] \{\s*trigger empty\[s\];\s*\}")
MUTANTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "no credits at start": ("pipeline_1p2c.co", lambda text: GRANT.sub("", text)),
    "slots are never given back": ("pipeline_1p2c.co", lambda text: text.replace("trigger empty[stage];", "")),
    "nothing is announced": ("pipeline_1p2c.co", lambda text: text.replace("trigger full[stage];", "")),
}


def hangs(card: Parent) -> list[dict[str, Any]]:
    """Stuck mutants, with `--force`: the card's report and the simulator's. `agree`: path, line, event, slot,
    generation of each entry are the same."""
    found = []
    for name, (file, mutate) in MUTANTS.items():
        text = (EXAMPLES / file).read_text(encoding="utf-8")
        mutant = mutate(text)
        assert mutant != text, name
        report = check_text(mutant)
        reports = []
        for wanted in (None, CardRequest(force=True, report=True, timeout=0.5), CardRequest(force=True, timeout=0.5)):
            request = Request(card=wanted)
            planned = plan_runs(report, request)[0]
            start = time.perf_counter()
            reports.append(said(run_planned(report, planned, request, None, card if wanted else None)))
            reports[-1]["seconds"] = round(time.perf_counter() - start, 3)
        places = [standing(each) for each in reports]
        row: dict[str, Any] = {"mutant": name, "sim": reports[0], "gpu": reports[1], "again": reports[2]}
        row["agree"] = places[0] == places[1] == places[2] and bool(places[0])
        print(name, row["agree"], places, flush=True)
        found.append(row)
    return found


def standing(report: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("path", "event", "slot", "generation")
    return sorted((*(entry[key] for key in keys), entry["range"]["start"]["line"]) for entry in report.get("hang", ()))


OUTSIDE = """
__co__ void scatter(global s32 [N] where_to, global s32 [N] y) {
  parallel i by N : block {
    y.at(where_to.at(i) * 100000000) = 1;
  }
}
"""


def crash(card: Parent) -> dict[str, Any]:
    """A kernel that writes far outside, then a sound one: the crash must harm nothing else."""
    report = check_text(OUTSIDE)
    request = Request(sizes={"N": 64}, card=CardRequest())
    planned = plan_runs(report, request)[0]
    # The simulator would stop at the index, and there is no expectation: the engine alone is asked.
    analysis = planned.function.analysis
    assert analysis is not None
    data = make_data(analysis.model, planned.sizes, 0)
    args = LaunchArgs(data.arrays, data.scalars, data.dims)
    lower = lowering(report, planned)
    result = run_on_card(analysis.model, lower, args, card, CardOptions(report.target.name))
    sound = next(case for case in cases() if case.file.name == "add.co")
    return {
        "trouble": None if result.trouble is None else {**asdict(result.trouble), "kind": result.trouble.kind.value},
        "afterwards": run(sound, card, CardRequest()).result.verdict.value,
    }


def too_large(card: Parent) -> dict[str, Any]:
    """A job that asks for a tebibyte."""
    with tempfile.TemporaryDirectory() as folder:
        code = 'extern "C" __global__ void nothing() {}\n'
        outcome = card.run(Job(folder, code, "sm_90a", (Array("x", 1 << 40, given=False),)))
    assert isinstance(outcome, Trouble), outcome
    return {**asdict(outcome), "kind": outcome.kind.value}


def starts(card: Parent) -> dict[str, float]:
    """Seconds from nothing to a verified result of a GEMM: a fresh child and an empty cache, then warm."""
    case = next(case for case in cases() if case.file.name == "persistent_1p2c.co")
    found = {}
    with tempfile.TemporaryDirectory() as cache, Parent(child_command(Path(cache))) as fresh:
        for name in ("fresh child, empty cache", "warm child, warm cache"):
            start = time.perf_counter()
            verdict = run(case, fresh, CardRequest()).result.verdict.value
            found[f"{name} ({verdict})"] = round(time.perf_counter() - start, 3)
    return found


PARTS: dict[str, Callable[[Parent], Any]] = {
    "crash": crash,
    "too_large": too_large,
    "hangs": hangs,
    "starts": starts,
    "profiles": profiles,
    "examples": examples,
    "repeats": repeats,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("gpu-visit.json"))
    parser.add_argument("--only", action="append", choices=PARTS, help="this part only")
    args = parser.parse_args()
    figures: dict[str, Any] = {"machine": asdict_of_doctor(), "cache": str(kernel_cache())}
    failed = []
    with Parent(lock=lock_path()) as card:
        figures["card"] = str(card.card())
        for name, part in PARTS.items():
            if args.only and name not in args.only:
                continue
            start = time.perf_counter()
            try:
                figures[name] = part(card)
            except Exception:  # a part that fails leaves the others' figures
                figures[name] = {"error": traceback.format_exc()}
                failed.append(name)
                traceback.print_exc()
            figures[f"{name}_seconds"] = round(time.perf_counter() - start, 1)
            args.out.write_text(json.dumps(figures, indent=1, default=str) + "\n", encoding="utf-8")
            print(f"== {name}: {figures[f'{name}_seconds']} s", flush=True)
    return int(bool(failed))


def asdict_of_doctor() -> dict[str, Any]:
    return asdict(diagnose(examine()))


if __name__ == "__main__":
    sys.exit(main())
