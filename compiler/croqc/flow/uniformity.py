"""Which values are the same for all threads that act together: a uniformity analysis (of compilers: divergence
analysis). Must not know steps, nor report.

A value is the same where all that it is made of is, and a variable where each assignment gives it the same under
conditions that are the same, wherever that stands. What comes from data is not known, but for elements of global memory
that the kernel does not write. Indices of threads are followed thread by thread where they alone decide (`lanes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cached_property

from croqc.flow.deciding import Deciding, Placed
from croqc.flow.touches import Touches
from croqc.sema.foreign_writes import foreign_writes, shared_with_islands
from croqc.sema.lanes import Lanes
from croqc.sema.masks import UNIT_THREADS, Mask, Masks, Numbers, defining_value
from croqc.sema.model import Kernel, Level, Model, Symbol, SymbolKind
from croqc.sema.roots import Roots
from croqc.sema.types import Data, Storage
from croqc.sema.writes import filled, given
from croqc.syntax import ast
from croqc.syntax.visit import children, nodes_of, nodes_of_kind, walk
from croqc.text.record import record

_MAX_DEPTH = 80  # what is nested deeper is not known
_STEADY = frozenset((SymbolKind.DIMENSION, SymbolKind.PARAM, SymbolKind.PARALLEL))
_MADE_OF_PARTS = (ast.Paren, ast.Unary, ast.Binary, ast.Cond, ast.TupleLit, ast.ShapeLit, ast.Derive, ast.Pick)
_OF_SHAPES = (ast.IntLit, ast.RealLit, ast.Const, ast.BoundOf, ast.Count, ast.SizeOf, ast.Str)
_MOST_ROUNDS = 40  # beyond, nothing is known of variables: each tells of one more in a chain that stands upside down


class Sameness(IntEnum):
    """Of a value in the threads of a part of the block; the least of its parts is that of the whole."""

    DATA = 0  # not known: data decides, or C++
    DIFFERS = 1  # indices of threads tell them apart
    SAME = 2


@record
class Given:
    """One way in which a variable, or a buffer of one thread, gets what it holds. `parts`: of what; None: of data."""

    place: Placed
    parts: tuple[ast.Node, ...] | None


class Facts:
    """What is asked of one kernel whatever the threads: who writes what where."""

    def __init__(self, model: Model, kernel: Kernel) -> None:
        self.model, self.kernel = model, kernel
        self.nodes = frozenset(nodes_of(kernel.node))
        self.deciding = Deciding(kernel)
        self.masks = None if kernel.threads is None else Masks(model, kernel.node, kernel.threads)
        self.lanes = None if self.masks is None else Lanes(self.masks)
        made = {copy: info.dest.base for copy, info in model.copies.items()}
        self.roots = Roots(model, {copy: base for copy, base in made.items() if base.kind is SymbolKind.ANONYMOUS})
        self.levels = {
            symbol: level
            for axis in nodes_of_kind(kernel.node, ast.Axis)
            if (level := model.levels.get(axis)) in UNIT_THREADS and level is not None
            for name in (*axis.names, *((axis.tuple_name,) if axis.tuple_name else ()))
            if (symbol := model.uses.get(name)) is not None
        }

    @cached_property
    def written(self) -> frozenset[Symbol]:
        """The buffers that the kernel writes, or hands on to be written."""
        touches = Touches(self.model)
        found = {symbol for one in self.deciding.placed for symbol in touches.of(one.node).writes}
        if any(nodes_of_kind(self.kernel.node, ast.Cpp)) or any(nodes_of_kind(self.kernel.node, ast.Asm)):
            found |= set(self.model.symbols)
        return frozenset(found)

    @cached_property
    def unknown(self) -> frozenset[Symbol]:
        """The variables that C++ or PTX may write."""
        foreign = (node for node in walk(self.kernel.node) if isinstance(node, ast.Call | ast.Cpp | ast.Asm))
        found = {symbol for node in foreign for symbol in foreign_writes(self.model, node)}
        return frozenset(found | shared_with_islands(self.model))

    @cached_property
    def given(self) -> dict[Symbol, list[Given]]:
        """How each variable, loop index and buffer of one thread gets what it holds."""
        found: dict[Symbol, list[Given]] = defaultdict(list)
        for place in self.deciding.placed:
            own = list(self._own(place.node))
            chooses = any(isinstance(node, ast.Cond) or getattr(node, "op", "") in ("&&", "||") for node in own)
            for node in own:
                for symbol, parts in self._gives(node):
                    if symbol.mutable or symbol.kind is SymbolKind.LOOP or is_local(symbol):
                        passing = chooses and isinstance(node, ast.IncDec)  # some threads need not come to it
                        found[symbol].append(Given(place.head, None if passing else parts))
        return found

    @cached_property
    def definitions(self) -> list[ast.Node]:
        """What immutable names stand for, in source order."""
        made = (given(node) for place in self.deciding.placed for node in self._own(place.node))
        return [
            value
            for name, _, value in filter(None, made)
            if value is not None and (symbol := self.model.uses.get(name)) is not None and not symbol.mutable
        ]

    @cached_property
    def declared(self) -> dict[ast.Node, tuple[ast.Node, ...]]:
        """What stands around the declaration of each variable."""
        kinds = (ast.ScalarInit, ast.AssignPart, ast.BufferName)
        return {
            node: place.chain
            for place in self.deciding.placed
            for node in self._own(place.node)
            if isinstance(node, kinds)
        }

    @staticmethod
    def _own(stmt: ast.Node) -> Iterator[ast.Node]:
        """A statement and all below it, but for its bodies."""
        yield stmt
        for child in children(stmt):
            if not isinstance(child, ast.Block):
                yield from walk(child)

    def _gives(self, node: ast.Node) -> Iterator[tuple[Symbol, tuple[ast.Node, ...] | None]]:
        if (one := given(node)) is not None:
            name, _, value = one
            if (symbol := self.model.uses.get(name)) is not None:
                yield symbol, () if value is None else (value,)
        if isinstance(node, ast.BufferName) and node.fill is not None and (symbol := self.model.uses.get(node.name)):
            yield symbol, (node.fill,)
        if isinstance(node, ast.Range):
            for each in (node.name, node.local):
                if each is not None and (symbol := self.model.uses.get(each)) is not None:
                    yield symbol, tuple(part for part in (node.lo, node.step) if part is not None)
        for target, parts in self._fills(node):
            yield from ((symbol, parts) for symbol in self.roots.of_node(target) if is_local(symbol))

    def _fills(self, node: ast.Node) -> Iterator[tuple[ast.Node, tuple[ast.Node, ...] | None]]:
        """The data that a node writes, or may write, and of what."""
        match node:
            case ast.AssignPart(target=ast.Name()):
                pass
            case ast.AssignPart(target=target, value=value):
                yield target, (value, *self.indices(target))
            case ast.Call(kind=kind, args=args) if kind != "atomic":
                for arg in args:
                    view = self.model.views.get(arg)
                    if isinstance(arg, ast.AddressOf):
                        yield arg.operand, None
                    elif view is not None and view.element is None:
                        yield arg, None
            case _:
                yield from ((target, None) for target in filled(node))

    def indices(self, node: ast.Node) -> tuple[ast.Node, ...]:
        """What says which element or part a reference names."""
        view = self.model.views.get(node)
        if view is None:
            return ()
        ops = (part for op in view.ops for part in (*op.args, *op.strides, *op.step, *op.at))
        return (*view.slots, *ops, *(view.element or ()))


def is_local(symbol: Symbol) -> bool:
    """Whether each thread has a buffer of its own."""
    return isinstance(symbol.type, Data) and symbol.type.storage is Storage.LOCAL


class Uniformity:
    """Sameness for the threads of each of some parts of the block. `alike`: the levels whose indices have one value in
    each part."""

    def __init__(self, facts: Facts, parts: Sequence[Mask], alike: frozenset[Level]) -> None:
        self.facts, self.parts, self.alike = facts, parts, alike
        self.model = facts.model
        self._held: dict[Symbol, Sameness] = dict.fromkeys(facts.given, Sameness.SAME)
        self._known: dict[ast.Node, Sameness] = {}
        self._settle()

    def _settle(self) -> None:
        """Assumes that each variable is the same everywhere, and takes that back until nothing contradicts it."""
        for _ in range(_MOST_ROUNDS):
            before = dict(self._held)
            self._known.clear()
            for value in self.facts.definitions:
                self.of(value)  # in their order, so that none is looked up through all the ones before
            for symbol, ways in self.facts.given.items():
                self._held[symbol] = min([self._held[symbol], *(self._way(symbol, way) for way in ways)])
            if before == self._held:
                return
        self._held = dict.fromkeys(self._held, Sameness.DATA)
        self._known.clear()

    def _way(self, symbol: Symbol, way: Given) -> Sameness:
        if symbol in self.facts.unknown or way.parts is None:
            return Sameness.DATA
        own = self._declared_in(symbol, way.place)
        return min(map(self.of, (*way.parts, *self.facts.deciding.before(way.place, own))), default=Sameness.SAME)

    def _declared_in(self, symbol: Symbol, place: Placed) -> tuple[ast.Node, ...]:
        """What stands around the declaration of a variable: whoever has it came through that."""
        if symbol.kind is SymbolKind.LOOP:
            return place.chain
        first = self.facts.declared.get(symbol.decl, ())
        return first if place.chain[: len(first)] == first else ()

    def of(self, node: ast.Node, depth: int = 0) -> Sameness:
        """How same a value is."""
        found = self._known.get(node)
        if found is None:
            found = Sameness.DATA if depth > _MAX_DEPTH else self._of(node, depth + 1)
            if found is Sameness.DIFFERS and self._agrees(node):
                found = Sameness.SAME
            self._known[node] = found
        return found

    def _agrees(self, node: ast.Node) -> bool:
        """Whether indices of threads come to the same all the same, as `t / 32` does in a warp."""
        numbers = None if self.facts.lanes is None else self.facts.lanes.numbers(node)
        return numbers is not None and self._in_each_part(numbers)

    def _in_each_part(self, numbers: Numbers) -> bool:
        for part in self.parts:
            bits, first = part, None
            while bits:
                thread = (bits & -bits).bit_length() - 1
                if first is not None and numbers[thread] != first:
                    return False
                first = numbers[thread]
                bits &= bits - 1
        return True

    def _of(self, node: ast.Node, depth: int) -> Sameness:
        match node:
            case ast.Name():
                return self._name(node, depth)
            case ast.Builtin(args=args):
                return self._least(args, depth)
            case ast.Select(index=index, options=options):
                return self._least((index, *options), depth)
            case ast.Chain():
                return self._chain(node, depth)
        if isinstance(node, _OF_SHAPES):
            return Sameness.SAME
        return self._least(children(node), depth) if isinstance(node, _MADE_OF_PARTS) else Sameness.DATA

    def _least(self, nodes: Sequence[ast.Node], depth: int) -> Sameness:
        return min((self.of(each, depth) for each in nodes), default=Sameness.SAME)

    def _name(self, node: ast.Name, depth: int) -> Sameness:
        symbol = self.model.uses.get(node)
        if symbol is None or symbol in self.facts.unknown:
            return Sameness.DATA
        level = self.facts.levels.get(symbol)
        if level is not None:
            return Sameness.SAME if level in self.alike else Sameness.DIFFERS
        if symbol.kind is SymbolKind.LOOP:
            return self._held.get(symbol, Sameness.SAME)
        if symbol.kind in _STEADY and not symbol.mutable:
            return Sameness.SAME
        if symbol.mutable or symbol.decl not in self.facts.nodes:  # what comes from the host all threads are given
            return self._held.get(symbol, Sameness.SAME)
        value = defining_value(symbol)
        return Sameness.DATA if value is None else self.of(value, depth)

    def _chain(self, node: ast.Chain, depth: int) -> Sameness:
        """An element of memory, or a member of a shape."""
        view = self.model.views.get(node)
        if view is None or view.element is None:
            return self._shape(node, depth)
        least = self._least(self.facts.indices(node), depth)
        roots = self.facts.roots.of_node(node)
        if not roots:
            return Sameness.DATA
        return min(least, *(self._buffer(root, least) for root in roots))

    def _buffer(self, symbol: Symbol, index: Sameness) -> Sameness:
        """What the elements of a buffer are, where the index is as given."""
        if is_local(symbol):
            return Sameness.DATA if symbol in self.facts.unknown else self._held.get(symbol, Sameness.DATA)
        kept = isinstance(symbol.type, Data) and symbol.type.storage is not Storage.SHARED
        return Sameness.SAME if kept and index is Sameness.SAME and symbol not in self.facts.written else Sameness.DATA

    def _shape(self, node: ast.Chain, depth: int) -> Sameness:
        """`x.span(0)`: extents are of sizes alone, whatever they are of."""
        if node in self.model.values:
            return Sameness.SAME
        symbol = self.model.uses.get(node.base) if isinstance(node.base, ast.Name) else None
        if symbol is None or isinstance(symbol.type, Data):
            return Sameness.DATA
        parts = [part for suffix in node.suffixes for part in children(suffix)]
        return min(self.of(node.base, depth), self._least(parts, depth))
