"""`with` and `foreach` (reference, 4.5). Reductions that can run as one array operation stand in `reduction`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from croqc.engines.sim.code.compiler import BREAK, LEAVE, RETURN, Code, Compiler, Fn
from croqc.engines.sim.code.control import LoopScope
from croqc.engines.sim.code.reduction import reduction
from croqc.engines.sim.code.sync import step
from croqc.engines.sim.code.values import is_uniform
from croqc.engines.sim.errors import SimError, StepLimitError
from croqc.engines.sim.state import Frame, Value
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span

Setter = Callable[[Frame, Any], None]


def _extent(value: Value, span: Span) -> Value:
    """An extent as Python integers: one, or a tuple; where it differs from thread to thread, as it is.

    Raises SimError for several extents of which one differs.
    """
    if isinstance(value, tuple):
        if all(map(is_uniform, value)):
            return tuple(int(item) for item in value)
        if len(value) > 1:
            message = "several extents of which one differs from thread to thread are not simulated; nest the loops"
            raise SimError(message, span, unsupported=True)
        return value
    return int(value) if is_uniform(value) else value


def _slots_of(c: Compiler, symbol: Symbol) -> list[int]:
    return [c.slot(each) for each in (symbol, *c.aliases.get(symbol, ()))]


def _setter(c: Compiler, node: ast.Binding) -> tuple[Setter, Setter]:
    """Two functions that give the names of a binding their value and their bound: an integer or a tuple of them."""
    singles = [_slots_of(c, c.symbol(name)) for name in node.names]
    whole = _slots_of(c, c.symbol(node.tuple_name)) if node.tuple_name is not None else []
    braced = node.braced
    for position, name in enumerate(node.names if whole else ()):
        c.components[c.symbol(name)] = (whole[0], position)

    def assign(target: list[Value], value: Value) -> None:
        parts: tuple[Value, ...] = value if isinstance(value, tuple) else (value,)
        if not braced:
            parts = (value,)
        for slots, part in zip(singles, parts, strict=True):
            for slot in slots:
                target[slot] = part
        for slot in whole:
            target[slot] = parts

    def values(frame: Frame, value: Value) -> None:
        assign(frame.vars, value)

    def bounds(frame: Frame, value: Value) -> None:
        assign(frame.bounds, value)

    return values, bounds


def bind(c: Compiler, node: ast.Binding) -> Callable[[Frame], Value]:
    """Evaluates the extent and defines the names with value 0; gives the extent."""
    extent, (values, bounds), span = c.expr(node.extent), _setter(c, node), node.span

    def run(frame: Frame) -> Value:
        size = _extent(extent(frame), span)
        bounds(frame, size)
        values(frame, (0,) * len(size) if isinstance(size, tuple) else 0)
        return size

    return run


def _with(c: Compiler, node: ast.With) -> Code:
    for left, right in node.where:
        one, two = c.symbol(left), c.symbol(right)
        c.aliases.setdefault(one, []).append(two)
        c.aliases.setdefault(two, []).append(one)
    binds, body = [bind(c, binding) for binding in node.bindings], c.body(node.body)
    inner = body.run
    if body.steps:

        def stepping(frame: Frame) -> Any:
            for each in binds:
                each(frame)
            return (yield from inner(frame))

        return Code(stepping, True)

    def run(frame: Frame) -> Any:
        for each in binds:
            each(frame)
        return inner(frame)

    return Code(run)


def _foreach(c: Compiler, node: ast.Foreach) -> Code:
    quick = reduction(c, node)
    body = c.body(node.body)
    loops: list[tuple[Callable[[Frame], Any], Setter]] = []
    for binding in node.bindings:
        loops.append((bind(c, binding), _setter(c, binding)[0]))
    for each in node.ranges:
        loops.append(_range(c, each))
    code = body
    ends = not any(isinstance(inner, ast.Jump | ast.Return) for inner in walk(node.body))
    for count, setter in reversed(loops):
        code = _loop(_affordable(count, node.span) if ends else count, setter, code, node.span)
    if quick is None:
        return code
    slow = code.run
    assert not code.steps

    def run(frame: Frame) -> Any:
        return None if quick(frame) else slow(frame)

    return Code(run)


def _affordable(count: Fn, span: Span) -> Fn:
    """The count, refused at once where its rounds are more than the steps that are left."""

    def run(frame: Frame) -> Any:
        size = count(frame)
        rounds = prod(size) if isinstance(size, tuple) else size
        budget = frame.run.budget
        if isinstance(rounds, int) and rounds > budget.limit - budget.used:
            raise StepLimitError(f"this loop has {rounds} rounds, more than the {budget.limit} steps of a run", span)
        return size

    return run


def _range(c: Compiler, node: ast.Range) -> tuple[Callable[[Frame], Any], Setter]:
    """`name(lo : hi : step)`: from lo to bound + hi (4.5)."""
    symbol = c.symbol(node.name)
    slots = _slots_of(c, symbol) + ([c.name_slot(node.local)] if node.local is not None else [])
    bound_slot, span = c.slot(symbol), node.span
    low, high, by = (c.expr(part) if part is not None else None for part in (node.lo, node.hi, node.step))

    def count(frame: Frame) -> Any:
        bound = frame.bounds[bound_slot]
        if bound is None:
            raise SimError(f"'{symbol.name}' has no range to run over", span)
        if isinstance(bound, tuple) and (len(bound) != 1 or not node.sliced):
            return bound
        whole = isinstance(bound, tuple)
        bound = bound[0] if whole else bound
        stride = 1 if by is None else int(by(frame))
        if stride < 1:
            raise SimError(f"a step of {stride} leads nowhere", span)
        start = 0 if low is None else low(frame)
        stop = bound if high is None else bound + high(frame)
        if is_uniform(start) and is_uniform(stop):
            rounds = range(int(start), int(stop), stride)
            return [(value,) for value in rounds] if whole else rounds
        return (start, stop, stride)

    component = c.components.get(symbol)
    whole_slot = c.slot(symbol)
    parts = [(c.slot(part), position) for part, (whole, position) in c.components.items() if whole == whole_slot]

    def setter(frame: Frame, value: Value) -> None:
        for slot in slots:
            frame.vars[slot] = value
        for slot, position in parts:
            frame.vars[slot] = value[position]
        if component is not None:
            whole, position = component
            items = frame.vars[whole]
            frame.vars[whole] = (*items[:position], value, *items[position + 1 :])

    return (lambda frame: _Masked(*found) if _is_masked(found := count(frame)) else found), setter


class _Masked:
    """A range whose ends differ from thread to thread."""

    def __init__(self, start: Value, stop: Value, stride: int) -> None:
        self.start, self.stop, self.stride = start, stop, stride

    def rounds(self) -> Iterator[tuple[Value, Value]]:
        value = self.start
        while True:
            condition = np.less(value, self.stop)
            if not np.any(condition):
                return
            yield value, condition
            value = value + self.stride


def _is_masked(found: Any) -> bool:
    return isinstance(found, tuple) and len(found) == 3 and any(isinstance(item, np.ndarray) for item in found)


def _rounds(size: Any) -> Iterator[tuple[Value, Value]]:
    """The values of the index in order, each with the condition under which a thread takes part."""
    if isinstance(size, _Masked):
        return size.rounds()
    if isinstance(size, np.ndarray):
        return _Masked(np.zeros_like(size), size, 1).rounds()
    if isinstance(size, tuple) and not all(map(is_uniform, size)):  # one alone: see `_extent`
        return (((value,), condition) for value, condition in _rounds(size[0]))
    if isinstance(size, tuple):
        return ((values, True) for values in product(*(range(extent) for extent in size)))
    return ((value, True) for value in (range(size) if isinstance(size, int) else size))


def _zero(size: Any) -> Any:
    if isinstance(size, list):
        return (0,)
    return (0,) * len(size) if isinstance(size, tuple) else 0


def _loop(count: Fn, setter: Setter, body: Code, span: Span) -> Code:
    inner = body.run
    if body.steps:

        def stepping(frame: Frame) -> Any:
            size = count(frame)
            scope, signal = LoopScope(frame), None
            for value, condition in _rounds(size):
                if not scope.next(frame, condition):
                    break
                setter(frame, value)
                yield from step(frame, span)
                signal = yield from inner(frame)
                if signal in (BREAK, LEAVE, RETURN):
                    break
            setter(frame, _zero(size))
            return scope.leave(frame, signal)

        return Code(stepping, True)

    def run(frame: Frame) -> Any:
        size = count(frame)
        scope, signal, budget = LoopScope(frame), None, frame.run.budget
        budget.place = span
        for value, condition in _rounds(size):
            if not scope.next(frame, condition):
                break
            setter(frame, value)
            budget.spend()
            signal = inner(frame)
            if signal in (BREAK, LEAVE, RETURN):
                break
        setter(frame, _zero(size))
        return scope.leave(frame, signal)

    return Code(run)


LOOPS: dict[type, Callable[[Compiler, Any], Code]] = {ast.With: _with, ast.Foreach: _foreach}
