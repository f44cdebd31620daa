"""Run, expect and model lines against the kernel that they concern: names, values, shapes. Runs nothing.

What a run would refuse, in the same words: `run_values` has those of values, `sema.formula_shapes` those of shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from croqc.sema.formula_shapes import FormulaError, Shape, check_shapes, nothing_compared
from croqc.sema.model import Model, Symbol, SymbolKind
from croqc.sema.symbolic import Int
from croqc.sema.types import Data
from croqc.service.run_values import bindable, unknown_size, wrong_value
from croqc.syntax import ast
from croqc.syntax.comment_directives import FunctionDirectives, ModelDirective
from croqc.syntax.directive_clauses import ExpectDirective, RunDirective
from croqc.syntax.expectation import RESULT
from croqc.syntax.formulas import Apply, names_in
from croqc.syntax.formulas import walk as formula_nodes
from croqc.syntax.visit import nodes_of_kind
from croqc.targets import TARGETS
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.near import did_you_mean
from croqc.text.span import Span

CODE = "run-directive"


def check_directives(model: Model, directives: FunctionDirectives, outside: Set[str]) -> Iterator[Diagnostic]:
    """What of a function's directives has no meaning for it. Absolute. `outside` are macros from the command line and
    the settings: one with the name of a size takes its place, which is no mistake of the file."""
    sizes = bindable(model)
    for run in directives.runs:
        yield from _run(run, sizes, outside)
    for one in directives.models:
        yield from _model(one, model)
    if directives.expects:
        parameters = {symbol.name for symbol in model.symbols if symbol.kind is SymbolKind.PARAM}
        known = parameters | sizes.keys() | outside | {RESULT} | _returned(model)
        for expect in directives.expects:
            wrong = [*_expect(expect, known), *_old(expect, known - parameters)]
            yield from wrong or _shapes(expect, model, directives.runs)


def _returned(model: Model) -> set[str]:
    values = [node.value for node in nodes_of_kind(model.function, ast.Return)]
    return {value.id for value in values if isinstance(value, ast.Name)}


def _error(message: str, span: Span, hint: str = "") -> Diagnostic:
    return Diagnostic(CODE, Severity.ERROR, message, span, hint)


def _run(run: RunDirective, sizes: Mapping[str, Symbol], outside: Set[str]) -> Iterator[Diagnostic]:
    for item in run.sizes:
        if item.name in sizes:
            if wrong := wrong_value(sizes[item.name], item.value):
                yield _error(wrong, item.span)
        elif item.name not in outside:
            message, hint = unknown_size(item.name, sizes)
            yield _error(message, Span(item.span.start, item.span.start + len(item.name)), hint)
    if run.arch is not None and run.arch not in TARGETS:
        yield _error(f"'{run.arch}' is not known", run.arch_span, did_you_mean(run.arch, TARGETS))


def _model(one: ModelDirective, model: Model) -> Iterator[Diagnostic]:
    """A model has the parameters that calls of its function give."""
    for call in nodes_of_kind(model.function, ast.Call):
        if call.callee == one.name and len(call.args) != len(one.params):
            counts = f"it has {len(one.params)} parameters, {len(call.args)} values are given"
            yield _error(f"the model of '{one.name}' does not fit: {counts}", one.span)
            return


def _old(expect: ExpectDirective, others: set[str]) -> Iterator[Diagnostic]:
    """`old(x)` asks for a parameter; a name that is nothing at all is told by `_expect`."""
    for node in () if expect.expr is None else formula_nodes(expect.expr):
        if isinstance(node, Apply) and node.name == "old":
            for ref in names_in(node):
                if ref.name in others:
                    message = f"'{ref.name}' is no parameter, so it has no value before the run"
                    yield _error(message, ref.span.shift(expect.base))


def _expect(expect: ExpectDirective, known: set[str]) -> Iterator[Diagnostic]:
    for ref in () if expect.expr is None else names_in(expect.expr):
        if ref.name not in known:
            message = f"'{ref.name}' is no parameter, size or result of this kernel"
            yield _error(message, ref.span.shift(expect.base), did_you_mean(ref.name, known))


def _shapes(expect: ExpectDirective, model: Model, runs: Sequence[RunDirective]) -> Iterator[Diagnostic]:
    """The first thing that does not fit, with the sizes of a run line or whatever the sizes are."""
    if expect.expr is None:
        return
    given = [{item.name: item.value for item in run.sizes if type(item.value) is int} for run in runs] or [{}]
    for sizes in given:
        shapes = _shapes_of(model, {name: Int.of(int(value)) for name, value in sizes.items()})
        try:
            check_shapes(expect.expr, shapes)
        except FormulaError as error:
            yield _error(error.message, error.span.shift(expect.base), error.hint)
            return
        if nothing_compared(expect.expr, shapes):
            yield _error("this compares no element", expect.span)
            return


def _shapes_of(model: Model, sizes: Mapping[str, Int]) -> dict[str, Shape]:
    """Of everything that an expectation may name; an extent without a value is its text."""

    def shape(data: Data) -> Shape:
        extents = [extent.substitute(sizes) for extent in data.shape]
        return tuple(str(extent) if extent.const is None else extent.const for extent in extents)

    found: dict[str, Shape] = {
        symbol.name: shape(symbol.type) if isinstance(symbol.type, Data) else ()
        for symbol in model.symbols
        if symbol.kind in (SymbolKind.PARAM, SymbolKind.DIMENSION)
    }
    if isinstance(model.result, Data):
        found |= dict.fromkeys({RESULT, *_returned(model)}, shape(model.result))
    return found
