"""What each stage made of a file, as lines of text that are the same for the same input, each with the place that it
stands for. Must not parse or analyse.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from croqc.codegen.kernel import kernel_text
from croqc.flow.arrivals import arrival_counts
from croqc.flow.paths import kernel_paths
from croqc.pipe.lower import built_kernel, host_of
from croqc.pipe.pipeline import PASSES, stages
from croqc.pipe.printer import Told, placed_lines
from croqc.pipe.printer_host import host_lines
from croqc.sema.describe import describe
from croqc.service.check import FileReport, FunctionReport
from croqc.service.lowering import lower_function, names_for, problem_of, sizes_of
from croqc.syntax.exprs import Node
from croqc.text.diagnostics import Diagnostic
from croqc.text.span import NOWHERE, Span


class Line(NamedTuple):
    """`span` is absolute; NOWHERE for a line that stands for nothing in the source."""

    text: str
    span: Span = NOWHERE


def _placed(function: FunctionReport, text: str, span: Span) -> Line:
    """A line, indented below its function, whose place is relative to that."""
    return Line(f"  {text}", NOWHERE if span == NOWHERE else span.shift(function.base))


def _header(report: FileReport, function: FunctionReport) -> Line:
    line, column = report.source.line_column(function.base)
    tree = function.parsed.tree
    span = tree.name.span.shift(function.base) if tree else NOWHERE
    return Line(f"function {function.name or '?'} at {line}:{column}", span)


def tokens(report: FileReport) -> Iterator[Line]:
    """One token a line: place, kind, text; a macro's name where one made it."""
    for function in report.functions:
        yield _header(report, function)
        for token in function.parsed.source.tokens:
            line, column = report.source.line_column(function.base + token.start)
            origin = f"  from {token.macro}" if token.macro else ""
            yield _placed(function, f"{line}:{column}  {token.kind.value}  {token.text}{origin}", token.span)


def _tree(node: Node, label: str, depth: int) -> Iterator[Told]:
    plain: list[str] = []
    nested: list[tuple[str, Node]] = []
    for name in node.__match_args__:
        value = getattr(node, name)
        if name == "span" or name.endswith("_span") or name == "level_span_start":
            continue
        if isinstance(value, Node):
            nested.append((name, value))
        elif isinstance(value, tuple) and any(isinstance(part, Node | tuple) for part in value):
            nested += [(f"{name}[{i}]", part) for i, part in enumerate(value) if isinstance(part, Node)]
        elif value not in (None, False, ()):
            plain.append(f"{name}={_plain(value)}")
    head = f"{label}: {type(node).__name__}" if label else type(node).__name__
    yield "  " * depth + " ".join([head, *plain]), node.span
    for name_below, child in nested:
        yield from _tree(child, name_below, depth + 1)


def _plain(value: object) -> str:
    """A text in quotes, `true`, a number, the items of a tuple."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | int | float) else str(value)


def ast(report: FileReport) -> Iterator[Line]:
    """The tree, one node a line, indented."""
    for function in report.functions:
        yield _header(report, function)
        if function.parsed.tree:
            yield from (_placed(function, *line) for line in _tree(function.parsed.tree, "", 0))


def model(report: FileReport) -> Iterator[Line]:
    """Symbols with kind and type, buffers with their bytes, multiplies with their instruction."""
    for function in report.functions:
        yield _header(report, function)
        if function.analysis is None:
            continue
        facts = function.analysis.model
        for symbol in facts.symbols:
            told = f"{symbol.kind.value} {symbol.name or '(anonymous)'}: {describe(symbol.type)}"
            yield _placed(function, told, symbol.name_span)
        for buffer in facts.buffers:
            told = f"storage {buffer.symbol.name or '(anonymous)'}: {buffer.slots} x {buffer.slot_bytes} bytes"
            yield _placed(function, told, buffer.symbol.name_span)
        for node, multiply in facts.multiplies.items():
            shape = f"{multiply.m}x{multiply.n}x{multiply.k}"
            told = f"multiply {shape}: {multiply.instruction}, K step {multiply.k_step}"
            yield _placed(function, told, node.span)


def flow(report: FileReport) -> Iterator[Line]:
    """Paths with their threads, and the arrival count of each event slot."""
    for function in report.functions:
        yield _header(report, function)
        if function.analysis is None:
            continue
        facts = function.analysis.model
        for kernel in facts.kernels:
            paths = kernel_paths(facts, kernel)
            for path in paths:
                first, end = path.threads.start, path.threads.stop
                yield Line(
                    f"  {path.name}: " + (f"threads {first}..{end - 1}" if end > first else "threads not static")
                )
            for (event, slot), count in arrival_counts(facts, paths).items():
                yield _placed(function, f"{event.name}[{slot}]: {count} arrivals", event.name_span)


def after_pass(name: str) -> Callable[[FileReport], Iterator[Line]]:
    """The stage that shows the pipeline IR as a pass left it; "build" is the IR before the first."""

    def stage(report: FileReport) -> Iterator[Line]:
        for function in report.functions:
            yield _header(report, function)
            yield from (_placed(function, *line) for line in _lowered(report, function, name))

    return stage


def _lowered(report: FileReport, function: FunctionReport, name: str) -> Iterator[Told]:
    model = function.analysis.model if function.analysis else None
    if model is None:
        return
    sizes, names = sizes_of(report, function), names_for(report, function)
    try:
        if name == "build":
            yield from host_lines(host_of(model, names).host)
        for number in range(len(model.kernels)):
            env, start = built_kernel(model, report.target, number, sizes, names)
            for done, kernel in stages(start, env):
                if done == name:
                    yield from placed_lines(kernel)
                    break
    except Exception as error:  # the other functions are shown all the same
        yield _problem(report, function, problem_of(function, error))


def _problem(report: FileReport, function: FunctionReport, problem: Diagnostic) -> Told:
    line, column = report.source.line_column(problem.span.start)
    return f"not lowered: {problem.message} at {line}:{column}", problem.span.shift(-function.base)


def cuda(report: FileReport) -> Iterator[Line]:
    """The CUDA C++ of each function, the headers left out, with the line of the source behind each statement."""
    for function in report.functions:
        yield _header(report, function)
        lowered = lower_function(report, function, sizes_of(report, function))
        if lowered.problem is not None:
            yield _placed(function, *_problem(report, function, lowered.problem))
        elif lowered.program is not None:
            for kernel in lowered.program.kernels:
                for line in kernel_text(kernel).lines:
                    yield _placed(function, line.text, line.span)._replace(text=f"  {line.text}".rstrip())


STAGES: dict[str, Callable[[FileReport], Iterator[Line]]] = {
    "tokens": tokens,
    "ast": ast,
    "model": model,
    "flow": flow,
    "build": after_pass("build"),
    **{name: after_pass(name) for name, _ in PASSES},
    "cuda": cuda,
}
