"""Whether stores to global memory may meet the same elements, in one turn of their loops or in different ones.

TMA stores end in no order: one that is only known to have read its source may land behind whatever is stored to the
same place later (PTX ISA, cp.async.bulk.wait_group). Must not change anything.
"""

from __future__ import annotations

from collections import Counter
from math import gcd

from croqc.pipe import ir
from croqc.pipe.dataflow import Dataflow
from croqc.pipe.exprs import ONE, Expr, Space, Tile, integer, multiply
from croqc.pipe.published import read
from croqc.pipe.turns import Place, Turns, Values, constant_of, names_of, places, terms_of
from croqc.pipe.walk import Body, statements
from croqc.text.record import record


@record
class _Sum:
    """A coordinate: its constant, the values with their factors that are the same whenever it is computed, and what
    divides all the rest."""

    constant: int
    same: Counter[Expr]
    independent: int


class Again:
    """Answers for one kernel."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel, self.values = kernel, Values(kernel)
        self.fixed = {*kernel.grid_names, *(name for name, _ in (*kernel.scalars, *kernel.cluster))}
        self.fixed -= self.values.changing
        self.stores = Counter(stmt for stmt in statements(kernel.body) if stored_by(stmt) is not None)
        self.places = {id(stmt): place for stmt, place in places(kernel.body)}
        self._sums: dict[Expr, _Sum] = {}

    def never_meet(self, one: Tile, other: Tile) -> bool:
        """Whether two tiles have no element in common, whatever values of variables either has been computed with."""
        if one.tensor.name != other.tensor.name:
            return True
        if one.tensor.shape != other.tensor.shape:
            return False
        sides = zip(one.origin, _lengths(one), other.origin, _lengths(other), strict=True)
        return any(a is not None and b is not None and self._apart(start, a, at, b) for start, a, at, b in sides)

    def repeats(self, stmt: ir.Stmt, tile: Tile) -> bool:
        """Whether a statement, or one that is alike, may name elements of a tile again, in another turn of a loop."""
        place = self.places[id(stmt)]
        return self.stores[stmt] > 1 or not all(self._moves(tile, place, loop) for loop in place.loops)

    def _moves(self, tile: Tile, place: Place, loop: ir.Loop | ir.While) -> bool:
        """Whether a tile lies elsewhere in each turn of a loop, whatever the turns of those inside it do."""
        turns = Turns(self.kernel, self.values, place, loop, tile.tensor.shape)
        return turns.differ(tuple(zip(tile.origin, _lengths(tile), strict=True)))

    def _apart(self, one: Expr, length: int, other: Expr, other_length: int) -> bool:
        left, right = self._sum(one), self._sum(other)
        factors = left.same.copy()
        factors.subtract(right.same)
        step = gcd(left.independent, right.independent, *factors.values())
        gap = left.constant - right.constant
        if step == 0:
            return gap >= other_length or gap + length <= 0
        return gap % step >= other_length and gap % step + length <= step

    def _sum(self, coordinate: Expr) -> _Sum:
        if coordinate not in self._sums:
            value = self.values.inlined(coordinate)
            same: Counter[Expr] = Counter()
            independent = 0
            for part, factor in terms_of(value):
                names = names_of(part)
                if names is not None and names <= self.fixed:
                    same[part] = factor
                else:
                    independent = gcd(independent, factor)
            self._sums[coordinate] = _Sum(constant_of(value), same, independent)
        return self._sums[coordinate]


def _lengths(tile: Tile) -> list[int | None]:
    """How far a tile reaches along each dimension of its tensor, where that is known."""
    extents: list[Expr] = [ONE] * len(tile.origin)
    for axis, extent, step in zip(tile.dims, tile.shape, tile.steps, strict=True):
        extents[axis] = multiply(extent, step)
    return [integer(extent) for extent in extents]


# --- stores that others may overtake -------------------------------------------------------------


def overtaken(kernel: ir.Kernel) -> frozenset[str]:
    """The global tensors of which a TMA store may still be on its way where its elements are used again: read, or
    stored to by another statement, or by itself in another turn."""
    again = Again(kernel)
    flow = Dataflow[frozenset[ir.Copy]](_behind, frozenset.union, frozenset())
    found: set[str] = set()
    for stmt, pending in flow.fronts(kernel.body, frozenset()):
        for copy in pending:
            name = copy.dest.tensor.name
            if isinstance(stmt, ir.Text) or name in read(stmt) or _meets(again, stmt, copy):  # an island may read all
                found.add(name)
    return frozenset(found)


def _behind(stmt: ir.Stmt, following: Body, pending: frozenset[ir.Copy]) -> frozenset[ir.Copy]:
    if isinstance(stmt, ir.StoresRead) and stmt.written and not stmt.keep:
        return frozenset()
    return pending | {stmt} if isinstance(stmt, ir.Copy) and _by_tma(stmt) else pending


def _meets(again: Again, stmt: ir.Stmt, copy: ir.Copy) -> bool:
    tile = stored_by(stmt)
    if tile is None or tile.tensor.name != copy.dest.tensor.name:
        return False
    return again.repeats(stmt, tile) if stmt == copy else not again.never_meet(copy.dest, tile)


def _by_tma(copy: ir.Copy) -> bool:
    return copy.mechanism is ir.Mechanism.TMA and copy.dest.tensor.space is Space.GLOBAL


def stored_by(stmt: ir.Stmt) -> Tile | None:
    """What a statement itself writes of global memory."""
    match stmt:
        case ir.Copy(dest=tile) | ir.StoreTile(dest=tile) | ir.Write(tile=tile):  # an Atomic is a Write
            return tile if tile.tensor.space is Space.GLOBAL else None
    return None
