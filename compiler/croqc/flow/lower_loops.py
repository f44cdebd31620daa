"""Loops of a kernel as steps. Must not know other statements.

Loops in which nothing happens are left out; a loop whose iterations only touch the same slots again runs once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from croqc.flow.counting import Counting
from croqc.flow.ending import never_ends, surely_ends
from croqc.flow.exprs import Expr, apply, const, var
from croqc.flow.lower_exprs import Exprs
from croqc.flow.ops_control import Branch, End, Endless, Enter, Jump, LoopNext, LoopStart, Set
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.ops_multiplies import Commit, Multiply, Name
from croqc.flow.program import Loop, Op, Program
from croqc.flow.steps import Step
from croqc.sema.masks import Mask
from croqc.sema.model import Model, Symbol
from croqc.sema.symbolic import Int
from croqc.syntax import ast
from croqc.text.span import Span


class Builder(ABC):
    """A program while it is made. `loops`, `role`, `top`, `only` and `guards` (see `Op`) are those around the present
    place."""

    def __init__(
        self, model: Model, nodes: tuple[ast.Node, ...], whiles: Mapping[ast.While, Counting], wide: bool
    ) -> None:
        self.model = model
        self.nodes = nodes
        self.program = Program()
        self.ops = self.program.ops
        self.exprs = Exprs(model, nodes, self.program, whiles, wide)
        self.loops: tuple[Loop, ...] = ()
        self.role: ast.InThreads | None = None
        self.top: ast.Parallel | None = None
        self.only: Mask | None = None
        self.guards: tuple[tuple[Expr, bool], ...] = ()

    def emit(self, op: Step) -> Step:
        op.role, op.top, op.only, op.guards = self.role, self.top, self.only, self.guards
        self.ops.append(op)
        return op

    @abstractmethod
    def block(self, body: ast.Block) -> None:
        """The steps of each statement of a body."""

    @abstractmethod
    def reads(self, *nodes: ast.Node) -> None:
        """The references to stages in expressions, as a step of their own."""


class Loops:
    """Makes the loops of one program. `jumps`: of each loop around, those that leave it and those that go on."""

    def __init__(self, lowering: Builder) -> None:
        self.lowering = lowering
        self.jumps: list[tuple[list[Jump], list[Jump]]] = []

    def foreach(self, node: ast.Foreach) -> None:
        self._nest([*node.bindings, *node.ranges], node)

    def _nest(self, parts: list[ast.Binding | ast.Range], node: ast.Foreach) -> None:
        if not parts:
            self.jumps.append(([], []))
            self.lowering.block(node.body)
            return
        part, rest = parts[0], parts[1:]
        bounds = self._bounds(part)
        self._loops(bounds, lambda: self._nest(rest, node), innermost=not rest)

    def _bounds(self, part: ast.Binding | ast.Range) -> list[tuple[str, str, Expr, Expr, Expr, Span]]:
        """(name, atom, low, high, step, place) of each loop that a binding or range makes."""
        one = const(1)
        if isinstance(part, ast.Binding):
            symbols = [(name, self.lowering.model.uses.get(name)) for name in part.names]
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
        symbol = self.lowering.model.uses.get(part.name)
        low = const(0) if part.lo is None else self.lowering.exprs.of(part.lo)
        high = self._bound(symbol, part.name)
        if part.hi is not None:
            high = apply("+", high, self.lowering.exprs.of(part.hi))
        step = one if part.step is None else self.lowering.exprs.of(part.step)
        name = (part.local or part.name).id
        return [(name, symbol.atom if symbol else "", low, high, step, part.span)]

    def _bound(self, symbol: Symbol | None, node: ast.Node) -> Expr:
        found = self.lowering.exprs.bound(symbol) if symbol is not None else None
        if found is None and isinstance(node, ast.ShapeLit) and len(node.items) == 1:
            return self.lowering.exprs.of(node.items[0])  # without a normal form, as `?:` is
        return self.lowering.exprs.of(node) if found is None else found

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
        number, limit = self.lowering.exprs.new(name), self.lowering.exprs.new(f"#{name}")
        loop = Loop(name, number, limit, low, high, step, span, self.lowering.loops, self.lowering.role)
        before = self.lowering.exprs.atoms.get(atom)
        self.lowering.exprs.atoms[atom] = var(number)
        start = len(self.lowering.ops)
        head = LoopStart(loop)
        self.lowering.emit(head)
        self.lowering.loops = (*self.lowering.loops, loop)
        self._loops(bounds[1:], body, innermost)
        self.lowering.loops = loop.outer
        if before is None:
            del self.lowering.exprs.atoms[atom]
        else:
            self.lowering.exprs.atoms[atom] = before
        self._close(loop, head, start, innermost and len(bounds) == 1)

    def _close(self, loop: Loop, head: LoopStart, start: int, catches: bool) -> None:
        """Ends a loop: as it is, drawn together, or left out."""
        leaves, goes_on = self.jumps.pop() if catches else ([], [])
        body = self.lowering.ops[start + 1 :]
        if not any(not isinstance(op, Set | Jump) for op in body) and not self._changes(body):
            del self.lowering.ops[start:]
            return
        if not leaves and not goes_on and _is_repetition(loop, body):
            self._draw_together(loop, start, body)
            return
        last = LoopNext(loop)
        last.start = start + 1
        for jump in goes_on:
            jump.target = len(self.lowering.ops)
        self.lowering.emit(last)
        head.target = len(self.lowering.ops)
        for jump in leaves:
            jump.target = len(self.lowering.ops)
        self.lowering.program.loops.append(loop)

    def _changes(self, body: list[Op]) -> bool:
        return any(isinstance(op, Set) for op in body)

    def _draw_together(self, loop: Loop, start: int, body: list[Op]) -> None:
        """One pass for all iterations, if there are any."""
        self.lowering.program.drawn.append(loop)
        for op in body:
            op.loops = tuple(outer for outer in op.loops if outer is not loop)
            op.drawn = (*op.drawn, loop)
        low, high = loop.low.const, loop.high.const
        if low is not None and high is not None and low < high:
            del self.lowering.ops[start]
            for op in body:
                if isinstance(op, Branch | Jump | Enter):
                    op.target -= 1
            return
        test = Branch(loop.span, apply("<", loop.low, loop.high), loop.outer)
        test.role = self.lowering.role
        self.lowering.ops[start] = test
        test.target = len(self.lowering.ops)

    def _counting(self, node: ast.While, counting: Counting) -> None:
        """As a `foreach` of as many turns. Those that start at the block go through as many as the first block does; in
        a last one that lies beyond the end they do nothing."""

        exprs, symbol, span = self.lowering.exprs, counting.symbol, node.cond.span
        first, end = exprs.of_int(counting.first), exprs.of_int(counting.end + Int.of(int(counting.reaches)))
        assert first is not None and end is not None  # of sizes and blocks alone
        step, number = const(counting.step), exprs.new(symbol.name)
        limit, around = exprs.new(f"#{symbol.name}"), (span, self.lowering.loops, self.lowering.role)
        if first.const is not None:
            self._turns(Loop(symbol.name, number, limit, first, end, step, *around), node, symbol, var(number), None)
            return
        index = apply("+", first, apply("*", step, var(number)))
        turns = apply("cdiv", end, step)
        loop = Loop(symbol.name, number, limit, const(0), turns, const(1), *around, shown=index)
        self._turns(loop, node, symbol, index, apply("<", index, end))

    def _turns(self, loop: Loop, node: ast.While, symbol: Symbol, index: Expr, guard: Expr | None) -> None:
        start = len(self.lowering.ops)
        head = LoopStart(loop)
        self.lowering.emit(head)
        self.lowering.loops = (*self.lowering.loops, loop)
        self.lowering.exprs.indices[symbol] = index
        self.jumps.append(([], []))
        test: Branch | None = None
        if guard is not None:
            test = Branch(node.cond.span, guard, self.lowering.loops)
            test.split = True
            self.lowering.emit(test)
        self.lowering.block(node.body)
        if test is not None:
            test.target = len(self.lowering.ops)
            if self.lowering.ops[-1] is test:
                self.lowering.ops.pop()
        self.lowering.loops = loop.outer
        self._close(loop, head, start, catches=True)

    def loop_while(self, node: ast.While) -> None:
        counting = self.lowering.exprs.counting.get(node)
        if counting is not None:
            self._counting(node, counting)
            return
        start = len(self.lowering.ops)
        self.lowering.reads(node.cond)
        test = Branch(node.cond.span, self.lowering.exprs.of(node.cond), self.lowering.loops)
        test.split = True
        self.lowering.emit(test)
        self.jumps.append(([], []))
        if never_ends(self.lowering.model, node):
            self.lowering.emit(Endless(node.cond.span))
        self.lowering.block(node.body)
        leaves, goes_on = self.jumps.pop()
        if all(isinstance(op, Branch | Endless) for op in self.lowering.ops[start:]):
            del self.lowering.ops[start:]
            if not surely_ends(self.lowering.model, node):
                self.lowering.program.endless = self.lowering.program.endless or node.cond.span
            return
        again = Jump(node.span)
        again.target = start
        self.lowering.emit(again)
        test.target = len(self.lowering.ops)
        for jump in leaves:
            jump.target = len(self.lowering.ops)
        for jump in goes_on:
            jump.target = start

    def jump(self, node: ast.Jump) -> None:
        if node.word == "yield":
            self.lowering.emit(End(node.span, leaves=True))
        elif self.jumps:
            jump = Jump(node.span)
            self.lowering.emit(jump)
            self.jumps[-1][0 if node.word == "break" else 1].append(jump)


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
