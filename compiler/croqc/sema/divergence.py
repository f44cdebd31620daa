"""Collective statements under an `if`, or in a loop, that splits their unit (reference, 4.4; row L23).

Only what is proved is reported: a condition over run-time data may well be uniform. Needs kernels, copies
and multiplies.
"""

from __future__ import annotations

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.collectives import unit_of, word_of
from croqc.sema.lanes import Lanes
from croqc.sema.model import THREADS, Unit
from croqc.sema.nesting import Around, in_else, statements
from croqc.sema.parted_turns import find_parting
from croqc.sema.splits import Split, find_split, splits
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.diagnostics import Related
from croqc.text.span import Span


def check_divergence(builder: Builder) -> None:
    jumps = bool(nodes_of_kind(builder.function, ast.Jump))
    found: dict[tuple[object, ...], Related | None] = {}
    told: set[Span] = set()
    for node, around in statements(builder.function.body):
        unit = _unit(builder, node, around)
        if unit is None or around.on_host or not (kernel := builder.lanes.get(around.parallels[0])):
            continue
        size = THREADS.get(unit, kernel.masks.threads)
        branches = tuple(in_else(one, node) for one in around.chain if isinstance(one, ast.If))
        key = around, branches, size, node.span.start if jumps else 0
        if key not in found:  # what parts the threads before a statement does so before all beside it
            found[key] = _parted(builder, kernel, node, around, size)
        if (place := found[key]) is not None and place.span not in told:  # one finding for what parts them
            told.add(place.span)
            builder.report(rules.DIVERGENT_COLLECTIVE, node.span, (place,), what=word_of(node), unit=unit.value)


def _parted(builder: Builder, kernel: Lanes, node: ast.Node, around: Around, size: int) -> Related | None:
    """What keeps some threads of a unit of `size` from a statement, in words."""
    split = _split(builder, kernel, node, around, size)
    if split is not None:
        case = split.case and f" for {split.case}"
        return Related(f"some threads do not come here{case}", split.condition.cond.span)
    parting = find_parting(builder, kernel, node, around, size)
    if parting is None:
        return None
    return Related("some threads of the unit do not come here because of this", parting)


def _split(builder: Builder, kernel: Lanes, node: ast.Node, around: Around, size: int) -> Split | None:
    """The condition that parts a unit of `size` threads: always so, else in some case."""
    conditions = [one for one in around.chain if isinstance(one, ast.If)]
    active = kernel.masks.of_regions(around.regions) if conditions else None
    for condition in conditions:
        taken = kernel.taken(condition.cond)
        if active is not None and taken is not None and splits(taken, active, size):
            return Split(condition, "")
    return find_split(builder, kernel.masks, node, around, size) if conditions else None


def _unit(builder: Builder, node: ast.Node, around: Around) -> Unit | None:
    """Who executes a statement together; None where each thread does for itself, or where it is not known. What a
    region keeps from barriers of the block is the concern of the credit flow, and so are waits."""
    unit = None if isinstance(node, ast.Wait) else unit_of(builder, node, around)
    return None if unit is Unit.BLOCK and isinstance(node, ast.Sync) and around.regions else unit
