"""Stage buffers that a program treats alike: what holds for one holds for the others, so that one is run for all.

The operands of a multiply are mostly such twins: filled one after the other, read together, given back together. A run
in which anything is wrong is none to go by: then all of them are run, to tell the story. Must not run anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from enum import Enum

from croqc.flow.exprs import Expr
from croqc.flow.guarded import Guarded
from croqc.flow.machine import Machine
from croqc.flow.ops_control import Branch, Enter, Fork, Jump, LoopNext, LoopStart, Set
from croqc.flow.ops_data import Copy, Dest, Touch
from croqc.flow.ops_multiplies import Accumulator, Multiply, Name
from croqc.flow.program import Op, Program, Stage
from croqc.flow.regions import Operand
from croqc.flow.run import Setting
from croqc.flow.signature import spell

_LONGEST = 64  # nodes of an expression that is compared


class _Kind(Enum):
    READ = "read"
    WRITE = "write"
    NAME = "name"


def without_twins(setting: Setting) -> Setting | None:
    """The same with one of each set of twins alone, step for step at the same place; None if there are no twins."""
    program = setting.program
    found = _Twins(program)
    extra = found.extra()
    if not extra:
        return None
    return replace(setting, program=replace(program, ops=_without(program, extra, found.meant)))


def shows_nothing(machine: Machine) -> bool:
    """Whether a run without twins is none to go by."""
    if machine.faults or machine.undecided is not None or machine.accesses.unclear is not None:
        return True
    return bool(machine.stuck())


class _Twins:
    """What is done with each stage, in order. A part of the program in which nothing but data is touched is a segment:
    nobody can tell in which order different stages are touched there.

    `meant`: by step and operand, the operand itself or, behind the name of a tile, the one that is named. `alone`:
    stages that are left as they are. `sums`: by accumulator, the stages that go into it, which number theirs anew.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.moving = {loop.var for loop in program.loops}
        self.moving |= {op.var for op in program.ops if isinstance(op, Set)}
        self.meant: dict[tuple[int, Operand], Operand] = {}
        self.alone: set[Stage] = set()
        self.sums: dict[int, dict[Stage, int]] = {}
        self.simple = [_is_simple(op) for op in program.ops]
        self.segments = self._segments()
        self._resolve()

    def _segments(self) -> list[int]:
        """The number of the segment of each step."""
        ends = {place for op in self.program.ops for place in _targets(op)}
        found, number = [], 0
        for place, simple in enumerate(self.simple):
            if place in ends or not simple or not self.simple[place - 1]:
                number += 1
            found.append(number)
        return found

    def _resolve(self) -> None:
        """Which stage each operand means. What a name got in another segment is not followed."""
        names: dict[int, Operand] = {}
        named: dict[int, set[Stage]] = {}
        lost: set[int] = set()
        for place, op in enumerate(self.program.ops):
            if self.segments[place] != self.segments[place - 1]:
                names = {}
            for operand, _ in _accesses(op):
                if not self.simple[place]:
                    self.alone |= {one.stage for one in operand.each() if one.stage is not None}
                    lost |= {one.alias for one in operand.each()}
                elif operand.alias < 0 or operand.alias in names:
                    self.meant[place, operand] = names.get(operand.alias, operand)
                else:
                    lost.add(operand.alias)
            if isinstance(op, Name):
                names[op.alias] = op.operand
                named.setdefault(op.alias, set()).update({op.operand.stage} if op.operand.stage else ())
                lost |= set() if self.simple[place] else {op.alias}
        self.alone = self.alone.union(*(named.get(alias, ()) for alias in lost))

    def extra(self) -> frozenset[Stage]:
        """The stages for which another one stands."""
        done: dict[Stage, list[object]] = {stage: [] for stage in self.program.stages}
        self._number_sums()
        for place, op in enumerate(self.program.ops):
            segment = self.segments[place]
            for accumulator in op.closes if isinstance(op, Touch) else ():
                for stage, number in self.sums.get(accumulator.number, {}).items():
                    done[stage].append((segment, number, _element(accumulator)))
            for operand, kind in _accesses(op):
                meant = self.meant.get((place, operand))
                if meant is not None and meant.stage is not None:
                    done[meant.stage].append((segment, kind, *self._about(op, operand, meant, meant.stage)))
        first: dict[object, Stage] = {}
        extra = set()
        for stage, acts in done.items():
            if acts and stage not in self.alone and stage.first not in self.program.partly:
                alike = first.setdefault((stage.slots, stage.rows, stage.written, *acts), stage)
                extra |= {stage} - {alike}
        return frozenset(extra)

    def _number_sums(self) -> None:
        counts: dict[Stage, int] = {}
        for (place, _), meant in self.meant.items():
            op, stage = self.program.ops[place], meant.stage
            if isinstance(op, Multiply) and not op.ends and stage is not None:
                own = self.sums.setdefault(op.accumulator.number, {})
                if stage not in own:
                    own[stage] = counts[stage] = counts.get(stage, -1) + 1

    def _about(self, op: Op, operand: Operand, meant: Operand, stage: Stage) -> tuple[object, ...]:
        """How something is done with a stage."""
        where = self._where(meant)
        if where is None or (
            not meant.whole and _Kind.WRITE in {kind for each, kind in _accesses(op) if each is operand}
        ):
            self.alone.add(stage)
        sums: object = None
        if isinstance(op, Multiply) and not op.ends:
            sums = self.sums[op.accumulator.number][stage], _element(op.accumulator)
        return where, sums, operand is meant, isinstance(op, Guarded), op.together, op.atomic, op.maybe, op.loops

    def _where(self, operand: Operand) -> tuple[object, ...] | None:
        """What says which slot is meant, and where in it as far as that moves; None if that is too much to compare."""
        deciding = [*operand.exprs(), *(each.low for each in operand.extents() if self._moves(each.low))]
        if any(expr is not None and expr.size > _LONGEST for expr in deciding):
            return None
        rows = None if operand.rows is None else operand.rows[1]
        return (rows, len(operand.exprs()), *(spell(expr) for expr in deciding if expr is not None))

    def _moves(self, expr: Expr | None) -> bool:
        return expr is not None and not expr.variables().isdisjoint(self.moving)


