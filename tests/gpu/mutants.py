"""The mutants of the examples that a visit runs on the card: at most 40 that get stuck and 40 that race, fixed by the
list in `mutants.json`. `python -m tests.gpu.mutants` makes that list anew. Must not need a card.

A *stuck* mutant stands still for ever: the verifier condemns it, its abstract run at the sizes of the example's run
line stands where the simulator stands, and the simulator stands there under every schedule tried. A *racy* one ends,
the verifier accuses it of a race alone, and some schedule of the simulator gives wrong data.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final

from croqc.codegen.program import Program as CudaProgram
from croqc.codegen.program import program_of
from croqc.engines.hang import HungPath
from croqc.flow.arrivals import survey
from croqc.flow.explain import waited_slot
from croqc.flow.lower import lower
from croqc.flow.lower_statements import STATEMENTS
from croqc.flow.machine import Machine
from croqc.flow.report import KernelFlow
from croqc.flow.run import ExhaustedError, Setting
from croqc.pipe.errors import LoweringError
from croqc.pipe.lower import lowered_kernels
from croqc.sema.masks import place_indices
from croqc.sema.model import Model
from croqc.service.check import FileReport
from croqc.service.run_plan import Request, plan_runs
from croqc.text.diagnostics import Severity
from croqc.text.span import Span
from tests.gpu.cases import EXAMPLES
from tests.truth.kernels import outputs_of, run, same
from tests.truth.mutate import mutants, operators
from tests.truth.mutation import checked
from tests.truth.program import Array, Program

LIST: Final = Path(__file__).with_name("mutants.json")
MOST: Final = 40
OF_ONE: Final = 5  # of one operator, of each kind
FILES: Final = (
    "pipeline_1p2c.co",
    "gemm_f16.co",
    "pipeline_classic.co",
    "persistent_1p2c.co",
    "pipeline_current.co",
    "matmul_ragged.co",
    "pipeline_course.co",
    "rotate_triple.co",
    "swap_f16.co",
)
STUCK: Final = frozenset(
    ("credit-deadlock", "arrival-count-mismatch", "trip-count-mismatch", "ring-mismatch", "generation-mixup")
)
RACES: Final = frozenset(("stage-race", "uncommitted-release", "early-publish"))
SEEDS: Final = 8
STEPS: Final = 1_000_000


@dataclass(frozen=True)
class Debt:
    """A path that owes: the line of its trigger, and of the wait at which it stands (None: it has ended)."""

    path: str
    trigger: int
    stands: int | None


@dataclass(frozen=True)
class Stand:
    """A path of a stuck kernel: line (from 1), event, slot (0 for a single event) and generation of its wait."""

    path: str
    line: int
    event: str
    slot: int
    generation: int
    owed_by: tuple[Debt, ...] = ()


@dataclass(frozen=True)
class Mutant:
    """`line` and `number` tell which of the operator's mutants it is: the `number`-th (from 0) of that line. `rule`:
    what the verifier finds; `standing`: where its paths stand, empty for a racy one."""

    file: str
    operator: str
    line: int
    number: int
    rule: str
    standing: tuple[Stand, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.file}: {self.operator}, line {self.line}" + (f", {self.number + 1}" if self.number else "")


@dataclass(frozen=True)
class Kinds:
    stuck: tuple[Mutant, ...]
    racy: tuple[Mutant, ...]


# --- texts -----------------------------------------------------------------------------------------


@cache
def texts(file: str) -> Mapping[tuple[str, int, int], str]:
    """The text of every mutant of an example by operator, line and number, operators in their order."""
    seen: Counter[tuple[str, int]] = Counter()
    found = {}
    for mutant in mutants(Program((EXAMPLES / file).read_text(encoding="utf-8"), (), ())):
        operator, _, line = mutant.label.partition(", line ")
        key = operator, int(line)
        found[(*key, seen[key])] = mutant.text
        seen[key] += 1
    return found


def text_of(mutant: Mutant) -> str:
    return texts(mutant.file)[mutant.operator, mutant.line, mutant.number]


def model_of(report: FileReport) -> Model | None:
    broken = any(item.severity is Severity.ERROR for item in report.found)
    analysis = None if broken else report.functions[0].analysis
    return None if analysis is None else analysis.model


def sizes_of(report: FileReport) -> dict[str, int]:
    return {name: int(value) for name, value in plan_runs(report, Request())[0].sizes.items()}


# --- verdicts --------------------------------------------------------------------------------------


def line_in(report: FileReport, span: Span) -> int:
    return report.source.position(span.start + report.functions[0].base).line + 1


def stands(report: FileReport, hung: tuple[HungPath, ...]) -> tuple[Stand, ...]:
    """What an engine reports, in an order of its own."""

    def debts(item: HungPath) -> tuple[Debt, ...]:
        return tuple(
            Debt(
                each.path, line_in(report, each.trigger), None if each.stands is None else line_in(report, each.stands)
            )
            for each in item.owed_by
        )

    found = (
        Stand(item.path, line_in(report, item.span), item.event, item.slot or 0, item.generation, debts(item))
        for item in hung
    )
    return tuple(sorted(found, key=lambda each: each.path))


def abstract_stands(report: FileReport, model: Model, flow: KernelFlow) -> tuple[Stand, ...]:
    """Where the verifier's own run of these sizes stands; it names no debtors here. Empty where it ends."""
    arrivals, starts = survey(model, flow.kernel, flow.paths)
    program = lower(model, flow.kernel, flow.paths, arrivals, STATEMENTS)
    given = sizes_of(report)
    chosen = {size.var: 0 if size.bound is not None else given[size.name] for size in program.sizes}
    setting = Setting(program, flow.paths, place_indices(model, flow.kernel.node), arrivals, starts)
    machine = Machine(setting, chosen, STEPS)
    try:
        machine.run()
    except ExhaustedError:
        return ()
    found = []
    for path in machine.stuck():
        waited = waited_slot(path)
        if waited is not None and path.blocked is not None:
            slot, generation = waited
            line = line_in(report, path.blocked[0].span)
            found.append(Stand(path.name, line, slot.event.symbol.name, slot.index, generation))
    return tuple(sorted(found, key=lambda each: each.path))


