"""Control steps: assignments, branches, loops, regions, forks and barriers. Must not know events or buffers."""

from __future__ import annotations

from collections.abc import Sequence

from croqc.flow.exprs import DATA, VARIES, Expr, UndecidedError, Value, closure
from croqc.flow.limit import NEVER_ENDS
from croqc.flow.program import ForeignError, Loop
from croqc.flow.state import PathState
from croqc.flow.steps import Step, Walk
from croqc.syntax import ast
from croqc.text.span import NOWHERE, Span

_MOST_TURNS = 1000  # of a loop that never ends


class Set(Step):
    """Gives a variable its value."""

    __slots__ = ("expr", "value", "var")

    def __init__(self, span: Span, var: int, expr: Expr, loops: tuple[Loop, ...] = ()) -> None:
        super().__init__(span, loops)
        self.var = var
        self.expr = expr
        self.value = closure(expr)

    def step(self, machine: Walk, path: PathState) -> bool:
        try:
            value = self.value(path.env)
            path.assign(self.var, value if value is VARIES or value is DATA else int(value))
        except UndecidedError as undecided:  # what stands for a value that is not known
            path.assign(self.var, VARIES if undecided.threads else DATA)
        path.pc += 1
        return True

    def exprs(self) -> Sequence[Expr]:
        return (self.expr,)


class Jump(Step):
    __slots__ = ("target",)

    def __init__(self, span: Span = NOWHERE) -> None:
        super().__init__(span)
        self.target = 0

    def step(self, machine: Walk, path: PathState) -> bool:
        path.pc = self.target
        return True


class Branch(Step):
    """Goes on where the condition holds, to `target` where not. `split`: the parts may run for some threads only."""

    __slots__ = ("expr", "split", "target", "value")

    def __init__(self, span: Span, expr: Expr, loops: tuple[Loop, ...] = ()) -> None:
        super().__init__(span, loops)
        self.expr = expr
        self.value = closure(expr)
        self.split = False
        self.target = 0

    def step(self, machine: Walk, path: PathState) -> bool:
        try:
            holds = bool(self.value(path.env))
        except UndecidedError as undecided:
            if not undecided.threads:
                raise undecided.at(self.span) from undecided
            holds = machine.some_thread(path, self, self.value, self.split)
        path.pc = path.pc + 1 if holds else self.target
        return True

    def exprs(self) -> Sequence[Expr]:
        return (self.expr,)


class Endless(Step):
    """A turn of a loop that nothing ends: others may come to stand still at it, but not much later than at first."""

    __slots__ = ()

    def step(self, machine: Walk, path: PathState) -> bool:
        path.spun[self] = path.spun.get(self, 0) + 1
        if path.spun[self] > _MOST_TURNS:
            raise ForeignError(self.span, NEVER_ENDS)
        path.pc += 1
        return True


class LoopStart(Step):
    __slots__ = ("high", "loop", "low", "target")

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop.span, loop.outer)
        self.loop = loop
        self.low, self.high = closure(loop.low), closure(loop.high)
        self.target = 0

    def step(self, machine: Walk, path: PathState) -> bool:
        try:
            low, high = self.low(path.env) + 0, self.high(path.env) + 0
        except UndecidedError as undecided:
            raise undecided.at(self.span) from undecided
        if low >= high:
            path.pc = self.target
            return True
        path.assign(self.loop.var, low)
        path.assign(self.loop.limit, high)
        path.turns[self.loop] = path.turns.get(self.loop, 0) + 1
        path.pc += 1
        return True

    def exprs(self) -> Sequence[Expr]:
        return (self.loop.low, self.loop.high)


