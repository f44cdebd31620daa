"""The functions of a checked file as programs for the card, or what keeps each from being one. Must not print or run.

What `croq cuda`, `croq dump` and the engine share: the device code of a file, the sizes that a function is lowered for,
and a lowering error as a diagnostic at its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache

from croqc.codegen.program import Program, program_of
from croqc.engines.depth import TOO_MANY_INSIDE, make_room
from croqc.pipe import ir
from croqc.pipe.build.file_names import FunctionNames, file_names
from croqc.pipe.errors import LoweringError, NotRunError
from croqc.pipe.lower import lowered_kernels
from croqc.pipe.probes import probed
from croqc.pipe.walk import statements
from croqc.rules import copied_by_threads
from croqc.rules.internal_error import internal_error
from croqc.rules.not_lowered import refused
from croqc.sema.model import Model, SymbolKind
from croqc.sema.types import Scalar
from croqc.service.check import FileReport, FunctionReport
from croqc.service.device_code import check_calls, device_words, foreign_code
from croqc.service.island_names import check_islands
from croqc.service.run_plan import PlanError, Planned, Request, check_sizes, plan_runs
from croqc.service.run_values import Size
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record
from croqc.text.span import Span


@record(eq=False)
class Lowered:
    """A function with its program for these sizes, or with the problem, at its absolute place. `sizes` are those that
    were given, by the source or from outside; `notes`: what is to be said of the program, in order."""

    function: FunctionReport
    sizes: Mapping[str, Size]
    program: Program | None
    problem: Diagnostic | None
    notes: tuple[Diagnostic, ...] = ()


def lower_file(
    report: FileReport, entry: str | None, sizes: Mapping[str, Size], overload: int | None = None
) -> tuple[Lowered, ...]:
    """The functions that a run would take, each once, for the sizes of its first run.

    Raises PlanError for a usage error.
    """
    first: dict[int, Planned] = {}
    for planned in plan_runs(report, Request(entry, sizes, overload=overload)):
        check_sizes(report, planned.function, planned.sizes)
        first.setdefault(planned.function.base, planned)
    return tuple(
        lower_function(report, planned.function, planned.sizes, not planned.chosen) for planned in first.values()
    )


def lower_function(
    report: FileReport, function: FunctionReport, sizes: Mapping[str, Size], meant: bool = False
) -> Lowered:
    """The function for some sizes; scalar parameters without a value are taken to be 1, which no code depends on.
    `meant`: these sizes were asked for, so that launches which they make impossible are a problem."""
    if function.analysis is None:
        return Lowered(function, sizes, None, refused("this function cannot be read", Span(0, 0).shift(function.base)))
    model = function.analysis.model
    try:
        program = program_for(report, function, model, {**dict.fromkeys(_scalars(model), 1), **sizes})
        trouble = program.done.trouble
        if meant and trouble is not None and not isinstance(trouble, NotRunError):
            raise trouble
    except Exception as error:  # the other functions are lowered all the same
        return Lowered(function, sizes, None, problem_of(function, error))
    return Lowered(function, sizes, program, None, tuple(notes_of(function, program)))


def notes_of(function: FunctionReport, program: Program) -> Iterator[Diagnostic]:
    """Copies that ask for TMA and are made by threads, each once."""
    found: dict[Span, str] = {}
    for kernel in program.kernels:
        for stmt in statements(kernel.body):
            if isinstance(stmt, ir.Copy) and stmt.instead:
                found[stmt.span] = stmt.instead
    for span in sorted(found):
        yield copied_by_threads.note(found[span], span.shift(function.base))


def problem_of(function: FunctionReport, error: Exception) -> Diagnostic:
    """What is said of a function that does not lower: at the construct, or at the name where the lowering failed."""
    if isinstance(error, LoweringError):
        return refused(error.message, error.span.shift(function.base))
    tree = function.parsed.tree
    span = tree.name.span if tree is not None else Span(0, 0)
    if isinstance(error, RecursionError):
        return refused(TOO_MANY_INSIDE, span.shift(function.base))
    return internal_error("the lowering of this function", error, span.shift(function.base), Severity.ERROR)


def program_for(
    report: FileReport,
    function: FunctionReport,
    model: Model,
    values: Mapping[str, Size],
    waits: bool = False,
    probes: bool = False,
) -> Program:
    """The program of a function, with the device code of its file. `waits`: they report where they stand; `probes`:
    kernels record times.

    Raises LoweringError, with a place relative to the function.
    """
    make_room()
    check_calls(report, function, model)
    check_islands(model, report.target, device_words(report))
    names = names_for(report, function)
    kernels = lowered_kernels(model, report.target, values, names)
    if probes:
        own = len(model.kernels)  # the others move what the host part says
        kernels = (*(probed(model, *pair) for pair in zip(model.kernels, kernels[:own], strict=True)), *kernels[own:])
    return program_of(model, kernels, values, title_of(report), foreign_code(report), waits, names=names)


def names_for(report: FileReport, function: FunctionReport) -> FunctionNames:
    """What is made of a function in the translation unit of its file; the device code there keeps its names."""
    return _names_of(report)[function.base]


@lru_cache(maxsize=1)
def _names_of(report: FileReport) -> Mapping[int, FunctionNames]:
    """The same of every function, by its place: a file's functions are lowered one behind the other."""
    functions = [(each.name, len(each.analysis.model.kernels) if each.analysis else 1) for each in report.functions]
    made = file_names(functions, device_words(report))
    return {each.base: names for each, names in zip(report.functions, made, strict=True)}


def sizes_of(report: FileReport, function: FunctionReport) -> dict[str, Size]:
    """The sizes of a function's first run line, else its default sizes; none where there are none."""
    try:
        runs = plan_runs(report, Request(function.name))
    except PlanError:
        return {}
    return dict(next(run for run in runs if run.function.base == function.base).sizes)


def title_of(report: FileReport) -> str:
    """The first line of the generated code: file and target."""
    return f"{commented_name(report.source.path)} for {report.target.name}, made by croq"


def commented_name(path: str) -> str:
    """A file's name as a comment of C++ can hold it: in one line."""
    return "".join(char if char.isprintable() else "?" for char in os.path.basename(path))


def _scalars(model: Model) -> Iterator[str]:
    for symbol in model.symbols:
        if symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar):
            yield symbol.name
