"""What each stage made of a file, as lines of text that are the same for the same input. Must not parse or analyse."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from croqc.flow.arrivals import arrival_counts
from croqc.flow.paths import kernel_paths
from croqc.service.check import FileReport, FunctionReport
from croqc.syntax.exprs import Node


def _header(report: FileReport, function: FunctionReport) -> str:
    line, column = report.source.line_column(function.base)
    return f"function {function.name or '?'} at {line}:{column}"


def tokens(report: FileReport) -> Iterator[str]:
    """One token a line: place, kind, text; a macro's name where one made it."""
    for function in report.functions:
        yield _header(report, function)
        for token in function.parsed.source.tokens:
            line, column = report.source.line_column(function.base + token.start)
            origin = f"  from {token.macro}" if token.macro else ""
            yield f"  {line}:{column}  {token.kind.value}  {token.text}{origin}"


def _tree(node: Node, label: str, depth: int) -> Iterator[str]:
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
            plain.append(f"{name}={value!r}")
    head = f"{label}: {type(node).__name__}" if label else type(node).__name__
    yield "  " * depth + " ".join([head, *plain])
    for name_below, child in nested:
        yield from _tree(child, name_below, depth + 1)


def ast(report: FileReport) -> Iterator[str]:
    """The tree, one node a line, indented."""
    for function in report.functions:
        yield _header(report, function)
        if function.parsed.tree:
            yield from _tree(function.parsed.tree, "", 1)


def model(report: FileReport) -> Iterator[str]:
    """Symbols with kind and type, buffers with their bytes, multiplies with their instruction."""
    for function in report.functions:
        yield _header(report, function)
        if function.analysis is None:
            continue
        facts = function.analysis.model
        for symbol in facts.symbols:
            yield f"  {symbol.kind.value} {symbol.name or '(anonymous)'}: {symbol.type}"
        for buffer in facts.buffers:
            yield f"  storage {buffer.symbol.name or '(anonymous)'}: {buffer.slots} x {buffer.slot_bytes} bytes"
        for multiply in facts.multiplies.values():
            yield f"  multiply {multiply.m}x{multiply.n}x{multiply.k}: {multiply.instruction}, K step {multiply.k_step}"


def flow(report: FileReport) -> Iterator[str]:
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
                yield f"  {path.name}: " + (f"threads {first}..{end - 1}" if end > first else "threads not static")
            for (event, slot), count in arrival_counts(facts, paths).items():
                yield f"  {event.name}[{slot}]: {count} arrivals"


STAGES: dict[str, Callable[[FileReport], Iterator[str]]] = {
    "tokens": tokens,
    "ast": ast,
    "model": model,
    "flow": flow,
}