class LoopNext(Step):
    """The end of a loop's body: the next iteration, or on behind it."""

    __slots__ = ("by", "limit", "loop", "start", "steady", "var")

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop.span, loop.outer)
        self.loop = loop
        self.var, self.limit = loop.var, loop.limit
        self.by: Value = closure(loop.step)
        self.steady = None if loop.step.const is None else max(loop.step.const, 1)
        self.start = 0

    def step(self, machine: Walk, path: PathState) -> bool:
        env = path.env
        value = env[self.var] + (self.steady or max(self.by(env), 1))
        if value < env[self.limit]:
            path.assign(self.var, value)
            path.pc = self.start
            path.turns[self.loop] += 1
            if machine.watch is not None:
                machine.watch(path, self.loop)
            if machine.turned is not None:
                machine.turned(path, self.loop)
        else:
            path.pc += 1
        return True


class Enter(Step):
    """A region: paths that do not run it go on at `target`. Who that is was found out before; `cond` is for readers."""

    __slots__ = ("cond", "node", "target")

    def __init__(self, node: ast.InThreads, cond: Expr, loops: tuple[Loop, ...]) -> None:
        super().__init__(node.cond.span, loops)
        self.node = node
        self.cond = cond
        self.target = 0

    def step(self, machine: Walk, path: PathState) -> bool:
        enters = path.regions.get(self.node)
        if enters is None:
            raise self._open(path)
        path.pc = path.pc + 1 if enters else self.target
        return True

    def _open(self, path: PathState) -> UndecidedError:
        """Why it cannot be told whether a path runs it: data decides, or its threads part."""
        try:
            closure(self.cond)(path.env)
        except UndecidedError as undecided:
            return undecided.at(self.span)
        return UndecidedError(self.span, threads=True)


class Fork(Step):
    """The block gives its paths an inner `parallel`, `node`, to run, behind what they still have to do."""

    __slots__ = ("entry", "node")
    WORD = "fork"

    def __init__(self, node: ast.Parallel, loops: tuple[Loop, ...]) -> None:
        super().__init__(node.span, loops)
        self.node = node
        self.entry = 0

    def step(self, machine: Walk, path: PathState) -> bool:
        machine.fork(path, self.node, self.entry)
        path.pc += 1
        return True


class Join(Step):
    """The block waits for its paths."""

    __slots__ = ()
    WORD = "join"

    def step(self, machine: Walk, path: PathState) -> bool:
        if not machine.join(path, self):
            return False
        path.pc += 1
        return True


class Meet(Step):
    """A barrier of all paths of the block."""

    __slots__ = ()
    WORD = "join"

    def step(self, machine: Walk, path: PathState) -> bool:
        if not machine.meet(path, self):
            return False
        path.pc += 1
        return True


class Bar(Step):
    """`__bar_sync` and `__bar_arrive`."""

    __slots__ = ("count", "number", "parts", "waits")
    WORD = "join"

    def __init__(self, span: Span, number: Expr, count: Expr, waits: bool, loops: tuple[Loop, ...]) -> None:
        super().__init__(span, loops)
        self.parts = (number, count)
        self.number, self.count = closure(number), closure(count)
        self.waits = waits

    def step(self, machine: Walk, path: PathState) -> bool:
        if not machine.barriers.bar(path, self, self.number(path.env) + 0, self.count(path.env) + 0, self.waits):
            return False
        path.pc += 1
        return True

    def exprs(self) -> Sequence[Expr]:
        return self.parts


class End(Step):
    """The end of what a path was given; `leaves`: a `yield`, which ends the path for good."""

    __slots__ = ("leaves",)

    def __init__(self, span: Span, leaves: bool = False) -> None:
        super().__init__(span)
        self.leaves = leaves

    def step(self, machine: Walk, path: PathState) -> bool:
        machine.finish(path, self.leaves)
        return False


class Fail(Step):
    """Something that cannot be followed: reaching it ends the analysis of the kernel."""

    __slots__ = ("reason",)

    def __init__(self, span: Span, reason: str) -> None:
        super().__init__(span)
        self.reason = reason

    def step(self, machine: Walk, path: PathState) -> bool:
        raise ForeignError(self.span, self.reason)
