"""Long loops of a fixed number of turns: turns that are known to do the same again are left out of a run.

Two equal joint states, with every index and counter between the same constants that it is held against, mean that
what lies between them goes on until one of them comes to the next constant or the end of its loop. Up to a few turns in
front of that the run is moved on at once, its generations and counters with it: what is told of later turns is as if
all had been run. Must not judge.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import lcm

from croqc.flow.counters import grows
from croqc.flow.courses import course
from croqc.flow.exprs import COMPARE, FLOOR, Env, Expr, UndecidedError, closure, const
from croqc.flow.instances import refs_of
from croqc.flow.joint_state import JointState, State, state_cost
from croqc.flow.machine import Machine
from croqc.flow.ops_control import Fork, Set
from croqc.flow.ops_data import Touch
from croqc.flow.ops_multiplies import Multiply, Name
from croqc.flow.pieces import parts_of_slots
from croqc.flow.program import BrokenOffError, Loop, Op, Program
from croqc.flow.state import EventSlot, PathState

_FARTHEST = 1 << 80  # values of a counter
_SHORT = 64  # turns of a loop that are run anyway


@dataclass(frozen=True, slots=True)
class Telling:
    """How a variable can be told: by its remainder and by which of the `marks` it has come to."""

    modulus: int
    marks: tuple[int, ...]

    def part(self, value: int) -> int:
        return bisect_right(self.marks, value)

    def room(self, value: int, by: int) -> int:
        """How often a value can be moved by so much until it comes near the next mark."""
        at = self.part(value)
        near = 3 * self.modulus + 2
        if by > 0:
            return (self.marks[at] - value - near) // by if at < len(self.marks) else _FARTHEST
        return (value - self.marks[at - 1] - near) // -by if at else _FARTHEST


@dataclass(slots=True)
class _Moment:
    """What a run has come to, as numbers."""

    envs: list[Env]
    turns: list[dict[Loop, int]]
    completed: dict[EventSlot, int]
    waits: list[dict[EventSlot, int]]
    steady: list[dict[EventSlot, int]]

    @classmethod
    def of(cls, machine: Machine) -> _Moment:
        paths = machine.paths
        return cls(
            [path.keep() for path in paths],
            [dict(path.turns) for path in paths],
            {slot: slot.completed for slot in machine.slots()},
            [dict(path.waits) for path in paths],
            [dict(path.steady) for path in paths],
        )


@dataclass(slots=True)
class _Stretch:
    """The turns of one path between two marks: the states they began in."""

    part: int
    states: dict[State, _Moment] = field(default_factory=dict)


class Leaps(JointState):
    """Watches the turns of one run's long loops. Not for a run that is recorded: its story is told turn by turn."""

    def __init__(self, machine: Machine, tellings: Mapping[int, Telling], long: frozenset[Loop]) -> None:
        super().__init__(machine)
        self.tellings = tellings
        self.long = long
        self.stretches: dict[tuple[int, Loop], _Stretch] = {}
        self.giving = {loop for op in machine.program.ops if isinstance(op, Fork) for loop in op.loops}

    def reduced(self, number: int, value: int) -> object:
        telling = self.tellings.get(number)
        return value if telling is None else (value % telling.modulus, telling.part(value))

    def turn(self, path: PathState, loop: Loop) -> None:
        """The begin of a turn after the first one."""
        if loop not in self.long:
            return
        value, telling = path.env[loop.var], self.tellings[loop.var]
        stretch = self.stretches.get((path.number, loop))
        if stretch is None or stretch.part != telling.part(value):
            stretch = self.stretches[path.number, loop] = _Stretch(telling.part(value))
        if telling.room(value, 1) < 6 * telling.modulus:
            return
        if len(stretch.states) > 8 * telling.modulus + _SHORT:
            self._break_off()  # what is wrong drifts on and on
            return
        waiting = tuple(len(each.jobs) for each in self.machine.paths)
        if loop in self.giving and any(waiting):
            return  # what they wait to do was given to them with the indices of then
        state = (waiting, *self.state())
        self.spend()
        before = stretch.states.get(state)
        if before is None:
            stretch.states[state] = _Moment.of(self.machine)
        elif self._leap(before):
            stretch.states.clear()
            self.machine.leapt = True
        else:
            stretch.states[state] = _Moment.of(self.machine)  # a nearer one may do

    def _break_off(self) -> None:
        """Raises BrokenOffError if it is known that something is wrong."""
        if any(fault.kind != "guarded" for fault in self.machine.faults.values()):
            raise BrokenOffError

    def _leap(self, before: _Moment) -> bool:
        """Goes on as from `before` to now, as often as there is room for."""
        if self._is_overrun(before):
            self._break_off()
            return False
        moves: list[tuple[PathState, int, int]] = []
        times = _FARTHEST
        for path, env in zip(self.machine.paths, before.envs, strict=True):
            for number in self.tellings.keys() & self.kept if path.idle else self.tellings:
                now, then = path.env[number], env[number]
                if isinstance(now, int) and isinstance(then, int) and now != then:
                    moves.append((path, number, now - then))
                    times = min(times, self.tellings[number].room(now, now - then))
        if times < 1 or times == _FARTHEST or self._comes_round(before):
            return False
        given = {loop.var for loop in self.giving}
        if any(path.jobs for path in self.machine.paths) and any(number in given for _, number, _ in moves):
            return False
        for path, number, by in moves:
            path.assign(number, path.env[number] + times * by)
        self._count(before, times)
        return True

    def _is_overrun(self, before: _Moment) -> bool:
        """Whether who waits for a slot that moves is more than a generation behind: it is to wait for those that were
        completed in turns which would be left out."""
        moved = [slot for slot in self.machine.slots() if slot.completed != before.completed.get(slot, 0)]
        return any(
            slot.completed - path.waits[slot] > 1 for slot in moved for path in self.machine.paths if slot in path.waits
        )

    def _comes_round(self, before: _Moment) -> bool:
        """Whether an index is farther than its turns since then: the loop was begun anew."""
        for path, env, turns in zip(self.machine.paths, before.envs, before.turns, strict=True):
            for loop in () if path.idle else self.long:
                moved = path.env[loop.var], env[loop.var]
                gone = path.turns.get(loop, 0) - turns.get(loop, 0)
                if gone and isinstance(moved[1], int) and moved[0] - moved[1] not in (0, gone * (loop.step.const or 1)):
                    return True
        return False

    def _count(self, before: _Moment, times: int) -> None:
        for slot in self.machine.slots():
            more = times * (slot.completed - before.completed.get(slot, 0))
            if more:
                late = (path.number for path in self.machine.paths if slot not in path.waits)
                slot.late = dict.fromkeys(late, len(slot.clocks)) | slot.late
            slot.completed += more
            slot.skipped += more
        for path, turns, waits, steady in zip(
            self.machine.paths, before.turns, before.waits, before.steady, strict=True
        ):
            path.turns = {loop: count + times * (count - turns.get(loop, 0)) for loop, count in path.turns.items()}
            path.waits = {slot: count + times * (count - waits.get(slot, 0)) for slot, count in path.waits.items()}
            path.steady = {slot: count + times * (count - steady.get(slot, 0)) for slot, count in path.steady.items()}


