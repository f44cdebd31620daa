"""Which element of shared or global memory a plain `buffer.at(…)` is in each thread of a kernel. Must not report.

Plain: indices over those of loops, blocks and threads; no view, no array of buffers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from croqc.sema.builder import Builder
from croqc.sema.masks import Mask, Masks, Numbers, place_axis
from croqc.sema.model import THREADS, Symbol, SymbolKind, Unit
from croqc.sema.nesting import statements
from croqc.sema.roots import base_name
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, BoundedTuple, Data, Event, Storage, bound_of
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.record import record

Place = tuple[int, ...]
WARP = THREADS[Unit.GROUP]
_CHOICES = ("&&", "||")


@record
class Element:
    """`tile.at(ty, tx)` in each thread: `places[t]` are the indices in thread t."""

    buffer: Symbol
    node: ast.Chain
    places: tuple[Place, ...]

    def by_place(self) -> dict[Place, Mask]:
        """The threads that name each place."""
        made: dict[Place, Mask] = {}
        for thread, place in enumerate(self.places):
            made[place] = made.get(place, 0) | 1 << thread
        return made


def warp_of(thread: int) -> Mask:
    """The threads of the warp of a thread."""
    return ((1 << WARP) - 1) << thread // WARP * WARP


def in_two_warps(ones: Mask, others: Mask, units: Sequence[Mask]) -> bool:
    """Whether a thread of `ones` and one of another warp in `others` are of one unit."""
    return any(_apart(ones & unit, others & unit) for unit in units)


def _apart(ones: Mask, others: Mask) -> bool:
    if not ones or not others:
        return False
    own = warp_of((others & -others).bit_length() - 1)
    return bool(ones & ~own or others & ~own)


def units_apart(builder: Builder, around: Iterable[ast.Parallel], threads: int) -> tuple[Mask, ...]:
    """The parts of a block that may be in different turns where these `parallel`s stand around: units that wait for
    events or named barriers have an order of their own between them."""
    size = threads
    for node in around:
        units = [item.unit for axis in node.axes for item in place_axis(builder, axis)]
        if units and _waits_apart(builder, node, min(units)):
            size = min(size, max(min(units), WARP))
    return tuple(((1 << size) - 1) << start for start in range(0, threads, size))


def _waits_apart(builder: Builder, node: ast.Parallel, unit: int) -> bool:
    """Whether a unit waits; of single threads, whether some do and others need not."""
    for inner, at in statements(node.body):
        some = unit > 1 or any(isinstance(one, ast.If | ast.While | ast.InThreads) for one in at.chain)
        if some and isinstance(inner, ast.Wait | ast.CallStmt) and _is_wait(builder, inner):
            return True
    return False


def _is_wait(builder: Builder, node: ast.Wait | ast.CallStmt) -> bool:
    if isinstance(node, ast.CallStmt):
        return node.call.kind == "barrier"
    symbols = [builder.uses.get(name) for ref in node.refs if (name := base_name(ref)) is not None]
    return any(one is not None and isinstance(one.type, Event) for one in symbols)


def chooses(node: ast.Node) -> bool:
    """Whether some operand of a statement is read by some threads only."""
    return any(nodes_of_kind(node, ast.Cond)) or any(one.op in _CHOICES for one in nodes_of_kind(node, ast.Binary))


def calls_out(node: ast.Node) -> bool:
    """Whether a statement calls what may do anything."""
    return any(call.kind != "lib" for call in nodes_of_kind(node, ast.Call))


def common_buffer(builder: Builder, chain: ast.Node) -> Symbol | None:
    """The data that threads have in common, no array, of which a chain is one plain element."""
    if not isinstance(chain, ast.Chain) or not isinstance(chain.base, ast.Name) or len(chain.suffixes) != 1:
        return None
    symbol, at = builder.uses.get(chain.base), chain.suffixes[0]
    if symbol is None or symbol.kind not in (SymbolKind.BUFFER, SymbolKind.PARAM):
        return None
    data = symbol.type
    if not isinstance(data, Data) or data.storage is Storage.LOCAL or data.array:
        return None
    plain = isinstance(at, ast.Member) and at.name == "at" and not at.strides and len(at.args) == len(data.shape)
    return symbol if plain else None


def is_shared(symbol: Symbol) -> bool:
    """Whether common data are of one block, whose barrier orders all who touch them."""
    return isinstance(symbol.type, Data) and symbol.type.storage is Storage.SHARED


def symbols_by_atom(builder: Builder) -> dict[str, Symbol]:
    return {symbol.atom: symbol for symbol in builder.symbols if symbol.atom}


def loop_names(loop: ast.Foreach) -> tuple[ast.Name, ...]:
    """The indices of a loop, outermost first."""
    return tuple(name for binding in loop.bindings for name in binding.names)


def loop_bounds(builder: Builder, loop: ast.Foreach) -> tuple[Int, ...] | None:
    """How often each index of a loop turns; None where that is not known, as in the range form."""
    found: list[Int] = []
    for name in loop_names(loop):
        symbol = builder.uses.get(name)
        match None if symbol is None else symbol.type:
            case Bounded(bound=bound):
                found.append(bound)
            case BoundedTuple(bounds=bounds):  # `k in [n]` is one of one
                found += bounds
            case _:
                return None
    return None if loop.ranges else tuple(found)


class Elements:
    """Those of one kernel. `atoms`: what `symbols_by_atom` tells."""

    def __init__(self, builder: Builder, kernel: Masks, atoms: Mapping[str, Symbol]) -> None:
        self.builder, self.kernel, self.atoms = builder, kernel, atoms
        self._threads = {item.symbol for item in kernel.placements}

    def at(self, chain: ast.Chain, turns: Mapping[str, Int]) -> Element | None:
        """The element in each thread of the first block; `turns` has the loops' indices."""
        symbol = common_buffer(self.builder, chain)
        if symbol is None:
            return None
        at = chain.suffixes[0]
        assert isinstance(at, ast.Member)
        columns = list(self._columns(at, turns))
        known = [column for column in columns if column is not None]
        return Element(symbol, chain, tuple(zip(*known, strict=True))) if len(known) == len(columns) else None

    def _columns(self, at: ast.Member, turns: Mapping[str, Int]) -> Iterator[Numbers | None]:
        """Each index in every thread; None for one that is not followed."""
        for arg in at.args:
            value = self.builder.values.get(arg)
            yield None if value is None else self.kernel.numbers(self.settled(value, turns))

    def settled(self, value: Int, turns: Mapping[str, Int]) -> Int:
        """A value in the first block, in given turns of the loops around."""
        symbols = [self.atoms.get(atom) for atom in value.names()]
        blocks = {one.atom: Int.of(0) for one in symbols if one is not None and self._is_of_blocks(one)}
        return value.substitute({**blocks, **turns})

    def _is_of_blocks(self, symbol: Symbol) -> bool:
        """An index that begins at 0 and is the same for all threads."""
        is_index = symbol.kind is SymbolKind.PARALLEL and bound_of(symbol.type) is not None
        return is_index and symbol not in self._threads

    def is_uniform(self, value: Int) -> bool:
        """Whether a value is of sizes, parameters and indices of blocks and loops alone: the same for all threads that
        are in the same turns."""
        symbols = [self.atoms.get(atom) for atom in value.names()]
        kinds = (SymbolKind.PARAM, SymbolKind.DIMENSION, SymbolKind.PARALLEL, SymbolKind.LOOP)
        return all(one is not None and one not in self._threads and one.kind in kinds for one in symbols)

    def turns_alike(self, loop: ast.Foreach) -> bool:
        """Whether all threads that come to a loop take the same turns of it."""
        bounds = loop_bounds(self.builder, loop)
        return bounds is not None and all(map(self.is_uniform, bounds))
