"""What is known of the values of symbols at a place: intervals, loop limits, guards (3.9, last paragraph).

Only proofs count. `greatest` and `least` give a value that is really reached, so that an index which may
not stay inside its extent is a violation and no suspicion. Must not know trees or findings.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.sema.intervals import Interval, bounds
from croqc.sema.symbolic import Int, Part

_ONE = Int.of(1)
_ZERO = Int.of(0)


class Ranges:
    """`intervals` holds numeric bounds of every atom; `limits` the reached bounds of indices, outer ones first.

    `holes` are values that an index does not take. `never`: what is assumed cannot hold, so that nothing is reached.
    """

    def __init__(self) -> None:
        self.intervals: dict[str, Interval] = {}
        self.limits: dict[str, tuple[Int, Int]] = {}
        self.unsure: set[str] = set()
        self.holes: set[tuple[str, Int]] = set()
        self.never = False

    def copy(self) -> Ranges:
        other = Ranges()
        other.intervals, other.limits = dict(self.intervals), dict(self.limits)
        other.unsure, other.holes, other.never = set(self.unsure), set(self.holes), self.never
        return other

    def add_index(self, atom: str, low: Int, high: Int, sure: bool = True) -> None:
        """An index that takes every value from `low` to `high`; not `sure` if it may stop short of them."""
        self.limits.pop(atom, None)
        self.limits[atom] = (low, high)
        self.intervals[atom] = (bounds(low, self.intervals)[0], bounds(high, self.intervals)[1])
        (self.unsure.discard if sure else self.unsure.add)(atom)

    def is_natural(self, value: Int) -> bool:
        """Whether the value is certainly not negative."""
        low = bounds(value, self.intervals)[0]
        return low is not None and low >= 0

    def divided(self, op: str, a: Int, b: Int) -> Int:
        """`a / b` or `a % b`, which truncate (3.2). Where no sign matters they round down, which says more.

        A parameter of which nothing is known counts as a size, which is not negative.
        """
        sizes = {name: self.intervals.get(name, (0, None)) for name in a.names() | b.names()}
        lows = (bounds(each, sizes)[0] for each in (a, b))
        if all(low is not None and low >= 0 for low in lows):
            return a.floordiv(b) if op == "/" else a.mod(b)
        return a.truncated(op, b)

    def is_positive(self, value: Int) -> bool:
        return self.is_natural(value - _ONE)

    # --- guards -------------------------------------------------------------------------------

    def assume(self, facts: Iterable[Int]) -> None:
        """Each fact is a value that is at least 0 here."""
        for fact in facts:
            indices = [atom for atom in self.limits if atom in fact.names()]
            if (fact.const or 0) < 0:
                self.never = True
            elif not indices:
                self._narrow_symbol(fact)
            elif len(indices) > 1 or not self._narrow_index(fact, indices[0]):
                self.doubt(indices)

    def doubt(self, atoms: Iterable[str]) -> None:
        """A guard that is not understood speaks of these: nothing may be claimed of their ends."""
        self.unsure.update(atoms)

    def _narrow_symbol(self, fact: Int) -> None:
        names = fact.names()
        atom = next(iter(names)) if len(names) == 1 else ""
        factor = dict(fact.terms).get((atom,))
        rest = None if factor is None else (fact - Int.of(factor) * Int.of(atom)).const
        if factor is None or rest is None:
            return
        low, high = self.intervals.get(atom, (None, None))
        if factor > 0:
            least = -(rest // factor)
            low = least if low is None else max(low, least)
        else:
            greatest = rest // -factor
            high = greatest if high is None else min(high, greatest)
        self.intervals[atom] = (low, high)

    def _narrow_index(self, fact: Int, atom: str) -> bool:
        """Tighten one end of an index; False if the fact does not say how."""
        factor = dict(fact.terms).get((atom,))
        if factor is None or (abs(factor) > 1 and fact.names() != {atom}):
            return False
        rest = fact - Int.of(factor) * Int.of(atom)
        if atom in rest.names():
            return False
        low, high = self.limits[atom]
        end = -rest.floordiv(Int.of(factor)) if factor > 0 else rest.floordiv(Int.of(-factor))
        gap = (end - low if factor > 0 else high - end).const
        if gap is None:
            return False
        if gap > 0:
            self._run(atom, *((end, high) if factor > 0 else (low, end)))
        return True

    def exclude(self, atom: str, value: Int) -> bool:
        """An index is not `value`, which matters where that is an end or becomes one; False if nobody knows."""
        low, high = self.limits[atom]
        if value.const is None and value not in (low, high):
            return False
        self.holes.add((atom, value))
        self._run(atom, low, high)
        return True

    def _run(self, atom: str, low: Int, high: Int) -> None:
        """New ends of an index, those in holes left out."""
        while (atom, low) in self.holes:
            low += _ONE
        while (atom, high) in self.holes:
            high -= _ONE
        self.limits[atom] = (low, high)
        self.never = self.never or ((high - low).const or 0) < 0
        self.intervals[atom] = (bounds(low, self.intervals)[0], bounds(high, self.intervals)[1])

    # --- ends ---------------------------------------------------------------------------------

    def greatest(self, value: Int) -> Int | None:
        """The greatest value reached, without indices in it; None if it is not known."""
        return self._end(value, up=True)

    def least(self, value: Int) -> Int | None:
        return self._end(value, up=False)

    def _end(self, value: Int, up: bool) -> Int | None:
        names = value.names()
        if self.never:
            return None
        for atom in reversed(self.limits) if names else ():
            if atom in names:
                if atom in self.unsure:
                    return None
                replaced = self._replace(value, atom, up)
                if replaced is None:
                    return None
                value, names = replaced, replaced.names()
        return value

    def _replace(self, value: Int, atom: str, up: bool) -> Int | None:
        """`value` with one index at the end that makes it greatest (`up`) or least, others fixed."""
        holders = [item for item in value.terms if any(_mentions(part, atom) for part in item[0])]
        if len(holders) != 1:
            return None
        monomial, factor = holders[0]
        inside = [part for part in monomial if _mentions(part, atom)]
        others = [part for part in monomial if not _mentions(part, atom)]
        scale = Int.of(factor)
        for part in others:
            if not isinstance(part, str) or part in self.limits or not self.is_natural(Int.of(part)):
                return None
            scale = scale * Int.of(part)
        if len(inside) != 1:
            return None
        end = self._part_end(inside[0], atom, up == (factor > 0))
        return None if end is None else value - Int(((monomial, factor),)) + scale * end

    def _part_end(self, part: str | Part, atom: str, up: bool) -> Int | None:
        low, high = self.limits[atom]
        if isinstance(part, str):
            return high if up else low
        size = part.b.const
        if part.a != Int.of(atom) or size is None or size < 1 or low != _ZERO:
            return None
        if part.op in ("/", "cdiv"):
            end = high if up else low
            return end.floordiv(part.b) if part.op == "/" else end.cdiv(part.b)
        if not up:
            return _ZERO
        top = high.const
        return None if top is None or part.op != "%" else Int.of(min(top, size - 1))


def _mentions(part: str | Part, atom: str) -> bool:
    return part == atom if isinstance(part, str) else atom in part.a.names() or atom in part.b.names()
