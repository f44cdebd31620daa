"""Arrival counts: how many arrivals complete one generation of each event slot (credit-flow, section 2).

Counts come from the places of triggers and the paths that reach them, never from a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Final

from croqc.flow.conditions import Conditions
from croqc.flow.paths import Path, comes_to, enters
from croqc.flow.slots import Slots
from croqc.flow.touches import Touches
from croqc.sema.events import order_of
from croqc.sema.intervals import Interval, bounds
from croqc.sema.masks import atoms_of
from croqc.sema.model import Kernel, Level, Model, Symbol, SymbolKind
from croqc.sema.nesting import Around, in_else, statements
from croqc.sema.roots import base_name
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, Event
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of, nodes_of_kind
from croqc.text.record import record
from croqc.text.span import Span

Slot = tuple[Symbol, int]
_MOST_SLOTS = 1 << 16  # of an event array; those of shared memory are fewer by far
TOO_MANY: Final = f"no block has room for an array of more than {_MOST_SLOTS:,} events"


def arrival_counts(model: Model, paths: Sequence[Path]) -> Mapping[Slot, int]:
    """A of every slot of every shared event of the paths' kernel; slots of a multi-dimensional array are numbered
    row by row. 0 where nothing triggers the slot."""
    return {slot: arrivals.count for slot, arrivals in slot_arrivals(model, paths).items()}


@record
class Arrivals:
    """How a slot's count comes about. `steady` and `bootstrap`: numbers of the paths that trigger so (-1: the
    block as a whole), `waiting`: of those that wait; `computed` follows from them, `written` is the `event<n>`,
    `count` what holds."""

    steady: frozenset[int]
    bootstrap: frozenset[int]
    waiting: frozenset[int]
    blocks: int
    written: int | None
    threads: tuple[int, int]  # of the triggering paths; of the triggering and waiting paths

    @property
    def computed(self) -> int:
        return len(self.steady or self.bootstrap) * self.blocks

    @property
    def count(self) -> int:
        """`event<n>` holds as written, unless n counts the threads of the paths (7.2 and section 2)."""
        if self.written is None or self.written in self.threads:
            return self.computed
        return self.written


def slot_arrivals(model: Model, paths: Sequence[Path]) -> Mapping[Slot, Arrivals]:
    """The same with its reasons, for hovers and for the rule about explicit counts."""
    kernel = _kernel_of(model, paths)
    if kernel is None or crowded(model, kernel):
        return {}
    return _Counter(model, kernel, paths).arrivals()


def crowded(model: Model, kernel: Kernel) -> Span | None:
    """The place of an array of more events than can be, of which nothing is told: each slot would be looked at."""
    for node in nodes_of_kind(kernel.node, ast.EventName):
        symbol = model.uses.get(node.name)
        if symbol is not None and isinstance(symbol.type, Event) and prod(symbol.type.array) > _MOST_SLOTS:
            return node.span
    return None


def survey(model: Model, kernel: Kernel, paths: Sequence[Path]) -> tuple[Mapping[Slot, Arrivals], frozenset[Span]]:
    """The arrivals of each slot, and the references in triggers that give credits at start: their path has made no
    wait and no access before."""
    if not nodes_of_kind(kernel.node, ast.EventDecl):
        return {}, frozenset()
    counter = _Counter(model, kernel, paths)
    return counter.arrivals(), counter.bootstraps()


def _kernel_of(model: Model, paths: Sequence[Path]) -> Kernel | None:
    """The kernel whose regions or indices the paths name; the only one with events where they name none."""
    marked = {region for path in paths for region in path.regions}
    symbols = {symbol for path in paths for symbol in path.indices}
    candidates = []
    for kernel in model.kernels:
        nodes = set(nodes_of(kernel.node))
        own = any(region in nodes for region in marked) or any(symbol.decl in nodes for symbol in symbols)
        if own:
            return kernel
        if any(isinstance(node, ast.EventDecl) for node in nodes):
            candidates.append(kernel)
    return candidates[0] if candidates else None


@record
class _Site:
    """One reference in a `wait` or `trigger`, and who reaches it."""

    event: Symbol
    slots_of: Mapping[int, frozenset[int]]  # path number -> slots that some iteration can reach
    steady: bool
    cluster: bool
    waits: bool
    span: Span


class _Counter:
    def __init__(self, model: Model, kernel: Kernel, paths: Sequence[Path]) -> None:
        self.model = model
        self.kernel = kernel
        self.paths = paths
        self.touches = Touches(model)
        self.atoms = atoms_of(model)
        self.intervals = self._intervals()
        self.conditions = Conditions(model)
        self.slots = Slots(model, kernel.node, self.conditions)
        self.stmts = list(statements(kernel.node.body))

    @cached_property
    def sites(self) -> list[_Site]:
        return list(self._sites())

    def bootstraps(self) -> frozenset[Span]:
        return frozenset(site.span for site in self.sites if not site.waits and not site.steady)

    def arrivals(self) -> dict[Slot, Arrivals]:
        found: dict[Slot, Arrivals] = {}
        by_event: dict[Symbol, list[_Site]] = {}
        for site in self.sites:
            by_event.setdefault(site.event, []).append(site)
        for event in self._events():
            assert isinstance(event.type, Event)
            own = by_event.get(event, [])
            reached = [slots for site in own for slots in site.slots_of.values()]
            alike: dict[tuple[bool, ...], Arrivals] = {}
            for slot in range(prod(event.type.array)):
                key = tuple(slot in slots for slots in reached)
                if key not in alike:
                    alike[key] = self._slot(event.type, own, slot)
                found[event, slot] = alike[key]
        return found

    def _events(self) -> Iterator[Symbol]:
        inside = set(nodes_of(self.kernel.node))
        for symbol in self.model.symbols:
            if isinstance(symbol.type, Event) and symbol.decl in inside:
                yield symbol

    def _slot(self, event: Event, sites: Sequence[_Site], slot: int) -> Arrivals:
        def reaching(chosen: Sequence[_Site]) -> frozenset[int]:
            return frozenset(path for site in chosen for path, slots in site.slots_of.items() if slot in slots)

        triggers = [site for site in sites if not site.waits]
        steady = reaching([site for site in triggers if site.steady])
        bootstrap = reaching([site for site in triggers if not site.steady])
        cluster = any(site.cluster and slot in slots for site in triggers for slots in site.slots_of.values())
        blocks = prod(extent.const or 1 for extent in self.kernel.cluster) if cluster else 1
        arriving = steady or bootstrap
        waiting = reaching([site for site in sites if site.waits])
        threads = self._threads(arriving), self._threads(arriving | waiting)
        return Arrivals(steady, bootstrap, waiting, blocks, event.count, threads)

    def _threads(self, numbers: frozenset[int]) -> int:
        return sum(self.paths[number].thread_count if number >= 0 else 1 for number in numbers)

    # --- sites ------------------------------------------------------------------------------------

    def _sites(self) -> Iterator[_Site]:
        for position, (stmt, around) in enumerate(self.stmts):
            if not isinstance(stmt, ast.Trigger | ast.Wait):
                continue
            reaching = self._reaching(stmt, around)
            for ref in stmt.refs:
                name = base_name(ref)
                event = self.model.uses.get(name) if name is not None else None
                if event is None or not isinstance(event.type, Event):
                    continue
                slots_of = {number: self._slots(event.type, ref, number, around, stmt) for number in reaching}
                yield _Site(
                    event,
                    slots_of,
                    steady=isinstance(stmt, ast.Trigger) and self._is_steady(position, around),
                    cluster=isinstance(stmt, ast.Trigger) and self.model.reaches_cluster(stmt, event),
                    waits=isinstance(stmt, ast.Wait),
                    span=ref.span,
                )

    def _reaching(self, stmt: ast.Node, around: Around) -> tuple[int, ...]:
        """The paths whose static masks let them reach a statement; -1 for one that the block makes together."""
        if not self._inside_unit(around) and len(self.paths) > 1:
            return (-1,)
        return tuple(
            number
            for number, path in enumerate(self.paths)
            if comes_to(path, around.parallels)
            and all(enters(path, region) is not False for region in around.regions)
            and all(self._may_hold(path, node, stmt) for node in around.chain if isinstance(node, ast.If))
        )

    def _inside_unit(self, around: Around) -> bool:
        levels = {self.model.levels.get(axis) for axis in (*self.kernel.node.axes, *around.axes)}
        return bool(levels & {Level.GROUP4, Level.GROUP, Level.THREAD})

    def _may_hold(self, path: Path, node: ast.If, stmt: ast.Node) -> bool:
        """Whether the path can take the branch that holds the statement; undecided conditions count as yes."""
        value = self.conditions.truth(node.cond, self._env(path))
        return value is None or value is not in_else(node, stmt)

    def _env(self, path: Path) -> dict[str, Int]:
        return {self.atoms[s]: Int.of(value) for s, value in path.indices.items() if s in self.atoms}

    # --- slots ------------------------------------------------------------------------------------

    def _intervals(self) -> dict[str, Interval]:
        """What the atoms of `values` range over: indices below their bound, dimensions from 1."""
        found: dict[str, Interval] = {}
        for symbol, atom in self.atoms.items():
            if isinstance(symbol.type, Bounded):
                _, most = bounds(symbol.type.bound, {})
                found[atom] = (0, None if most is None else most - 1)
            elif symbol.kind is SymbolKind.DIMENSION:
                found[atom] = (1, None)
        return found

    def _slots(self, event: Event, ref: ast.Expr, number: int, around: Around, stmt: ast.Node) -> frozenset[int]:
        """The slots that some iteration of the path can mean by a reference."""
        everything = frozenset(range(prod(event.array)))
        env = self._env(self.paths[number]) if number >= 0 else {}
        met = self.slots.met(event, ref, env, around, stmt)
        if met is not None:
            return everything & met
        suffixes = ref.suffixes if isinstance(ref, ast.Chain) else ()
        subscripts = [arg for suffix in suffixes if isinstance(suffix, ast.Index) for arg in suffix.args]
        if order_of(ref) is not None or len(subscripts) != len(event.array) or not subscripts:
            return everything
        ranges = [self._range(arg, extent, env) for arg, extent in zip(subscripts, event.array, strict=True)]
        return frozenset(_row_major(place, event.array) for place in product(*ranges))

    def _range(self, arg: ast.Expr, extent: int, env: Mapping[str, Int]) -> range:
        value = self.model.values.get(arg)
        if value is None:
            return range(extent)
        low, high = bounds(value.substitute(env), self.intervals)
        return range(max(low or 0, 0), min(extent - 1 if high is None else high, extent - 1) + 1)

    # --- bootstrap --------------------------------------------------------------------------------

    def _is_steady(self, position: int, around: Around) -> bool:
        """Whether a path may have waited or touched a buffer before the trigger, in an earlier iteration, too."""
        role = next((node for node in around.chain if isinstance(node, ast.InThreads)), None)
        acting = self.acting.get(role, [])
        if acting and acting[0][0] < position:
            return True
        repeated = [
            loop
            for at, loop in enumerate(around.chain)
            if isinstance(loop, ast.Foreach | ast.While) and not self._only_first(loop, around.chain[at + 1 :])
        ]
        return any(loop in where.chain for loop in repeated for _, where in acting)

    @cached_property
    def acting(self) -> dict[ast.InThreads | None, list[tuple[int, Around]]]:
        """Waits and accesses in source order, by the regions that they stand in; those outside all by None."""
        found: dict[ast.InThreads | None, list[tuple[int, Around]]] = {}
        for position, (stmt, where) in enumerate(self.stmts):
            if self._counts(stmt):
                for role in where.regions or (None,):
                    found.setdefault(role, []).append((position, where))
        return found

    def _counts(self, stmt: ast.Node) -> bool:
        if isinstance(stmt, ast.Wait):
            return True
        touch = self.touches.of(stmt)
        return bool(touch) and not isinstance(stmt, ast.If | ast.While)

    def _only_first(self, loop: ast.Foreach | ast.While, inner: Sequence[ast.Node]) -> bool:
        """Whether an `if` inside lets only the loop's first iteration through (`if (tile == 0)`)."""
        if isinstance(loop, ast.While):
            return False
        names = {name for binding in loop.bindings for name in binding.names}
        names |= {item.local or item.name for item in loop.ranges if item.lo is None}
        indices = {self.model.uses.get(name) for name in names}
        return any(isinstance(node, ast.If) and self._is_first(node.cond, indices) for node in inner)

    def _is_first(self, cond: ast.Node, indices: set[Symbol | None]) -> bool:
        match cond:
            case ast.Paren(inner=inner):
                return self._is_first(inner, indices)
            case ast.Binary(op="&&", left=left, right=right):
                return self._is_first(left, indices) or self._is_first(right, indices)
            case ast.Binary(op="==", left=left, right=right):
                a, b = self.model.values.get(left), self.model.values.get(right)
                if a is None or b is None:
                    return False
                gap = a - b if dict(a.terms) else b - a
                return any(symbol in self.atoms and gap == Int.of(self.atoms[symbol]) for symbol in indices if symbol)
        return False


def _row_major(place: Sequence[int], extents: Sequence[int]) -> int:
    number = 0
    for index, extent in zip(place, extents, strict=True):
        number = number * extent + index
    return number
