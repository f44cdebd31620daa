"""The functions of a checked file as programs for the card, or what keeps each from being one. Must not print or run.

What `croq cuda`, `croq dump` and the engine share: the device code of a file, the sizes that a function is lowered for,
and a lowering error as a diagnostic at its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from croqc.codegen.program import Program, program_of
from croqc.codegen.writer import Line
from croqc.pipe import ir
from croqc.pipe.build.file_names import FunctionNames, file_names
from croqc.pipe.build.names import OURS
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
from croqc.service.run_data import Size
from croqc.service.run_plan import PlanError, Planned, Request, check_sizes, plan_runs
from croqc.syntax import ast
from croqc.syntax.tokens import Macro, RegionKind
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record
from croqc.text.span import Span

_DEFINED = re.compile(r"([A-Za-z_]\w*)\s*\([^;{}]*\)\s*(?:noexcept\s*)?\{")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_SILENT = re.compile(  # numbers, whose digits `'` may part; comments, strings and characters
    r"\b\d(?:[\w.]|'\w)*|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL
)


@record(eq=False)
class Lowered:
    """A function with its program for these sizes, or with the problem, at its absolute place. `sizes` are those that
    were given, by the source or from outside; `notes`: what is to be said of the program, in order."""

    function: FunctionReport
    sizes: Mapping[str, Size]
    program: Program | None
    problem: Diagnostic | None
    notes: tuple[Diagnostic, ...] = ()


def lower_file(report: FileReport, entry: str | None, sizes: Mapping[str, Size]) -> tuple[Lowered, ...]:
    """The functions that a run would take, each once, for the sizes of its first run.

    Raises PlanError for a usage error.
    """
    first: dict[int, Planned] = {}
    for planned in plan_runs(report, Request(entry, sizes)):
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
    _check_calls(report, function, model)
    names = names_for(report, function)
    kernels = lowered_kernels(model, report.target, values, names)
    if probes:
        own = len(model.kernels)  # the others move what the host part says
        kernels = (*(probed(model, *pair) for pair in zip(model.kernels, kernels[:own], strict=True)), *kernels[own:])
    return program_of(model, kernels, values, title_of(report), device_lines(report), waits, names=names)


def names_for(report: FileReport, function: FunctionReport) -> FunctionNames:
    """What is made of a function in the translation unit of its file; the device code there keeps its names."""
    return _names_of(report)[function.base]


@lru_cache(maxsize=1)
def _names_of(report: FileReport) -> Mapping[int, FunctionNames]:
    """The same of every function, by its place: a file's functions are lowered one behind the other."""
    text = "\n".join(line.text for line in device_lines(report))
    functions = [(each.name, len(each.analysis.model.kernels) if each.analysis else 1) for each in report.functions]
    made = file_names(functions, _WORD.findall(_SILENT.sub(" ", text)))
    return {each.base: names for each, names in zip(report.functions, made, strict=True)}


def sizes_of(report: FileReport, function: FunctionReport) -> dict[str, Size]:
    """The sizes of a function's first run line, else its default sizes; none where there are none."""
    try:
        runs = plan_runs(report, Request(function.name))
    except PlanError:
        return {}
    return dict(runs[0].sizes)


def title_of(report: FileReport) -> str:
    """The first line of the generated code: file and target."""
    name = re.split(r"[\\/]", report.source.path)[-1]
    return f"{name} for {report.target.name}, made by croq"


def _scalars(model: Model) -> Iterator[str]:
    for symbol in model.symbols:
        if symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar):
            yield symbol.name


# --- device code of the file -------------------------------------------------------------------


def _device_texts(report: FileReport) -> Iterator[tuple[str, int]]:
    """Each piece of device code with its place; of `__cok__ { … }` what stands inside."""
    text = report.source.text
    for region in report.tree.pre.regions:
        piece, start = text[region.span.start : region.span.end], region.span.start
        if region.kind is RegionKind.DEVICE:
            yield piece, start
        elif region.kind is RegionKind.DEVICE_BLOCK and "{" in piece:
            opened, closed = piece.index("{") + 1, piece.rindex("}") if "}" in piece else len(piece)
            yield piece[opened:closed], start + opened


def device_lines(report: FileReport) -> tuple[Line, ...]:
    """The device functions and `__cok__` blocks of a file, in order, behind the macros that they use. Behind them no
    name means a macro, unless an island may: what kernels call their own is nothing else."""
    pieces = list(_device_texts(report))
    macros = list(_macros(report, " ".join(text for text, _ in pieces)))
    lines = [Line(_defined(item)) for item in macros]
    for piece, start in pieces:
        at = start
        for line in piece.replace("__co_device__", "__device__").split("\n"):
            if line.strip():
                lines.append(Line(line.rstrip(), Span(at, at + len(line))))
            at += len(line) + 1
    if "__cpp__" not in report.source.text:
        lines += [Line(f"#undef {item.name}") for item in macros]
    return tuple(lines)


def _defined(item: Macro) -> str:
    params = "" if item.params is None else f"({', '.join(item.params)})"
    return f"#define {item.name}{params} {item.body}".rstrip()


def _macros(report: FileReport, text: str) -> Iterator[Macro]:
    """The macros of the file that a text uses, those that they use included."""
    used, words = set[str](), set(_WORD.findall(text))
    while words:
        new = [item for item in report.tree.pre.macros if item.name in words - used]
        used |= words
        words = {word for item in new for word in _WORD.findall(item.body)} - used
    yield from (item for item in report.tree.pre.macros if item.name in used)


def _check_calls(report: FileReport, function: FunctionReport, model: Model) -> None:
    """A unit is self-contained: it calls what its file defines and includes nothing. Raises LoweringError."""
    pieces = list(_device_texts(report))
    for text, start in pieces:
        for found in _INCLUDE.finditer(text):
            place = Span(start + found.start(), start + found.end()).shift(-function.base)
            raise LoweringError(
                "a translation unit for the card includes no files: write what it needs into the block", place
            )
    known: set[str] = set()
    for text, start in pieces:
        for found in _DEFINED.finditer(text):
            known.add(found.group(1))
            if found.group(1) in OURS:
                place = Span(start + found.start(1), start + found.end(1)).shift(-function.base)
                raise LoweringError(f"generated code has a '{found.group(1)}' of its own: rename this function", place)
    for node in walk(model.function):
        if isinstance(node, ast.Call) and node.kind == "call" and node.callee.rpartition("::")[2] not in known:
            if node.callee.startswith("croq::"):
                continue
            reason = f"this file does not define a device function '{node.callee}'"
            raise LoweringError(f"{reason}: write it here, or in a '__cok__' block", node.callee_span)
