"""Which threads of a block run a region: conditions over parallel indices (reference, 4.4).

A mask is a set of bits: bit t stands for the thread whose `threadIdx.x` is t. None means that the threads are not
known statically. Must not report, and must not import NumPy, which would take a third of the time of a check.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

from croqc.sema.integers import COMPARISONS
from croqc.sema.model import THREADS, UNITS, Kernel, Level, Model, Symbol, SymbolKind
from croqc.sema.nesting import statements
from croqc.sema.symbolic import PARTS, Int, Part
from croqc.sema.types import ShapeType, Type
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.record import record

Mask = int
Numbers = Sequence[int]  # one a thread

UNIT_THREADS: Final[Mapping[Level, int]] = {level: THREADS[unit] for level, unit in UNITS.items()}


class Facts(Protocol):
    """What masks read; the model has it, and so has the analysis that makes the model."""

    @property
    def function(self) -> ast.Function: ...
    @property
    def uses(self) -> Mapping[ast.Name, Symbol]: ...
    @property
    def types(self) -> Mapping[ast.Node, Type]: ...
    @property
    def values(self) -> Mapping[ast.Node, Int]: ...
    @property
    def levels(self) -> Mapping[ast.Axis, Level]: ...


@record
class Placement:
    """An index inside the block: in thread t its value is `(t // unit) % bound` (4.1). `symbol` None: anonymous."""

    symbol: Symbol | None
    level: Level
    unit: int
    bound: int

    def value(self, thread: int) -> int:
        return thread // self.unit % self.bound

    def values(self, threads: int) -> Numbers:
        return _column(self.unit, self.bound, threads)


@lru_cache(maxsize=64)  # four stages of an analysis ask for the same ones, and the next analysis too
def _column(unit: int, bound: int, threads: int) -> Numbers:
    return tuple(thread // unit % bound for thread in range(threads))


def mask_of(bits: Iterable[object]) -> Mask:
    """The threads whose entry is true."""
    digits = "".join(["1" if bit else "0" for bit in bits])
    return int(digits[::-1] or "0", 2)  # a third of the time that setting them one by one takes


def members(mask: Mask) -> tuple[int, ...]:
    """The numbers of a mask's threads, ascending."""
    return tuple(thread for thread in range(mask.bit_length()) if mask >> thread & 1)


def axis_extents(facts: Facts, axis: ast.Axis) -> tuple[Int | None, ...]:
    """The extents of one axis, those of a named shape included; None where an expression has no value."""
    if len(axis.bounds) == 1 and isinstance(shape := facts.types.get(axis.bounds[0]), ShapeType):
        return shape.dims
    return tuple(facts.values.get(bound) for bound in axis.bounds)


def place_axis(facts: Facts, axis: ast.Axis) -> tuple[Placement, ...]:
    """The placements of an axis inside the block, the last name fastest; empty for block axes and unknown extents."""
    level = facts.levels.get(axis)
    if level not in UNIT_THREADS:
        return ()
    assert level is not None
    bounds = axis_extents(facts, axis)
    extents = [size for bound in bounds if bound is not None and (size := bound.const) is not None and size > 0]
    if len(extents) != len(bounds):
        return ()
    symbols = [facts.uses.get(name) for name in axis.names] or [None] * len(extents)
    placed, unit = [], UNIT_THREADS[level]
    for symbol, bound in zip(reversed(symbols), reversed(extents), strict=False):
        placed.append(Placement(symbol, level, unit, bound))
        unit *= bound
    return tuple(reversed(placed))


def place_indices(facts: Facts, root: ast.Node) -> tuple[Placement, ...]:
    """The placements of every axis in and under `root`, outer ones first."""
    return tuple(placement for axis in _axes(facts, root) for placement in place_axis(facts, axis))


def _axes(facts: Facts, root: ast.Node) -> Iterator[ast.Axis]:
    """Those in and under `root`, outer ones first."""
    for axis in nodes_of_kind(facts.function, ast.Axis):
        if root.span.start <= axis.span.start < root.span.end:
            yield axis


def regions(root: ast.Node) -> Iterator[tuple[ast.InThreads, ...]]:
    """Every `inthreads` under a statement, each with the ones around it: outermost first, itself last."""
    for node, around in statements(root):
        if isinstance(node, ast.InThreads):
            yield (*around.regions, node)


