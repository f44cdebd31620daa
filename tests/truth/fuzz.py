"""Many programs through `agreement`, over several processes; resumable. `make fuzz-flow` runs it.

Seed n always means the same program: a drawn one, or one with a mutation or two. Every disagreement is printed as a
source that was made as small as it goes.
"""

from __future__ import annotations

import argparse
import gc
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import Pool
from pathlib import Path
from random import Random

from tests.chunks import counted, reported, told
from tests.truth.agreement import Judged, judge
from tests.truth.generate import draw_program
from tests.truth.mutate import apply, mutants, subject
from tests.truth.program import Program

CHUNK = 100
SCHEDULES = 8
ATTEMPTS = 120


def program_of(seed: int) -> Program:
    """Two in three are mutants, some of them twice."""
    random = Random(seed)
    program = draw_program(random)
    for chance in (0.65, 0.25):
        if random.random() < chance and (changed := list(mutants(program))):
            label = program.label
            program = random.choice(changed)
            program = replace(program, label=f"{label}; {program.label}")
        else:
            break
    return program


def minimised(judged: Judged, schedules: int = SCHEDULES) -> Judged:
    """A smaller program with the same kind of disagreement: statements left out one by one, sizes too."""
    attempts = ATTEMPTS
    shrunk = True
    while shrunk and attempts > 0:
        shrunk = False
        for smaller in _smaller(judged.program):
            attempts -= 1
            again = judge(smaller, schedules)
            if again.outcome == judged.outcome:
                judged, shrunk = again, True
                break
            if attempts <= 0:
                break
    return judged


def _smaller(program: Program) -> Iterator[Program]:
    found = subject(program)
    if found is None:
        return
    for place in found.places:
        span = place.stmt.span
        yield replace(program, text=apply(program.text, found.base, ((span.start, span.end, ""),)))
    if len(program.sizes) > 1:
        yield replace(program, sizes=program.sizes[:-1])


def run_chunk(chunk: int) -> tuple[int, dict[str, int], list[tuple[int, str, str]]]:
    """Outcomes by number, and disagreements: seed, who says what, source."""
    counts: Counter[str] = Counter()
    found = []
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        judged = judge(program_of(seed), SCHEDULES)
        counts[judged.outcome] += 1
        counts[f"verdict {judged.verdict.strength.value}" if judged.verdict else "verdict none"] += 1
        if judged.seen is not None:
            counts[f"simulator {judged.seen.kind}"] += 1
        if judged.disagrees:
            small = minimised(judged)
            found.append((seed, f"{small.program.label} | {small.says()}", small.program.source()))
    return chunk, dict(counts), found


def _prepare() -> None:
    """For a process of its own: programs come and go in many small objects, which the collector need not look for."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def run(programs: int, jobs: int, state: Path, found_in: Path | None) -> Counter[str]:
    """Runs what the state file does not have yet. Returns the counts of all chunks."""

    def on_chunk(found: list[tuple[int, str, str]], done: int, rate: float) -> None:
        told(((f"{seed:06}.co", f"// seed {seed}: {says}\n{source}") for seed, says, source in found), found_in)
        print(f"{done * CHUNK} programs, {rate * CHUNK:.1f} a second", flush=True)

    with Pool(jobs, _prepare) as pool:
        return counted(pool, -(-programs // CHUNK), run_chunk, state, on_chunk)


ROWS = (
    ("agree", "verifier, simulator and search agree"),
    ("rejected", "an error before the flow is analysed (a mutant that is no program)"),
    ("undecided", "the search was too large, or the run broke off for another reason"),
    ("not analysed", "the verifier gives no verdict"),
    ("missed", "**disagree**: not condemned, but a schedule shows a fault"),
    ("false alarm", "**disagree**: drawn correct, but condemned"),
    ("not condemned", "**disagree**: condemned, but no interleaving shows a fault"),
    ("crash", "**disagree**: the verifier broke off"),
    ("split", "**disagree**: simulator and search"),
)


def table(total: Counter[str]) -> str:
    programs = sum(total[name] for name, _ in ROWS)
    lines = [f"{programs:,} programs, {SCHEDULES} schedules each.", "", "| programs | outcome |", "|---:|---|"]
    lines += [f"| {total[name]:,} | {meaning} |" for name, meaning in ROWS]
    lines += ["", "| verifier | programs | | simulator | programs |", "|---|---:|---|---|---:|"]
    left = [
        (name.removeprefix("verdict "), count) for name, count in sorted(total.items()) if name.startswith("verdict")
    ]
    right = [
        (name.removeprefix("simulator "), count) for name, count in sorted(total.items()) if name.startswith("simul")
    ]
    for number in range(max(len(left), len(right))):
        a, b = (side[number] if number < len(side) else ("", 0) for side in (left, right))
        lines.append(f"| {a[0]} | {a[1] or ''} | | {b[0]} | {b[1] or ''} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--state", type=Path, default=Path("build/fuzz-flow.jsonl"))
    parser.add_argument("--found", type=Path, default=Path("build/fuzz-flow"), help="folder of disagreements")
    parser.add_argument("--write", type=Path, help="document whose table is renewed")
    options = parser.parse_args()
    total = run(options.programs, options.jobs, options.state, options.found)
    reported(table(total), options.write, "agreement")


if __name__ == "__main__":
    main()
