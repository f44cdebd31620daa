"""One run of a function on the card: lower, compile and launch in the child, bring back. Must not compare results.

Whatever goes wrong stands in the result. The folder of a run, with its data and its report, goes with it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from croqc.codegen.program import Program
from croqc.engines.arguments import LaunchArgs
from croqc.engines.gpu.faults import Kind, Trouble, kind_of_os, trouble_of
from croqc.engines.gpu.figures import bytes_moved, operations
from croqc.engines.gpu.hang import hung_paths, read_records, report_folder, with_report
from croqc.engines.gpu.job import inputs_of, make_job, outputs_of
from croqc.engines.gpu.judging import Judged, Judging
from croqc.engines.gpu.parent import Parent
from croqc.engines.gpu.protocol import RUN_SECONDS, Answer, Job
from croqc.engines.hang import HungPath
from croqc.pipe.errors import LoweringError, NotRunError
from croqc.rules import internal_error
from croqc.runs.drawn import Draw
from croqc.runs.elements import Array
from croqc.runs.report import Timing
from croqc.runs.usage import usage_of
from croqc.sema.model import Model
from croqc.targets import DEFAULT_TARGET
from croqc.text.span import NOWHERE, Span

_SPILLS = re.compile(
    r"Function properties for (\w+)\s+\d+ bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)
_WAITS_GIVE_UP = 0.4  # of the run's time limit: the records are written before the parent's clock runs out


@dataclass(frozen=True, slots=True)
class CardOptions:
    """`arch`: what to compile for. `report`: build with waits that report; else a kernel that hangs is run a second
    time for its report.

    `timeout`: seconds that kernels may run; `repeat`: timed rounds, 0 for none; `cold`: with empty caches. `remeasure`:
    what the card reaches at most is measured anew.
    """

    arch: str = DEFAULT_TARGET
    timeout: float = RUN_SECONDS
    report: bool = False
    repeat: int = 0
    cold: bool = False
    remeasure: bool = False
    cancelled: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Large:
    """Inputs that the child makes, by parameter, and what is to be said of the arrays there."""

    draws: Mapping[str, Draw]
    judging: Judging


@dataclass(frozen=True, slots=True)
class CardFailure:
    """Why a run broke off (see `engines.base.Failure`)."""

    message: str
    span: Span = NOWHERE
    unsupported: bool = True


@dataclass(frozen=True, slots=True)
class CardResult:
    """What `engines.base.EngineResult` says, with the card's figures. `trouble`: what went wrong, as data.

    Of a run with large data: `judged`, without outputs; or `inputs` that the child had made, with the outputs.
    """

    outputs: Mapping[str, Array] = field(default_factory=dict)
    result: Array | int | float | None = None
    hung: bool = False
    hang: tuple[HungPath, ...] = ()
    error: CardFailure | None = None
    prints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    time: float = 0.0
    compile_time: float = 0.0
    timing: Timing | None = None
    trouble: Trouble | None = None
    judged: Judged | None = None
    inputs: Mapping[str, Array] = field(default_factory=dict)


Lower = Callable[[bool], Program]


def run_on_card(
    model: Model,
    lower: Lower,
    args: LaunchArgs,
    parent: Parent,
    options: CardOptions = CardOptions(),
    large: Large | None = None,
) -> CardResult:
    """Runs the function once, then `repeat` times for the clock. Never raises for what program, child or card do.

    `lower` makes the program for these arguments, with waits that report where it is told so, or raises LoweringError.
    Of arrays that `large` draws, `args` has the shapes alone.
    """
    program = lowered(model, lambda: lower(options.report))
    if isinstance(program, CardFailure):
        return CardResult(error=program)
    if program.done.trouble is not None:
        trouble = program.done.trouble
        beyond = isinstance(trouble, NotRunError)
        message = f"the card cannot run this: {trouble.message}" if beyond else trouble.message
        return CardResult(error=CardFailure(message, trouble.span, beyond))
    outcome = _Run(model, args, parent, options, program, large).once()
    if not options.report and outcome.trouble is not None and outcome.trouble.kind is Kind.HANGS:
        again = lowered(model, lambda: lower(True))
        if not isinstance(again, CardFailure) and again.unit.sites:
            told = _Run(model, args, parent, replace(options, report=True, repeat=0), again, large).once()
            if told.hang:
                return told
    return outcome


def lowered(model: Model, lower: Callable[[], Program]) -> Program | CardFailure:
    """The program, or why there is none, whatever `lower` raises."""
    try:
        return lower()
    except LoweringError as error:
        return CardFailure(f"the card cannot run this yet: {error.message}", error.span)
    except Exception as error:
        reason = internal_error.described(error)
        message = f"the lowering failed ({reason}); this is a fault of the tools, please report it with the kernel"
        return CardFailure(message, model.function.name.span)


class _Run:
    def __init__(
        self,
        model: Model,
        args: LaunchArgs,
        parent: Parent,
        options: CardOptions,
        program: Program,
        large: Large | None,
    ) -> None:
        self.model, self.args, self.large = model, args, large
        self.parent, self.options, self.program = parent, options, program

    def once(self) -> CardResult:
        try:
            with ExitStack() as folders:
                data = folders.enter_context(tempfile.TemporaryDirectory(prefix="croq-gpu-"))
                if self.program.unit.sites is None:
                    return self._inside(Path(data), None)
                shared = tempfile.TemporaryDirectory(prefix="croq-gpu-", dir=report_folder())
                return self._inside(Path(data), Path(folders.enter_context(shared)) / "report")
        except OSError as error:
            kind = kind_of_os(error)
            return _failed(trouble_of(kind, str(error)))
        except MemoryError:
            return _failed(Trouble(Kind.MEMORY, "the host has too little memory for this run", "use smaller sizes"))

    def _inside(self, folder: Path, report: Path | None) -> CardResult:
        """`report`: the file for the waits of a program that reports."""
        draws = self.large.draws if self.large else {}
        job = make_job(self.program, self.args.arrays, folder, self.options.arch, self.options.repeat, draws)
        if self.large:
            job = replace(job, judging=self.large.judging)
        if self.options.repeat:
            job = replace(job, cold=self.options.cold, ceiling="anew" if self.options.remeasure else "kept")
        if report is not None:
            job = with_report(job, report, self.options.timeout * _WAITS_GIVE_UP)
        outcome = self.parent.run(job, self.options.timeout, self.options.cancelled)
        if isinstance(outcome, Trouble):
            return self._broken(outcome, job)
        return self._done(outcome, folder)

    def _broken(self, trouble: Trouble, job: Job) -> CardResult:
        """A launch that failed because a wait gave up is a hang, not a crash."""
        if job.report and trouble.kind in (Kind.CRASHED, Kind.HANGS):
            records = read_records(Path(job.report))
            gave_up = any(record.gave_up for record in records)
            if trouble.kind is Kind.HANGS or gave_up:
                hang, notes = hung_paths(self.model, self.program, records)
                if hang:
                    seconds = job.wait_limit if gave_up else self.options.timeout
                    said = CardFailure(f"stopped after {seconds:g} s", unsupported=False)
                    return CardResult(hung=True, error=said, hang=hang, notes=notes, trouble=trouble)
        return _failed(trouble)

    def _done(self, answer: Answer, folder: Path) -> CardResult:
        inputs: Mapping[str, Array] = {}
        arrays: Mapping[str, Array] = {}
        try:
            if answer.judged is None:
                arrays = outputs_of(self.program, folder)
                inputs = inputs_of(self.program, folder, self.large.draws if self.large else {})
        except (OSError, ValueError) as error:
            return _failed(Trouble(Kind.GARBAGE, f"the results did not come back whole: {error}", "run it again"))
        names = {array.name for array in self.program.arrays if array.is_parameter}
        outputs = {name: array for name, array in arrays.items() if name in names}
        done = self.program.done
        result = done.value if done.result is None else arrays.get(done.result)
        timing = self._timing(answer)
        prints = (answer.printed,) if answer.printed else ()
        seconds = timing.median if timing else 0.0
        return CardResult(
            outputs,
            result,
            prints=prints,
            notes=(*answer.notes, *spill_notes(answer.log)),
            time=seconds,
            compile_time=answer.compile_time,
            timing=timing,
            judged=answer.judged,
            inputs=inputs,
        )

    def _timing(self, answer: Answer) -> Timing | None:
        if not answer.times:
            return None
        usage = usage_of(self.model)
        read, written = (frozenset(symbol.name for symbol in part) for part in (usage.read, usage.written))
        work = operations(self.program, {**self.args.dims, **self.args.scalars})
        returned = {self.program.done.result} - {None}  # the return itself reads it, on the host
        moved = bytes_moved(self.program, read - returned, written)
        rounds, typical, best = len(answer.times), median(answer.times), min(answer.times)
        return Timing(answer.device, rounds, typical, best, work or 0, moved, answer.ceiling)


def spill_notes(log: str) -> tuple[str, ...]:
    """What a kernel keeps outside its registers for want of them, from the assembler's log."""
    found = []
    for name, stores, loads in _SPILLS.findall(log):
        if (stores, loads) != ("0", "0"):
            found.append(
                f"kernel '{name}' has too few registers: each thread spills {stores} bytes and loads {loads}; "
                "use smaller tiles, or more threads for one"
            )
    return tuple(found)


def _failed(trouble: Trouble) -> CardResult:
    """The result of a run that a trouble ended. Its log goes with the words where the mistake is ours."""
    if trouble.kind is Kind.HANGS:
        return CardResult(hung=True, error=CardFailure(trouble.line, unsupported=False), trouble=trouble)
    notes = tuple(trouble.log.splitlines()[:20]) if trouble.kind in (Kind.COMPILER, Kind.DIED) else ()
    failure = CardFailure(trouble.line, unsupported=trouble.kind is not Kind.CRASHED)
    return CardResult(error=failure, notes=notes, trouble=trouble)