# --- what can be left out -------------------------------------------------------------------------


def run(machine: Machine) -> Machine:
    """Runs a machine, without the turns of long loops that can be left out. Raises ExhaustedError."""
    leaps = leaps_of(machine)
    machine.turned = None if leaps is None else leaps.turn
    try:
        return machine.run()
    finally:
        machine.turned = None


def leaps_of(machine: Machine) -> Leaps | None:
    """None where no loop is long, or where it cannot be told when its turns do the same. A loop whose turns come again
    later than the budget lets states be written down is run as it is."""
    program = machine.program
    long = {loop for loop in program.loops if _length(loop) > _SHORT}
    if not long or machine.record is not None or any(event.fresh for event in program.events):
        return None
    tellings = _Tellings(program, machine.sizes).of(long)
    most = machine.budget // state_cost(machine.width)
    followed = frozenset(loop for loop in long if loop.var in tellings and tellings[loop.var].modulus <= most)
    return Leaps(machine, tellings, followed) if followed else None


def _length(loop: Loop) -> int:
    low, high, step = loop.low.const, loop.high.const, loop.step.const
    return 0 if low is None or high is None or step is None or step < 1 else (high - low) // step


class _Tellings:
    """How the indices of long loops and the counters can be told, at given sizes."""

    def __init__(self, program: Program, sizes: Mapping[int, int]) -> None:
        self.program = program
        self.sizes = sizes
        self.env: Env = [0] * program.variables
        for var, value in sizes.items():
            self.env[var] = value

    def of(self, long: set[Loop]) -> dict[int, Telling]:
        ends = {loop.var: (loop.low.const or 0, loop.high.const or 0) for loop in long}
        given = [op for op in self.program.ops if isinstance(op, Set)]
        counters = {op.var for op in given if op.loops and grows(op)}
        counters -= {op.var for op in given if op.loops and not grows(op)}
        moduli = dict.fromkeys((*ends, *counters), 1)
        marks: dict[int, set[int]] = {var: {*ends.get(var, ())} for var in moduli}
        for op in self.program.ops:
            orders = {id(ref.index): 2 * ref.event.slots for ref in refs_of(op) if ref.ordered}
            for expr in (*op.exprs(), *parts_of_slots(op), *_further(op)):
                for var in expr.variables() & moduli.keys():
                    modulus = self._modulus(op, expr, var, orders.get(id(expr)))
                    met = None if modulus is None else self._marks(expr, var)
                    if modulus is None or met is None:
                        del moduli[var]
                    else:
                        moduli[var] = lcm(moduli[var], modulus)
                        marks[var] |= met
        return {var: Telling(modulus, tuple(sorted(marks[var]))) for var, modulus in moduli.items()}

    def _modulus(self, op: Op, expr: Expr, var: int, order: int | None) -> int | None:
        """When the same comes again; None where the value itself matters."""
        way = course(expr, var)
        if way.period is not None:
            return way.period
        if order is not None:
            return way.scale * order
        return way.scale if isinstance(op, Set) else None

    def _marks(self, expr: Expr, var: int) -> set[int] | None:
        """The values from which on a comparison, or the sign of what is divided, is another one."""
        found: set[int] = set()
        for part in expr.walk():
            if var not in part.variables():
                continue
            if part.op in COMPARE:
                left, right = part.args
            elif part.op == "cut" or (part.op in ("/", "%") and part.value != FLOOR):
                left, right = part.args[0], const(0)
            else:
                continue
            met = self._crossing(left, right, var)
            if met is None:
                return None
            found |= met
        return found

    def _crossing(self, left: Expr, right: Expr, var: int) -> set[int] | None:
        """From which values on `left` has come to, and is past, `right`."""
        if course(left, var).period is not None and course(right, var).period is not None:
            return set()
        ways = _direction(left, var), _direction(right, var)
        others = (left.variables() | right.variables()) - {var}
        if None in ways or ways[0] == ways[1] or 0 not in ways or not others <= self.sizes.keys():
            return None
        sign = (ways[0] or 0) - (ways[1] or 0)
        gap = _gap(left, right, var, self.env, sign)
        try:
            return {_first(lambda value: gap(value) >= 0), _first(lambda value: gap(value) > 0)}
        except UndecidedError:
            return None


