"""A kernel's body as a step program: structure and control. Must not run it; statements proper stand beside it.

Loops in which nothing happens are left out; a loop whose iterations only touch the same slots again runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from croqc.flow.arrivals import Arrivals, Slot
from croqc.flow.exprs import Expr, apply, const, var
from croqc.flow.joins import joins_on_exit
from croqc.flow.lower_buffers import Buffers
from croqc.flow.lower_exprs import Exprs
from croqc.flow.ops_data import Commit, Copy, Multiply, Name, Touch
from croqc.flow.ops_events import Declare
from croqc.flow.paths import Path
from croqc.flow.program import (
    Branch,
    End,
    Enter,
    Event,
    Fail,
    Fork,
    Join,
    Jump,
    Loop,
    LoopNext,
    LoopStart,
    Meet,
    Op,
    Program,
    Set,
)
from croqc.sema.masks import UNIT_THREADS
from croqc.sema.model import Kernel, Model, Symbol
from croqc.sema.nesting import statements
from croqc.sema.types import Event as EventType
from croqc.syntax import ast
from croqc.syntax.visit import walk
from croqc.text.span import Span

Handler = Callable[["Lowering", Any], None]
_QUIET = (Touch, Name, Commit)


def lower(
    model: Model,
    kernel: Kernel,
    paths: tuple[Path, ...],
    arrivals: Mapping[Slot, Arrivals],
    table: Mapping[type, Handler],
) -> Program:
    """The program of one kernel. `table` holds the statements that are not control."""
    return Lowering(model, kernel, paths, arrivals, table).program


class Lowering:
    """The program while it is made. `loops` and `role` are those around the present place."""

    def __init__(
        self,
        model: Model,
        kernel: Kernel,
        paths: tuple[Path, ...],
        arrivals: Mapping[Slot, Arrivals],
        table: Mapping[type, Handler],
    ) -> None:
        self.model = model
        self.kernel = kernel
        self.paths = paths
        self.program = program = Program()
        self.ops = program.ops
        self.nodes = tuple(walk(kernel.node))
        self.exprs = Exprs(model, self.nodes, program)
        self.buffers = Buffers(model, self.nodes, program, self.exprs)
        self.events: dict[Symbol, Event] = {}
        self.fragments: dict[Symbol, int] = {}
        self.loops: tuple[Loop, ...] = ()
        self.role: ast.InThreads | None = None
        self.inside = False  # of what the block's paths run, not of the block's own flow
        self.jumps: list[tuple[list[Jump], list[Jump]]] = []
        self.forks: list[tuple[Fork, ast.Parallel, dict[str, Expr]]] = []
        self.handlers: dict[type, Handler] = {**_CONTROL, **table}
        self.blocks = prod(extent.const or 1 for extent in kernel.cluster)
        self._declare_events(arrivals)
        self._assertions()
        self._kernel()

    def _kernel(self) -> None:
        node = self.kernel.node
        program = self.program
        program.divided = len(self.paths) == 1 or _divides(self.model, node)
        self.inside = program.divided
        for axis in node.axes:
            self._place(axis)
        self.block(node.body)
        self.emit(End(Span(node.span.end - 1, node.span.end)))
        for fork, inner, atoms in self.forks:
            fork.entry = len(self.ops)
            self.inside, self.loops, self.exprs.atoms = True, fork.loops, atoms
            self._parallel_body(inner)
            self.emit(End(Span(inner.span.end - 1, inner.span.end)))

    def _place(self, axis: ast.Axis) -> None:
        for name in axis.names:
            self.exprs.of(name)

    def _declare_events(self, arrivals: Mapping[Slot, Arrivals]) -> None:
        for node, around in statements(self.kernel.node.body):
            if not isinstance(node, ast.EventDecl):
                continue
            for one in node.names:
                symbol = self.model.uses.get(one.name)
                if symbol is None or not isinstance(symbol.type, EventType):
                    continue
                slots = prod(symbol.type.array)
                known = (arrivals.get((symbol, slot)) for slot in range(slots))
                found = tuple(0 if each is None else each.count for each in known)
                event = Event(symbol, len(self.events), slots, found, symbol.type.ready, one.name.span)
                event.fresh = any(isinstance(outer, ast.Foreach | ast.While) for outer in around.chain)
                self.events[symbol] = event
                self.program.events.append(event)
        for inner in self.nodes:
            if isinstance(inner, ast.Copy) and inner.event is not None:
                self._tag(inner.event)
            elif isinstance(inner, ast.Trigger) and inner.after:
                for ref in inner.refs:
                    self._tag(ref)

    def _tag(self, ref: ast.Expr) -> None:
        event = self.event_of(ref)
        if event is not None:
            event.tx = True

    def event_of(self, ref: ast.Node) -> Event | None:
        while isinstance(ref, ast.Chain | ast.Paren):
            ref = ref.base if isinstance(ref, ast.Chain) else ref.inner
        symbol = self.model.uses.get(ref) if isinstance(ref, ast.Name) else None
        return self.events.get(symbol) if symbol is not None else None

    def _assertions(self) -> None:
        """What the host asserts of the sizes."""
        for node, around in statements(self.model.function.body):
            if isinstance(node, ast.Assert) and around.on_host:
                holds = self.exprs.of(node.cond)
                sizes = {size.var for size in self.program.sizes}
                if holds.known and holds.variables() <= sizes:
                    self.program.asserts.append(holds)

    # --- emitting ---------------------------------------------------------------------------------

    def emit(self, op: Op) -> Op:
        op.role = self.role
        self.ops.append(op)
        return op

    def block(self, body: ast.Block) -> None:
        for stmt in body.stmts:
            self.stmt(stmt)

    def stmt(self, node: ast.Node) -> None:
        handler = self.handlers.get(type(node))
        if handler is not None:
            handler(self, node)

    def note(self, span: Span, text: str) -> None:
        self.program.notes.append((span, text))

    def reads(self, *nodes: ast.Node) -> None:
        """The references to stages in expressions, as a step of their own."""
        found = [operand for node in nodes for operand in self.buffers.reads_in(node)]
        if found:
            self.emit(Touch(nodes[0].span, found, (), self.loops))

    # --- structure --------------------------------------------------------------------------------

    def parallel(self, node: ast.Parallel) -> None:
        for axis in node.axes:
            self._place(axis)
        if self.inside or not _divides(self.model, node):
            self._parallel_body(node)
            return
        fork = Fork(node.span, self.loops)
        self.emit(fork)
        self.forks.append((fork, node, dict(self.exprs.atoms)))
        if joins_on_exit(self.model, node):
            self.emit(Join(node.span, self.loops))

    def _parallel_body(self, node: ast.Parallel) -> None:
        self.block(node.body)

    def region(self, node: ast.InThreads) -> None:
        start = len(self.ops)
        enter = Enter(node, self.loops)
        self.emit(enter)
        outer, self.role = self.role, self.role or node
        self.block(node.body)
        self.role = outer
        enter.target = len(self.ops)
        if len(self.ops) == start + 1:
            del self.ops[start:]
        if not node.is_async and outer is None and len(self.paths) > 1 and self.inside:
            self.emit(Meet(node.span, self.loops))

    def branch(self, node: ast.If) -> None:
        self.reads(node.cond)
        start = len(self.ops)
        test = Branch(node.cond.span, self.exprs.of(node.cond), self.loops)
        self.emit(test)
        self.block(node.then)
        over: Jump | None = None
        if node.other is not None:
            over = Jump(node.span)
            self.emit(over)
        test.target = middle = len(self.ops)
        if node.other is not None:
            self.block(node.other)
        if over is not None:
            over.target = len(self.ops)
        body = [op for op in self.ops[start + 1 :] if op is not over]
        test.split = len(self.ops) > middle or not all(isinstance(op, _QUIET) for op in body)
        if not body:
            del self.ops[start:]
        elif not test.expr.known and all(isinstance(op, Touch) for op in body):
            for op in body:
                op.maybe = True
            del self.ops[start:]
            self.ops += body

    # --- loops ------------------------------------------------------------------------------------

    def foreach(self, node: ast.Foreach) -> None:
        self._nest([*node.bindings, *node.ranges], node)

    def _nest(self, parts: list[ast.Binding | ast.Range], node: ast.Foreach) -> None:
        if not parts:
            self.jumps.append(([], []))
            self.block(node.body)
            return
        part, rest = parts[0], parts[1:]
        bounds = self._bounds(part)
        self._loops(bounds, lambda: self._nest(rest, node), innermost=not rest)

    def _bounds(self, part: ast.Binding | ast.Range) -> list[tuple[str, str, Expr, Expr, Expr, Span]]:
        """(name, atom, low, high, step, place) of each loop that a binding or range makes."""
        one = const(1)
        if isinstance(part, ast.Binding):
            symbols = [(name, self.model.uses.get(name)) for name in part.names]
            return [
                (
                    name.id,
                    symbol.atom if symbol else "",
                    const(0),
                    self._bound(symbol, part.extent),
                    one,
                    part.extent.span,
                )
                for name, symbol in symbols
            ]
        symbol = self.model.uses.get(part.name)
        low = const(0) if part.lo is None else self.exprs.of(part.lo)
        high = self._bound(symbol, part.name)
        if part.hi is not None:
            high = apply("+", high, self.exprs.of(part.hi))
        step = one if part.step is None else self.exprs.of(part.step)
        name = (part.local or part.name).id
        return [(name, symbol.atom if symbol else "", low, high, step, part.span)]

    def _bound(self, symbol: Symbol | None, node: ast.Node) -> Expr:
        found = self.exprs.bound(symbol) if symbol is not None else None
        return self.exprs.of(node) if found is None else found

    def _loops(
        self,
        bounds: list[tuple[str, str, Expr, Expr, Expr, Span]],
        body: Callable[[], None],
        innermost: bool,
    ) -> None:
        if not bounds:
            body()
            return
        name, atom, low, high, step, span = bounds[0]
        number, limit = self.exprs.new(name), self.exprs.new(f"#{name}")
        loop = Loop(name, number, limit, low, high, step, span, self.loops, self.role)
        before = self.exprs.atoms.get(atom)
        self.exprs.atoms[atom] = var(number)
        start = len(self.ops)
        head = LoopStart(loop)
        self.emit(head)
        self.loops = (*self.loops, loop)
        self._loops(bounds[1:], body, innermost)
        self.loops = loop.outer
        if before is None:
            del self.exprs.atoms[atom]
        else:
            self.exprs.atoms[atom] = before
        self._close(loop, head, start, innermost and len(bounds) == 1)

    def _close(self, loop: Loop, head: LoopStart, start: int, catches: bool) -> None:
        """Ends a loop: as it is, drawn together, or left out."""
        leaves, goes_on = self.jumps.pop() if catches else ([], [])
        body = self.ops[start + 1 :]
        if not any(not isinstance(op, Set | Jump) for op in body) and not self._changes(body):
            del self.ops[start:]
            return
        if not leaves and not goes_on and _is_repetition(loop, body):
            self._draw_together(loop, head, start, body)
            return
        last = LoopNext(loop)
        last.start = start + 1
        for jump in goes_on:
            jump.target = len(self.ops)
        self.emit(last)
        head.target = len(self.ops)
        for jump in leaves:
            jump.target = len(self.ops)
        self.program.loops.append(loop)

    def _changes(self, body: list[Op]) -> bool:
        return any(isinstance(op, Set) for op in body)

    def _draw_together(self, loop: Loop, head: LoopStart, start: int, body: list[Op]) -> None:
        """One pass for all iterations, if there are any."""
        self.program.drawn.append(loop)
        for op in body:
            op.loops = tuple(outer for outer in op.loops if outer is not loop)
        low, high = loop.low.const, loop.high.const
        if low is not None and high is not None and low < high:
            del self.ops[start]
            for op in body:
                if isinstance(op, Branch | Jump | Enter):
                    op.target -= 1
            return
        test = Branch(loop.span, apply("<", loop.low, loop.high), loop.outer)
        test.role = self.role
        self.ops[start] = test
        test.target = len(self.ops)

    def loop_while(self, node: ast.While) -> None:
        start = len(self.ops)
        self.reads(node.cond)
        test = Branch(node.cond.span, self.exprs.of(node.cond), self.loops)
        test.split = True
        self.emit(test)
        self.jumps.append(([], []))
        self.block(node.body)
        leaves, goes_on = self.jumps.pop()
        if all(isinstance(op, Branch) for op in self.ops[start:]):
            del self.ops[start:]
            return
        again = Jump(node.span)
        again.target = start
        self.emit(again)
        test.target = len(self.ops)
        for jump in leaves:
            jump.target = len(self.ops)
        for jump in goes_on:
            jump.target = start

    def jump(self, node: ast.Jump) -> None:
        if node.word == "yield":
            self.emit(End(node.span, leaves=True))
        elif self.jumps:
            jump = Jump(node.span)
            self.emit(jump)
            self.jumps[-1][0 if node.word == "break" else 1].append(jump)

    # --- declarations -----------------------------------------------------------------------------

    def event_decl(self, node: ast.EventDecl) -> None:
        for one in node.names:
            symbol = self.model.uses.get(one.name)
            event = self.events.get(symbol) if symbol is not None else None
            if event is not None and event.fresh:
                self.emit(Declare(one.span, event, self.loops))

    def scalar_decl(self, node: ast.ScalarDecl) -> None:
        for init in node.inits:
            if init.value is None:
                continue
            self.reads(init.value)
            symbol = self.model.uses.get(init.name)
            if symbol in self.exprs.changing and symbol is not None:
                self.emit(Set(init.span, self.exprs.slot(symbol), self.exprs.of(init.value), self.loops))

    def buffer_decl(self, node: ast.BufferDecl) -> None:
        for one in node.names:
            symbol = self.model.uses.get(one.name)
            whole = self.buffers.whole(symbol, one) if symbol is not None and one.fill is not None else None
            if whole is not None:
                self.emit(Touch(one.span, (), (whole,), self.loops))

    def error(self, node: ast.Node) -> None:
        self.emit(Fail(node.span, "it cannot be read"))


def _is_repetition(loop: Loop, body: list[Op]) -> bool:
    """Whether all iterations do the same to the same slots, so that one says all."""
    reads = writes = False
    for op in body:
        if any(loop.var in expr.variables() for expr in op.exprs()):
            return False
        if isinstance(op, Copy):
            if op.asynchronous or op.event is not None or op.handle >= 0:
                return False
            writes = True
        elif isinstance(op, Multiply):
            if op.handle >= 0:
                return False
            reads = reads or not op.ends
        elif isinstance(op, Touch):
            writes = writes or bool(op.writes)
        elif not isinstance(op, Name | Commit | Branch | Jump):
            return False
    return not (reads and writes)


def _divides(model: Model, node: ast.Parallel) -> bool:
    return any(model.levels.get(axis) in UNIT_THREADS for axis in node.axes)


_CONTROL: dict[type, Handler] = {
    ast.Block: Lowering.block,
    ast.Parallel: Lowering.parallel,
    ast.With: lambda lowering, node: lowering.block(node.body),
    ast.Foreach: Lowering.foreach,
    ast.If: Lowering.branch,
    ast.While: Lowering.loop_while,
    ast.InThreads: Lowering.region,
    ast.Jump: Lowering.jump,
    ast.EventDecl: Lowering.event_decl,
    ast.ScalarDecl: Lowering.scalar_decl,
    ast.BufferDecl: Lowering.buffer_decl,
    ast.ErrorStmt: Lowering.error,
}
