"""Inner `parallel`s of one block that divide its threads in unlike ways: each has paths of its own.

Threads are the same in all of them: what a path does in one comes before what paths of its threads do in a later one
(reference, 4.3). That order is made of events that no program has: a path arrives behind each `parallel` of its own,
and waits in front of the next one for those of others. Must not use `croqc.flow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from croqc.sema.masks import Placement, place_indices
from croqc.sema.model import Level, Model, Symbol
from croqc.syntax import ast
from croqc.syntax.visit import children
from tests.truth.ops import HIDDEN, Slot

Tops = tuple[ast.Parallel, ...]
_GROUPS = (Level.GROUP4, Level.GROUP)


def tops(node: ast.Node) -> Iterator[ast.Parallel]:
    """The outermost `parallel`s under a node."""
    for child in children(node):
        if isinstance(child, ast.Parallel):
            yield child
        else:
            yield from tops(child)


def kinds(model: Model, kernel: ast.Parallel) -> list[Tops]:
    """The inner `parallel`s, those together that have the same groups. One without groups goes with the first."""
    found: dict[tuple[tuple[int, int], ...], Tops] = {}
    plain: Tops = ()
    for top in tops(kernel):
        groups = tuple((one.unit, one.bound) for one in group_indices(model, top))
        if groups:
            found[groups] = (*found.get(groups, ()), top)
        else:
            plain = (*plain, top)
    each = list(found.values()) or [()]
    return [(*each[0], *plain), *each[1:]]


def group_indices(model: Model, top: ast.Parallel) -> list[Placement]:
    """Those of groups; of nested `parallel`s that name them alike, once."""
    named = {one.symbol.name: one for one in place_indices(model, top) if one.level in _GROUPS and one.symbol}
    return list(named.values())


def threads_of(model: Model, kernel: ast.Parallel, threads: int, indices: Sequence[tuple[Symbol, int]]) -> set[int]:
    """The threads of a path that is named by its groups."""
    placed = {one.symbol: one for one in place_indices(model, kernel)}
    known = [(placed[symbol], value) for symbol, value in indices if symbol in placed]
    return {thread for thread in range(threads) if all(one.value(thread) == value for one, value in known)}


@dataclass(slots=True)
class Crossing:
    """Of one path, by its number. `mine`: what it runs; `sharing`: other paths of its threads, with what they run."""

    number: int
    mine: Tops
    every: Tops
    sharing: list[tuple[int, Tops]]
    turn: int = 0
    ahead: list[Slot] = field(default_factory=list)

    def passes(self, node: ast.Parallel) -> bool:
        """Whether the path leaves one to others, whose ends it has to wait for."""
        self.turn += 1
        if node in self.mine:
            return False
        self.ahead += [(HIDDEN, self.turn, number) for number, theirs in self.sharing if node in theirs]
        return True

    def taken(self) -> list[Slot]:
        """What the path waits for in front of one of its own."""
        found, self.ahead = self.ahead, []
        return found
