"""The listed mutants on the card: stuck ones must stand where verifier and simulator say, racy ones are run 200 times
with random delays to see how often the race shows. The unchanged kernels, run likewise, must never be wrong.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from croqc.engines.gpu.job import make_job
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.run import CardOptions, run_on_card
from croqc.service.check import check_text
from tests.gpu.cases import EXAMPLES
from tests.gpu.held import held
from tests.gpu.mutants import FILES, Mutant, listed, model_of, program, sizes_of, stands, text_of, wanted
from tests.truth.kernels import arguments

TIME: Final = 0.125  # seconds that a stuck kernel may run: its waits give up after two fifths, 50 ms
RUNS: Final = 200
AT_ONCE: Final = 4  # stuck ones, each in a child of its own, for the trap costs a child
SHAKEN_AT_ONCE: Final = 8
SHAKEN_LIMIT: Final = 20.0  # seconds for a process that shakes one
SHAKEN_SECONDS: Final = 2.0  # for the runs of one at most
SHAKEN_TOTAL: Final = 40.0  # seconds for all of them; the last get a few runs each


def stuck(card: Parent) -> list[dict[str, Any]]:
    """`agree`: paths, lines, events, slots, generations and debtors are those of the list."""
    with held(card, "stuck mutants"), _parents(card) as free, ThreadPoolExecutor(AT_ONCE) as pool:

        def one(mutant: Mutant) -> dict[str, Any]:
            own = free.get()
            try:
                return _stuck(mutant, own)
            finally:
                free.put(own)

        return list(pool.map(one, listed().stuck))


@contextmanager
def _parents(card: Parent) -> Iterator[SimpleQueue[Parent]]:
    """Ways to the card beside each other, as the given one has, but for its lock, which all of them are under."""
    free: SimpleQueue[Parent] = SimpleQueue()
    own = [Parent(card.command, card.clocks) for _ in range(AT_ONCE)]
    for each in own:
        free.put(each)
    try:
        yield free
    finally:
        for each in own:
            each.close()


def _stuck(mutant: Mutant, card: Parent) -> dict[str, Any]:
    report = check_text(text_of(mutant))
    model = model_of(report)
    assert model is not None
    target = report.target.name
    start = time.perf_counter()
    result = run_on_card(
        model,
        lambda waits: program(report, model, waits),
        arguments(model, sizes_of(report)),
        card,
        CardOptions(target, timeout=TIME, report=True),
    )
    found = stands(report, result.hang)
    row: dict[str, Any] = {"mutant": mutant.name, "rule": mutant.rule, "hung": result.hung}
    row["agree"] = result.hung and found == mutant.standing
    row["seconds"] = round(time.perf_counter() - start, 3)
    if not row["agree"]:
        row |= {
            "card": [asdict(each) for each in found],
            "list": [asdict(each) for each in mutant.standing],
            "trouble": result.error.message if result.error else "",
        }
    print(mutant.name, "agrees" if row["agree"] else row, flush=True)
    return row


def racy(card: Parent) -> list[dict[str, Any]]:
    """`wrong` of `runs`, `hangs` where a further one did not end; the rule "" stands for a kernel without a change,
    which is given all its runs."""
    originals = [(file, "", (EXAMPLES / file).read_text(encoding="utf-8"), file) for file in FILES]
    changed = [(each.name, each.rule, text_of(each), each.file) for each in listed().racy]
    deadline = time.monotonic() + SHAKEN_TOTAL
    with held(card, "racy mutants"), ThreadPoolExecutor(SHAKEN_AT_ONCE) as pool:
        return [done.result() for done in [pool.submit(_racy, *each, deadline) for each in [*originals, *changed]]]


def _racy(name: str, rule: str, text: str, file: str, deadline: float) -> dict[str, Any]:
    row: dict[str, Any] = {"mutant": name, "rule": rule, "runs": 0, "wrong": 0, "hangs": False, "trouble": ""}
    with tempfile.TemporaryDirectory(prefix="croq-shaken-") as folder:
        left = max(0.0, min(SHAKEN_SECONDS, deadline - time.monotonic()))
        shaken_job(Path(folder), text, file, seconds=left if rule else SHAKEN_LIMIT)
        row |= answer_of(Path(folder))
    row["share"] = round(row["wrong"] / row["runs"], 3) if row["runs"] else None
    print(name, f"{row['wrong']} of {row['runs']} wrong", "hangs" * row["hangs"], row["trouble"], flush=True)
    return row


def answer_of(folder: Path) -> dict[str, Any]:
    """What `tests.gpu.shaken` says of a folder, or the `trouble` that it had."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.gpu.shaken", str(folder)],
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=SHAKEN_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"trouble": f"not through within {SHAKEN_LIMIT:g} s"}
    answer = folder / "shaken.json"
    if answer.exists():
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return found
    return {"trouble": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}


def shaken_job(folder: Path, text: str, file: str, runs: int = RUNS, seconds: float = SHAKEN_SECONDS) -> None:
    """What `tests.gpu.shaken` reads: a program with delays, its inputs, and what the unchanged kernel gives."""
    report = check_text(text)
    model = model_of(report)
    assert model is not None
    data = arguments(model, sizes_of(report))
    job = make_job(program(report, model, delays=True), data.arrays, folder, report.target.name)
    for name, values in wanted(file).items():
        values.tofile(folder / f"{name}.want")
    asked = {"job": job.to_json(), "runs": runs, "seconds": seconds}
    (folder / "job.json").write_text(json.dumps(asked), encoding="utf-8")
