"""The runs of a visit, in the simulator or on the card: every function of the examples and of the kernels beside this
file at three sizes, and those that go through the language. Must not judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from croqc.codegen.program import Program
from croqc.engines.gpu.parent import Parent
from croqc.runs.report import RunResult
from croqc.service.check import FileReport, check_file
from croqc.service.json_text import to_data
from croqc.service.lowering import program_for
from croqc.service.run import RunReport, run_planned
from croqc.service.run_plan import CardRequest, Planned, Request, plan_runs
from croqc.service.run_result import run_entry
from croqc.service.run_values import Size
from croqc.service.settings import Settings

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = Path(__file__).with_name("kernels")
COVERAGE = Path(__file__).with_name("coverage")
RAGGED = 8  # added to every extent: rows stay multiples of 16 bytes, tiles are not whole


@dataclass(frozen=True)
class Case:
    """A run of an example; `kind` is "given", "double" or "ragged"."""

    file: Path
    function: str
    kind: str
    sizes: dict[str, Size]
    arch: str


def cases() -> Iterator[Case]:
    """Three sizes of every function."""
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


def covered() -> Iterator[Case]:
    """The first run of each function of the files that go through the constructs of the language. Their sizes mean
    something: they come as they are."""
    for file in sorted(COVERAGE.glob("*.co")):
        report = check_file(file)
        first = {planned.function.name: planned for planned in reversed(plan_runs(report, Request()))}
        for name, planned in sorted(first.items()):
            yield Case(file, name, "given", dict(planned.sizes), planned.arch or report.target.name)


def given() -> list[Case]:
    """Those at the sizes of their first run line."""
    return [case for case in cases() if case.kind == "given"]


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


def name_of(case: Case) -> str:
    sizes = " ".join(f"{name}={value}" for name, value in case.sizes.items())
    return f"{case.file.name}: {case.function} {sizes} ({case.kind})"


def plan(case: Case, request: Request) -> tuple[FileReport, Planned]:
    report = check_file(case.file, Settings(arch=case.arch))
    wanted = Request(case.function, case.sizes, request.seed, card=request.card)
    return report, plan_runs(report, wanted)[0]


def run(case: Case, card: Parent | None, wanted: CardRequest | None, seed: int | None = None) -> RunReport:
    """In the simulator, or on the card."""
    request = Request(seed=seed, card=wanted)
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


def lowering(report: FileReport, planned: Planned) -> Callable[[bool], Program]:
    """What the engine asks for the program of a run."""
    function = planned.function
    assert function.analysis is not None
    return partial(program_for, report, function, function.analysis.model, planned.sizes)
