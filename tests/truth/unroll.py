"""Unrolls one block of a kernel into what each path does, by plain interpretation of the tree at given sizes.

Must not use `croqc.flow`: paths, arrival counts, slots and joins are worked out anew here (credit-flow, sections 1 to
3), the slow and simple way. Raises UnsupportedError where data decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from croqc.sema.model import Level, Model, OperandKind, Symbol, SymbolKind, Unit, View, ViewKind
from croqc.sema.types import Data, Storage
from croqc.syntax import ast
from croqc.syntax.visit import walk
from tests.truth.evaluate import Env, UnsupportedError
from tests.truth.ops import Box, Instance, Kind, Op, Slot, Touch
from tests.truth.places import Place, crossing_of, extents, places_of
from tests.truth.program import Sizes
from tests.truth.siblings import Crossing, kinds

LIMIT = 20_000


class LeftError(Exception):
    """`break`, `continue` or `yield` on its way to the statement that it leaves."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A buffer or a view of one, at concrete places. `shape`: the extents that remain."""

    buffer: tuple[int, ...]
    box: Box
    slots: int  # how many leading ranges of the box are subscripts

    @property
    def shape(self) -> list[int]:
        return [hi - lo for lo, hi in self.box[self.slots :]]


@dataclass(slots=True)
class Future:
    """`tile` is None for a placeholder; `flight` of an asynchronous copy, `reads` of an asynchronous multiply."""

    tile: Tile | None
    flight: int | None = None
    reads: tuple[int, ...] = ()


@dataclass(slots=True)
class Events:
    number: int
    instance: int
    extents: tuple[int, ...]
    symbol: Symbol


@dataclass(slots=True)
class Shared:
    """What the paths of one unrolling have in common: numbers of declarations and of flights."""

    numbers: dict[object, int] = field(default_factory=dict)
    flights: int = 0
    ready: set[Slot] = field(default_factory=set)
    written: dict[Slot, int] = field(default_factory=dict)  # explicit counts
    settled: dict[int, int] = field(default_factory=dict)  # how often a flight was waited for or bound

    def number(self, key: object) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def flight(self) -> int:
        self.flights += 1
        self.settled[self.flights] = 0
        return self.flights


