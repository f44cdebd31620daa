"""Where the accesses of a run lie: which elements of their slot, and under which conditions. Must not judge.

What a part comes to is found once a program, as each run asks for the same again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

from croqc.flow.elements import Elements, Moving, block, touched
from croqc.flow.exprs import Env, Expr, UndecidedError, closure, const
from croqc.flow.literals import Literals, Reader
from croqc.flow.machine import Machine
from croqc.flow.program import Program, Stage
from croqc.flow.regions import Extent, Operand
from croqc.flow.state import Access
from croqc.sema.masks import members
from croqc.sema.types import Data

_LARGEST = 1 << 20  # elements of a slot: more than shared memory has


@dataclass(slots=True)
class _Known:
    """What was found of a program's parts, and of what moves them."""

    parts: dict[tuple[object, ...], tuple[Elements, bool]] = field(default_factory=dict)
    moving: dict[tuple[object, ...], Moving] = field(default_factory=dict)
    literals: dict[tuple[object, ...], Literals] = field(default_factory=dict)
    alias: dict[int, int] = field(default_factory=dict)  # indices that number threads alike


@lru_cache(maxsize=4)
def _known(program: Program) -> _Known:
    return _Known()


def slot_shape(stage: Stage) -> tuple[int, ...]:
    """The extents of one slot; empty where they are not constant, or too large for a slot."""
    extents = _extents(stage)
    own = extents if stage.rows is None or not extents else (stage.rows, *extents[1:])
    return own if prod(own) <= _LARGEST else ()


@lru_cache(maxsize=16)
def _extents(stage: Stage) -> tuple[int, ...]:
    """Those of the buffer."""
    data = stage.symbol.type
    assert isinstance(data, Data)
    known = tuple(extent.const for extent in data.shape if extent.const is not None)
    return known if len(known) == len(data.shape) else ()


@lru_cache(maxsize=16)
def all_of(shape: tuple[int, ...]) -> Elements:
    return block(shape, shape)


def _is_single(extent: Extent) -> bool:
    return extent.length is not None and extent.length.const == 1


def _now(exprs: Iterable[Expr], env: Env) -> Iterator[object]:
    """The values of what expressions speak of."""
    return (env[var] for expr in exprs for var in sorted(expr.variables()))


