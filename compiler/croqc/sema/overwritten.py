"""Writes of shared elements that threads of another warp may still have to read, with nothing between that makes them
wait: the other way round than `unsynced`.

Plays the statements of each kernel, three turns of each loop and its last, with the elements of every thread: what one
turn reads, the next may write. Only what all threads run, or threads that a condition over their indices alone names,
is followed; whatever may hold threads up counts as a barrier.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from croqc.sema import rulenames_device as rules
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
    loop_names,
    shared_buffer,
    symbols_by_atom,
    units_apart,
    warp_of,
)
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Storage, bound_of
from croqc.syntax import ast
from croqc.syntax.visit import children, nodes_of_kind, shape_of
from croqc.text.diagnostics import Related

_QUIET = (
    ast.Assign, ast.ScalarDecl, ast.ShapeDecl, ast.TupleDecl, ast.If, ast.Foreach, ast.While, ast.With
)  # fmt: skip
_VISITS: Final = 2000  # statements that are played of one kernel
_Touch = tuple[Symbol, ast.Chain, dict[Place, Mask]]


def check_overwritten(builder: Builder) -> None:
    """One warning for each write of what threads of another warp may still have to read."""
    function = builder.function
    jumps = (*nodes_of_kind(function, ast.Jump), *nodes_of_kind(function, ast.Return))
    if jumps:  # who left before is not followed
        return
    parts = nodes_of_kind(function, ast.AssignPart)
    plain = {part.target for part in parts if part.op == "="}
    read = {shared_buffer(builder, chain) for chain in nodes_of_kind(function, ast.Chain) if chain not in plain}
    written = {shared_buffer(builder, part.target) for part in parts}
    followed = {symbol for symbol in read & written if symbol is not None}
    if not followed:
        return
    atoms = symbols_by_atom(builder)
    for node, kernel in builder.masks.items():
        _Play(builder, kernel, atoms, followed).parallel(node)


class _Play:
    """One kernel: `pending` has who read each place since the last barrier, `last` which statement wrote it last."""

    def __init__(
        self, builder: Builder, kernel: Masks, atoms: Mapping[str, Symbol], followed: Collection[Symbol]
    ) -> None:
        self.builder, self.kernel, self.followed = builder, kernel, followed
        self.elements = Elements(builder, kernel, atoms)
        self.active = kernel.whole()
        self.turns: dict[str, Int] = {}  # of the loops around, by the index
        self.loops: list[ast.Foreach] = []
        self.threads = 0  # that the levels around make
        self.each = False  # each thread runs the statement for itself
        self.around: list[ast.Parallel] = []
        self.units: tuple[Mask, ...] = (self.active,)  # see `units_apart`
        self.pending: dict[Symbol, dict[Place, Mask]] = {}
        self.reads: list[_Touch] = []
        self.last: dict[tuple[Symbol, Place], ast.AssignPart] = {}
        self.barriers = self.visits = 0
        self._names: dict[ast.Chain, tuple[str, ...]] = {}
        self._known: dict[tuple[ast.Chain, tuple[Int, ...]], _Touch | None] = {}

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
            match stmt:
                case ast.Block():
                    self._block(stmt)
                case ast.Parallel():
                    self.parallel(stmt)
                case ast.Foreach() if (indices := self._indices(stmt)) is not None:
                    self.loops.append(stmt)
                    self._turns(stmt, indices)
                    self.loops.pop()
                case ast.If() if self.elements.follows(stmt.cond) and (mask := self.kernel.of(stmt.cond)) is not None:
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
        self.pending, self.reads = {}, []
        self.barriers += 1

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
        if not self.each or self.threads != self.kernel.threads:
            return
        parts = node.parts if isinstance(node, ast.Assign) else ()
        plain = {part.target for part in parts if part.op == "="}
        if not chooses(node):
            for chain in nodes_of_kind(node, ast.Chain):
                if chain not in plain and (found := self._places(chain)) is not None:
                    self._read(found)
        for part in parts:
            if isinstance(part.target, ast.Chain) and (found := self._places(part.target)) is not None:
                self._write(found, part)

    def _places(self, chain: ast.Chain) -> _Touch | None:
        """The element that a chain is, and the threads at each place."""
        if shared_buffer(self.builder, chain) not in self.followed:
            return None
        key = chain, tuple(self.turns[atom] for atom in self._loops_of(chain) if atom in self.turns)
        if key not in self._known:
            found = self.elements.at(chain, self.turns)
            self._known[key] = None if found is None else (found.buffer, chain, found.by_place())
        touch = self._known[key]
        if touch is None or self.active == self.kernel.whole():
            return touch
        return touch[0], chain, {place: mask & self.active for place, mask in touch[2].items() if mask & self.active}

    def _loops_of(self, chain: ast.Chain) -> tuple[str, ...]:
        """The symbols that the indices of an element are made of."""
        if chain not in self._names:
            values = (self.builder.values.get(node) for suffix in chain.suffixes for node in children(suffix))
            self._names[chain] = tuple(
                sorted({atom for value in values if value is not None for atom in value.names()})
            )
        return self._names[chain]

    def _read(self, found: _Touch) -> None:
        self.reads.append(found)
        known = self.pending.setdefault(found[0], {})
        for place, mask in found[2].items():
            known[place] = known.get(place, 0) | mask

    def _write(self, found: _Touch, part: ast.AssignPart) -> None:
        buffer, chain, made = found
        known = self.pending.get(buffer, {})
        for place, writers in made.items():
            readers = known.get(place, 0)
            if readers and self._is_open(readers, writers) and not self._is_there(part, self.last.get((buffer, place))):
                self._report(buffer, chain, place, writers)
                break
        self.last.update(dict.fromkeys(((buffer, place) for place in made), part))

    def _is_open(self, readers: Mask, writers: Mask) -> bool:
        """Whether some thread reads and one of another warp writes, and nothing that units wait for is between them."""
        return any(_in_two_warps(readers & unit, writers & unit) for unit in self.units)

    def _report(self, buffer: Symbol, chain: ast.Chain, place: Place, writers: Mask) -> None:
        masks = ((node, made.get(place, 0)) for name, node, made in reversed(self.reads) if name is buffer)
        read = next(node for node, mask in masks if self._is_open(mask, writers))
        related = Related("other threads may still have to read it here", read.span)
        self.builder.report(rules.UNSYNCED_WRITE, chain.span, (related,), name=buffer.name)

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


def _in_two_warps(readers: Mask, writers: Mask) -> bool:
    if not readers or not writers:
        return False
    own = warp_of((writers & -writers).bit_length() - 1)
    return bool(readers & ~own or writers & ~own)


def _is_quiet(node: ast.Node) -> bool:
    """Whether nothing of a statement that is not followed holds a thread up."""
    if not isinstance(node, _QUIET) or calls_out(node):
        return False
    return all(isinstance(inner, _QUIET) for inner, _ in statements(node))
