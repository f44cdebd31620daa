"""Verifier, simulator and exhaustive checker on one program: do they agree?

A program that the verifier proves or checks must not hang or give wrong data under any schedule; one that it condemns
must show the fault in some schedule or in the exhaustive search; one that was drawn correct must not be condemned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from croqc.flow.analysis import TYPING_BUDGET, analyze_flow
from croqc.flow.report import FlowFinding, Strength
from croqc.sema.model import Model
from croqc.service.check import check_text
from croqc.text.diagnostics import Severity
from tests.truth.exhaustive import Explored, explore_program
from tests.truth.program import Program, Sizes
from tests.truth.simulated import Seen, simulate_program

BUDGET = 10 * TYPING_BUDGET
SEARCH = 3_000
DEEP_SEARCH = 60_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the verifier says: the weakest strength of the kernels and the findings of all."""

    strength: Strength
    findings: tuple[FlowFinding, ...]
    reason: str = ""
    tried: str = ""

    @property
    def rules(self) -> frozenset[str]:
        return frozenset(finding.rule for finding in self.findings)

    @property
    def condemned(self) -> bool:
        return self.strength is Strength.FAILS


@dataclass(frozen=True, slots=True)
class Judged:
    """`outcome`: agree, undecided, rejected (an error before the flow), not analysed, or what kind of disagreement.

    "split": the simulator shows a fault that the search, having seen all interleavings, denies.
    """

    program: Program
    outcome: str
    verdict: Verdict | None = None
    seen: Seen | None = None
    explored: Explored | None = None

    @property
    def disagrees(self) -> bool:
        return self.outcome in ("missed", "false alarm", "not condemned", "crash", "split")

    def says(self) -> str:
        """Who says what, on one line."""
        parts = [self.outcome]
        if self.verdict is not None:
            rules = ", ".join(sorted(self.verdict.rules)) or "no finding"
            parts.append(f"verifier: {self.verdict.strength.value} {self.verdict.reason}({rules})")
        if self.seen is not None:
            where = f" at {dict(self.seen.sizes)} seed {self.seen.seed}" if self.seen.sizes else ""
            parts.append(f"simulator: {self.seen.kind}{where} {self.seen.detail}")
        if self.explored is not None:
            faults = ", ".join(sorted(self.explored.faults)) or "clean"
            parts.append(f"search: {faults} {self.explored.detail} {dict(self.explored.sizes) or ''}")
        return " | ".join(part.replace("\n", " ") for part in parts)


def verdict_of(model: Model, budget: int = BUDGET) -> Verdict:
    kernels = analyze_flow(model, budget)
    order = (Strength.FAILS, Strength.UNKNOWN, Strength.CHECKED, Strength.PROVED)
    weakest = min(kernels, key=lambda kernel: order.index(kernel.strength))
    assert weakest.reason or weakest.strength in (Strength.FAILS, Strength.PROVED), "a verdict gives no reason"
    return Verdict(
        weakest.strength,
        tuple(finding for kernel in kernels for finding in kernel.findings),
        weakest.reason,
        weakest.tried,
    )


def model_of(program: Program) -> Model | None:
    """The model of a program that has no error before the flow."""
    report = check_text(program.text)
    if any(item.severity is Severity.ERROR for item in report.found) or len(report.functions) != 1:
        return None
    analysis = report.functions[0].analysis
    return None if analysis is None else analysis.model


def split(seen: Seen, explored: Explored | None) -> bool:
    return seen.faulty and explored is not None and explored.complete and not explored.hard


def judge(program: Program, schedules: int = 8, search: int = SEARCH) -> Judged:
    model = model_of(program)
    if model is None:
        return Judged(program, "rejected")
    seen = simulate_program(program, model, schedules)
    explored = explore_program(program, model, search)
    try:
        verdict = verdict_of(model)
    except Exception as error:
        return Judged(program, "crash", Verdict(Strength.UNKNOWN, (), repr(error)), seen, explored)
    return _compared(Judged(program, "agree", verdict, seen, explored), model)


def _compared(judged: Judged, model: Model) -> Judged:
    verdict, seen, explored = judged.verdict, judged.seen, judged.explored
    assert verdict is not None and seen is not None
    faulty = seen.faulty or (explored is not None and explored.hard)
    if split(seen, explored):
        return replace(judged, outcome="split")
    if verdict.strength is Strength.UNKNOWN:
        return replace(judged, outcome="not analysed")
    if not verdict.condemned:
        outcome = "missed" if faulty else "undecided" if seen.kind in ("error", "unsupported") else "agree"
        return replace(judged, outcome=outcome)
    if judged.program.correct:
        return replace(judged, outcome="false alarm")
    if faulty or _formally(verdict, seen, explored):
        return judged
    return _looked_again(judged, verdict, model)


def _looked_again(judged: Judged, verdict: Verdict, model: Model) -> Judged:
    """A condemned program that showed nothing yet: at the sizes of the findings, with more schedules and states.

    Where these end inside a tile, what lies outside the arrays is not the program's fault: only hangs count.
    """
    for unit, faults in ((16, ("hang", "wrong", "overrun", "range")), (1, ("hang", "overrun", "range"))):
        sizes = _finding_sizes(judged.program, verdict, unit)
        closer = replace(judged.program, sizes=sizes)
        seen = simulate_program(closer, model, 24 * len(sizes))
        explored = explore_program(closer, model, DEEP_SEARCH)
        judged = replace(judged, seen=seen, explored=explored)
        if seen.kind in faults or (explored is not None and explored.hard) or _formally(verdict, seen, explored):
            return judged
    whole = explored is not None and explored.complete
    return replace(judged, outcome="not condemned" if whole else "undecided")


def _formally(verdict: Verdict, seen: Seen, explored: Explored | None) -> bool:
    """Condemned for what need not show: the search counts it. A stale buffer gives another result, always the same."""
    counted = explored is not None and bool(explored.faults)
    return counted or ("stale-buffer" in verdict.rules and seen.kind == "other")


def _finding_sizes(program: Program, verdict: Verdict, unit: int) -> tuple[Sizes, ...]:
    """The sizes that findings name, completed by those of the program; `unit` 16: in whole tiles."""
    base = program.sizes[-1]
    rows = min(sizes.get("R", 1) for sizes in program.sizes)
    units = {name: 1 if unit == 1 else rows if name == "R" else unit for name in base}
    named = [
        {
            name: max(-(-int(finding.sizes.get(name, value)) // units[name]), 1) * units[name]
            for name, value in base.items()
        }
        for finding in verdict.findings
        if finding.sizes
    ]
    unique = [sizes for number, sizes in enumerate(named) if sizes not in named[:number]]
    return tuple(unique) or program.sizes
