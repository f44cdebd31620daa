"""What of the judgement of a run can be left to the card: the expectations and the operands as data, and their
evaluation where the arrays are. Must not import CuPy; `xp` is the namespace of the arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from croqc.runs.check import Operand, check_expectation
from croqc.runs.report import ExpectationResult, Norms, Worst
from croqc.sema.formula_shapes import FormulaError
from croqc.syntax.directive_clauses import ExpectDirective
from croqc.syntax.expectation import Apply, Expectation, names_in, parse_expectation, walk
from croqc.text.span import NOWHERE

Read = Callable[["Named"], Any]
"""The values of a named array, widened as `evaluate.to_reference` has them."""


@dataclass(frozen=True, slots=True)
class Line:
    """An `expect` line: the comparison as written, and the tolerances that it gives."""

    text: str
    rtol: float | None
    atol: float | None


@dataclass(frozen=True, slots=True)
class Named:
    """A name of the expectations: an array of the card under the name `array`, or a number where that is empty. The
    rest as in `runs.check.Operand`."""

    name: str
    elem: str
    accumulator: str | None
    k_step: int
    factor: str | None
    array: str = ""
    shape: tuple[int, ...] = ()
    value: float | int | bool = 0
    narrowed: str | None = None


@dataclass(frozen=True, slots=True)
class Judging:
    lines: tuple[Line, ...]
    names: tuple[Named, ...]

    @staticmethod
    def of_json(data: dict[str, Any]) -> Judging:
        """Raises TypeError or KeyError for what is none."""
        names = tuple(Named(**{**item, "shape": tuple(item["shape"])}) for item in data["names"])
        return Judging(tuple(Line(**item) for item in data["lines"]), names)


@dataclass(frozen=True, slots=True)
class Judged:
    """The results in order; `problem`: why the line `len(results)` has no meaning, at `start` to `end` in its text."""

    results: tuple[ExpectationResult, ...]
    problem: str = ""
    start: int = 0
    end: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def of_json(data: dict[str, Any]) -> Judged:
        """Raises TypeError or KeyError for what is none."""
        return Judged(**{**data, "results": tuple(_result(item) for item in data["results"])})


def _result(data: dict[str, Any]) -> ExpectationResult:
    worst, within = data["worst"], data["within"]
    parts = {
        "worst": None if worst is None else Worst(**{**worst, "index": tuple(worst["index"])}),
        "norms": Norms(**data["norms"]),
        "within": None if within is None else tuple((low, high) for low, high in within),
    }
    return ExpectationResult(**{**data, **parts})


def judging_of(
    expects: Sequence[ExpectDirective], operands: Mapping[str, Operand], arrays: Mapping[str, str]
) -> Judging:
    """`arrays`: under which name the card has the array of an operand; those that are not in it are numbers."""
    lines = tuple(Line(item.text, item.rtol, item.atol) for item in expects)
    return Judging(lines, tuple(_named(name, item, arrays.get(name, "")) for name, item in operands.items()))


def _named(name: str, item: Operand, array: str) -> Named:
    value = 0 if array else item.array.item()
    known = item.elem, item.accumulator, item.k_step, item.factor
    return Named(name, *known, array, item.array.shape, value, item.narrowed)


def judge(judging: Judging, after: Read, before: Read, xp: Any = np) -> Judged:
    """The lines over the arrays as the run left them, `before` for what `old` names.

    Raises HostOnlyError, and whatever the namespace raises for want of memory or of a library.
    """
    results: list[ExpectationResult] = []
    for line in judging.lines:
        expr = parse_expectation(line.text)
        assert isinstance(expr, Expectation), line.text  # it was read before, to be sent here
        directive = ExpectDirective(expr, line.rtol, line.atol, line.text, 0, NOWHERE)
        used, old = {ref.name for ref in names_in(expr)}, _old_names(expr)
        operands = {
            item.name: _operand(item, item.name in used, item.name in old, after, before, xp) for item in judging.names
        }
        try:
            results.append(check_expectation(directive, operands, xp))
        except FormulaError as error:
            said = f"{error}; {error.hint}" if error.hint else str(error)
            return Judged(tuple(results), said, error.span.start, error.span.end)
        if results[-1].total == 0:
            return Judged(tuple(results[:-1]), "this compares no element", 0, len(line.text))
    return Judged(tuple(results))


def _old_names(expr: Expectation) -> set[str]:
    """What `old` names, as the reader lets it: a name alone."""
    calls = (node for node in walk(expr) if isinstance(node, Apply) and node.name == "old")
    return {ref.name for call in calls for ref in names_in(call)}


def _operand(item: Named, used: bool, old: bool, after: Read, before: Read, xp: Any) -> Operand:
    """An operand; of a name that no formula uses, or none in `old`, it is known, and no more."""
    known = xp.asarray(item.value)
    value = after(item) if item.array and used else known
    earlier = before(item) if item.array and old else known
    return Operand(value, item.elem, item.accumulator, item.k_step, item.factor, earlier, item.narrowed)
