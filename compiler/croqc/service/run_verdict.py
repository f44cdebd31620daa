"""From what a run left behind to what is to be said of it. Must not run anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from croqc.engines.base import EngineResult
from croqc.runs.check import Operand, check_expectation, result_of
from croqc.runs.compare import EXACT, Tolerance, box, compare, default_tolerance, steps_apart
from croqc.runs.elements import ELEMENTS, Array, eps, other_poison, round_to
from croqc.runs.evaluate import evaluate, to_reference
from croqc.runs.narrowed import narrowed_in
from croqc.runs.report import ExpectationResult, Norms, Worst
from croqc.runs.rounded import coarser, coarsest, rounded_in
from croqc.runs.usage import poisoned, usage_of
from croqc.sema.elements import canonical
from croqc.sema.formula_shapes import FormulaError, check_shapes
from croqc.sema.model import Model, SymbolKind
from croqc.sema.types import Data, Scalar
from croqc.service.run_data import RunData
from croqc.service.run_notes import hints
from croqc.service.run_values import Size
from croqc.syntax import ast
from croqc.syntax.comment_directives import FunctionDirectives
from croqc.syntax.directive_clauses import ExpectDirective
from croqc.syntax.expectation import RESULT
from croqc.syntax.visit import walk
from croqc.text.record import record
from croqc.text.span import NOWHERE, Span


@record
class Outcome:
    """Results of the expectations, or why one has no meaning; `place` is absolute. `notes`: what a failure may mean."""

    results: tuple[ExpectationResult, ...] = ()
    problem: str = ""
    place: Span | None = None
    notes: tuple[str, ...] = ()


def accumulator_of(model: Model) -> str | None:
    """The coarsest accumulator type of the function's multiplies, None if it has none."""
    types = {info.elem_acc for info in model.multiplies.values()}
    return max(sorted(types), key=eps, default=None)


def narrowest_cast(model: Model) -> str | None:
    """The coarsest type of fewer than 32 bits that the function casts a float to, None if it does to none."""
    casts = (node.type_arg for node in walk(model.function) if isinstance(node, ast.Builtin))
    narrow = {canonical(elem) for elem in casts if isinstance(elem, str) and eps(canonical(elem)) > eps("f32")}
    return max(sorted(narrow), key=eps, default=None)


def k_step_of(model: Model) -> int:
    """The smallest instruction K of the function's multiplies: how often their sums are rounded; 1 without any, and for
    f64, where each product is added by a rounding of its own (PTX ISA, mma: IEEE 754 fused multiply-adds)."""
    steps = (1 if info.elem_acc == "f64" else info.k_step for info in model.multiplies.values())
    return min(steps, default=1)


def factor_of(model: Model) -> str | None:
    """The type that a multiply takes its factors as, where digits are lost by it: one of f8, whose products are added
    with few bits, or tf32, whose values a kernel keeps in 32 bits, and computes with as with f32."""
    taken = sorted({info.elem_a for info in model.multiplies.values()})
    small = [elem for elem in taken if ELEMENTS[elem].kind == "float" and ELEMENTS[elem].bits == 8]
    return next((elem for elem in (*small, *taken) if elem == "tf32" or elem in small), None)