def without_debts(standing: tuple[Stand, ...]) -> tuple[Stand, ...]:
    return tuple(Stand(each.path, each.line, each.event, each.slot, each.generation) for each in standing)


@dataclass(frozen=True)
class Judged:
    """`kind`: stuck, racy, or "" for neither."""

    kind: str
    rule: str = ""
    standing: tuple[Stand, ...] = ()


NEITHER: Final = Judged("")


@cache
def wanted(file: str) -> Mapping[str, Array]:
    """The outputs of an example at the sizes of its first run line; small integers, so that sums are exact."""
    report = checked((EXAMPLES / file).read_text(encoding="utf-8"))
    model = model_of(report)
    assert model is not None
    outputs = outputs_of(run(model, sizes_of(report), None, STEPS))
    assert outputs is not None, file
    return outputs


def judged(file: str, text: str) -> Judged:
    """What verifier and simulator say of a mutant."""
    report = checked(text)
    model = model_of(report)
    flows = [kernel for flow in (report.flows or {}).values() for kernel in flow.kernels]
    rules = sorted({finding.rule for flow in flows for finding in flow.findings})
    if model is None or len(flows) != 1 or len(rules) != 1 or any(flow.steps is None for flow in flows):
        return NEITHER
    if rules[0] in STUCK:
        return _stuck(report, model, flows[0], rules[0])
    if rules[0] in RACES:
        return _racy(file, report, model, flows[0], rules[0])
    return NEITHER


def _stuck(report: FileReport, model: Model, flow: KernelFlow, rule: str) -> Judged:
    verifier = abstract_stands(report, model, flow)
    if not verifier or not lowers(report, model, report_waits=True):
        return NEITHER
    found: tuple[Stand, ...] = ()
    for seed in (None, *range(SEEDS)):
        result = run(model, sizes_of(report), seed, STEPS)
        standing = stands(report, result.hang)
        if without_debts(standing) != verifier or (found and standing != found):
            return NEITHER
        found = standing
    return Judged("stuck", rule, found)


def _racy(file: str, report: FileReport, model: Model, flow: KernelFlow, rule: str) -> Judged:
    if abstract_stands(report, model, flow) or not lowers(report, model, delays=True):
        return NEITHER
    shown = False
    for seed in range(SEEDS):
        outputs = outputs_of(run(model, sizes_of(report), seed, STEPS))
        if outputs is None:
            return NEITHER
        shown = shown or not same(outputs, wanted(file))
    return Judged("racy", rule) if shown else NEITHER


def program(report: FileReport, model: Model, waits: bool = False, delays: bool = False) -> CudaProgram:
    """What a mutant is on the card. `waits`: they report; `delays`: it dawdles. Raises LoweringError."""
    sizes = sizes_of(report)
    kernels = lowered_kernels(model, report.target, sizes)
    return program_of(model, kernels, sizes, "mutant", report=waits, delays=delays)


def lowers(report: FileReport, model: Model, report_waits: bool = False, delays: bool = False) -> bool:
    try:
        program(report, model, report_waits, delays)
    except LoweringError:
        return False
    return True


# --- the list --------------------------------------------------------------------------------------


def candidates() -> Iterator[tuple[str, tuple[str, int, int]]]:
    """File and key of every mutant: the first of each operator in one file each, then in the next file, at last their
    second ones."""
    names = list(operators())
    keys = {(file, name): [key for key in texts(file) if key[0] == name] for file in FILES for name in names}
    for turn in count():
        if all(len(own) <= turn for own in keys.values()):
            return
        for shift in range(len(FILES)):
            for number, name in enumerate(names):
                file = FILES[(number + shift) % len(FILES)]
                own = keys[file, name]
                if turn < len(own):
                    yield file, own[turn]


def generate() -> Kinds:
    """The first of each kind and operator, in the order of `candidates`."""
    found: dict[str, list[Mutant]] = {"stuck": [], "racy": []}

    def wants(kind: str, operator: str) -> bool:
        own = found[kind]
        return len(own) < MOST and sum(each.operator == operator for each in own) < OF_ONE

    for file, key in candidates():
        if any(wants(kind, key[0]) for kind in found):
            verdict = judged(file, texts(file)[key])
            if verdict.kind and wants(verdict.kind, key[0]):
                found[verdict.kind].append(Mutant(file, *key, verdict.rule, verdict.standing))
    return Kinds(tuple(found["stuck"]), tuple(found["racy"]))


def listed() -> Kinds:
    """The list in the file."""
    data = json.loads(LIST.read_text(encoding="utf-8"))
    return Kinds(*(tuple(_mutant(item) for item in data[kind]) for kind in ("stuck", "racy")))


def _mutant(data: dict[str, Any]) -> Mutant:
    standing = tuple(
        Stand(**{**each, "owed_by": tuple(Debt(**debt) for debt in each["owed_by"])}) for each in data["standing"]
    )
    return Mutant(**{**data, "standing": standing})


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    made = generate()
    LIST.write_text(json.dumps(asdict(made), indent=1) + "\n", encoding="utf-8")
    print(f"{len(made.stuck)} stuck, {len(made.racy)} racy")


if __name__ == "__main__":
    main()
