"""Many drawn kernels in the emulator, over several processes; resumable. `make fuzz-emulator` runs it.

Seed n always means the same kernel. Each that is not verified is printed with its source.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Mapping
from multiprocessing import Pool
from pathlib import Path

from croqc.service.check import check_file
from croqc.service.settings import Settings
from croqc.text.diagnostics import Severity
from tests.chunks import counted, told
from tests.emulator import build
from tests.emulator.drawn import FAMILIES, Drawn, draw
from tests.emulator.running import emulated, wrong

CHUNK = 50


def judged(drawn: Drawn) -> str:
    """What is wrong with a kernel; empty if nothing is."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drawn.co"
        file.write_text(drawn.text, encoding="utf-8")
        errors = [
            each for each in check_file(file, Settings(drawn.arch)).diagnostics if each.severity is Severity.ERROR
        ]
        if errors:
            return f"the check: {errors[0].message}"
        return "; ".join(wrong(emulated(file, arch=drawn.arch)))


def run_chunk(chunk: int) -> tuple[int, dict[str, int], list[tuple[int, str, str]]]:
    """Outcomes by family and number, and what was found: seed, what is wrong, source."""
    counts: Counter[str] = Counter()
    found = []
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        drawn = draw(seed)
        fault = judged(drawn)
        counts[f"{drawn.family} {'wrong' if fault else 'verified'}"] += 1
        if fault:
            found.append((seed, fault, drawn.text))
    return chunk, dict(counts), found


def run(kernels: int, jobs: int | None, state: Path, found_in: Path | None) -> Counter[str]:
    """Runs what the state file does not have yet. Returns the counts of all chunks."""

    def on_chunk(found: list[tuple[int, str, str]], done: int, rate: float) -> None:
        told(((f"{seed:06}.co", f"// seed {seed}: {fault}\n{text}") for seed, fault, text in found), found_in)
        print(f"{done * CHUNK} kernels, {rate * CHUNK:.1f} a second", flush=True)

    build.machine()  # once, not in every process
    with Pool(jobs) as pool:
        return counted(pool, -(-kernels // CHUNK), run_chunk, state, on_chunk)


def table(total: Mapping[str, int]) -> str:
    lines = ["| drawn | kernels | not verified |", "|---|---:|---:|"]
    for family in FAMILIES:
        right, bad = total.get(f"{family} verified", 0), total.get(f"{family} wrong", 0)
        lines.append(f"| {family} | {right + bad} | {bad} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--state", type=Path, default=Path("build/fuzz-emulator.jsonl"))
    parser.add_argument("--found", type=Path, default=Path("build/fuzz-emulator"), help="folder of what was found")
    options = parser.parse_args()
    print(table(run(options.kernels, options.jobs, options.state, options.found)))


if __name__ == "__main__":
    main()
