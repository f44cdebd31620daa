"""Run and expect lines against the kernel that they concern: each name must be one of its own. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Set

from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.types import Scalar
from croqc.syntax import ast
from croqc.syntax.comment_directives import FunctionDirectives
from croqc.syntax.directive_clauses import ExpectDirective, RunDirective
from croqc.syntax.expectation import RESULT
from croqc.syntax.formulas import Apply, names_in
from croqc.syntax.formulas import walk as formula_nodes
from croqc.syntax.visit import walk
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.span import Span

CODE = "run-directive"


def is_size(symbol: Symbol) -> bool:
    """Whether a run line may give the symbol a value: a dimension or a scalar parameter."""
    return symbol.kind is SymbolKind.DIMENSION or (symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, Scalar))


def check_directives(model: Model, directives: FunctionDirectives, outside: Set[str]) -> Iterator[Diagnostic]:
    """The names that a function's directives use and that it does not have. Absolute. `outside` are macros from the
    command line and the settings: one with the name of a size takes its place, which is no mistake of the file."""
    sizes = {symbol.name for symbol in model.symbols if is_size(symbol)}
    for run in directives.runs:
        yield from _run(run, sizes, outside)
    if directives.expects:
        parameters = {symbol.name for symbol in model.symbols if symbol.kind is SymbolKind.PARAM}
        known = parameters | sizes | outside | {RESULT} | _returned(model)
        for expect in directives.expects:
            yield from _expect(expect, known)
            yield from _old(expect, known - parameters)


def _returned(model: Model) -> set[str]:
    values = [node.value for node in walk(model.function) if isinstance(node, ast.Return)]
    return {value.id for value in values if isinstance(value, ast.Name)}


def _run(run: RunDirective, sizes: set[str], outside: Set[str]) -> Iterator[Diagnostic]:
    for item in run.sizes:
        if item.name not in sizes and item.name not in outside:
            place = Span(item.span.start, item.span.start + len(item.name))
            message = f"'{item.name}' is no size or scalar parameter of this kernel"
            yield Diagnostic(CODE, Severity.ERROR, message, place, did_you_mean(item.name, sizes) or "it has none")


def _old(expect: ExpectDirective, others: set[str]) -> Iterator[Diagnostic]:
    """`old(x)` asks for a parameter; a name that is nothing at all is told by `_expect`."""
    for node in () if expect.expr is None else formula_nodes(expect.expr):
        if isinstance(node, Apply) and node.name == "old":
            for ref in names_in(node):
                if ref.name in others:
                    message = f"'{ref.name}' is no parameter, so it has no value before the run"
                    yield Diagnostic(CODE, Severity.ERROR, message, ref.span.shift(expect.base))


def _expect(expect: ExpectDirective, known: set[str]) -> Iterator[Diagnostic]:
    if expect.expr is None:
        return
    for side in (expect.expr.left, expect.expr.right):
        for ref in names_in(side):
            if ref.name not in known:
                message = f"'{ref.name}' is no parameter, size or result of this kernel"
                yield Diagnostic(
                    CODE, Severity.ERROR, message, ref.span.shift(expect.base), did_you_mean(ref.name, known)
                )
