"""Collective statements under an `if`, or in a loop, that splits their unit (reference, 4.4; row L23).

Only what is proved is reported: a condition over run-time data may well be uniform. Needs kernels, copies
and multiplies.
"""

from __future__ import annotations

from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.masks import Masks, kernel_masks
from croqc.sema.model import THREADS, Unit
from croqc.sema.nesting import Around, statements
from croqc.sema.parted_turns import find_parting
from croqc.sema.splits import Split, find_split, splits
from croqc.syntax import ast
from croqc.text.diagnostics import Related

_MULTIPLIES = (ast.MmaFill, ast.MmaLoad, ast.Mma, ast.MmaScale, ast.MmaStore, ast.MmaCommit)


def check_divergence(builder: Builder) -> None:
    masks = kernel_masks(builder, builder.kernels)
    for node, around in statements(builder.function.body):
        unit = _unit(builder, node, around)
        if unit is None or around.on_host or not (kernel := masks.get(around.parallels[0])):
            continue
        size = THREADS.get(unit, kernel.threads)
        split = _split(builder, kernel, node, around, size)
        if split is None and (parting := find_parting(builder, kernel, node, around, size)) is not None:
            place = Related("some threads of the unit do not come here because of this", parting)
            builder.report(rules.DIVERGENT_COLLECTIVE, node.span, (place,), what=_name(node), unit=unit.value)
        if split is not None:
            place = Related(
                f"some threads do not come here{split.case and f' for {split.case}'}", split.condition.cond.span
            )
            builder.report(rules.DIVERGENT_COLLECTIVE, node.span, (place,), what=_name(node), unit=unit.value)


def _split(builder: Builder, kernel: Masks, node: ast.Node, around: Around, size: int) -> Split | None:
    """The condition that parts a unit of `size` threads: always so, else in some case."""
    conditions = [one for one in around.chain if isinstance(one, ast.If)]
    active = kernel.of_regions(around.regions) if conditions else None
    for condition in conditions:
        taken = kernel.of(condition.cond)
        if active is not None and taken is not None and splits(taken, active, size):
            return Split(condition, "")
    return find_split(builder, kernel, node, around, size) if conditions else None


def _unit(builder: Builder, node: ast.Node, around: Around) -> Unit | None:
    """Who executes a statement together; None where each thread does for itself, or where it is not known."""
    if isinstance(node, ast.Copy):
        info = builder.copies.get(node)
        return info.unit if info is not None and info.unit not in (Unit.THREAD, Unit.HOST) else None
    if isinstance(node, _MULTIPLIES):
        units = {info.unit for info in builder.multiplies.values()}
        return units.pop() if len(units) == 1 else None
    if isinstance(node, ast.Sync) and (node.kind == "shared" or (node.kind == "barrier" and node.level == "block")):
        return None if around.regions else Unit.BLOCK
    return None


def _name(node: ast.Node) -> str:
    match node:
        case ast.Copy(engine=engine, op=op):
            return f"{engine}.{op}"
        case ast.Sync(kind=kind):
            return f"sync.{kind}"
        case _:
            return "mma"