class Path:
    """Interprets the block's body for one path."""

    def __init__(self, model: Model, shared: Shared, values: dict[Symbol, Any], place: Place, paths: int) -> None:
        self.model, self.shared, self.place, self.paths = model, shared, place, paths
        self.env = Env(model, dict(values))
        self.ops: list[Op] = []
        self.waits: dict[Slot, int] = {}
        self.bound: dict[Slot, list[int]] = {}
        self.reading: list[tuple[int, Symbol | None]] = []
        self.rounds: dict[object, int] = {}
        self.in_role = False
        self.inner = 0
        self.crossing: Crossing | None = None

    # --- statements ------------------------------------------------------------------------------

    def block(self, node: ast.Block) -> None:
        for stmt in node.stmts:
            self.statement(stmt)

    def statement(self, node: Any) -> None:
        handler = _STATEMENTS.get(type(node))
        if handler is None:
            raise UnsupportedError(type(node).__name__)
        handler(self, node)

    def emit(self, kind: Kind, node: ast.Node, **parts: Any) -> None:
        if len(self.ops) > LIMIT:
            raise UnsupportedError("too long")
        self.ops.append(Op(kind, node.span.start, **parts))

    def touch(self, node: ast.Node, touches: Sequence[Touch], cooperative: bool = False) -> None:
        """A synchronous access; one of the whole block is made by the first path between two barriers."""
        touches = tuple(touches)
        if not touches:
            return
        together = self.paths > 1 and (cooperative or not self.inner) and not self.in_role
        if together:
            self.outside_of_siblings()
            self.emit(Kind.BARRIER, node)
        if not together or self.place.leads:
            self.emit(Kind.TOUCH, node, touches=touches)
        if together:
            self.emit(Kind.BARRIER, node)

    def outside_of_siblings(self) -> None:
        """All paths meet: where others do not come to, they cannot."""
        if self.crossing is not None and self.inner:
            raise UnsupportedError("a barrier in one of unlike 'parallel's")

    # --- data ------------------------------------------------------------------------------------

    def tile(self, node: ast.Node) -> Tile | None:
        """Where a data reference points to; None for memory that is not the block's own."""
        if isinstance(node, ast.Paren):
            return self.tile(node.inner)
        view = self.model.views.get(node)
        if view is None:
            raise UnsupportedError(f"a reference at {node.span.start}")
        return self.view(view)

    def view(self, view: View) -> Tile | None:
        value = self.env.values.get(view.base)
        if isinstance(value, Future):
            value = value.tile
            if value is None:
                raise UnsupportedError("a placeholder is read")
        if value is None:
            return None
        if not isinstance(value, Tile):
            raise UnsupportedError(f"'{view.base.name}' is no buffer")
        box = list(value.box)
        free = len(box) - len(value.shape)
        if view.slots:
            if free:
                raise UnsupportedError("subscripts of a view")
            indices = [self.env.integer(slot) for slot in view.slots]
            for number, index in enumerate(indices):
                if not 0 <= index < box[number][1]:
                    raise UnsupportedError("index out of range")
                box[number] = (index, index + 1)
            free = len(indices)
        tile = Tile(value.buffer, tuple(box), free)
        for op in view.ops:
            tile = self.applied(tile, op)
        return tile

    def applied(self, tile: Tile, op: Any) -> Tile:
        sizes = [dim.evaluate(self.env.dims()) for dim in op.shape]
        if op.kind not in (ViewKind.SUBSPAN, ViewKind.CHUNKAT) or op.strides or op.step or None in sizes:
            return tile  # the whole is touched: coarser, which is enough for what is drawn
        starts = op.at if op.kind is ViewKind.SUBSPAN else op.args
        box = list(tile.box[: tile.slots])
        for (lo, hi), size, start in zip(tile.box[tile.slots :], sizes, starts or [None] * len(sizes), strict=True):
            wildcard = start is None or (isinstance(start, ast.Name) and start.id == "_")
            begin = lo + (0 if wildcard else self.env.integer(start) * size)
            if not lo <= begin or begin + size > hi:
                raise UnsupportedError("a view outside its buffer")
            box.append((begin, begin + size))
        return Tile(tile.buffer, tuple(box), tile.slots)

    def reads(self, node: ast.Node) -> list[Touch]:
        """Every element or tile of the block's memory that an expression reads."""
        found = []
        for inner in walk(node):
            view = self.model.views.get(inner)
            if view is not None and view.element is not None and (tile := self.view(view)) is not None:
                found.append(Touch(tile.buffer, tile.box, False))
        return found

    def slots(self, node: ast.Node) -> list[tuple[Slot, int | None]] | Future:
        """The slots that a reference names, each with its order if it has one; or a future."""
        while isinstance(node, ast.Paren):
            node = node.inner
        base, suffixes = (node.base, node.suffixes) if isinstance(node, ast.Chain) else (node, ())
        value = self.env.value(base)
        if isinstance(value, Future):
            return value
        if not isinstance(value, Events):
            raise UnsupportedError("no event")
        total = 1
        for extent in value.extents:
            total *= extent
        ats = [each for each in suffixes if isinstance(each, ast.Member) and each.name == "at"]
        if ats:
            order = self.env.integer(ats[0].args[0])
            return [((value.number, value.instance, order % total), order // total)]
        indices = [self.env.integer(each.args[0]) for each in suffixes if isinstance(each, ast.Index)]
        if not indices:
            return [((value.number, value.instance, index), None) for index in range(total)]
        number = 0
        for index, extent in zip(indices, value.extents, strict=True):
            if not 0 <= index < extent:
                raise UnsupportedError("index out of range")
            number = number * extent + index
        return [((value.number, value.instance, number), None)]

    def close(self, node: ast.Node, accumulator: Symbol | None = None) -> None:
        """Ends the reading of all multiplies, or of those up to the last one of an accumulator."""
        mine = [n for n, (_, acc) in enumerate(self.reading) if accumulator is None or acc is accumulator]
        if mine:
            last = mine[-1] + 1
            self.emit(Kind.CLOSE, node, flights=tuple(flight for flight, _ in self.reading[:last]))
            del self.reading[:last]


def unroll(model: Model, sizes: Sizes, last: bool = False) -> Instance:
    """The first or the last block of the one kernel. Counts are those written: `count_arrivals` makes the others."""
    if len(model.kernels) != 1:
        raise UnsupportedError("not one kernel")
    kernel = model.kernels[0]
    values: dict[Symbol, Any] = {
        symbol: int(sizes[symbol.name])
        for symbol in model.symbols
        if symbol.kind in (SymbolKind.DIMENSION, SymbolKind.PARAM) and symbol.name in sizes
    }
    host = Path(model, Shared(), values, Place("host", (), True), 1)
    for stmt in _before(model.function.body, kernel.node):
        host.statement(stmt)
    values = dict(host.env.values)
    each = kinds(model, kernel.node)
    places = [(place, mine) for mine in each for place in places_of(model, kernel.node, mine, values)]
    shared, instance = Shared(), Instance()
    for number, (place, _) in enumerate(places):
        path = Path(model, shared, values, Place(place.name, place.indices, number == 0), len(places))
        path.crossing = crossing_of(model, kernel, number, places) if len(each) > 1 else None
        instance.alone = _enter_block(path, kernel.block_axes, last)
        _parallel_body(path, kernel.node)
        instance.paths[place.name] = path.ops
    if len(instance.paths) < len(places):
        raise UnsupportedError("paths of one name")
    instance.ready, instance.counts = shared.ready, shared.written
    instance.formal |= {"twice"} if any(count > 1 for count in shared.settled.values()) else set()
    instance.formal |= {"unwaited"} if any(count == 0 for count in shared.settled.values()) else set()
    return instance


def _before(body: ast.Block, kernel: ast.Parallel) -> Iterator[Any]:
    for stmt in body.stmts:
        if stmt is kernel:
            return
        if isinstance(stmt, ast.Assign | ast.ScalarDecl):
            yield stmt


def _enter_block(path: Path, axes: Sequence[ast.Axis], last: bool) -> bool:
    """Whether there is no other block."""
    alone = True
    for axis in axes:
        for name, bound in extents(path.env, axis):
            symbol = path.env.symbol(name)
            path.env.values[symbol], path.env.bounds[symbol] = (bound - 1 if last else 0), bound
            alone = alone and bound == 1
    return alone


def _parallel_body(path: Path, node: ast.Parallel) -> None:
    known = dict(path.place.indices)
    inner = any(path.model.levels.get(axis) in (Level.GROUP, Level.GROUP4) for axis in node.axes)
    for axis in node.axes:
        if path.model.levels.get(axis) in (Level.GROUP, Level.GROUP4, Level.THREAD):
            for name, bound in extents(path.env, axis):
                symbol = path.env.symbol(name)
                path.env.bounds[symbol] = bound
                path.env.values[symbol] = known.get(symbol, 0)  # 0: every thread; elements count as the tile
    path.inner += inner
    try:
        path.block(node.body)
    except LeftError as left:
        if left.args[0] != "yield":
            raise
    path.inner -= inner


def count_arrivals(instances: Sequence[Instance]) -> dict[Slot, int]:
    """Arrivals that complete a generation: paths that trigger a slot behind a wait or an access of theirs; paths that
    only grant credits count where there is no other (credit-flow, section 2). A written count wins."""
    steady: dict[Slot, set[str]] = {}
    granting: dict[Slot, set[str]] = {}
    written: dict[Slot, int] = {}
    for instance in instances:
        written.update(instance.counts)
        for name, ops in instance.paths.items():
            active = False
            for op in ops:
                if op.kind is Kind.ARRIVE and op.slot is not None and not op.hidden:
                    (steady if active else granting).setdefault(op.slot, set()).add(name)
                elif op.kind is not Kind.BARRIER and not op.hidden:
                    active = True
    counts = {slot: len(paths) for slot, paths in granting.items()}
    counts.update({slot: len(paths) for slot, paths in steady.items()})
    counts.update(written)
    return counts


Handler = Callable[[Path, Any], None]
_STATEMENTS: dict[type, Handler] = {}


def register(handlers: dict[type, Handler]) -> None:
    _STATEMENTS.update(handlers)


__all__ = ["Data", "OperandKind", "Path", "Storage", "Unit", "count_arrivals", "unroll"]
