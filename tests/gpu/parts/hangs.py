"""Stuck kernels on the way of `croq run --force`: what a user is told is what the simulator says."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from croqc.engines.gpu.parent import Parent
from croqc.service.check import check_text
from croqc.service.run import run_planned
from croqc.service.run_plan import CardRequest, Request, plan_runs
from tests.gpu.cases import EXAMPLES, said

GRANT = re.compile(r"foreach \{s\} in \[\w+\] \{\s*trigger empty\[s\];\s*\}")
MUTANTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "no credits at start": ("pipeline_1p2c.co", lambda text: GRANT.sub("", text)),
    "slots are never given back": ("pipeline_1p2c.co", lambda text: text.replace("trigger empty[stage];", "")),
    "nothing is announced": ("pipeline_1p2c.co", lambda text: text.replace("trigger full[stage];", "")),
}


def hangs(card: Parent) -> list[dict[str, Any]]:
    """The simulator, the card with waits that report, and without, where it is run again for its report. `agree`: path,
    line, event, slot, generation of each entry are the same."""
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
