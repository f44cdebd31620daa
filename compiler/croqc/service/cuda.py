"""The CUDA of a file, as `croq cuda` prints it: text, what its lines stand for, PTX and SASS. Must not print or run it.

Lines of the generated text count from 0; places of the source as in `check_result`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from croqc.codegen.host import before_device_code, host_lines
from croqc.codegen.unit import unit_of
from croqc.codegen.writer import Line
from croqc.engines.gpu.faults import REPORT_WITH_LOG, Kind, trouble_of
from croqc.engines.nvrtc import CompileError
from croqc.pipe import ir
from croqc.pipe.alive import extent
from croqc.rules.internal_error import RULE as INTERNAL_ERROR
from croqc.service.check import FileReport
from croqc.service.check_result import DiagnosticEntry, Range, diagnostic_entry, range_of
from croqc.service.code_forms import MACHINE_FORMS
from croqc.service.device_code import foreign_code
from croqc.service.lowering import Lowered, commented_name, lower_file, title_of
from croqc.service.machine_code import ptx_of, sass_of
from croqc.service.machine_lines import MachineText
from croqc.service.refused_cpp import refusal_of
from croqc.service.run_values import Size
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.source import Source
from croqc.text.span import NOWHERE, Span

_MACHINE: Final = dict(zip(MACHINE_FORMS, (ptx_of, sass_of), strict=True))


@dataclass(frozen=True, slots=True)
class MappedLine:
    """A line of the text and the statement that it stands for."""

    line: int
    range: Range


@dataclass(frozen=True, slots=True)
class SharedEntry:
    """A tensor of shared memory: bytes from the base of the block, and how many it has. Two may share bytes."""

    name: str
    offset: int
    bytes: int


@dataclass(frozen=True, slots=True)
class KernelEntry:
    """`sizes` are those that the kernel was made for, as they were given; `grid` holds the extents of its first launch
    for them, `launches` how often it is launched; `sharedBytes` is the dynamic shared memory of a block.

    `assumed`: a number that must divide a size; `fixed`: the only value that a size may have.
    """

    name: str
    function: str
    sizes: dict[str, Size]
    grid: tuple[int, int, int] | None
    launches: int
    threads: int
    sharedBytes: int  # noqa: N815 (the names of the JSON fields)
    shared: tuple[SharedEntry, ...]
    assumed: dict[str, int]
    fixed: dict[str, int]


@dataclass(frozen=True, slots=True)
class CudaResult:
    """Version 1. `form` is one of `code_forms.FORMS`; `text` is empty where `diagnostics` has an error."""

    version: int
    path: str
    arch: str
    form: str
    kernels: tuple[KernelEntry, ...]
    text: str
    lines: tuple[MappedLine, ...]
    diagnostics: tuple[DiagnosticEntry, ...]


@dataclass(frozen=True, slots=True)
class Cuda:
    """The result, and for printing: the lines with absolute places, the diagnostics as they are, and the log of a
    compiler that refused the code. `notes` are of code that there is, `problems` are in its way."""

    result: CudaResult
    lines: tuple[Line, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    log: str = ""
    notes: tuple[Diagnostic, ...] = ()


def cuda_of(
    report: FileReport, entry: str | None, sizes: dict[str, Size], form: str = "cuda", overload: int | None = None
) -> Cuda:
    """The text of a file in one of `code_forms.FORMS`: CUDA C++, "full" with its host side; PTX or machine code of it.
    Errors of the file come instead of a text.

    Raises PlanError for a usage error, NoCompilerError where there is no compiler for PTX or machine code.
    """
    functions = lower_file(report, entry, sizes, overload)
    wrong = tuple(
        item
        for item in report.diagnostics
        if item.severity is Severity.ERROR and any(each.function.spans(item.span) for each in functions)
    )
    problems = wrong or tuple(item.problem for item in functions if item.problem is not None)
    if problems:
        return Cuda(_result(report, functions, "", form, problems=problems), (), problems)
    notes = tuple(note for item in functions for note in item.notes)
    lines = _lines(report, functions, form == "full")
    text = "".join(line.text + "\n" for line in lines)
    if form not in _MACHINE:
        return Cuda(_result(report, functions, text, form, lines, notes=notes), lines, notes=notes)
    try:
        made = _MACHINE[form](text, report.target.name)
        code = _result(report, functions, made.text, form, notes=notes)
        return Cuda(dataclasses.replace(code, lines=_machine_map(report.source, lines, made)), notes=notes)
    except CompileError as error:
        problems = (_refused(functions, lines, error),)
        return Cuda(_result(report, functions, "", form, problems=problems), (), problems, str(error))


def _refused(functions: Sequence[Lowered], lines: Sequence[Line], error: CompileError) -> Diagnostic:
    """What is said where the compiler does not take the text: at C++ of the file that it does not take, else at the
    name of the first function."""
    if (found := refusal_of(str(error), lines, [item.function for item in functions])) is not None:
        return found
    trouble = trouble_of(Kind.COMPILER, str(error))
    first = functions[0].function
    tree = first.parsed.tree
    span = Span(0, 0) if tree is None else tree.name.span
    return Diagnostic(INTERNAL_ERROR.name, Severity.ERROR, trouble.message, span.shift(first.base), REPORT_WITH_LOG)


def _lines(report: FileReport, functions: Sequence[Lowered], full: bool) -> tuple[Line, ...]:
    programs = [item.program for item in functions if item.program is not None]
    kernels = [kernel for program in programs for kernel in program.kernels]
    bases = [item.function.base for item in functions if item.program is not None for _ in item.program.kernels]
    unit = unit_of(kernels, title_of(report), foreign_code(report), bases)
    starts = [item.function.base for item in functions if item.program is not None]
    return (*before_device_code(unit), *unit.lines, *host_lines(programs, starts)) if full else unit.lines


def _result(
    report: FileReport,
    functions: Sequence[Lowered],
    text: str,
    form: str,
    lines: Sequence[Line] = (),
    problems: Sequence[Diagnostic] = (),
    notes: Sequence[Diagnostic] = (),
) -> CudaResult:
    source = report.source
    return CudaResult(
        1,
        source.path,
        report.target.name,
        form,
        () if problems else tuple(entry for item in functions for entry in _kernels(item)),
        text,
        tuple(line_map(source, lines)),
        tuple(diagnostic_entry(source, item) for item in (*problems, *notes)),
    )


def _kernels(item: Lowered) -> list[KernelEntry]:
    if item.program is None:
        return []
    launches = item.program.launches
    return [
        KernelEntry(
            kernel.name,
            item.function.name,
            dict(item.sizes),
            next((launch.grid for launch in launches if launch.kernel.name == kernel.name), None),
            sum(launch.kernel.name == kernel.name for launch in launches),
            kernel.threads,
            kernel.shared_bytes,
            tuple(_shared(each) for each in kernel.shared),
            dict(kernel.assumed),
            dict(kernel.fixed),
        )
        for kernel in item.program.kernels
    ]


def _shared(item: ir.Shared) -> SharedEntry:
    start, end = extent(item)
    return SharedEntry(item.tensor.name, start, end - start)


def line_map(source: Source, lines: Sequence[Line]) -> list[MappedLine]:
    """The lines that stand for a statement, in order."""
    return [
        MappedLine(number, range_of(source, line.span)) for number, line in enumerate(lines) if line.span != NOWHERE
    ]


def _machine_map(source: Source, lines: Sequence[Line], made: MachineText) -> tuple[MappedLine, ...]:
    """The lines of PTX or machine code that stand for a statement; those of an inlined helper for its caller's."""
    places = {item.line: item.range for item in line_map(source, lines)}
    chosen = ((number, next((one for one in chain if one in places), None)) for number, chain in made.lines)
    return tuple(MappedLine(number, places[one]) for number, one in chosen if one is not None)


def with_margins(source: Source, lines: Sequence[Line]) -> str:
    """The text with `// FILE:LINE` behind each line that stands for a statement on another line of the source."""
    name = commented_name(source.path)
    text, before = "", -1
    for line in lines:
        at = -1 if line.span == NOWHERE else source.line_of(line.span.start) + 1
        shown = at != before and at > 0 and line.text.strip() not in ("", "{", "}")
        text += f"{line.text}  // {name}:{at}\n" if shown else f"{line.text}\n"
        before = at if shown or at < 0 else before
    return text
