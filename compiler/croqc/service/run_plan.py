"""What `croq run` will run: which functions, with which sizes, seeds and data. Must not run anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from croqc.engines.gpu.protocol import RUN_SECONDS
from croqc.pipe.facts import whole_sizes
from croqc.runs.sizes import NoSizesError
from croqc.runs.telling import telling_sizes
from croqc.sema.launch_limits import LARGEST
from croqc.sema.model import Symbol, SymbolKind
from croqc.service.check import FileReport, FunctionReport, no_overload
from croqc.service.run_values import Size, bindable, unknown_size, wrong_value
from croqc.syntax.comment_directives import FunctionDirectives, RunDirective
from croqc.syntax.directive_clauses import RunValue
from croqc.text.near import did_you_mean, nearest
from croqc.text.span import Span


class PlanError(Exception):
    """The run cannot be planned as asked: a usage error, worded for the person who asked."""


@dataclass(frozen=True, slots=True)
class CardRequest:
    """What was asked for of a run on a card. `force`: also kernels whose credit flow has errors; `timeout`: seconds
    that kernels may run; `report`: with waits that report where they stand; `rounds` for the clock, `cold` with empty
    caches; `remeasure`: what the card reaches at most, too."""

    force: bool = False
    timeout: float = RUN_SECONDS
    report: bool = False
    rounds: int = 0
    cold: bool = False
    remeasure: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for beside the files. `sizes` come from `-D` and win over the directives. `line`: of the run lines
    of each function the one of this number alone, from 0; `overload`: of the functions of the entry's name."""

    entry: str | None = None
    sizes: Mapping[str, Size] = field(default_factory=dict)
    seed: int | None = None
    schedules: int = 1
    max_steps: int = 0  # 0: the engine's default
    card: CardRequest | None = None  # None: in the simulator
    line: int | None = None
    overload: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """One run of one function. `problem` says why it will not be run, at `place` (absolute); `chosen`: the sizes that
    nobody has given."""

    function: FunctionReport
    directives: FunctionDirectives
    sizes: Mapping[str, Size]
    seed: int
    name: str
    arch: str | None = None
    problem: str = ""
    place: Span | None = None
    chosen: frozenset[str] = frozenset()


def pick_functions(report: FileReport, entry: str | None, overload: int | None = None) -> list[int]:
    """Indices of the functions to run: the entry, all of its name or one of them, else those with a run line, else the
    only one.

    Raises PlanError, listing the functions, where that does not decide.
    """
    names = [item.name for item in report.functions]
    if entry is not None:
        chosen = [index for index, name in enumerate(names) if name == entry]
        if not chosen:
            hint = did_you_mean(entry, [name for name in names if name])
            raise PlanError(f"{report.source.path}: there is no function '{entry}'; {hint}".rstrip("; "))
        if overload is not None and not 0 <= overload < len(chosen):
            raise PlanError(f"{report.source.path}: {no_overload(entry, overload)}")
        return chosen if overload is None else [chosen[overload]]
    with_runs = [index for index, item in enumerate(report.directives.functions) if item.runs]
    if with_runs or len(names) == 1:
        return with_runs or [0]
    if not names:
        raise PlanError(f"{report.source.path}: has no '__co__' function to run")
    listed = ", ".join(name for name in names if name)
    raise PlanError(f"{report.source.path}: has several functions and no run line; name one with --entry: {listed}")


def _parse_size(name: str, text: str | None) -> Size:
    for kind in (int, float):
        try:
            return kind(text or "")
        except ValueError:
            continue
    if text in ("true", "false"):
        return text == "true"
    raise PlanError(f"'-D {name}={text or ''}' must give a number, for '{name}' is a size of the kernel")


