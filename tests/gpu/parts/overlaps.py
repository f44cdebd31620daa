"""Launches that begin while those in front of them end, each of which reads what the one in front wrote elsewhere: many
of them on one stream without a stop, and what they leave must be right bit by bit.

A kernel that read too early, or found old data in a cache of its multiprocessor, would leave other values.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from croqc.codegen.program import Program, program_of
from croqc.engines.gpu.job import make_job
from croqc.engines.gpu.parent import Parent
from croqc.pipe.lower import lowered_kernels
from croqc.service.check import check_text
from tests.gpu.held import held
from tests.gpu.mutants import model_of
from tests.gpu.parts.mutants import answer_of

RUNS: Final = 20
SECONDS: Final = 5.0
SIZE: Final = 1 << 20
TURNS: Final = 50
BY_THREADS: Final = "parallel b by N / 256 : block, t by 256 : thread {{ {to}.at(b * 256 + t) = {value} + 1; }}"
BY_TMA: Final = """parallel b by N / 256 : block {
      shared s32 [256] part;
      tma.copy x.subspan(256).at(N / 256 - 1 - b) => part;
      parallel t by 256 : thread { y.at(b * 256 + t) = part.at(255 - t) + 1; }
    }"""
FORTH: Final = {"loads": BY_THREADS.format(to="y", value="x.at(N - 1 - b * 256 - t)"), "tma": BY_TMA}
BACK: Final = BY_THREADS.format(to="x", value="y.at((b * 256 + t + N / 2) % N)")


def text_of(name: str) -> str:
    """From x to y in reverse order and back half the array further, one more each time; the same for each name."""
    body = f"foreach turn in {TURNS} {{\n    {FORTH[name]}\n    {BACK}\n  }}"
    return f"__co__ void chain(global s32 [N] x, global s32 [N] y) {{\n  {body}\n}}\n"


def wanted(x: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """What the arrays hold behind all turns."""
    y = x
    for _ in range(TURNS):
        y = x[::-1] + 1
        x = np.roll(y, -(len(x) // 2)) + 1
    return {"x": x, "y": y}


def chain(name: str, size: int, delays: bool = True) -> Program:
    """With `delays` it has a seed as last parameter, which `tests.gpu.shaken` passes."""
    report = check_text(text_of(name))
    model = model_of(report)
    assert model is not None
    kernels = lowered_kernels(model, report.target, {"N": size})
    return program_of(model, kernels, {"N": size}, "chain", delays=delays)


def overlaps(card: Parent) -> list[dict[str, Any]]:
    """`wrong` of `runs` gave other bits; each run starts anew."""
    found = []
    with held(card, "overlapping launches"):
        for name in FORTH:
            with tempfile.TemporaryDirectory(prefix="croq-overlaps-") as folder:
                chain_job(Path(folder), name, SIZE)
                row = {"chain": name, "runs": 0, "wrong": 0, "hangs": False, **answer_of(Path(folder))}
            print(row, flush=True)
            found.append(row)
    return found


def chain_job(folder: Path, name: str, size: int) -> None:
    """What `tests.gpu.shaken` reads."""
    start = np.arange(size, dtype=np.int32)
    job = make_job(chain(name, size), {"x": start}, folder, "sm_90a")
    assert all(launch.dependent for launch in job.launches)
    for array, values in wanted(start).items():
        values.astype(np.int32).tofile(folder / f"{array}.want")
    asked = {"job": job.to_json(), "runs": RUNS, "seconds": SECONDS}
    (folder / "job.json").write_text(json.dumps(asked), encoding="utf-8")
