"""The simulator's entry: one function, its arrays, a seed; outputs, or why there are none. Must not compare results.

Pure with regard to files and clock: effort is bounded by steps, and equal inputs give equal results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from croqc.engines.arguments import LaunchArgs, entry_sizes
from croqc.engines.depth import TOO_MANY_INSIDE, make_room
from croqc.engines.hang import HungPath
from croqc.engines.sim.code.carried import carried_symbols
from croqc.engines.sim.code.compiler import Compiler, as_steps
from croqc.engines.sim.code.launch import StuckError
from croqc.engines.sim.code.tables import EXPRESSION_HANDLERS, STATEMENT_HANDLERS
from croqc.engines.sim.entry import check_entry, entered
from croqc.engines.sim.errors import SimError
from croqc.engines.sim.hang import explain
from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.machine.scheduler import Budget
from croqc.engines.sim.parameters import bind_parameters
from croqc.engines.sim.plan import Plan
from croqc.engines.sim.spread import default_workers
from croqc.engines.sim.state import Frame, RunState
from croqc.flow.arrivals import arrival_counts
from croqc.sema.model import Model, Symbol
from croqc.sema.roots import base_name
from croqc.syntax import ast
from croqc.syntax.visit import walk

DEFAULT_STEPS = 10_000_000
_FOREIGN = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, AssertionError)
"""What NumPy and Python raise where a program does what no handler foresaw; it is reported at its statement."""


@dataclass(frozen=True, slots=True)
class SimOptions:
    """`exact`: multiplies sum in f64, functions are computed in f64 and rounded once; with "ordered" the plain order of
    `expect auto`.

    `models` gives C++ functions a meaning on arrays; `on_progress` hears of blocks done and blocks in all.
    `workers`: processes that long launches are spread over, by default one a processor.
    """

    seed: int = 0
    max_steps: int = DEFAULT_STEPS
    schedule: Literal["random", "ordered"] = "random"
    exact: bool = False
    models: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    on_progress: Callable[[int, int], None] | None = None
    workers: int = field(default_factory=default_workers)


@dataclass(frozen=True, slots=True)
class SimResult:
    """`outputs`: each array parameter's contents after the run, by name. `result`: what `return` gave.

    `hang` lists the paths that stand still, `error` says why the run broke off; with either, arrays are as they
    were then. Times are 0: the simulator has no clock.
    """

    outputs: Mapping[str, Array]
    result: Array | int | float | None
    hang: tuple[HungPath, ...]
    error: SimError | None
    steps: int
    prints: tuple[str, ...]
    notes: tuple[str, ...]
    time: float = 0.0
    compile_time: float = 0.0

    @property
    def hung(self) -> bool:
        return bool(self.hang)


class Prepared:
    """A function to be run several times: what does not depend on sizes, values and seed is worked out at the first
    run. Not to be shared between threads."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._made: dict[bool, tuple[Compiler, Callable[[Frame], Any]]] = {}

    @cached_property
    def entered(self) -> tuple[ast.Node, ...]:
        return entered(self.model)

    def code(self, exact: bool) -> tuple[Compiler, Callable[[Frame], Any]]:
        """Raises SimError for what cannot be translated at all."""
        found = self._made.get(exact)
        if found is None:
            compiler = _compiler(self.model, exact)
            found = self._made[exact] = compiler, as_steps(compiler.body(self.model.function.body))
        return found


def simulate(model: Model | Prepared, env: LaunchArgs, options: SimOptions = SimOptions()) -> SimResult:
    """Runs the function once. Never raises for what the program does: hangs and errors stand in the result."""
    make_room()
    prepared = model if isinstance(model, Prepared) else Prepared(model)
    model = prepared.model
    run = RunState(
        Budget(options.max_steps),
        options.exact,
        options.schedule == "ordered",
        options.seed,
        options.models,
        progress=options.on_progress,
        workers=options.workers,
    )
    buffers: dict[str, Buffer] = {}
    hang: tuple[HungPath, ...] = ()
    error: SimError | None = None
    with np.errstate(all="ignore"):
        try:
            compiler, body = prepared.code(options.exact)
            frame = Frame(run, [], [])
            buffers = bind_parameters(compiler, frame, env)
            check_entry(model, prepared.entered, entry_sizes(model.function, env))
            for _ in body(frame):
                pass
        except StuckError as stuck:
            hang = explain(model, stuck)
        except SimError as problem:
            error = problem
        except MemoryError:
            error = SimError("there is not enough memory for this run", run.budget.place)
        except ZeroDivisionError:
            error = SimError("division by zero", run.budget.place)
        except RecursionError:
            error = SimError(TOO_MANY_INSIDE, run.budget.place, unsupported=True)
        except _FOREIGN:
            error = SimError("the simulator does not understand this", run.budget.place, unsupported=True)
    outputs = {name: buffer.values() for name, buffer in buffers.items()}
    return SimResult(outputs, run.result, hang, error, run.budget.used, tuple(run.prints), tuple(run.notes))


def _compiler(model: Model, exact: bool) -> Compiler:
    plans = {
        node: plan
        for kernel in model.kernels
        for plan in (Plan(model, kernel),)
        for node in walk(kernel.node)
        if isinstance(node, ast.Parallel)
    }
    counts: dict[tuple[Symbol, int], int] = {}
    for plan in {id(plan): plan for plan in plans.values()}.values():
        counts.update(arrival_counts(model, [start.path for start in plan.starts]))
    scaled = frozenset(
        model.uses[name]
        for node in walk(model.function)
        if isinstance(node, ast.MmaScale) and (name := base_name(node.acc)) is not None and name in model.uses
    )
    return Compiler(
        model,
        exact,
        lambda symbol, slot: max(counts.get((symbol, slot), 1), 1),
        plans,
        EXPRESSION_HANDLERS,
        STATEMENT_HANDLERS,
        scaled,
        frozenset().union(*(carried_symbols(model, kernel) for kernel in model.kernels)),
    )
