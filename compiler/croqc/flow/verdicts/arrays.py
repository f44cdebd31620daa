"""The arrays of a kernel, which of them make a ring together, and which of them a variable says the slot of.

A ring is what the same paths hand to each other: a buffer, and the events between those who touch it. A path that takes
from one ring and fills the next one has a part in both, so that neither is taken for the other. Must not know runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from croqc.flow.exprs import Expr
from croqc.flow.instances import refs_of
from croqc.flow.ops_control import Set
from croqc.flow.ops_events import Trigger
from croqc.flow.program import Op
from croqc.flow.verdicts.sites import Sites, read_by, written_by
from croqc.text.span import Span

Paths = frozenset[int]


@dataclass(frozen=True, slots=True)
class Array:
    """An event or a stage buffer: its number of slots, and where it is declared."""

    name: str
    slots: int
    declared: Span
    is_event: bool


def rings_of(sites: Sites) -> Mapping[Array, Paths]:
    """For each array the paths that its ring is between; credits at start, whoever gives them, say nothing."""
    users: dict[Array, Paths] = {}
    for op in sites.ops:
        started = isinstance(op, Trigger) and sites.is_grant(op)
        paths = frozenset() if op.role is None or started else sites.reach[id(op)]
        for array, _ in _named(op):
            users[array] = users.get(array, frozenset()) | paths
    buffers = {paths for array, paths in users.items() if not array.is_event}
    return {array: _ring(paths, buffers) if array.is_event else paths for array, paths in users.items()}


def _ring(paths: Paths, buffers: Iterable[Paths]) -> Paths:
    """Those who touch the only buffers that the paths of an event could hand over; else just these."""
    around = {each for each in buffers if paths <= each}
    return around.pop() if paths not in around and len(around) == 1 else paths


def numbered_by(ops: Iterable[Op]) -> Mapping[int, frozenset[Array]]:
    """The arrays whose slot a variable says, by itself or by way of others."""
    ops = list(ops)
    found: dict[int, set[Array]] = {}
    for op in ops:
        for array, index in _named(op):
            for var in () if index is None else index.variables():
                found.setdefault(var, set()).add(array)
    given = [op for op in ops if isinstance(op, Set)]
    grown = True
    while grown:
        grown = False
        for op in given:
            for var in op.expr.variables():
                new = found.get(op.var, set()) - found.get(var, set())
                grown = grown or bool(new)
                found.setdefault(var, set()).update(new)
    return {var: frozenset(arrays) for var, arrays in found.items()}


def _named(op: Op) -> Iterator[tuple[Array, Expr | None]]:
    """Each array that a step refers to with what says which slot, or which row; an order says none."""
    for ref in refs_of(op):
        event = ref.event
        yield Array(event.symbol.name, event.slots, event.span, True), None if ref.ordered else ref.index
    for operand in (*written_by(op), *read_by(op)):
        stage = operand.stage
        if stage is not None:
            index = operand.rows[0] if operand.rows is not None else operand.index
            yield Array(stage.symbol.name, stage.slots, stage.span, False), index