class Masks:
    """Evaluates conditions for one kernel: `node` is its `parallel`, `threads` its block size."""

    def __init__(self, facts: Facts, node: ast.Parallel, threads: int) -> None:
        self.facts = facts
        self.threads = threads
        self._known: dict[ast.Node, Mask | None] = {}
        self.placements = place_indices(facts, node)
        atoms = symbol_atoms(facts)
        self._columns = {
            atoms[item.symbol]: item.values(threads) for item in self.placements if item.symbol in atoms
        }  # an index without an atom is used nowhere
        self._block = {
            atom
            for symbol, atom in atoms.items()
            if symbol.kind is SymbolKind.PARALLEL and atom not in self._columns and self._is_outside(symbol, node)
        }

    def _is_outside(self, symbol: Symbol, node: ast.Parallel) -> bool:
        """Whether the index belongs to a level that spans blocks, where every thread sees the same value."""
        for inner in _axes(self.facts, node):
            if any(self.facts.uses.get(name) is symbol for name in _axis_names(inner)):
                return self.facts.levels.get(inner) in (Level.BLOCK, Level.CLUSTER, Level.DEVICE, Level.TERM)
        return False

    def whole(self) -> Mask:
        return (1 << self.threads) - 1

    def of(self, cond: ast.Node) -> Mask | None:
        """The threads for which a condition holds; one over block indices alone counts as all (4.4)."""
        if cond not in self._known:
            result = self._truth(cond, 0)
            self._known[cond] = self.whole() if result is _ALL else result
        return self._known[cond]

    def of_regions(self, chain: Iterable[ast.InThreads]) -> Mask | None:
        """The threads inside nested regions."""
        mask = self.whole()
        for region in chain:
            inner = self.of(region.cond)
            if inner is None:
                return None
            mask &= inner
        return mask

    def _truth(self, node: ast.Node, depth: int) -> Any:
        """A mask, `_ALL` where only the block decides, None where nothing is known."""
        if depth > _MAX_DEPTH:
            return None
        match node:
            case ast.Paren(inner=inner):
                return self._truth(inner, depth + 1)
            case ast.Const(word="true" | "false" as word):
                return self.whole() if word == "true" else 0
            case ast.Unary(op="!", operand=operand):
                inner_mask = self._truth(operand, depth + 1)
                return inner_mask if inner_mask is None or inner_mask is _ALL else self.whole() & ~inner_mask
            case ast.Binary(op="&&" | "||"):
                return self._join(node, depth + 1)
            case ast.Binary(op=op) if op in COMPARISONS:
                return self._compare(node)
            case ast.Name():
                value = defining_value(self.facts.uses.get(node))
                return None if value is None else self._truth(value, depth + 1)
        return None

    def _join(self, node: ast.Binary, depth: int) -> Any:
        left, right = self._truth(node.left, depth), self._truth(node.right, depth)
        if node.op == "||" and (left is _ALL or right is _ALL):
            return _ALL
        if left is _ALL or right is _ALL:
            return right if left is _ALL else left
        settled = self.whole() if node.op == "||" else 0
        if settled in (left, right):
            return settled
        if left is None or right is None:
            return None
        return left & right if node.op == "&&" else left | right

    def _compare(self, node: ast.Binary) -> Any:
        left, right = self.facts.values.get(node.left), self.facts.values.get(node.right)
        if left is None or right is None:
            return None
        if (left.names() | right.names()) & self._block:
            return _ALL
        sides = self.numbers(left), self.numbers(right)
        if sides[0] is None or sides[1] is None:
            return None
        return mask_of(map(COMPARISONS[node.op], sides[0], sides[1]))

    def numbers(self, value: Int) -> Numbers | None:
        """The value in every thread; None if it holds anything but indices of the block's threads."""
        if not value.names() <= self._columns.keys():
            return None
        total: Numbers = [0] * self.threads
        for monomial, factor in value.terms:
            term: Numbers = [factor] * self.threads
            for atom in monomial:
                column = self._part(atom) if isinstance(atom, Part) else self._columns.get(atom)
                if column is None:
                    return None
                term = list(map(operator.mul, term, column))
            total = list(map(operator.add, total, term))
        return total

    def _part(self, part: Part) -> Numbers | None:
        a, b = self.numbers(part.a), self.numbers(part.b)
        if a is None or b is None or (part.op != "*" and not all(b)):
            return None
        return list(map(PARTS[part.op], a, b))


def kernel_masks(facts: Facts, kernels: Iterable[Kernel]) -> dict[ast.Parallel, Masks]:
    """The evaluator of each kernel's conditions, by its `parallel`; none where the block size is not static."""
    return {one.node: Masks(facts, one.node, one.threads) for one in kernels if one.threads}


_ALL: Final = object()
_MAX_DEPTH: Final = 80  # conditions nested deeper are not evaluated


def _axis_names(axis: ast.Axis) -> tuple[ast.Name, ...]:
    return axis.names if axis.tuple_name is None else (*axis.names, axis.tuple_name)


def symbol_atoms(facts: Facts) -> dict[Symbol, str]:
    """The atom that stands for each index or dimension in `values`."""
    atoms: dict[Symbol, str] = {}
    for name, symbol in facts.uses.items():
        value = facts.values.get(name)
        if value is not None and symbol not in atoms and len(value.terms) == 1:
            monomial, factor = value.terms[0]
            if factor == 1 and len(monomial) == 1 and isinstance(monomial[0], str):
                atoms[symbol] = monomial[0]
    return atoms


@lru_cache(maxsize=4)
def atoms_of(model: Model) -> Mapping[Symbol, str]:
    """As `symbol_atoms`, of an analysis that is finished."""
    return symbol_atoms(model)


def defining_value(symbol: Symbol | None) -> ast.Node | None:
    """The expression that defines an immutable variable, None for everything else."""
    if symbol is None or symbol.mutable:
        return None
    match symbol.decl:
        case ast.AssignPart(op="=", value=value) | ast.ScalarInit(value=value) if value is not None:
            return value
    return None