def _element(accumulator: Accumulator) -> int:
    """Elements of an array of accumulators are told apart by where they are named."""
    return id(accumulator) if accumulator.index else 0


def _targets(op: Op) -> Iterator[int]:
    """Where a step may go on, beside the next one."""
    match op:
        case Jump() | Branch() | LoopStart() | Enter():
            yield op.target
        case LoopNext():
            yield op.start
        case Fork():
            yield op.entry


def _is_simple(op: Op) -> bool:
    """Whether a step does nothing but touch parts of stages, named as such or by an `mma.load`."""
    match op:
        case Copy():
            if op.asynchronous or op.event is not None or op.handle >= 0 or op.follows >= 0:
                return False
        case Multiply():
            if op.handle >= 0:
                return False
        case Touch() | Name():
            pass
        case _:
            return False
    return all(_is_plain(operand) for operand, _ in _accesses(op))


def _is_plain(operand: Operand) -> bool:
    if operand.choice is not None or operand.handle >= 0:
        return False
    return operand.stage is not None or operand.alias >= 0


def _accesses(op: Op) -> list[tuple[Operand, _Kind]]:
    """What a step names, in the order in which it does so."""
    match op:
        case Touch():
            return [*((each, _Kind.READ) for each in op.reads), *((each, _Kind.WRITE) for each in op.writes)]
        case Multiply():
            return [(each, _Kind.READ) for each in op.operands]
        case Name():
            return [(op.operand, _Kind.NAME)]
        case Copy():
            sides = ((op.source, _Kind.READ), (op.dest.operand, _Kind.WRITE))
            return [(each, kind) for each, kind in sides if each is not None]
    return []


# --- the rest ---------------------------------------------------------------------------------------


def _without(program: Program, extra: frozenset[Stage], meant: Mapping[tuple[int, Operand], Operand]) -> list[Op]:
    """The steps without what they do to some stages; where nothing is left, a jump over all such steps."""
    found: list[Op] = []
    for place, op in enumerate(program.ops):
        named = [operand for operand, _ in _accesses(op)]
        kept = [operand for operand in named if meant.get((place, operand), operand).stage not in extra]
        found.append(op if len(kept) == len(named) else _only(op, kept))
    behind = len(found)
    for place in range(len(found) - 1, -1, -1):
        op = found[place]
        if op is not program.ops[place] and isinstance(op, Jump):
            op.target = behind
        else:
            behind = place
    return found


def _only(op: Op, kept: list[Operand]) -> Op:
    """The step with those operands alone."""
    if not kept and not (isinstance(op, Touch) and op.closes):
        return Jump(op.span)
    found = copy(op)
    match found:
        case Touch():
            found.reads = tuple(each for each in found.reads if each in kept)
            found.writes = tuple(each for each in found.writes if each in kept)
        case Multiply():
            found.operands = tuple(kept)
        case Copy():
            found.source = found.source if found.source in kept else None
            found.dest = found.dest if found.dest.operand in kept else Dest()
    return found