def split_defines(
    report: FileReport, entry: str | None, defines: Mapping[str, str | None], overload: int | None = None
) -> tuple[dict[str, str | None], dict[str, Size]]:
    """The `-D` names as macros, and those that bind a size or scalar parameter of a function to be run.

    `report` is of the file without them. Raises PlanError for a name that is neither, with the near ones.
    """
    if not defines:
        return {}, {}
    macros = {item.name for item in report.tree.pre.macros}
    known: set[str] = set()
    symbols: list[Symbol] = []
    for index in pick_functions(report, entry, overload):
        analysis = report.functions[index].analysis
        own = bindable(analysis.model) if analysis else {}
        known |= own.keys()
        symbols += own.values()
    texts: dict[str, str | None] = {}
    sizes: dict[str, Size] = {}
    for name, text in defines.items():
        if name in known - macros:
            sizes[name] = _parse_size(name, text)
            of_kernels = [symbol for symbol in symbols if symbol.name == name and symbol.kind is SymbolKind.PARAM]
            for wrong in filter(None, (wrong_value(symbol, sizes[name]) for symbol in of_kernels)):
                raise PlanError(f"{report.source.path}: {wrong}")
        elif name in macros or re.search(rf"\b{name}\b", report.source.text):
            texts[name] = text
        else:
            near = nearest(name, known | macros)
            hint = f"did you mean '{near}'?" if near else f"sizes are {', '.join(sorted(known)) or 'none'}"
            raise PlanError(f"{report.source.path}: '-D {name}' is neither a macro nor a size here; {hint}")
    return texts, sizes


def check_sizes(report: FileReport, function: FunctionReport, given: Mapping[str, Size]) -> None:
    """Sizes that code is made for: at least 1 and counted in 32 bits. Raises PlanError."""
    known = bindable(function.analysis.model) if function.analysis else {}
    for name, value in given.items():
        counted = name in known and known[name].kind is SymbolKind.DIMENSION
        wrong = wrong_value(known[name], value) if name in known else ""
        if not wrong and counted and value > LARGEST:
            wrong = f"dimension '{name}' must be at most {LARGEST:,}, for generated code counts sizes in 32 bits"
        if wrong:
            raise PlanError(f"{report.source.path}: {wrong}")


def _plan(
    function: FunctionReport, directives: FunctionDirectives, run: RunDirective | None, request: Request
) -> Planned:
    sizes = request.sizes
    written: tuple[RunValue, ...] = run.sizes if run else ()
    given: dict[str, Size] = {item.name: item.value for item in written} | dict(sizes)
    seed = request.seed if request.seed is not None else (run.seed if run and run.seed is not None else 0)
    name, arch = (run.name or "", run.arch) if run else ("", None)
    model = function.analysis.model if function.analysis else None
    problem, place = "", None
    own = frozenset(given)
    if model is not None:
        known = bindable(model)
        for item in written:
            if item.name not in known:
                problem, place = "; ".join(unknown_size(item.name, known)), item.span
            elif wrong := wrong_value(known[item.name], item.value):
                problem, place = wrong, item.span
        for key, value in sizes.items():
            problem = problem or (wrong_value(known[key], value) if key in known else "")
        if not problem:
            try:
                given = {**telling_sizes(model, whole_sizes(given)), **given}
            except NoSizesError as error:
                problem, place = str(error), run.span if run else None
    return Planned(function, directives, given, seed, name, arch, problem, place, frozenset(given) - own)


def _lines(
    report: FileReport, function: FunctionReport, directives: FunctionDirectives, line: int | None
) -> tuple[RunDirective | None, ...]:
    if line is None:
        return directives.runs or (None,)
    if not 0 <= line < len(directives.runs):
        raise PlanError(f"{report.source.path}: '{function.name}' has no run line of number {line}, counted from 0")
    return (directives.runs[line],)


def plan_runs(report: FileReport, request: Request) -> tuple[Planned, ...]:
    """Every run that a file asks for, in file order. Raises PlanError for a usage error."""
    chosen = pick_functions(report, request.entry, request.overload)
    planned: list[Planned] = []
    for index in chosen:
        function, directives = report.functions[index], report.directives.functions[index]
        for run in _lines(report, function, directives, request.line):
            planned.append(_plan(function, directives, run, request))
    return tuple(planned)
