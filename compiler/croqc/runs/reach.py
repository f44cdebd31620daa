"""Which values the indices take at each place of a function, and what that asks of the sizes.

Intervals only: an expression in which an index occurs twice is left out, and so is an index of which a condition
speaks, for both would claim values that are never reached. Must not know views or choose sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from croqc.runs.conditions import Constraint, Env
from croqc.sema.intervals import Interval, bounds
from croqc.sema.masks import atoms_of
from croqc.sema.mentioned import mentioned
from croqc.sema.model import Model
from croqc.sema.symbolic import Int, Part
from croqc.sema.types import bound_of
from croqc.syntax import ast
from croqc.syntax.visit import children, walk
from croqc.text.record import record

_ZERO, _ONE = Int.of(0), Int.of(1)


class Limit(NamedTuple):
    """An index runs from `low` to `high`, both included, by `step`."""

    atom: str
    low: Int
    high: Int
    step: int = 1


@record
class Reach:
    """The indices around a place, outermost first; `guarded` under any condition."""

    limits: tuple[Limit, ...] = ()
    guarded: bool = False

    def running(self, *more: Limit) -> Reach:
        """The same with indices that run further in; an index that runs already gets new limits."""
        names = {limit.atom for limit in more}
        return Reach((*(limit for limit in self.limits if limit.atom not in names), *more), self.guarded)

    def under(self, atoms: frozenset[str]) -> Reach:
        """The same under a condition that speaks of `atoms`."""
        return Reach(tuple(limit for limit in self.limits if limit.atom not in atoms), True)

    def sizes(self, *values: Int) -> frozenset[str] | None:
        """The names that `values` depend on, indices resolved; None if an index occurs more than once."""
        known = {limit.atom: limit for limit in self.limits}
        found: Counter[str] = Counter()
        for value in values:
            _count(value, known, found)
        if any(count > 1 for name, count in found.items() if name in known):
            return None
        return frozenset(found) - known.keys()

    def intervals(self, env: Env) -> dict[str, Interval] | None:
        """What the sizes and the indices reach; None where a loop has no turn, so that the place is not reached."""
        found: dict[str, Interval] = {name: (value, value) for name, value in env.items()}
        for atom, low, high, step in self.limits:
            first, last = bounds(low, found)[0], bounds(high, found)[1]
            if first is None or last is None:
                continue
            if last < first:
                return None
            found[atom] = (first, first + (last - first) // step * step)
        return found


def _count(value: Int, known: Mapping[str, Limit], found: Counter[str]) -> None:
    for atom in value.atoms():
        if isinstance(atom, Part):
            _count(atom.a, known, found)
            _count(atom.b, known, found)
            continue
        found[atom] += 1
        limit = known.get(atom)
        if limit is not None:
            _count(limit.low, known, found)
            _count(limit.high, known, found)


def within(value: Int, extent: Int | None, reach: Reach, text: str) -> Constraint | None:
    """`value` is never negative and, with `extent`, always below it; None where intervals do not tell."""
    names = reach.sizes(value) if extent is None else reach.sizes(value, extent)
    if names is None:
        return None

    def holds(env: Env) -> bool:
        intervals = reach.intervals(env)
        if intervals is None:
            return True
        low, high = bounds(value, intervals)
        end = None if extent is None else bounds(extent, intervals)[0]
        return (low is None or low >= 0) and (high is None or end is None or high < end)

    return Constraint(names, holds, text)


# --- the walk ------------------------------------------------------------------------------------


class _Walk:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.atoms = atoms_of(model)
        jumps = [node for node in walk(model.function) if isinstance(node, ast.If) and _jumps(node)]
        self.doubted = frozenset().union(*(self.mentioned(node.cond) for node in jumps))

    def mentioned(self, cond: ast.Node) -> frozenset[str]:
        """The indices of which a condition speaks: all of them where nobody knows."""
        spoken = mentioned(self.model, cond)
        return frozenset(self.atoms.values()) if spoken is None else spoken

    def visit(self) -> Iterator[tuple[ast.Node, Reach]]:
        stack: list[tuple[ast.Node, Reach]] = [(self.model.function, Reach())]
        while stack:
            node, reach = stack.pop()
            yield node, reach
            inner = self.inside(node, reach)
            stack.extend((child, inner) for child in reversed(children(node)))

    def inside(self, node: ast.Node, reach: Reach) -> Reach:
        match node:
            case ast.If(cond=cond) | ast.While(cond=cond) | ast.InThreads(cond=cond) | ast.Cond(test=cond):
                return reach.under(self.mentioned(cond))
            case ast.Binary(op="&&" | "||"):
                return reach.under(self.mentioned(node))
            case ast.Parallel() | ast.Foreach() | ast.With() | ast.Apply():
                return self.entered(node, reach)
            case _:
                return reach

    def entered(self, node: ast.Parallel | ast.Foreach | ast.With | ast.Apply, reach: Reach) -> Reach:
        found = [limit for loop in node.ranges for limit in self.range(loop)] if isinstance(node, ast.Foreach) else []
        for name in _bound_names(node):
            symbol = self.model.uses.get(name)
            bound = None if symbol is None else bound_of(symbol.type)
            if symbol is not None and bound is not None and symbol in self.atoms:
                high = _ZERO if isinstance(node, ast.With) else bound - _ONE  # idle until a `foreach` makes it run
                found.append(Limit(self.atoms[symbol], _ZERO, high))
        return reach.running(*(limit for limit in found if limit.atom not in self.doubted))

    def range(self, loop: ast.Range) -> Iterator[Limit]:
        symbol = self.model.uses.get(loop.name)
        bound = None if symbol is None else bound_of(symbol.type)
        if symbol is None or bound is None or symbol not in self.atoms:
            return
        parts = [_ZERO if part is None else self.model.values.get(part) for part in (loop.lo, loop.hi)]
        step = _ONE if loop.step is None else self.model.values.get(loop.step)
        low, high = parts
        if low is not None and high is not None and step is not None and (step.const or 0) >= 1:
            yield Limit(self.atoms[symbol], low, bound - _ONE + high, step.const or 1)


def _jumps(node: ast.If) -> bool:
    return any(isinstance(inner, ast.Jump | ast.Return) for inner in walk(node))


def _bound_names(node: ast.Parallel | ast.Foreach | ast.With | ast.Apply) -> list[ast.Name]:
    if isinstance(node, ast.Apply):
        return list(node.names)
    if isinstance(node, ast.Parallel):
        return [name for axis in node.axes for name in axis.names]
    return [name for binding in node.bindings for name in binding.names]


def reaches(model: Model) -> Iterator[tuple[ast.Node, Reach]]:
    """Every node of the function with the indices that run where it stands."""
    return _Walk(model).visit()
