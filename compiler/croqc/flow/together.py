"""Whether all threads come to what they have to do together: barriers, copies and multiplies of a block, warpgroup or
warp (reference, 4.4). Must not run anything. That some surely do not come is an error of its own (`divergence`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from croqc.flow.deciding import SYNCHRONOUS
from croqc.flow.joins import joins_on_exit
from croqc.flow.paths import Path, outermost
from croqc.flow.uniformity import Facts, Sameness, Uniformity
from croqc.sema.collectives import unit_of, word_of
from croqc.sema.masks import Mask
from croqc.sema.model import THREADS, Kernel, Level, Model, Unit
from croqc.sema.nesting import Around
from croqc.syntax import ast
from croqc.text.span import Span

_NONE: Final = frozenset[bool]()
_ALIKE: Final[Mapping[Unit, frozenset[Level]]] = {
    Unit.BLOCK: frozenset(),
    Unit.GROUP4: frozenset((Level.GROUP4,)),
    Unit.GROUP: frozenset((Level.GROUP4, Level.GROUP)),
}


def parted(model: Model, kernel: Kernel, paths: Sequence[Path]) -> tuple[Span, str] | None:
    """What may keep some threads of a path, or of a unit in it, from what they do together: its place, and why it is
    not known who comes; None where all do."""
    facts = Facts(model, kernel)
    known: dict[tuple[Unit, bool], Uniformity] = {}
    seen: set[tuple[object, ...]] = set()
    joined = [node for node in outermost(model, kernel) if joins_on_exit(model, node)]
    for place in facts.deciding.placed:
        unit = Unit.BLOCK if place.node in joined else _together(model, place.node, place.around)
        if unit is None:
            continue
        whole, regions = _counting(place.node, unit)
        alike = place.around, unit, whole, regions, place.number if facts.deciding.jumps else 0
        if alike in seen:  # what stands side by side is reached alike
            continue
        seen.add(alike)
        for condition in facts.deciding.before(place, regions=regions):
            if (unit, whole) not in known:
                threads = [range(kernel.threads or 0)] if whole else [path.numbers for path in paths]
                known[unit, whole] = Uniformity(facts, _parts(threads, unit), _ALIKE[unit])
            same = known[unit, whole].of(condition)
            if same is not Sameness.SAME:
                return condition.span, _why(same, word_of(place.node), unit)
    return None


def _together(model: Model, node: ast.Node, around: Around) -> Unit | None:
    """Who has to come to a statement together, to barriers that are not written, too. Paths use named barriers as a
    whole; what each of them runs for itself counts as the block's."""
    if isinstance(node, ast.InThreads):
        return None if node.is_async or around.regions else Unit.BLOCK
    if isinstance(node, ast.CallStmt) and node.call.kind == "barrier":
        return Unit.BLOCK
    return unit_of(model, node, around)


def _counting(node: ast.Node, unit: Unit) -> tuple[bool, frozenset[bool]]:
    """Whether all threads of a unit count, of whichever path they are, and which regions keep some away. A warp or
    warpgroup meets as a whole, the block path by path; copies and multiplies are those of the region's threads (5.3).
    """
    if isinstance(node, ast.Sync) and unit is not Unit.BLOCK:
        return True, frozenset((True, False))
    return False, SYNCHRONOUS if isinstance(node, ast.Sync | ast.InThreads | ast.Parallel | ast.CallStmt) else _NONE


def _parts(threads: Sequence[Sequence[int]], unit: Unit) -> tuple[Mask, ...]:
    """The threads that act together: all that go the same way, or those of each unit among them."""
    found: list[Mask] = []
    for numbers in threads:
        mask = sum(1 << number for number in numbers)
        size = THREADS.get(unit, max(mask.bit_length(), 1))
        found += [part for at in range(0, mask.bit_length(), size) if (part := mask & ((1 << size) - 1) << at)]
    return tuple(found)


def _why(same: Sameness, what: str, unit: Unit) -> str:
    if same is Sameness.DIFFERS:
        return f"whether all threads of the {unit.value} come to '{what}' depends on their indices here"
    return f"whether all threads of the {unit.value} come to '{what}' depends on data here"