def _further(op: Op) -> Iterator[Expr]:
    """What else a step evaluates: where the part that a name stands for lies, which accumulator of an array."""
    if isinstance(op, Name):
        for extent in (extent for one in op.operand.each() for extent in one.extents()):
            yield from (expr for expr in (extent.low, extent.length) if expr is not None)
    closes = op.closes if isinstance(op, Touch) else (op.accumulator,) if isinstance(op, Multiply) else ()
    yield from (expr for each in closes for expr in each.index)


def _gap(left: Expr, right: Expr, var: int, env: Env, sign: int) -> Callable[[int], int]:
    def gap(value: int) -> int:
        env[var] = value
        found = sign * (closure(left)(env) - closure(right)(env))
        env[var] = 0
        return int(found)

    return gap


def _first(holds: Callable[[int], bool]) -> int:
    """The first value at which something holds that goes on holding."""
    low, high = -_FARTHEST, _FARTHEST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _direction(expr: Expr, var: int) -> int | None:
    """1 for a value that never falls as a variable grows, -1 for one that never rises, 0 without it, else None."""
    if var not in expr.variables():
        return 0
    ways = [_direction(arg, var) for arg in expr.args]
    if expr.op == "v":
        return 1
    if None in ways:
        return None
    by = expr.args[-1].const
    match expr.op:
        case "+":
            return ways[0] or ways[1] if 0 in ways or ways[0] == ways[1] else None
        case "-":
            return ways[0] or -(ways[1] or 0) if 0 in ways else None
        case "neg":
            return -(ways[0] or 0)
        case "*" if (factor := next((arg.const for arg in expr.args if arg.const is not None), None)) is not None:
            return (ways[0] or ways[1] or 0) * (1 if factor > 0 else -1) if factor else None
        case "/" | "cdiv" if by is not None and by > 0:
            return ways[0]
    return None
