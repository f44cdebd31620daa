"""The mutation score: which meaning-changing mutants of the kernels does `croq check` find, and whom does it accuse?

`make mutation` runs it over all mutants and writes operators and score to docs/verification.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing import Pool
from pathlib import Path

from croqc.flow.analysis import CHECK_BUDGET
from croqc.rules.table import FLOW_RULES
from croqc.sema.model import Model
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_flow
from croqc.text.diagnostics import Severity
from tests.truth.document import write_section
from tests.truth.exhaustive import explore_program
from tests.truth.kernels import Kernel, kernels, outputs_of, run, same, stable
from tests.truth.mutate import mutants, operators
from tests.truth.program import Program, Sizes

SCHEDULES = 12
MORE = 60
EFFORT = 100_000  # steps of the runs of one mutant
SEARCH = 6_000
DEEP_SEARCH = 150_000


FORMAL = frozenset({"future-waited-twice", "future-not-waited", "unconsumed-credit", "unused-event", "explicit-count"})
"""Rules whose breach needs not show in a run: who is accused of no other is not accused falsely."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """`effect`: hang, wrong (another result under some schedule), other (the same other result under all), breaks,
    race and its like from the search, equal, undecided, or no program; formal: equal, but the search counts what the
    language forbids (orders out of step, mixed generations, futures waited for twice). `said`: who accuses it."""

    kernel: str
    label: str
    text: str
    effect: str
    said: frozenset[str]

    @property
    def operator(self) -> str:
        return self.label.split(",")[0]

    @property
    def falsely_accused(self) -> bool:
        return self.effect == "equal" and bool(self.said & frozenset(FLOW_RULES) - FORMAL)

    @property
    def changed(self) -> bool:
        return self.effect not in ("equal", "undecided", "no program", "formal")


def checked(text: str) -> FileReport:
    return with_flow(check_text(text), CHECK_BUDGET)


def accusations(report: FileReport) -> frozenset[str]:
    """The rules that speak of an error or a warning, as `croq check` does."""
    loud = (Severity.ERROR, Severity.WARNING)
    return frozenset(item.code for item in report.diagnostics if item.severity in loud)


@cache
def said_of_original(text: str) -> frozenset[str]:
    return accusations(checked(text))


def _model(report: FileReport) -> Model | None:
    broken = any(item.severity is Severity.ERROR for item in report.found)
    analysis = report.functions[0].analysis if len(report.functions) == 1 and not broken else None
    return None if analysis is None else analysis.model


def examine(kernel: Kernel, mutant: Program) -> Mutant:
    report = checked(mutant.text)
    said = accusations(report) - said_of_original(kernel.program.text)
    model = _model(report)
    effect = "no program" if model is None else _effect(kernel, mutant, model, report, bool(said))
    return Mutant(kernel.program.label, mutant.label, mutant.text, effect, said)


def _effect(kernel: Kernel, mutant: Program, model: Model, report: FileReport, accused: bool) -> str:
    effect = _seen(kernel, mutant.sizes, model, SCHEDULES)
    if effect in ("equal", "other"):
        effect = _searched(mutant, model, SEARCH, effect)
    if effect in ("equal", "undecided", "formal") and accused:  # closer, where the accusation says
        exact = _named_sizes(kernel, report)
        closer = _searched(replace(mutant, sizes=exact), model, DEEP_SEARCH, effect) if exact else effect
        effect = closer if closer not in ("equal", "undecided") else effect
        if effect in ("equal", "undecided", "formal"):
            near = _at(kernel, exact)
            seen = _seen(near, near.program.sizes, model, MORE)
            effect = effect if seen == "equal" else seen
    return effect


def _seen(kernel: Kernel, sizes: tuple[Sizes, ...], model: Model, schedules: int) -> str:
    """What the schedules show: the worst. Long runs are repeated less often, each size once at least."""
    other, spent = False, 0
    for seed in range(schedules):
        if spent > EFFORT and seed >= len(sizes):
            break
        number = len(sizes) - 1 - seed % len(sizes)
        result = run(model, sizes[number], seed)
        spent += result.steps
        if result.hang:
            return "hang"
        outputs = outputs_of(result)
        if outputs is None:
            return "breaks"
        if not same(outputs, kernel.outputs[number]):
            plain = outputs_of(run(model, sizes[number], None))
            if plain is None or not same(plain, outputs):
                return "wrong"
            other = True
    return "other" if other else "equal"


def _searched(mutant: Program, model: Model, limit: int, effect: str) -> str:
    explored = explore_program(mutant, model, limit)
    if explored is not None and explored.hard:
        return sorted(explored.faults)[0]
    if effect == "other":
        return effect
    if explored is not None and explored.faults:
        return "formal"
    return "equal" if explored is not None and explored.complete else "undecided"


def _named_sizes(kernel: Kernel, report: FileReport) -> tuple[Sizes, ...]:
    """The sizes that the findings name, completed by those of the kernel."""
    base = kernel.program.sizes[-1]
    named = [
        {name: max(int(finding.sizes.get(name, value)), 1) for name, value in base.items()}
        for function in (report.flows or {}).values()
        for flow in function.kernels
        for finding in flow.findings
    ]
    return tuple(sizes for number, sizes in enumerate(named) if sizes not in named[:number])


def _at(kernel: Kernel, named: tuple[Sizes, ...]) -> Kernel:
    """The original at these sizes, or rounded up to where its copies can run; as it is where it runs at none."""
    report = checked(kernel.program.text)
    original = _model(report)
    assert original is not None
    outputs = {}
    chosen: list[Sizes] = []
    for sizes in named:
        for unit in (1, 8, 16, 64, 128):
            rounded = {name: -(-value // unit) * unit for name, value in sizes.items()}
            plain = None if rounded in chosen else stable(original, rounded)
            if plain is not None:
                outputs[len(chosen)] = plain
                chosen.append(rounded)
                break
    if not chosen:
        return kernel
    return Kernel(replace(kernel.program, sizes=tuple(chosen)), outputs)


# --- all of them ---------------------------------------------------------------------------------


def everything() -> list[tuple[int, int]]:
    """Kernel and number of every mutant."""
    return [(number, each) for number, kernel in enumerate(kernels()) for each, _ in enumerate(mutants(kernel.program))]


@cache
def _mutants_of(number: int) -> tuple[Program, ...]:
    return tuple(mutants(kernels()[number].program))


def examine_number(which: tuple[int, int]) -> Mutant:
    kernel = kernels()[which[0]]
    return examine(kernel, _mutants_of(which[0])[which[1]])


def table(found: Iterable[Mutant]) -> str:
    rows: dict[str, Counter[str]] = {name: Counter() for name in operators()}
    changed_in: set[str] = set()
    for mutant in found:
        changed_in.add(mutant.kernel)
        row = rows[mutant.operator]
        row["mutants"] += 1
        if mutant.changed:
            row["changed"] += 1
            row["found"] += bool(mutant.said)
        elif mutant.effect == "equal":
            row["equal"] += 1
            row["accused"] += mutant.falsely_accused
        else:
            row[mutant.effect] += 1
    total: Counter[str] = Counter()
    for row in rows.values():
        total.update(row)
    changed, caught = total["changed"], total["found"]
    score = f"{100 * caught / changed:.1f} %" if changed else "none"
    lines = [
        f"{len(changed_in)} kernels, {total['mutants']} mutants: {caught} of {changed} that change meaning are found "
        f"({score}), {total['accused']} of {total['equal']} equivalent ones are accused.",
        "",
        "| operator | mutants | no program | change meaning | found | equivalent | accused | formal | undecided |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    keys = ("mutants", "no program", "changed", "found", "equal", "accused", "formal", "undecided")
    lines += [f"| {name} | " + " | ".join(str(row[key]) for key in keys) + " |" for name, row in rows.items()]
    lines += ["| all | " + " | ".join(str(total[key]) for key in keys) + " |"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--every", type=int, default=1, help="every n-th mutant")
    parser.add_argument("--write", type=Path, help="document whose table is renewed")
    options = parser.parse_args()
    chosen = everything()[:: options.every]
    found = []
    with Pool(options.jobs) as pool:
        for mutant in pool.imap_unordered(examine_number, chosen, chunksize=4):
            found.append(mutant)
            where = f"{mutant.kernel}: {mutant.label}: {mutant.effect}"
            if mutant.changed and not mutant.said:
                print(f"missed: {where}", flush=True)
            elif mutant.falsely_accused:
                print(f"accused: {where}: {', '.join(sorted(mutant.said))}", flush=True)
    text = table(found)
    print(text)
    if options.write:
        write_section(options.write, "mutation", text)


if __name__ == "__main__":
    main()
