"""A kernel as step programs: control steps, and what a program consists of. Must not run anything by itself.

A program is one list of steps; a path is a position in it and an environment. A step's `step` does its work on the
machine and moves the path on; False means that the path stands still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from croqc.flow.exprs import Expr, UndecidedError, Value, closure
from croqc.sema.model import Symbol
from croqc.syntax import ast
from croqc.text.span import NOWHERE, Span

if TYPE_CHECKING:
    from croqc.flow.machine import Machine
    from croqc.flow.state import PathState


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop that matters: `var` runs from `low` below `high` by `step`. `outer`: the loops around it."""

    name: str
    var: int
    limit: int
    low: Expr
    high: Expr
    step: Expr
    span: Span  # of what says how often it runs
    outer: tuple[Loop, ...]
    role: ast.InThreads | None = None  # the region it stands in


class Op:
    """One step. `loops` are the reader's loops around it, outermost first.

    `together`: the paths of a unit make one access of it; `maybe`: run-time data decides whether it happens.
    """

    __slots__ = ("atomic", "loops", "maybe", "role", "span", "together")
    WORD = ""

    def __init__(self, span: Span, loops: tuple[Loop, ...] = ()) -> None:
        self.span = span
        self.loops = loops
        self.role: ast.InThreads | None = None
        self.maybe = self.together = self.atomic = False

    def step(self, machine: Machine, path: PathState) -> bool:
        raise NotImplementedError

    def exprs(self) -> Sequence[Expr]:
        """The expressions that decide what the step does."""
        return ()


class Set(Op):
    """Gives a variable its value."""

    __slots__ = ("expr", "value", "var")

    def __init__(self, span: Span, var: int, expr: Expr, loops: tuple[Loop, ...] = ()) -> None:
        super().__init__(span, loops)
        self.var = var
        self.expr = expr
        self.value = closure(expr)

    def step(self, machine: Machine, path: PathState) -> bool:
        path.assign(self.var, machine.lenient(self.value, path.env))
        path.pc += 1
        return True

    def exprs(self) -> Sequence[Expr]:
        return (self.expr,)


class Jump(Op):
    __slots__ = ("target",)

    def __init__(self, span: Span = NOWHERE) -> None:
        super().__init__(span)
        self.target = 0

    def step(self, machine: Machine, path: PathState) -> bool:
        path.pc = self.target
        return True


class Branch(Op):
    """Goes on where the condition holds, to `target` where not. `split`: the parts may run for some threads only."""

    __slots__ = ("expr", "split", "target", "value")

    def __init__(self, span: Span, expr: Expr, loops: tuple[Loop, ...] = ()) -> None:
        super().__init__(span, loops)
        self.expr = expr
        self.value = closure(expr)
        self.split = False
        self.target = 0

    def step(self, machine: Machine, path: PathState) -> bool:
        try:
            holds = bool(self.value(path.env))
        except UndecidedError as undecided:
            if not undecided.threads:
                raise UndecidedError(self.span) from undecided
            holds = machine.some_thread(path, self)
        path.pc = path.pc + 1 if holds else self.target
        return True

    def exprs(self) -> Sequence[Expr]:
        return (self.expr,)


class LoopStart(Op):
    __slots__ = ("high", "loop", "low", "target")

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop.span, loop.outer)
        self.loop = loop
        self.low, self.high = closure(loop.low), closure(loop.high)
        self.target = 0

    def step(self, machine: Machine, path: PathState) -> bool:
        try:
            low, high = self.low(path.env) + 0, self.high(path.env) + 0
        except UndecidedError as undecided:
            raise UndecidedError(self.span, undecided.threads) from undecided
        if low >= high:
            path.pc = self.target
            return True
        path.assign(self.loop.var, low)
        path.assign(self.loop.limit, high)
        machine.entered(path, self.loop)
        path.pc += 1
        return True

    def exprs(self) -> Sequence[Expr]:
        return (self.loop.low, self.loop.high)


class LoopNext(Op):
    """The end of a loop's body: the next iteration, or on behind it. Long loops leap where the machine says so."""

    __slots__ = ("by", "loop", "start")

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop.span, loop.outer)
        self.loop = loop
        self.by: Value = closure(loop.step)
        self.start = 0

    def step(self, machine: Machine, path: PathState) -> bool:
        env, var = path.env, self.loop.var
        value = env[var] + max(self.by(env), 1)
        leap = machine.leaps.get(self.loop)
        if leap is not None and value == leap[0]:
            value += leap[1]
        if value < env[self.loop.limit]:
            path.assign(var, value)
            path.pc = self.start
            machine.turned(path, self.loop)
        else:
            path.pc += 1
        return True