def returned_name(model: Model) -> str | None:
    """The name behind `return`, None for a value without one."""
    for node in walk(model.function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            return node.value.id
    return None


def _result_elem(model: Model, array: Array) -> str:
    if isinstance(model.result, Data | Scalar):
        return model.result.elem
    return next((name for name, row in ELEMENTS.items() if row.dtype == array.dtype), "f64")


def operands(model: Model, data: RunData, result: EngineResult, sizes: Mapping[str, Size]) -> dict[str, Operand]:
    """Every name that an expectation may use: sizes, parameters (as left, if written), the returned value."""
    written = {symbol.name for symbol in usage_of(model).written}
    sums, narrowed = (accumulator_of(model), k_step_of(model), factor_of(model)), narrowed_in(model)
    found = {
        name: Operand(np.asarray(value), "f64" if isinstance(value, float) else "s64") for name, value in sizes.items()
    }
    for name, value in data.scalars.items():
        array = np.asarray(value)
        found[name] = Operand(array, data.elems[name], before=array)
    for name, before in data.arrays.items():
        array = result.outputs[name] if name in written else before
        found[name] = Operand(array, data.elems[name], *sums, before, coarsest(narrowed.get(name, ())))
    if result.result is not None:
        array = np.asarray(result.result)
        found[RESULT] = Operand(array, _result_elem(model, array), *sums, narrowed=coarsest(narrowed.get(RESULT, ())))
        found[returned_name(model) or RESULT] = found[RESULT]
    return found


def misfit(model: Model, data: RunData, expects: Sequence[ExpectDirective], sizes: Mapping[str, Size]) -> Outcome:
    """Why an expectation has no meaning whatever the run makes of its data: shapes that do not fit."""
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys((*sizes, *data.scalars), ())
    shapes |= {name: tuple(array.shape) for name, array in data.arrays.items()}
    if isinstance(model.result, Data):
        made = [extent.evaluate(data.dims) for extent in model.result.shape]
        if None not in made:
            shapes[RESULT] = shapes[returned_name(model) or RESULT] = tuple(n for n in made if n is not None)
    for directive in expects:
        try:
            if directive.expr is not None:
                check_shapes(directive.expr, shapes)
        except FormulaError as error:
            return _without_meaning(error, directive)
    return Outcome()


def _without_meaning(error: FormulaError, directive: ExpectDirective) -> Outcome:
    problem = f"{error}; {error.hint}" if error.hint else str(error)
    return Outcome((), problem, error.span.shift(directive.base))


def judge(
    model: Model, data: RunData, result: EngineResult, expects: Sequence[ExpectDirective], sizes: Mapping[str, Size]
) -> Outcome:
    """Check every `expect` line with a formula."""
    names = operands(model, data, result, sizes)
    results = []
    for directive in expects:
        try:
            results.append(check_expectation(directive, names))
            if results[-1].total == 0:
                return Outcome((), "this compares no element", directive.span)
        except FormulaError as error:
            return _without_meaning(error, directive)
    return Outcome(tuple(results), notes=tuple(hints(model, expects, results)))


def auto_expectations(
    model: Model, data: RunData, result: EngineResult, reference: EngineResult
) -> tuple[ExpectationResult, ...]:
    """Compare every output with that of the plain order of the same program, in which what is only written has started
    `otherwise_poisoned`."""
    unwritten = {symbol.name: _unwritten(symbol.name, data, result, reference) for symbol in poisoned(model)}
    accumulator, factor = accumulator_of(model), factor_of(model)
    written = sorted(symbol.name for symbol in usage_of(model).written if symbol.kind is SymbolKind.PARAM)
    pairs = [
        (
            name,
            data.elems[name],
            result.outputs[name],
            _but(reference.outputs[name], unwritten.get(name), result.outputs[name]),
        )
        for name in written
    ]
    if result.result is not None and reference.result is not None:
        got, want = np.asarray(result.result), np.asarray(reference.result)
        pairs.append((returned_name(model) or RESULT, _result_elem(model, got), got, want))
    steps = -(-_depth(model, data) // k_step_of(model))
    sums, cast = (accumulator, steps, factor), narrowest_cast(model)
    passed, narrowed = rounded_in(model), narrowed_in(model)
    agreed = []
    for name, elem, got, want in pairs:
        rounded = _Rounded(sums, cast, coarser(passed.get(name, ()), elem), coarsest(narrowed.get(name, ())))
        agreed.append(_agreement(name, elem, got, want, rounded))
    return tuple(agreed + [_kept(name, kept, result.outputs[name]) for name, kept in unwritten.items() if kept.any()])


def _unwritten(name: str, data: RunData, result: EngineResult, reference: EngineResult) -> Array:
    """Which elements of an output hold what they started with in both runs, though they started with unlike values: one
    of these may be what the program computes."""
    before = data.arrays[name]
    started = (before, other_poison(data.elems[name], before.shape))
    held = zip(started, (result.outputs[name], reference.outputs[name]), strict=True)
    return np.logical_and(*(_same_bytes(one, other) for one, other in held))


def _same_bytes(one: Array, other: Array) -> Array:
    same = np.ascontiguousarray(one).view(np.uint8) == np.ascontiguousarray(other).view(np.uint8)
    return np.asarray(same.reshape(*one.shape, -1).all(axis=-1))


def _but(want: Array, kept: Array | None, got: Array) -> Array:
    """What is wanted, where there is something: of elements that nobody writes one finding is enough."""
    return want if kept is None else np.where(kept, got, want)


def _kept(name: str, same: Array, after: Array) -> ExpectationResult:
    """A failed expectation of an output that nobody writes all of."""
    index = tuple(int(part) for part in np.argwhere(same)[0])
    value = to_reference(after)[index].item()
    text = f"every element of {name} is written"
    nowhere = Norms(0.0, 0.0)
    worst = Worst(index, value, value)
    return ExpectationResult(text, False, 0.0, 0.0, worst, int(same.sum()), same.size, nowhere, box(same))


def _depth(model: Model, data: RunData) -> int:
    """An upper bound of the length of the sums behind an output: the longest extent of the data."""
    if not model.multiplies and not any(isinstance(node, ast.Foreach) for node in walk(model.function)):
        return 1
    return max((extent for array in data.arrays.values() for extent in array.shape), default=1)


_ON_AN_EDGE = 16
"""At most one element of so many may lie so near the middle between two values of a cast that orders round it apart."""


@record
class _Rounded:
    """How the values of an output were rounded on their way. `sums`: the accumulator's type, its number of roundings,
    the type of the factors. `cast`: the coarsest type that the program itself rounds values to; a few elements may then
    differ by a step of it. `passed`: the coarser type than the output's own in which its values were sums, or results
    of functions: they are known to its digits only. `narrowed`: the coarsest type between two operations."""

    sums: tuple[str | None, int, str | None]
    cast: str | None = None
    passed: str | None = None
    narrowed: str | None = None


def _agreement(name: str, elem: str, got: Array, want: Array, rounded: _Rounded) -> ExpectationResult:
    if ELEMENTS[elem].kind != "float":
        return result_of(f"{name} as in the plain order", EXACT, compare(got, want, EXACT))
    plain = to_reference(round_to(elem, want))
    tolerance = default_tolerance(elem, plain, *rounded.sums)
    found = compare(to_reference(got), plain, tolerance)
    if rounded.cast is not None and 0 < found.differing <= max(1, found.total // _ON_AN_EDGE):
        wider = default_tolerance(rounded.cast, plain)
        tolerance = Tolerance(max(tolerance.rtol, wider.rtol), max(tolerance.atol, wider.atol))
        found = compare(to_reference(got), plain, tolerance)
    if rounded.passed is not None and found.differing:
        tolerance = default_tolerance(rounded.passed, plain, *rounded.sums)
        found = compare(to_reference(got), plain, tolerance)
    if rounded.narrowed is not None and found.differing:
        tolerance = steps_apart(tolerance, rounded.narrowed, plain)
        found = compare(to_reference(got), plain, tolerance)
    return result_of(f"{name} as in the plain order", tolerance, found)


def model_functions(directives: FunctionDirectives) -> dict[str, Callable[..., Any]]:
    """The meanings that `// croq: model` lines give to C++ functions, over arrays."""

    def bind(parameters: tuple[str, ...], body: Any) -> Callable[..., Any]:
        def apply(*values: Any) -> Any:
            if len(values) != len(parameters):
                raise FormulaError(f"it has {len(parameters)} parameters, {len(values)} values are given", NOWHERE)
            return evaluate(body, dict(zip(parameters, values, strict=True))).array

        return apply

    return {item.name: bind(item.params, item.body) for item in directives.models}
