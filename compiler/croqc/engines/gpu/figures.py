"""How much work a run did: floating-point operations of its multiplies, bytes of its arrays. Must not run anything.

Counted from the lowered kernels, instruction by instruction, as they are executed: padding at ragged edges counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Final

from croqc.codegen.host_run import Launch, ScalarArg
from croqc.codegen.kernel import grid_of
from croqc.codegen.program import Program
from croqc.pipe import ir
from croqc.pipe.evaluate import evaluate
from croqc.pipe.exprs import Expr, variables
from croqc.pipe.facts import Number
from croqc.pipe.walk import Body, bodies, statements
from croqc.pipe.wide import widened
from croqc.runs.elements import ELEMENTS
from croqc.sema.model import THREADS, Unit

_BUDGET: Final = 200_000  # loop turns and blocks that are looked at one by one


class _UnknownError(Exception):
    """The count hangs on data, or takes too long."""


def operations(program: Program, sizes: Mapping[str, Number]) -> int | None:
    """2 M N K of every multiply that is executed; None where that hangs on data or is too long to count."""
    try:
        return sum(_counted(launch, sizes) for launch in program.launches)
    except (_UnknownError, ValueError):
        return None


def _counted(launch: Launch, sizes: Mapping[str, Number]) -> int:
    """The work of a launch; its own values of the host part count."""
    own = {arg.name: arg.value for arg in launch.args if isinstance(arg, ScalarArg)}
    return _Counter(launch.kernel).count({**sizes, **own})


def bytes_moved(program: Program, given: frozenset[str], written: frozenset[str]) -> int:
    """Each array once for being read and once for being written: what a kernel must move at least."""
    total = 0
    for array in program.arrays:
        size = prod(array.shape) * ELEMENTS[array.elem].dtype.itemsize
        total += size * ((array.name in given) + (array.name in written))
    return total


class _Counter:
    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.left = _BUDGET

    def count(self, sizes: Mapping[str, Number]) -> int:
        body, threads = self.kernel.body, self.kernel.threads
        if not any(isinstance(stmt, ir.Multiply) for stmt in statements(body)):
            return 0
        if _steered_by(body, {stmt.name for stmt in statements(body) if isinstance(stmt, ir.Set)}):
            raise _UnknownError
        extents = [evaluate(widened(extent), sizes) for extent in grid_of(self.kernel)]
        names = self.kernel.grid_names
        if not _steered_by(body, set(names)):
            return prod(extents) * self._body(body, dict(sizes), threads)
        return sum(
            self._body(body, {**sizes, **dict(zip(names, at, strict=False))}, threads)
            for at in product(*(range(extent) for extent in extents))
        )

    def _body(self, body: Body, values: dict[str, Number], threads: int) -> int:
        self.left -= 1
        if self.left < 0:
            raise _UnknownError
        total = 0
        for stmt in body:
            total += self._stmt(stmt, values, threads)
        return total

    def _stmt(self, stmt: ir.Stmt, values: dict[str, Number], threads: int) -> int:
        match stmt:
            case ir.Multiply():
                return 2 * stmt.m * stmt.n * stmt.k_step * max(stmt.steps, 1) * self._units(stmt, threads)
            case ir.Let():
                self._set(values, stmt.name, stmt.value)
            case ir.Role():
                return self._body(stmt.body, values, self._within(stmt, values)) if _multiplies(stmt) else 0
            case ir.Loop() if _multiplies(stmt):
                return self._loop(stmt, values, threads)
            case ir.Scope():
                return self._body(stmt.body, values, threads)
            case ir.If() | ir.While() if _multiplies(stmt):
                return self._guarded(stmt, values, threads)
        return 0

    @staticmethod
    def _units(stmt: ir.Multiply, threads: int) -> int:
        """How many units execute a multiply that `threads` threads of a block come to: warps or warpgroups."""
        return threads // THREADS[stmt.acc.unit]

    def _within(self, stmt: ir.Role, values: Mapping[str, Number]) -> int:
        """How many threads of a block run a region."""
        if stmt.unit is Unit.GROUP4:
            return len(stmt.groups) * THREADS[Unit.GROUP4]
        return sum(bool(evaluate(stmt.cond, {**values, **self._at(thread)})) for thread in range(self.kernel.threads))

    def _at(self, thread: int) -> dict[str, int]:
        """The parallel indices of a thread."""
        return {index.name: thread // index.unit % index.bound for index in self.kernel.indices}

    def _set(self, values: dict[str, Number], name: str, value: Expr) -> None:
        try:
            values[name] = evaluate(value, values)
        except ValueError:
            values.pop(name, None)

    def _loop(self, stmt: ir.Loop, values: dict[str, Number], threads: int) -> int:
        turns = range(evaluate(stmt.start, values), evaluate(stmt.stop, values), evaluate(stmt.step, values))
        if not _steered_by(stmt.body, {stmt.name}):
            return len(turns) * self._body(stmt.body, dict(values), threads) if turns else 0
        return sum(self._body(stmt.body, {**values, stmt.name: turn}, threads) for turn in turns)

    def _guarded(self, stmt: ir.If | ir.While, values: dict[str, Number], threads: int) -> int:
        if isinstance(stmt, ir.While):
            raise _UnknownError
        chosen = stmt.then if evaluate(stmt.cond, values) else stmt.other
        return self._body(chosen, values, threads)


def _multiplies(stmt: ir.Stmt) -> bool:
    return any(isinstance(each, ir.Multiply) for body in bodies(stmt) for each in statements(body))


def _steered_by(body: Body, names: set[str]) -> bool:
    """Whether how often a multiply runs hangs on one of these names, through scalars too."""
    hanging = set(names)
    for stmt in statements(body):
        if isinstance(stmt, ir.Let | ir.Set) and hanging & set(variables(stmt.value)):
            hanging.add(stmt.name)
    return any(hanging & set(variables(expr)) for stmt in statements(body) for expr in _steering(stmt))


def _steering(stmt: ir.Stmt) -> tuple[Expr, ...]:
    """The expressions that decide how often multiplies inside a statement run."""
    match stmt:
        case ir.Loop(start=start, stop=stop, step=step) if _multiplies(stmt):
            return start, stop, step
        case ir.If(cond=cond) | ir.While(cond=cond) if _multiplies(stmt):
            return (cond,)
    return ()