class Places:
    """Of one run that has come to its end."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        program = machine.program
        self.known = _known(program)
        self.same = {size.var: size for size in program.sizes}
        self.turns = tuple(self._turns())
        if not self.known.alias:
            meant: dict[tuple[int, int], int] = {}
            for one in machine.setting.placements:
                if (var := None if one.symbol is None else program.placed.get(one.symbol)) is not None:
                    self.known.alias[var] = meant.setdefault((one.unit, one.bound), var)

    def elements(self, access: Access) -> tuple[Elements, bool]:
        """The elements of its slot that an access touches if all of its threads do, and whether these are all; else
        they are at least those."""
        operand, stage = access.operand, access.operand.stage
        assert stage is not None
        shape, exact = slot_shape(stage), operand.exact(access.env)
        if operand.whole and exact:
            return all_of(shape), True
        if operand.index is not None and operand.whole:
            return self._slots(access, operand.index, stage)
        if not self.is_said(access):
            return all_of(shape), False
        found, sure = self._found(access.operand, access.env, self.moving(access), stage)
        size = prod(shape)
        if stage.rows is not None:
            found >>= (access.slot - stage.first) * size
        return found & all_of(shape), sure and (exact or stage.rows is not None)

    def _slots(self, access: Access, index: Expr, stage: Stage) -> tuple[Elements, bool]:
        """All of the slot, if some thread or turn names it."""
        everything = all_of(slot_shape(stage))
        found, sure = touched((Extent(index, const(1)),), (stage.slots,), None, access.env, self.moving(access))
        named = found >> access.slot - stage.first & 1
        return everything if named or not sure else 0, sure

    @staticmethod
    def is_said(access: Access) -> bool:
        """Whether something says where a part lies."""
        operand = access.operand
        shape = () if operand.stage is None else _extents(operand.stage)
        return len(operand.part) == len(shape) or operand.laid is not None

    def literals(self, access: Access) -> Literals:
        """The conditions that hold for who touches each of the elements."""
        op, operand, env = access.op, access.operand, access.env
        if not op.guards:
            return frozenset()
        sides = (side for each in operand.extents() for side in (each.low, each.length) if side is not None)
        exprs = [*sides, *(expr for expr, _ in op.guards)]
        now = _now(exprs, env) if all(expr.known for expr in exprs) else env
        key = op, operand, access.path, self.moving(access).who, access.unknown, *now
        found = self.known.literals.get(key)
        if found is None:
            found = self.known.literals[key] = self._reader(access).literals(op.guards, op.ASKED)
        return found

    def part(self, access: Access) -> object | None:
        """Equal for accesses that touch the same elements, whichever these are; None where that is not known."""
        operand = access.operand
        if not operand.exact(access.env):
            return None
        if operand.whole:
            return operand.whole
        if not self.is_said(access):
            return None
        extents = operand.extents() if operand.laid is None else operand.laid.part
        sides = [side for each in extents for side in (each.low, each.length) if side is not None]
        found = self._reader(access).same_part(sides) if len(sides) == 2 * len(extents) else None
        if found is None or operand.laid is None:
            return found
        return None if operand.laid.base.const is None else (found, operand.laid.base.const, operand.laid.shape)

    def _reader(self, access: Access) -> Reader:
        operand, moving = access.operand, self.moving(access)
        base = None if operand.laid is None else operand.laid.base
        shape: object = None if operand.laid is None else (operand.laid.base.const, operand.laid.shape)
        fixed = base is None or base.const is not None  # else equal places behind it are not the same elements
        place = [(one.low, fixed and _is_single(one)) for one in operand.extents() if one.low is not None]
        over = {var: (min(column), max(column)) for var, column in moving.threads.items()}
        over |= {var: (turns[0], turns[-1]) for var, turns in self.turns if turns}
        who = access.path, access.op.only, shape, len(place) == len(operand.extents()) or access
        return Reader(place, shape, access.env, self.same, over, self.known.alias, who, access.unknown)

    def moving(self, access: Access) -> Moving:
        """What moves the part while it is touched once."""
        paths, only = self.machine.setting.paths, access.op.only
        path = paths[access.path] if access.path < len(paths) else None
        numbers = path.numbers if path is not None and path.thread_count else None
        key = numbers, only, self.turns
        found = self.known.moving.get(key)
        if found is None:
            some = members(only or 0) if numbers is None else numbers
            if only is not None:
                some = [thread for thread in some if only >> thread & 1]
            found = self.known.moving[key] = self._moving(some, key)
        return found

    def _moving(self, some: Sequence[int], who: object) -> Moving:
        placed = self.machine.program.placed
        places = [one for one in self.machine.setting.placements if one.symbol in placed] if some else []
        columns = ((placed[one.symbol], one.values(max(some) + 1)) for one in places if one.symbol)
        threads = {var: [values[thread] for thread in some] for var, values in columns}
        ranges = {var: range(min(column), max(column) + 1) for var, column in threads.items()}
        several = [column for var, column in threads.items() if len(ranges[var]) > 1]
        free = not several or len(set(zip(*several, strict=True))) == prod(map(len, ranges.values()))
        return Moving(threads, dict(self.turns) | (ranges if free else {}), who)

    def _found(self, operand: Operand, env: Env, moving: Moving, stage: Stage) -> tuple[Elements, bool]:
        exprs = (expr for one in operand.extents() for expr in (one.low, one.length) if expr is not None)
        key = operand, moving.who, *_now(exprs, env)
        found = self.known.parts.get(key)
        if found is None:
            if operand.laid is not None and not operand.part:
                found = touched(operand.laid.part, operand.laid.shape, operand.laid.base, env, moving)
            else:
                found = touched(operand.part, _extents(stage), None, env, moving)
            self.known.parts[key] = found
        return found

    def _turns(self) -> Iterator[tuple[int, range]]:
        """The indices of loops that were drawn together, between bounds that do not move."""
        program = self.machine.program
        env: Env = [0] * program.variables
        for var, value in self.machine.sizes.items():
            env[var] = value
        for loop in (*program.drawn, *program.applied):
            if not loop.low.variables() | loop.high.variables() <= self.machine.sizes.keys():
                continue
            try:
                low, high = int(closure(loop.low)(env)), int(closure(loop.high)(env))
            except UndecidedError:
                continue
            if loop.step.const is not None and loop.step.const > 0:
                yield loop.var, range(low, high, loop.step.const)
