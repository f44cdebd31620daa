"""The translation context: variable slots, tables of handlers, the kinds of code. Must not know single constructs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from croqc.engines.sim.errors import SimError
from croqc.engines.sim.machine.dtypes import DType, dtype_of, is_float
from croqc.engines.sim.plan import Plan
from croqc.engines.sim.state import Frame, Value
from croqc.sema.model import Model, Symbol
from croqc.syntax import ast

Fn = Callable[[Frame], Value]
BREAK, CONTINUE, LEAVE, RETURN, IDLE = 1, 2, 3, 4, 5
"""What a statement may answer instead of None: the flow leaves a loop, an iteration, the kernel, the function;
IDLE: no thread is active any more."""


class Code(NamedTuple):
    """A translated statement. `steps`: `run` is a generator function that yields to the scheduler."""

    run: Callable[[Frame], Any]
    steps: bool = False


FnHandlers = Mapping[type, Callable[["Compiler", Any], Fn]]
CodeHandlers = Mapping[type, Callable[["Compiler", Any], Code]]


@dataclass(slots=True, eq=False)
class Compiler:
    """Translates one function. `exact`: multiplies sum in f64, functions are computed in f64 and rounded once, as in
    the plain order of `expect auto`.

    `arrivals` gives the arrivals that complete a generation of an event's slot, `plans` the paths of each kernel.
    `scaled` holds the accumulators that the function scales, `carried` the variables of blocks that paths change;
    `aliases` the pairs of `where a <-> b`, `components` the place of an index in the tuple that is bound with it.
    `in_region`: what is translated stands inside an `inthreads`.
    """

    model: Model
    exact: bool
    arrivals: Callable[[Symbol, int], int]
    plans: Mapping[ast.Parallel, Plan]
    expressions: FnHandlers
    statements: CodeHandlers
    scaled: frozenset[Symbol] = frozenset()
    carried: frozenset[Symbol] = frozenset()
    slots: dict[Symbol, int] = field(default_factory=dict)
    aliases: dict[Symbol, list[Symbol]] = field(default_factory=dict)
    components: dict[Symbol, tuple[int, int]] = field(default_factory=dict)
    in_region: bool = False

    def held_type(self, elem: str) -> DType:
        """The type in which a register tile keeps its elements: f64 for every float of the exact run."""
        kind = dtype_of(elem)
        return np.dtype(np.float64) if self.exact and is_float(kind) else kind

    def plan_of(self, node: ast.Parallel) -> Plan:
        """The plan of the kernel that a parallel belongs to."""
        return self.plans[node]

    def symbol(self, name: ast.Name) -> Symbol:
        found = self.model.uses.get(name)
        if found is None:
            raise SimError(f"'{name.id}' is not known", name.span)
        return found

    def slot(self, symbol: Symbol) -> int:
        return self.slots.setdefault(symbol, len(self.slots))

    def name_slot(self, name: ast.Name) -> int:
        return self.slot(self.symbol(name))

    def expr(self, node: ast.Node) -> Fn:
        handler = self.expressions.get(type(node))
        if handler is None:
            raise SimError("this expression is not simulated", node.span, unsupported=True)
        return handler(self, node)

    def exprs(self, nodes: Sequence[ast.Node]) -> list[Fn]:
        return [self.expr(node) for node in nodes]

    def stmt(self, node: ast.Node) -> Code:
        handler = self.statements.get(type(node))
        if handler is None:
            return _raising(SimError("this statement is not simulated", node.span, unsupported=True))
        try:
            return handler(self, node)
        except SimError as error:
            return _raising(error.at(node.span))

    def body(self, block: ast.Block) -> Code:
        return sequence([self.stmt(stmt) for stmt in block.stmts])


def _raising(error: SimError) -> Code:
    """A statement that cannot be translated: an error if it is reached."""

    def run(frame: Frame) -> Any:
        raise SimError(error.message, error.span, unsupported=error.unsupported)

    return Code(run)


def sequence(codes: Sequence[Code]) -> Code:
    """Statements one after another, up to the first that answers a signal."""
    if len(codes) == 1:
        return codes[0]
    if any(code.steps for code in codes):
        return Code(_stepping(tuple(codes)), True)
    runs = tuple(code.run for code in codes)

    def run(frame: Frame) -> Any:
        for each in runs:
            signal = each(frame)
            if signal is not None:
                return signal
        return None

    return Code(run)


def _stepping(codes: tuple[Code, ...]) -> Callable[[Frame], Any]:
    def run(frame: Frame) -> Any:
        for each, steps in codes:
            signal = (yield from each(frame)) if steps else each(frame)
            if signal is not None:
                return signal
        return None

    return run


def as_steps(code: Code) -> Callable[[Frame], Any]:
    """The code as a generator function."""
    if code.steps:
        return code.run

    def run(frame: Frame) -> Any:
        return code.run(frame)
        yield

    return run