class Enter(Op):
    """A region: paths that do not run it go on at `target`."""

    __slots__ = ("node", "target")

    def __init__(self, node: ast.InThreads, loops: tuple[Loop, ...]) -> None:
        super().__init__(node.cond.span, loops)
        self.node = node
        self.target = 0

    def step(self, machine: Machine, path: PathState) -> bool:
        enters = path.regions.get(self.node)
        if enters is None:
            raise UndecidedError(self.span, threads=True)
        path.pc = path.pc + 1 if enters else self.target
        return True


class Fork(Op):
    """The block gives its paths an inner `parallel` to run, behind what they still have to do."""

    __slots__ = ("entry",)
    WORD = "fork"

    def __init__(self, span: Span, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.entry = 0

    def step(self, machine: Machine, path: PathState) -> bool:
        machine.fork(path, self.entry)
        path.pc += 1
        return True


class Join(Op):
    """The block waits for its paths."""

    __slots__ = ()
    WORD = "join"

    def step(self, machine: Machine, path: PathState) -> bool:
        if not machine.join(path, self):
            return False
        path.pc += 1
        return True


class Meet(Op):
    """A barrier of all paths of the block."""

    __slots__ = ()
    WORD = "join"

    def step(self, machine: Machine, path: PathState) -> bool:
        if not machine.meet(path, self):
            return False
        path.pc += 1
        return True


class Bar(Op):
    """`__bar_sync` and `__bar_arrive`."""

    __slots__ = ("count", "number", "parts", "waits")
    WORD = "join"

    def __init__(self, span: Span, number: Expr, count: Expr, waits: bool, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.parts = (number, count)
        self.number, self.count = closure(number), closure(count)
        self.waits = waits

    def step(self, machine: Machine, path: PathState) -> bool:
        if not machine.barriers.bar(path, self):
            return False
        path.pc += 1
        return True

    def exprs(self) -> Sequence[Expr]:
        return self.parts


class End(Op):
    """The end of what a path was given; `leaves`: a `yield`, which ends the path for good."""

    __slots__ = ("leaves",)

    def __init__(self, span: Span, leaves: bool = False) -> None:
        super().__init__(span)
        self.leaves = leaves

    def step(self, machine: Machine, path: PathState) -> bool:
        machine.finish(path, self.leaves)
        return False


class Fail(Op):
    """Something that cannot be followed: reaching it ends the analysis of the kernel."""

    __slots__ = ("reason",)

    def __init__(self, span: Span, reason: str) -> None:
        super().__init__(span)
        self.reason = reason

    def step(self, machine: Machine, path: PathState) -> bool:
        raise ForeignError(self.span, self.reason)


class ForeignError(Exception):
    """The path cannot be followed beyond `span`."""

    def __init__(self, span: Span, reason: str) -> None:
        self.span = span
        self.reason = reason


@dataclass(slots=True, eq=False)
class Event:
    """An event of the program: its slots, the arrival count of each. `tx`: bytes can be bound to it."""

    symbol: Symbol
    number: int
    slots: int
    counts: tuple[int, ...]
    ready: bool
    span: Span
    tx: bool = False
    fresh: bool = False  # declared in a loop: each time another instance


@dataclass(slots=True, eq=False)
class Stage:
    """A buffer of the program: `first` is the number of its first slot; `rows` of each slot, None if not packed."""

    symbol: Symbol
    first: int
    slots: int
    rows: int | None
    slot_bytes: int
    span: Span
    written: bool = False  # holds data before the first step, or is written by what is not followed


@dataclass(slots=True, eq=False)
class Size:
    """A free number of the program: a dimension, an integer parameter, or a block index below `bound`."""

    name: str
    var: int
    least: int | None
    bound: Expr | None = None


@dataclass(slots=True, eq=False)
class Program:
    """`main` is where the block starts; `divided`: there is no block of its own, every path starts there."""

    ops: list[Op] = field(default_factory=list)
    variables: int = 0
    names: dict[int, str] = field(default_factory=dict)
    sizes: list[Size] = field(default_factory=list)
    placed: dict[Symbol, int] = field(default_factory=dict)  # indices inside the block
    loops: list[Loop] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    asserts: list[Expr] = field(default_factory=list)
    notes: list[tuple[Span, str]] = field(default_factory=list)
    handles: dict[int, str] = field(default_factory=dict)
    divided: bool = False
    stage_slots: int = 0
    largest: int = -1  # nodes of the expressions of one step, at most; worked out when it is asked for
    drawn: list[Loop] = field(default_factory=list)  # loops whose body runs once for all iterations
