"""Plays the statements of a kernel, with the elements of common memory that every thread touches, for what orders them.

Three turns of each loop and its last: what one turn reads or writes, the next may touch. Only what all threads run, or
threads that a condition of indices and sizes names, is followed; whatever may hold threads up counts as a barrier. Must
not report: those who watch do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Protocol

from croqc.sema.branches import Branches
from croqc.sema.builder import Builder
from croqc.sema.intervals import bounds
from croqc.sema.masks import Mask, Masks, place_axis
from croqc.sema.model import Symbol
from croqc.sema.nesting import statements
from croqc.sema.shared_elements import (
    Elements,
    Place,
    calls_out,
    chooses,
    common_buffer,
    loop_names,
    units_apart,
)
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Storage, bound_of
from croqc.syntax import ast
from croqc.syntax.visit import children, nodes_of_kind, shape_of
from croqc.text.record import record

_QUIET = (
    ast.Assign, ast.ScalarDecl, ast.ShapeDecl, ast.TupleDecl, ast.If, ast.Foreach, ast.While, ast.With
)  # fmt: skip
_VISITS: Final = 2000  # statements that are played of one kernel


@record
class Touch:
    """An element that threads touch in one turn: who at each place."""

    buffer: Symbol
    node: ast.Chain
    made: Mapping[Place, Mask]


class Watcher(Protocol):
    """Who is told, in order. `units` are the parts of the block that may be in different turns, see `units_apart`."""

    def barrier(self) -> None: ...
    def read(self, touch: Touch, units: Sequence[Mask]) -> None: ...
    def write(self, touch: Touch, again: Collection[Place], units: Sequence[Mask]) -> None:
        """`again`: the places at which the same value stands already."""


class Play:
    """One kernel. `followed`: the buffers of interest; `last` has which statement wrote each place last."""

    def __init__(
        self,
        builder: Builder,
        kernel: Masks,
        atoms: Mapping[str, Symbol],
        followed: Collection[Symbol],
        watchers: Sequence[Watcher],
    ) -> None:
        self.builder, self.kernel, self.followed, self.watchers = builder, kernel, followed, watchers
        self.elements = Elements(builder, kernel, atoms)
        self.branches = Branches(self.elements)
        self.active = kernel.whole()
        self.turns: dict[str, Int] = {}  # of the loops around, by the index
        self.loops: list[ast.Foreach] = []
        self.threads = 0  # that the levels around make
        self.each = False  # each thread runs the statement for itself
        self.around: list[ast.Parallel] = []
        self.units: tuple[Mask, ...] = (self.active,)  # see `units_apart`
        self.last: dict[tuple[Symbol, Place], ast.AssignPart] = {}
        self.barriers = self.visits = 0
        self._names: dict[ast.Chain, tuple[str, ...]] = {}
        self._known: dict[tuple[ast.Chain, tuple[Int, ...]], Touch | None] = {}

    # --- what a kernel is made of -----------------------------------------------------------------

    def parallel(self, node: ast.Parallel) -> None:
        outer = self.threads, self.each, self.units
        self.around.append(node)
        self.units = units_apart(self.builder, self.around, self.kernel.threads)
        placed = [item for axis in node.axes for item in place_axis(self.builder, axis)]
        self.threads = max(self.threads, *(item.unit * item.bound for item in placed), 0)
        self.each = self.each or any(item.unit == 1 for item in placed)
        self._barrier()
        self._block(node.body)
        self._barrier()
        self.around.pop()
        self.threads, self.each, self.units = outer

    def _block(self, block: ast.Block) -> None:
        for stmt in block.stmts:
            self.visits += 1
            if self.visits > _VISITS:
                return
            if isinstance(stmt, ast.If):
                self._read(stmt.cond)
            match stmt:
                case ast.Block():
                    self._block(stmt)
                case ast.Parallel():
                    self.parallel(stmt)
                case ast.Foreach() if not _jumps(stmt) and (indices := self._indices(stmt)) is not None:
                    self.loops.append(stmt)
                    self._turns(stmt, indices)
                    self.loops.pop()
                case ast.If() if (mask := self.branches.taken(stmt.cond, self.turns)) is not None:
                    self._branches(stmt, mask)
                case ast.Assign() | ast.ScalarDecl():
                    self._touch(stmt)
                case _ if not _is_quiet(stmt):
                    self._barrier()

    def _branches(self, node: ast.If, mask: Mask) -> None:
        outer = self.active
        for body, taken in ((node.then, mask), (node.other, ~mask)):
            self.active = outer & taken
            if body is not None:
                self._block(body)
        self.active = outer

    def _barrier(self) -> None:
        self.barriers += 1
        for watcher in self.watchers:
            watcher.barrier()

    # --- loops ------------------------------------------------------------------------------------

    def _indices(self, node: ast.Foreach) -> list[tuple[str, Int]] | None:
        """The indices of a loop whose turns are the same for all threads, each with its bound; outermost first."""
        found: list[tuple[str, Int]] = []
        for name in loop_names(node):
            symbol = self.builder.uses.get(name)
            bound = None if symbol is None else bound_of(symbol.type)
            if symbol is None or not symbol.atom or bound is None:
                return None
            found.append((symbol.atom, bound))
        return found if found and self.elements.turns_alike(node) else None

    def _turns(self, node: ast.Foreach, indices: list[tuple[str, Int]]) -> None:
        """Turns 0 to 2 and the last one: behind a barrier of the body, what stands open is of that turn alone."""
        if not indices:
            self._block(node.body)
            return
        (atom, bound), *rest = indices
        count = bound.substitute(self.turns)
        most = bounds(count, self.builder.intervals)[1]
        if count.const is None and most is not None and most < 2:
            self._barrier()  # turns that may not come
            return
        before, turns = self.barriers, count.const
        if turns is None:
            turns = 3 if most is None else min(most, 3)
        for turn in sorted({0, 1, 2, turns - 1}):
            if turn < turns:
                if turn > 2 and self.barriers > before:
                    self._barrier()
                self.turns[atom] = Int.of(turn)
                self._turns(node, rest)
        self.turns.pop(atom, None)

    # --- reads and writes -------------------------------------------------------------------------

    def _touch(self, node: ast.Assign | ast.ScalarDecl) -> None:
        if calls_out(node):
            self._barrier()
            return
        parts = node.parts if isinstance(node, ast.Assign) else ()
        self._read(node, {part.target for part in parts if part.op == "="})
        for part in parts:
            if isinstance(part.target, ast.Chain) and (touch := self._element(part.target)) is not None:
                self._write(touch, part)

    def _read(self, node: ast.Node, written: Collection[ast.Node] = ()) -> None:
        if chooses(node):
            return
        for chain in nodes_of_kind(node, ast.Chain):
            if chain not in written and (touch := self._element(chain)) is not None:
                for watcher in self.watchers:
                    watcher.read(touch, self.units)

    def _element(self, chain: ast.Chain) -> Touch | None:
        """The element that a chain is, and the threads at each place."""
        by_all = self.each and self.threads == self.kernel.threads
        if not by_all or common_buffer(self.builder, chain) not in self.followed:
            return None
        key = chain, tuple(self.turns[atom] for atom in self._loops_of(chain) if atom in self.turns)
        if key not in self._known:
            found = self.elements.at(chain, self.turns)
            self._known[key] = None if found is None else Touch(found.buffer, chain, found.by_place())
        touch = self._known[key]
        if touch is None or self.active == self.kernel.whole():
            return touch
        made = {place: mask & self.active for place, mask in touch.made.items() if mask & self.active}
        return Touch(touch.buffer, chain, made)

    def _loops_of(self, chain: ast.Chain) -> tuple[str, ...]:
        """The symbols that the indices of an element are made of."""
        if chain not in self._names:
            values = (self.builder.values.get(node) for suffix in chain.suffixes for node in children(suffix))
            self._names[chain] = tuple(
                sorted({atom for value in values if value is not None for atom in value.names()})
            )
        return self._names[chain]

    def _write(self, touch: Touch, part: ast.AssignPart) -> None:
        keys = {(touch.buffer, place): place for place in touch.made}
        again = {place for key, place in keys.items() if self._is_there(part, self.last.get(key))}
        for watcher in self.watchers:
            watcher.write(touch, again, self.units)
        self.last.update(dict.fromkeys(keys, part))

    def _is_there(self, part: ast.AssignPart, last: ast.AssignPart | None) -> bool:
        """Whether a statement writes what the last one has written to the same place."""
        if last is part:
            return self._says_the_same(part)
        return last is not None and last.op == part.op == "=" and _same_number(last.value, part.value)

    def _says_the_same(self, part: ast.AssignPart) -> bool:
        """Whether a statement writes the same value in each turn of the loops around."""
        if part.op != "=" or not self.loops:
            return False
        span = self.loops[0].span
        symbols = [self.builder.uses.get(name) for name in nodes_of_kind(part.value, ast.Name)]
        return all(
            one is not None
            and not one.mutable
            and not _changes(one)
            and not span.start <= one.name_span.start < span.end
            for one in symbols
        )


def _same_number(first: ast.Node, second: ast.Node) -> bool:
    """Whether two values are written alike, and of literals alone."""
    return not any(nodes_of_kind(first, ast.Name)) and shape_of(first) == shape_of(second)


def _changes(symbol: Symbol) -> bool:
    return isinstance(symbol.type, Data) and symbol.type.storage in (Storage.SHARED, Storage.LOCAL)


def _jumps(node: ast.Node) -> bool:
    """Whether a thread may leave a loop or a turn of it before the others: that is not followed."""
    return any(nodes_of_kind(node, ast.Jump))


def _is_quiet(node: ast.Node) -> bool:
    """Whether nothing of a statement that is not followed holds a thread up."""
    if not isinstance(node, _QUIET) or calls_out(node):
        return False
    return all(isinstance(inner, _QUIET) for inner, _ in statements(node))
