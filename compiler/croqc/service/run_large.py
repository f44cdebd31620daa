"""Runs whose data stays on the card: what the engine is told, and what comes of its judgement. Must not run anything.

The expectations, the operands and the tolerance are those of every run (`run_verdict`, `runs.check`); only the arrays
are elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from croqc.engines.gpu.judging import Judged, judging_of
from croqc.engines.gpu.run import CardResult, Large
from croqc.runs.elements import ELEMENTS, Array
from croqc.sema.model import Model
from croqc.sema.types import Data, Void
from croqc.service.run_data import RunData
from croqc.service.run_notes import hints
from croqc.service.run_values import Size
from croqc.service.run_verdict import Outcome, operands, returned_name
from croqc.syntax.directive_clauses import ExpectDirective
from croqc.syntax.expectation import RESULT
from croqc.text.record import replace
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class _Shapes:
    """Stands for a result of which the shapes are known; see `engines.base.EngineResult`."""

    outputs: Mapping[str, Array]
    result: Array | None


def large_run(
    model: Model, data: RunData, expects: Sequence[ExpectDirective], sizes: Mapping[str, Size]
) -> Large | None:
    """What the engine makes and judges itself; None for data of the host."""
    if not data.draws:
        return None
    returned = returned_name(model)
    known: Any = _Shapes(data.arrays, _returned(model, data))
    arrays = {name: name for name in data.arrays}
    if known.result is not None and returned is not None:
        arrays |= {RESULT: returned, returned: returned}
    return Large(data.draws, judging_of(expects, operands(model, data, known, sizes), arrays))


def can_stay(model: Model) -> bool:
    """Whether all that a function gives back is arrays that the card has by name."""
    return isinstance(model.result, Void) or (isinstance(model.result, Data) and returned_name(model) is not None)


def _returned(model: Model, data: RunData) -> Array | None:
    """The shape and type of what the function returns."""
    if not isinstance(model.result, Data):
        return None
    shape = tuple(extent.evaluate(data.dims) or 0 for extent in model.result.shape)
    return np.broadcast_to(np.zeros((), ELEMENTS[model.result.elem].dtype), shape)


def judged_outcome(model: Model, judged: Judged, expects: Sequence[ExpectDirective]) -> Outcome:
    """As `run_verdict.judge`, from what the card found."""
    if judged.problem:
        base = expects[len(judged.results)].base
        return Outcome((), judged.problem, Span(judged.start + base, judged.end + base))
    return Outcome(judged.results, notes=tuple(hints(model, expects, judged.results)))


def brought_back(data: RunData, result: CardResult) -> RunData:
    """The data of a run that the card could not judge: what it had drawn in the place of the shapes."""
    return replace(data, arrays={**data.arrays, **result.inputs}) if result.inputs else data
