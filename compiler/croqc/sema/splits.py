"""Conditions over an index of threads and sizes together: do they part the threads of one unit for some sizes?

`bi * 32 + ty < M` holds for all threads of most blocks, and not in the last one. What tells is a case: sizes, a block
and turns of loops for which the threads of one unit go both ways. Must not report; silent where anything is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from croqc.sema.builder import Builder
from croqc.sema.integers import COMPARISONS
from croqc.sema.masks import Mask, Masks, axis_extents, defining_value, mask_of
from croqc.sema.model import Symbol, SymbolKind
from croqc.sema.nesting import Around, in_else
from croqc.sema.rulenames_device import ASSUMED_DIVISIBLE
from croqc.sema.symbolic import Int
from croqc.sema.types import bound_of
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.text.record import record

_SIZES = (33, 1, 100, 65)  # no multiple of a usual tile but by one block more, first what shows it in the second block
_MOST_CASES = 64
_MAX_DEPTH = 40
_UNFOLLOWED = (ast.While, ast.With, ast.Apply)

Case = Mapping[str, Int]
_Way = tuple[ast.If | ast.InThreads, Mask, Mask]  # who comes to it, and whom it lets through


@record
class Split:
    """The condition, and the case in words: "M = 33, bi = 1"; empty where it is always so."""

    condition: ast.If
    case: str


def find_split(builder: Builder, masks: Masks, node: ast.Node, around: Around, size: int) -> Split | None:
    """A case in which a unit of `size` threads goes both ways before `node`; None where none is proved."""
    if any(nodes_of_kind(builder.function, ast.Jump)):
        return None  # who left before is not followed
    for case, ways in _played(builder, masks, node, around, (True, False)):
        for condition, active, taken in ways:
            if isinstance(condition, ast.If) and splits(taken, active, size):
                return Split(condition, case)
    return None


def jumps_apart(builder: Builder, masks: Masks, jump: ast.Jump, around: Around, size: int) -> bool:
    """Whether in some turn a part of a unit comes to a jump: in the first one, or where all take all turns in any."""
    others = nodes_of_kind(builder.function, ast.Jump)
    ends = (True, False) if all(one.word == "continue" for one in others) else (False,)
    for _, ways in _played(builder, masks, jump, around, ends):
        roles = [active & taken for condition, active, taken in ways if isinstance(condition, ast.InThreads)]
        _, active, taken = ways[-1]
        if splits(active & taken, roles[-1] if roles else masks.whole(), size):
            return True
    return False


def _played(
    builder: Builder, masks: Masks, node: ast.Node, around: Around, ends: Sequence[bool]
) -> Iterator[tuple[str, list[_Way]]]:
    """Each case in words, with the regions and conditions in front of `node`: the threads that come to one, and those
    that it lets through. Nothing where anything is unknown, or where no condition tells threads apart."""
    conditions = [one for one in around.chain if isinstance(one, ast.If)]
    if any(isinstance(one, _UNFOLLOWED) or (isinstance(one, ast.Foreach) and one.ranges) for one in around.chain):
        return
    if any(nodes_of_kind(builder.function, ast.Assert)) or any(
        finding.rule == ASSUMED_DIVISIBLE for finding in builder.findings
    ):
        return  # sizes are promised something
    seeker = _Seeker(builder, masks)
    bounds = _bounds(builder, around)
    tests: list[ast.If | ast.InThreads] = [*around.regions, *conditions]
    free = None if bounds is None else seeker.symbols([one.cond for one in tests], bounds)
    if bounds is None or free is None or not any(seeker.tells_threads(one.cond) for one in conditions):
        return
    for case in islice(_cases(free, bounds, ends), _MOST_CASES):
        active = masks.whole()
        ways: list[_Way] = []
        for one in tests:
            mask = seeker.truth(one.cond, case)
            if mask is None:
                return
            if isinstance(one, ast.If) and in_else(one, node):
                mask = masks.whole() & ~mask
            ways.append((one, active, mask))
            active &= mask
        yield _spelled(case, free), ways


def _bounds(builder: Builder, around: Around) -> list[Int] | None:
    """How often each level and loop around a statement turns; None where one is not known."""
    found = [extent for axis in around.axes for extent in axis_extents(builder, axis)]
    for loop in around.chain:
        for binding in loop.bindings if isinstance(loop, ast.Foreach) else ():
            types = [symbol.type for name in binding.names if (symbol := builder.uses.get(name))]
            found += [bound_of(type_) for type_ in types] or [None]
    return None if None in found else [bound for bound in found if bound is not None]


def splits(taken: Mask, active: Mask, size: int) -> bool:
    """Whether some unit of `size` threads has active threads on both sides."""
    stays, goes, unit = active & ~taken, active & taken, (1 << size) - 1
    return any(stays & unit << at and goes & unit << at for at in range(0, active.bit_length(), size))


class _Seeker:
    """Evaluates the conditions of one kernel in all threads, the symbols but those of threads being numbers."""

    def __init__(self, builder: Builder, masks: Masks) -> None:
        self.builder = builder
        self.masks = masks
        self._by_atom = {symbol.atom: symbol for symbol in builder.symbols if symbol.atom}
        self._threads = {item.symbol for item in masks.placements}

    def symbols(self, tests: Sequence[ast.Node], bounds: Sequence[Int]) -> list[Symbol] | None:
        """What a case fixes, each behind those its bound is made of; None where one is not followed."""
        found: list[Symbol] = []
        for value in (*bounds, *(side for test in tests for side in self._values(test, 0))):
            if value is None or not self._add(value, found, 0):
                return None
        return found

    def tells_threads(self, test: ast.Node) -> bool:
        """Whether a condition speaks of an index of the block's threads."""
        atoms = {symbol.atom for symbol in self._threads if symbol is not None}
        return any(value is not None and value.names() & atoms for value in self._values(test, 0))

    def _values(self, node: ast.Node, depth: int) -> Iterator[Int | None]:
        """The two sides of each comparison under a condition; None for what is not understood."""
        match node:
            case _ if depth > _MAX_DEPTH:
                yield None
            case ast.Paren(inner=inner) | ast.Unary(op="!", operand=inner):
                yield from self._values(inner, depth + 1)
            case ast.Binary(op="&&" | "||", left=left, right=right):
                yield from self._values(left, depth + 1)
                yield from self._values(right, depth + 1)
            case ast.Binary(op=op, left=left, right=right) if op in COMPARISONS:
                yield self.builder.values.get(left)
                yield self.builder.values.get(right)
            case ast.Name() if (value := defining_value(self.builder.uses.get(node))) is not None:
                yield from self._values(value, depth + 1)
            case _:
                yield None

    def _add(self, value: Int, found: list[Symbol], depth: int) -> bool:
        for atom in sorted(value.names()):
            symbol = self._by_atom.get(atom)
            if symbol is None or depth > _MAX_DEPTH:
                return False
            if symbol in self._threads or symbol in found:
                continue
            if symbol.kind in (SymbolKind.PARALLEL, SymbolKind.LOOP):
                bound = bound_of(symbol.type)
                if bound is None or not self._add(bound, found, depth + 1):
                    return False
            elif symbol.kind is not SymbolKind.DIMENSION:
                return False
            found.append(symbol)
        return True

    def truth(self, node: ast.Node, case: Case) -> Mask | None:
        """The threads for which a condition holds in a case; `symbols` has seen its form."""
        match node:
            case ast.Paren(inner=inner):
                return self.truth(inner, case)
            case ast.Unary(operand=operand):
                inside = self.truth(operand, case)
                return None if inside is None else self.masks.whole() & ~inside
            case ast.Binary(op="&&" | "||" as op, left=left, right=right):
                first, second = self.truth(left, case), self.truth(right, case)
                if first is None or second is None:
                    return None
                return first & second if op == "&&" else first | second
            case ast.Binary(op=op, left=left, right=right):
                sides = [self.masks.numbers(self.builder.values[side].substitute(case)) for side in (left, right)]
                if sides[0] is None or sides[1] is None:
                    return None
                return mask_of(map(COMPARISONS[op], sides[0], sides[1]))
            case ast.Name() if (value := defining_value(self.builder.uses.get(node))) is not None:
                return self.truth(value, case)
        return None


def _cases(free: Sequence[Symbol], bounds: Sequence[Int], last: Sequence[bool]) -> Iterator[Case]:
    """Sizes that tiles leave a rest of; of each index its `last` value or its first. None in which a loop is empty."""
    sizes = [symbol for symbol in free if symbol.kind is SymbolKind.DIMENSION]
    indices = [symbol for symbol in free if symbol.kind is not SymbolKind.DIMENSION]
    for size in _SIZES if sizes else (0,):
        for ends in product(last, repeat=len(indices)):
            case = {symbol.atom: Int.of(size) for symbol in sizes}
            for symbol, at_end in zip(indices, ends, strict=True):
                bound = bound_of(symbol.type)
                extent = 0 if bound is None else _number(bound, case)
                case[symbol.atom] = Int.of(extent - 1 if at_end else 0)
            if all(_number(bound, case) > 0 for bound in bounds):
                yield case


def _number(value: Int, case: Case) -> int:
    """0 where it stays unknown."""
    return value.substitute(case).const or 0


def _spelled(case: Case, free: Sequence[Symbol]) -> str:
    return ", ".join(f"{symbol.name} = {case[symbol.atom]}" for symbol in free)
