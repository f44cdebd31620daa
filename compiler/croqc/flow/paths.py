"""Paths: the sequential flows of control inside a block (credit-flow, section 1). Must not run them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from croqc.sema.masks import UNIT_THREADS, Mask, Masks, Placement, members, place_indices, regions
from croqc.sema.model import Kernel, Level, Model, Symbol
from croqc.sema.nesting import statements
from croqc.syntax import ast
from croqc.syntax.printer_exprs import print_expr
from croqc.syntax.visit import nodes_of_kind, walk
from croqc.text.record import record, replace
from croqc.text.span import Span

WHOLE = "the block"
_BY_THREADS: Final = "path of thread"
NO_REGIONS: Final[Mapping[ast.InThreads, bool | None]] = MappingProxyType({})
NO_ENDS: Final[Mapping[ast.Parallel, int]] = MappingProxyType({})
NO_NAMES: Final[Mapping[ast.Parallel, str]] = MappingProxyType({})


@record(eq=False)
class Path:
    """One path of a kernel's block.

    `name` as texts say it: "path w == 0" where the condition of an `inthreads`, as written, selects exactly
    this path, else "path w = 2"; "the block" at block level. `names`: only where a block has several inner
    `parallel`s; what the path is called inside each of the outermost ones that has a name for it alone. `name` has all
    of these. `indices` are the values of the parallel indices that name it; `threads` the half-open range of
    `threadIdx.x` that it covers (with a step where every n-th thread is meant; the smallest range around them where
    they lie irregularly, then `scattered` lists them).
    `regions` says of each `inthreads` of the kernel whether some thread of the path enters it, None if unknown.
    `met`: only where the inner `parallel`s of a block are divided in unlike ways; the outermost ones that the path
    runs, each with how many threads a unit has that meets at its begin and its end (1: none). `apart`: those that
    other paths run.
    """

    name: str
    indices: Mapping[Symbol, int]
    threads: range
    regions: Mapping[ast.InThreads, bool | None] = NO_REGIONS
    scattered: tuple[int, ...] = ()
    met: Mapping[ast.Parallel, int] = NO_ENDS
    apart: frozenset[ast.Parallel] = frozenset()
    names: Mapping[ast.Parallel, str] = NO_NAMES

    def name_in(self, top: ast.Parallel | None) -> str:
        """What it is called inside one of the outermost inner `parallel`s; its whole name beside them."""
        return self.name if top is None else self.names.get(top, self.name)

    def name_at(self, span: Span) -> str:
        """What it is called at a place of its function."""
        return self.name_in(next((node for node in self.names if node.span.contains(span.start)), None))

    @property
    def thread_count(self) -> int:
        return len(self.scattered) or len(self.threads)

    @property
    def numbers(self) -> Sequence[int]:
        """Its threads, ascending."""
        return self.scattered or self.threads


def enters(path: Path, node: ast.InThreads) -> bool | None:
    """Whether the path runs the region (its other threads wait or go on); None where its threads are unknown."""
    return path.regions.get(node)


def comes_to(path: Path, around: Sequence[ast.Parallel]) -> bool:
    """Whether the path runs what stands inside these `parallel`s of the kernel."""
    return not path.apart or path.apart.isdisjoint(around)


def kernel_paths(model: Model, kernel: Kernel) -> tuple[Path, ...]:
    """The paths of one block of the kernel, by their first thread.

    Every warpgroup and warp index value is a path; where asynchronous regions select threads inside a unit,
    each class of threads that enters the same regions is one. Threads of a unit that enter no region have no
    path of their own when others do: they have nothing to do. A kernel without any of this, or whose block size
    is not static, has the one path "the block".

    A statement belongs to the unit of its own level (reference, 4.3 and 5.3): where several inner `parallel`s of a
    block divide it in unlike ways, as `: group-4` beside `: group`, each of them has paths of its own.
    """
    if kernel.threads is None:
        unknown = dict.fromkeys((chain[-1] for chain in regions(kernel.node)), None)
        return (Path(WHOLE, {}, range(0), unknown),)
    found = _Partition.of(model, kernel, kernel.threads)
    tops = outermost(model, kernel)
    return found.paths() if len(tops) < 2 else _Siblings(model, found, tops).paths()


def outermost(model: Model, kernel: Kernel) -> tuple[ast.Parallel, ...]:
    """The outermost `parallel`s inside a kernel's block that divide it; none where the kernel's own one does."""
    found: list[ast.Parallel] = []
    if divides(model, kernel.node):
        return ()
    for node, around in statements(kernel.node.body):
        if isinstance(node, ast.Parallel) and divides(model, node) and not set(around.parallels) & set(found):
            found.append(node)
    return tuple(found)


def divides(model: Model, node: ast.Parallel) -> bool:
    """Whether a `parallel` gives the threads of a block indices."""
    return any(model.levels.get(axis) in UNIT_THREADS for axis in node.axes)


class _Partition:
    """Splits the threads of a block into classes, as masks, that run the same statements: those of the kernel, or of
    one `parallel` in it. `inside`: the threads of each region of the kernel."""

    def __init__(
        self,
        node: ast.Parallel,
        threads: int,
        inside: Mapping[ast.InThreads, Mask | None],
        placements: Sequence[Placement],
        own: Sequence[Placement],
    ) -> None:
        self.threads, self.inside, self.placements = threads, inside, placements
        self.symbols = {one.symbol for one in own}
        self.units = [one for one in own if one.level in (Level.GROUP4, Level.GROUP)]
        known = [(region, inside.get(region)) for region in nodes_of_kind(node, ast.InThreads) if region.is_async]
        self.roles = {region: mask for region, mask in known if mask is not None}
        self.works_outside = any(map(_works_outside, nodes_of_kind(node, ast.Parallel)))

    @classmethod
    def of(cls, model: Model, kernel: Kernel, threads: int) -> _Partition:
        masks = Masks(model, kernel.node, threads)
        inside = {chain[-1]: masks.of_regions(chain) for chain in regions(kernel.node)}
        return cls(kernel.node, threads, inside, masks.placements, masks.placements)

    def part(self, model: Model, node: ast.Parallel) -> _Partition:
        """As if an inner `parallel` were the only one of the kernel."""
        return _Partition(node, self.threads, self.inside, self.placements, place_indices(model, node))

    def paths(self) -> tuple[Path, ...]:
        classes = self.classes()
        if len(classes) == 1:
            return (self._path(WHOLE, classes[0], {}),)
        return self.named(classes)

    def named(self, classes: Sequence[Mask]) -> tuple[Path, ...]:
        """A path for each of some classes."""
        named = [self._indices(group) for group in classes]
        return tuple(
            self._path(self._name(group, indices, classes, named), group, indices)
            for group, indices in zip(classes, named, strict=True)
        )

    def classes(self) -> list[Mask]:
        """The threads of each path, ordered by the first."""
        groups = self.every_class()
        return self._without_idle(groups) if self.roles else groups

    def every_class(self) -> list[Mask]:
        """The same with the threads that have nothing to do."""
        groups = [(1 << self.threads) - 1] if self.threads else []
        for one in self.units:
            units: defaultdict[int, Mask] = defaultdict(int)
            for thread, value in enumerate(one.values(self.threads)):
                units[value] |= 1 << thread
            groups = [part for group in groups for unit in units.values() if (part := group & unit)]
        for mask in self.roles.values():
            groups = [part for group in groups for part in (group & mask, group & ~mask) if part]
        return sorted(groups, key=_first)

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
        values = {symbol: value for symbol, value in indices.items() if symbol in unit_symbols}
        values = values or {symbol: value for symbol, value in indices.items() if symbol in self.symbols}
        alike = sum(all(other.get(symbol) == value for symbol, value in values.items()) for other in named)
        if values and alike == 1:
            return "path " + ", ".join(f"{symbol.name} = {value}" for symbol, value in values.items())
        return _by_threads((_first(group), group.bit_length() - 1))

    def _path(self, name: str, group: Mask, indices: Mapping[Symbol, int]) -> Path:
        covered, scattered = _as_range(members(group))
        return Path(name, indices, covered, self.entered(group), scattered)

    def entered(self, group: Mask) -> dict[ast.InThreads, bool | None]:
        """Which regions some of the threads enter."""
        return {node: None if mask is None else bool(mask & group) for node, mask in self.inside.items()}


class _Siblings:
    """The paths of a block with several inner `parallel`s: together, where all of them are divided alike."""

    def __init__(self, model: Model, block: _Partition, tops: Sequence[ast.Parallel]) -> None:
        self.block = block
        self.own = {node: block.part(model, node) for node in tops}
        self.nested = {node: set(nodes_of_kind(node, ast.InThreads)) for node in tops}

    def paths(self) -> tuple[Path, ...]:
        alike = self.block.classes()
        classes = {node: self._classes(part, alike) for node, part in self.own.items()}
        if all(groups == alike for groups in classes.values()):
            paths = self.block.paths()
            return paths if len(paths) == 1 else self._called(paths, classes)
        found: dict[Mask, Path] = {}
        for node, groups in classes.items():
            for group, path in zip(groups, self.own[node].named(groups), strict=True):
                shut = {each: each not in self.inner and path.regions[each] for each in path.regions}
                found.setdefault(group, replace(path, regions=shut))
            unit = self._unit(node, groups)
            for group in groups:
                path = found[group]
                entered = self.own[node].entered(group)
                own = {each: entered[each] for each in self.nested[node] if each in entered}
                found[group] = replace(path, regions={**path.regions, **own}, met={**path.met, node: unit})
        ordered = sorted(found.items(), key=lambda item: (_first(item[0]), -item[0]))
        paths = tuple(replace(path, apart=frozenset(self.own) - path.met.keys()) for _, path in ordered)
        return self._called(paths, classes)

    def _called(self, paths: Sequence[Path], classes: Mapping[ast.Parallel, Sequence[Mask]]) -> tuple[Path, ...]:
        """The paths with what each `parallel` calls them; a name that means others elsewhere is none."""
        names: dict[tuple[int, ...], dict[ast.Parallel, str]] = {}
        meant: defaultdict[str, set[tuple[int, ...]]] = defaultdict(set)
        for node, groups in classes.items():
            for path in self.own[node].named(groups):
                threads = tuple(path.numbers)
                names.setdefault(threads, {})[node] = path.name
                meant[path.name].add(threads)
        found = []
        for path in paths:
            threads = tuple(path.numbers)
            own = {
                node: name
                for node, name in names[threads].items()
                if len(meant[name]) == 1 and not name.startswith(_BY_THREADS)
            }
            found.append(replace(path, name=_joined(own.values()) or _by_threads(threads), names=own))
        return tuple(found)

    @cached_property
    def inner(self) -> set[ast.InThreads]:
        return {each for nested in self.nested.values() for each in nested}

    def _classes(self, part: _Partition, alike: list[Mask]) -> list[Mask]:
        """Of one `parallel`. Threads that act for themselves are divided as they are elsewhere."""
        if part.units or part.roles:
            return part.classes()
        covered = 0
        for group in alike:
            covered |= group
        return alike if covered == (1 << part.threads) - 1 else self.block.every_class()

    def _unit(self, node: ast.Parallel, groups: Sequence[Mask]) -> int:
        """How many threads a unit has that holds each path whole; 0 where none does."""
        part = self.own[node]
        if not part.units and not part.roles:
            return 1
        widest = max((UNIT_THREADS[one.level] for one in part.units), default=1)
        for unit in (1, UNIT_THREADS[Level.GROUP], UNIT_THREADS[Level.GROUP4]):
            inside = all(_first(group) // unit == (group.bit_length() - 1) // unit for group in groups)
            if unit >= widest and inside and part.threads % unit == 0:
                return unit
        return 0


def _joined(names: Iterable[str]) -> str:
    """ "path p = 1, q == 1" for what different places call one path."""
    told = ", ".join(name.removeprefix("path ") for name in dict.fromkeys(names))
    return told and f"path {told}"


def _by_threads(threads: Sequence[int]) -> str:
    first, last = threads[0], threads[-1]
    return f"{_BY_THREADS} {first}" if first == last else f"{_BY_THREADS}s {first} to {last}"


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
