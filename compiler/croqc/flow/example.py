"""The run of a kernel at sizes that the reader chose, in place of the small one of the verdict. Must not judge."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from croqc.flow.arrivals import survey
from croqc.flow.explain import Told
from croqc.flow.lower import lower
from croqc.flow.lower_statements import STATEMENTS
from croqc.flow.machine import Machine
from croqc.flow.report import KernelFlow, Strength
from croqc.flow.run import ExhaustedError, Setting
from croqc.sema.masks import place_indices
from croqc.sema.model import Model

_STEPS = 200_000


def at_sizes(model: Model, flow: KernelFlow, sizes: Mapping[str, int]) -> KernelFlow:
    """The same verdict with the run of these sizes; others are those of the small run, else 1.

    A kernel whose control could not be followed keeps what it has. Of a long run the beginning is told.
    """
    if flow.strength is Strength.UNKNOWN or not sizes:
        return flow
    arrivals, starts = survey(model, flow.kernel, flow.paths)
    program = lower(model, flow.kernel, flow.paths, arrivals, STATEMENTS, wide=True)
    chosen = {
        size.var: 0 if size.bound is not None else sizes.get(size.name, flow.sizes.get(size.name, max(size.least, 1)))
        for size in program.sizes
    }
    setting = Setting(program, flow.paths, place_indices(model, flow.kernel.node), arrivals, starts)
    machine = Machine(setting, chosen, _STEPS, record=True)
    with suppress(ExhaustedError):
        machine.run()
    told = Told(machine)
    steps = (*told.steps, *told.standing(machine.stuck()))
    named = {size.name: chosen[size.var] for size in program.sizes if size.bound is None}
    shown = {name: value for name, value in named.items() if name in sizes or name in flow.sizes}
    return replace(flow, steps=steps, edges=tuple(told.edges), sizes=shown)
