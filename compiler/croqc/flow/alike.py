"""Instances that do the same, step for step: one run says what the others come to. Must not run anything.

Blocks that work on several tiles have such instances: a last turn of which a block is left out does nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from croqc.flow.coverage import coverage_of
from croqc.flow.exprs import Env, Expr, UndecidedError, Value, closure
from croqc.flow.machine import Machine
from croqc.flow.ops_control import Branch, Enter, LoopNext, LoopStart
from croqc.flow.ops_multiplies import Name
from croqc.flow.pieces import parts_of_slots
from croqc.flow.program import Loop, Op, Program
from croqc.flow.signature import spell

_MOST_TURNS = 64  # of a loop whose conditions are looked at
Acts = tuple[object, ...]


class Alike:
    """What instances do, as far as sizes decide it. `covered`: loops whose whole body stands under one condition."""

    def __init__(self, program: Program) -> None:
        self.width = program.variables
        self.sizes = {size.var for size in program.sizes}
        self.covered = dict(_covered(program, self.sizes))
        self.loops: list[tuple[Loop, Value, Value, Value]] = []
        self.conditions: list[tuple[Branch, Loop]] = []
        self.values: dict[str, Value] = {}
        if self.covered:
            self._collect(program)

    def _collect(self, program: Program) -> None:
        for op in program.ops:
            if isinstance(op, LoopStart) and all(self._is_sized(expr) for expr in _bounds(op.loop)):
                self.loops.append((op.loop, closure(op.loop.low), closure(op.loop.high), closure(op.loop.step)))
            elif isinstance(op, Branch) and (loop := self._only_loop(op)) is not None:
                self.conditions.append((op, loop))
            else:
                bounds = _bounds(op.loop) if isinstance(op, LoopStart) else ()
                for expr in (*bounds, *op.exprs(), *((op.cond,) if isinstance(op, Enter) else ()), *_parts(op)):
                    self._parts_of(expr)

    def _is_sized(self, expr: Expr) -> bool:
        return expr.variables() <= self.sizes

    def _only_loop(self, op: Branch) -> Loop | None:
        """The loop of which, with sizes, a condition speaks alone."""
        if op.expr.variables().isdisjoint(self.sizes):
            return None
        rest = op.expr.variables() - self.sizes
        loops = [loop for loop in op.loops if loop.var in rest]
        sized = len(loops) == len(rest) == 1 and all(self._is_sized(expr) for expr in _bounds(loops[0]))
        return loops[0] if sized else None

    def _parts_of(self, expr: Expr) -> None:
        """The largest parts that depend on sizes alone."""
        if expr.variables().isdisjoint(self.sizes):
            return
        if self._is_sized(expr):
            self.values.setdefault(spell(expr), closure(expr))
            return
        for arg in expr.args:
            self._parts_of(arg)

    def unlike(self, instances: Iterable[Mapping[int, int]], known: Collection[Acts]) -> Iterator[bool]:
        """Of each instance whether it does something else than those that are known."""
        return (self.of(sizes) not in known for sizes in instances)

    def after(self, machine: Machine) -> set[Acts]:
        """What a run without a fault says of all that do the same: nothing, if it reads what lies outside a tensor in
        the one and inside in the other."""
        acts = self.of(machine.sizes)
        return set() if acts is None or any(coverage_of(machine).unwritten()) else {acts}

    def of(self, sizes: Mapping[int, int]) -> Acts | None:
        """Equal for instances that do the same; None where that is not known."""
        if not self.loops:
            return None
        env: Env = [0] * self.width
        for var, value in sizes.items():
            env[var] = value
        try:
            turns = {loop: range(low(env), high(env), max(step(env), 1)) for loop, low, high, step in self.loops}
            turns.update((loop, self._acting(loop, turns[loop], env)) for loop in self.covered)
            if any(len(turns[loop]) > _MOST_TURNS for _, loop in self.conditions):
                return None
            held = (tuple(self._held(op, loop, turns[loop], env)) for op, loop in self.conditions)
            return (*turns.values(), *held, *(value(env) + 0 for value in self.values.values()))
        except UndecidedError:
            return None

    def _acting(self, loop: Loop, turns: range, env: Env) -> range:
        """The turns up to the last one that does anything."""
        if len(turns) > _MOST_TURNS:
            return turns
        held = list(self._held(self.covered[loop], loop, turns, env))
        return turns[: len(held) - held[::-1].index(True)] if True in held else turns[:0]

    @staticmethod
    def _held(op: Branch, loop: Loop, turns: range, env: Env) -> Iterator[bool]:
        for turn in turns:
            env[loop.var] = turn
            yield bool(op.value(env))


def _covered(program: Program, sizes: set[int]) -> Iterator[tuple[Loop, Branch]]:
    for place, op in enumerate(program.ops[:-1]):
        inner = program.ops[place + 1]
        if not (isinstance(op, LoopStart) and isinstance(inner, Branch)):
            continue
        last = program.ops[inner.target] if inner.target < len(program.ops) else None
        own = all(expr.variables() <= sizes for expr in _bounds(op.loop))
        if (
            own
            and isinstance(last, LoopNext)
            and last.loop is op.loop
            and inner.expr.variables() <= sizes | {op.loop.var}
        ):
            yield op.loop, inner


def _bounds(loop: Loop) -> tuple[Expr, ...]:
    return (loop.low, loop.high, loop.step)


def _parts(op: Op) -> Iterator[Expr]:
    """Where the parts of slots that a step means lie."""
    yield from parts_of_slots(op)
    if isinstance(op, Name):
        for extent in (extent for one in op.operand.each() for extent in one.extents()):
            yield from (expr for expr in (extent.low, extent.length) if expr is not None)
