"""The sizes of the run that a flow is shown with: such as the kernel takes. Must not judge (see `flow`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from croqc.flow.report import KernelFlow, Strength
from croqc.runs.constraints import constraints_of
from croqc.sema.model import Model

_FARTHEST: Final = 256  # how much larger than that of the verdict a size may be


def shown_sizes(model: Model, flow: KernelFlow, given: Mapping[str, int]) -> Mapping[str, int]:
    """`given`, and for each other size of the verdict's run the next one that meets what the kernel asks of it alone:
    whole tiles, assertions. A run that fails keeps its sizes, for they are its proof."""
    if flow.strength not in (Strength.PROVED, Strength.CHECKED):
        return given
    asked = [one for one in constraints_of(model) if len(one.names) == 1 and not one.wish]
    found = dict(given)
    for name, value in flow.sizes.items():
        own = [one for one in asked if name in one.names]
        if name in given or all(one.holds({name: value}) for one in own):
            continue
        nearest = range(value, value + _FARTHEST + 1)
        whole = next((n for n in nearest if all(one.holds({name: n}) for one in own)), value)
        if whole != value:
            found[name] = whole
    return found
