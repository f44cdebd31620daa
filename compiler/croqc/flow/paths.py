"""Paths: the sequential flows of control inside a block (credit-flow, section 1). Must not run them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from croqc.sema.masks import Mask, Masks, members, regions
from croqc.sema.model import Kernel, Level, Model, Symbol
from croqc.sema.nesting import statements
from croqc.syntax import ast
from croqc.syntax.printer_exprs import print_expr
from croqc.syntax.visit import nodes_of_kind, walk
from croqc.text.record import record

WHOLE = "the block"
NO_REGIONS: Final[Mapping[ast.InThreads, bool | None]] = MappingProxyType({})


@record(eq=False)
class Path:
    """One path of a kernel's block.

    `name` as texts say it: "path w == 0" where the condition of an `inthreads`, as written, selects exactly
    this path, else "path w = 2"; "the block" at block level. `indices` are the values of the parallel
    indices that name it; `threads` the half-open range of `threadIdx.x` that it covers (with a step where every
    n-th thread is meant; the smallest range around them where they lie irregularly, then `scattered` lists them).
    `regions` says of each `inthreads` of the kernel whether some thread of the path enters it, None if unknown.
    """

    name: str
    indices: Mapping[Symbol, int]
    threads: range
    regions: Mapping[ast.InThreads, bool | None] = NO_REGIONS
    scattered: tuple[int, ...] = ()

    @property
    def thread_count(self) -> int:
        return len(self.scattered) or len(self.threads)


def enters(path: Path, node: ast.InThreads) -> bool | None:
    """Whether the path runs the region (its other threads wait or go on); None where its threads are unknown."""
    return path.regions.get(node)


def kernel_paths(model: Model, kernel: Kernel) -> tuple[Path, ...]:
    """The paths of one block of the kernel, by their first thread.

    Every warpgroup and warp index value is a path; where asynchronous regions select threads inside a unit,
    each class of threads that enters the same regions is one. Threads of a unit that enter no region have no
    path of their own when others do: they have nothing to do. A kernel without any of this, or whose block size
    is not static, has the one path "the block".
    """
    if kernel.threads is None:
        unknown = dict.fromkeys((chain[-1] for chain in regions(kernel.node)), None)
        return (Path(WHOLE, {}, range(0), unknown),)
    return _Partition(model, kernel, kernel.threads).paths()


class _Partition:
    """Splits the threads of a block into classes, as masks, that run the same statements."""

    def __init__(self, model: Model, kernel: Kernel, threads: int) -> None:
        self.threads = threads
        masks = Masks(model, kernel.node, threads)
        self.placements = masks.placements
        self.units = [one for one in self.placements if one.level in (Level.GROUP4, Level.GROUP)]
        chains = list(regions(kernel.node))
        self.inside = {chain[-1]: masks.of_regions(chain) for chain in chains}
        self.roles = {node: mask for node, mask in self.inside.items() if node.is_async and mask is not None}
        self.works_outside = any(map(_works_outside, nodes_of_kind(kernel.node, ast.Parallel)))

    def paths(self) -> tuple[Path, ...]:
        classes = self._classes()
        if len(classes) == 1:
            return (self._path(WHOLE, classes[0], {}),)
        named = [self._indices(group) for group in classes]
        return tuple(
            self._path(self._name(group, indices, classes, named), group, indices)
            for group, indices in zip(classes, named, strict=True)
        )

    def _classes(self) -> list[Mask]:
        """The threads of each path, ordered by the first."""
        groups = [(1 << self.threads) - 1] if self.threads else []
        for one in self.units:
            units: defaultdict[int, Mask] = defaultdict(int)
            for thread, value in enumerate(one.values(self.threads)):
                units[value] |= 1 << thread
            groups = [part for group in groups for unit in units.values() if (part := group & unit)]
        for mask in self.roles.values():
            groups = [part for group in groups for part in (group & mask, group & ~mask) if part]
        groups.sort(key=_first)
        return self._without_idle(groups) if self.roles else groups

    def _without_idle(self, groups: list[Mask]) -> list[Mask]:
        """Threads beside a role of their own unit: nothing to do, or they go along with it outside the regions."""
        active = [group for group in groups if self._is_active(group)]
        for idle in (group for group in groups if not self._is_active(group)):
            companion = next((at for at, group in enumerate(active) if self._same_unit(group, idle)), None)
            if companion is None:
                active.append(idle)
            elif self.works_outside and self.units:
                active[companion] |= idle
            elif self.works_outside:
                active.append(idle)
        return sorted(active, key=_first)

    def _is_active(self, group: Mask) -> bool:
        return any(mask & group for mask in self.roles.values())

    def _same_unit(self, a: Mask, b: Mask) -> bool:
        return all(one.value(_first(a)) == one.value(_first(b)) for one in self.units)

    def _indices(self, group: Mask) -> dict[Symbol, int]:
        """The parallel indices that have one value in all threads of the class."""
        found: dict[Symbol, int] = {}
        for one in self.placements:
            values = {one.value(thread) for thread in members(group)}
            if one.symbol is not None and len(values) == 1:
                found[one.symbol] = values.pop()
        return found

    def _name(
        self,
        group: Mask,
        indices: Mapping[Symbol, int],
        classes: Sequence[Mask],
        named: Sequence[Mapping[Symbol, int]],
    ) -> str:
        for role, mask in self.roles.items():
            if mask & group and sum(bool(mask & other) for other in classes) == 1:
                return f"path {print_expr(role.cond)}"
        unit_symbols = {one.symbol for one in self.units}
        values = {symbol: value for symbol, value in indices.items() if symbol in unit_symbols} or dict(indices)
        alike = sum(all(other.get(symbol) == value for symbol, value in values.items()) for other in named)
        if values and alike == 1:
            return "path " + ", ".join(f"{symbol.name} = {value}" for symbol, value in values.items())
        return f"path of threads {_first(group)} to {group.bit_length() - 1}"

    def _path(self, name: str, group: Mask, indices: Mapping[Symbol, int]) -> Path:
        entered = {node: None if mask is None else bool(mask & group) for node, mask in self.inside.items()}
        covered, scattered = _as_range(members(group))
        return Path(name, indices, covered, entered, scattered)


def _first(group: Mask) -> int:
    return (group & -group).bit_length() - 1


def _as_range(threads: tuple[int, ...]) -> tuple[range, tuple[int, ...]]:
    """As `Path` has them: a range, and the threads themselves where they lie irregularly."""
    first, last = threads[0], threads[-1]
    if len(threads) == 1:
        return range(first, first + 1), ()
    regular = range(first, last + 1, threads[1] - first)
    return (regular, ()) if tuple(regular) == threads else (range(first, last + 1), threads)


_IDLE = (ast.InThreads, ast.Parallel, ast.EventDecl, ast.BufferDecl, ast.ScalarDecl, ast.ShapeDecl, ast.TupleDecl)
_FRAMES = (ast.With, ast.Foreach, ast.If, ast.While, ast.Assign, ast.Assert, ast.Cpp, ast.FragDecl, ast.Apply)


def _works_outside(node: ast.Parallel) -> bool:
    """Whether a `parallel` with roles has statements beside them that do something."""
    found = list(statements(node.body))
    if not any(isinstance(stmt, ast.InThreads) and stmt.is_async for stmt, _ in found):
        return False
    inner = [
        stmt
        for stmt, around in found
        if not around.regions and not around.parallels and not isinstance(stmt, (*_IDLE, *_FRAMES))
    ]
    return bool(inner) and not _spans_blocks(node)


def _spans_blocks(node: ast.Parallel) -> bool:
    """A `parallel` that has another one inside: its own statements stand at block level."""
    return any(isinstance(inner, ast.Parallel) for inner in walk(node.body))
