"""A kernel's body as a step program: structure and control. Must not run it; statements and loops stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from croqc.flow.arrivals import Arrivals, Slot
from croqc.flow.counting import counting_whiles
from croqc.flow.coverage import slots_in_part
from croqc.flow.exprs import Expr, apply
from croqc.flow.guarded import Guarded, is_loosened, surely_touches
from croqc.flow.homes import give_homes
from croqc.flow.joins import block_waits, carried_future, joins_on_exit, not_run
from croqc.flow.limit import Note
from croqc.flow.lower_buffers import Buffers
from croqc.flow.lower_loops import Builder, Loops
from croqc.flow.lower_passing import PASSING, moved_in_passing
from croqc.flow.lower_sizes import defined, demands
from croqc.flow.ops_control import Branch, End, Enter, Fail, Fork, Join, Jump, Meet, Set
from croqc.flow.ops_data import Copy, Touch
from croqc.flow.ops_events import Declare
from croqc.flow.ops_multiplies import Commit, Name
from croqc.flow.paths import Path, divides
from croqc.flow.program import Event, Op, Program
from croqc.flow.taking import Taking
from croqc.sema.model import Kernel, Level, Model, Symbol
from croqc.sema.nesting import statements
from croqc.sema.roots import base_name
from croqc.sema.types import Event as EventType
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of
from croqc.text.span import Span

Handler = Callable[["Lowering", Any], None]
_QUIET = (Touch, Name, Commit)


def lower(
    model: Model,
    kernel: Kernel,
    paths: tuple[Path, ...],
    arrivals: Mapping[Slot, Arrivals],
    table: Mapping[type, Handler],
    loosely: bool = False,
    wide: bool = False,
) -> Program:
    """The program of one kernel. `table` holds the statements that are not control. `loosely`: reads that a condition
    on sizes guards, and nothing else, become `Guarded` ones without it. `wide`: integers are cut as the largest sizes
    ask for it, not those that are usual."""
    return Lowering(model, kernel, paths, arrivals, table, loosely, wide).program


class Lowering(Builder):
    """The program of a kernel while it is made."""

    def __init__(
        self,
        model: Model,
        kernel: Kernel,
        paths: tuple[Path, ...],
        arrivals: Mapping[Slot, Arrivals],
        table: Mapping[type, Handler],
        loosely: bool,
        wide: bool,
    ) -> None:
        nodes = nodes_of(kernel.node)
        super().__init__(model, nodes, counting_whiles(model, nodes, kernel.node.body), wide)
        self.loosely = loosely
        self.moves_in_passing = any(isinstance(node, PASSING) for node in nodes)
        self.kernel = kernel
        self.paths = paths
        self.taking = Taking(model, kernel)
        ranks = [
            name
            for node in self.nodes
            if isinstance(node, ast.Axis) and model.levels.get(node) is Level.CLUSTER
            for name in node.names
        ]
        self.program.ranks = {var for name in ranks for var in self.exprs.of(name).variables()}
        values = (model.values.get(name) for name in ranks)
        self.ranks = frozenset(each for value in values if value is not None for each in value.names())
        self.buffers = Buffers(model, self.nodes, self.program, self.exprs)
        self.events: dict[Symbol, Event] = {}
        self.fragments: dict[Symbol, int] = {}
        self.inside = False  # of what the block's paths run, not of the block's own flow
        self.nests = Loops(self)
        self.forks: list[tuple[Fork, ast.Parallel, dict[str, Expr]]] = []
        self.handlers: dict[type, Handler] = {**_CONTROL, **table}
        self.blocks = prod(extent.const or 1 for extent in kernel.cluster)
        self.block_waits = block_waits(model, kernel, paths)
        self._declare_events(arrivals)
        self.program.asserts += demands(model, kernel, self.exprs)
        self._kernel()
        give_homes(self.program)
        self.program.asserts += defined(kernel, self.exprs)  # last: it names sizes in another order
        if not self._is_shared_out():
            self.program.partly = slots_in_part(self.program)

    def _is_shared_out(self) -> bool:
        """Whether other blocks can fill a part of what this one reads."""
        copies = (node for node in self.nodes if isinstance(node, ast.Copy))
        return bool(self.kernel.cluster) or any(one.name == "multicast" for copy in copies for one in copy.modifiers)

    def _kernel(self) -> None:
        node = self.kernel.node
        program = self.program
        program.divided = len(self.paths) == 1 or divides(self.model, node)
        self.inside = program.divided
        for axis in node.axes:
            self._place(axis)
        here = self.model, self.kernel, self.paths
        foreign = not_run(*here) or carried_future(*here)
        if foreign is not None:
            self.emit(Fail(*foreign))
        self.block(node.body)
        self.emit(End(Span(node.span.end - 1, node.span.end)))
        for fork, inner, atoms in self.forks:
            fork.entry = len(self.ops)
            self.inside, self.loops, self.exprs.atoms, self.top = True, fork.loops, atoms, inner
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

    def symbol_of(self, ref: ast.Node) -> Symbol | None:
        """What the name at the base of a reference means."""
        name = base_name(ref)
        return self.model.uses.get(name) if name is not None else None

    # --- emitting ---------------------------------------------------------------------------------

    def block(self, body: ast.Block) -> None:
        for stmt in body.stmts:
            self.stmt(stmt)

    def stmt(self, node: ast.Node) -> None:
        handler = self.handlers.get(type(node))
        moved = moved_in_passing(self, node) if self.moves_in_passing else []
        for op in moved:
            if not op.expr.known:
                self.emit(op)
        if handler is not None:
            handler(self, node)
        for op in moved:
            if op.expr.known or isinstance(node, ast.While):  # its condition is asked once more behind each turn
                self.emit(op)

    def note(self, span: Span, function: str = "") -> None:
        self.program.notes.append(Note(span, function))

    def reads(self, *nodes: ast.Node) -> None:
        """The references to stages in expressions, as a step of their own."""
        found = [operand for node in nodes for operand in self.buffers.reads_in(node)]
        if found:
            self.emit(Touch(nodes[0].span, found, (), self.loops))

    # --- structure --------------------------------------------------------------------------------

    def parallel(self, node: ast.Parallel) -> None:
        for axis in node.axes:
            self._place(axis)
        if self.inside or not divides(self.model, node):
            self._parallel_body(node)
            return
        fork = Fork(node, self.loops)
        self.emit(fork)
        self.forks.append((fork, node, dict(self.exprs.atoms)))
        if joins_on_exit(self.model, node):
            self.emit(Join(node.span, self.loops))

    def _parallel_body(self, node: ast.Parallel) -> None:
        self.block(node.body)

    def region(self, node: ast.InThreads) -> None:
        start = len(self.ops)
        enter = Enter(node, self.exprs.of(node.cond), self.loops)
        self.emit(enter)
        follows = self._of_the_block(enter)
        outer, only = self.role, self.only
        self.role, self.only = outer or node, self.taking.within(only, node.cond)
        self.block(node.body)
        self.role, self.only = outer, only
        enter.target = len(self.ops)
        if follows is not None:
            follows.target = enter.target
        if len(self.ops) == start + 1 + (follows is not None):
            del self.ops[start:]
        if not node.is_async and outer is None and len(self.paths) > 1 and self.inside:
            self.emit(Meet(node.span, self.loops))

    def _of_the_block(self, enter: Enter) -> Branch | None:
        """The condition of a region once more, where the block decides a part of it: whoever enters it in some block
        counts as entering it (reference, 4.4)."""
        blocks = {size.var for size in self.program.sizes if size.bound is not None}
        if not enter.cond.variables() & blocks:
            return None
        test = Branch(enter.span, enter.cond, self.loops)
        self.emit(test)
        return test

    def branch(self, node: ast.If) -> None:
        self.reads(node.cond)
        start, cond = len(self.ops), self.exprs.of(node.cond)
        test = Branch(node.cond.span, cond, self.loops)
        self.emit(test)
        self._side(node.then, node.cond, cond, holds=True)
        over: Jump | None = None
        if node.other is not None:
            over = Jump(node.span)
            self.emit(over)
        test.target = middle = len(self.ops)
        if node.other is not None:
            self._side(node.other, node.cond, cond, holds=False)
        if over is not None:
            over.target = len(self.ops)
        body = [op for op in self.ops[start + 1 :] if op is not over]
        alone = all(map(_is_of_each, body))
        test.split = not alone or (len(self.ops) > middle and not self._parts_threads(cond))
        if not body:
            del self.ops[start:]
        elif self._is_open(cond) and all(_is_plain_access(op) for op in body):
            for op in body:
                op.maybe = op.maybe or "run-time data decides whether this part is touched"
            del self.ops[start:]
            self.ops += body
        elif self.loosely and is_loosened(cond, body, self.program, self._is_guard(node.cond, cond)):
            either = over is not None and all(map(surely_touches, (self.ops[start:middle], self.ops[middle:])))
            del self.ops[start:]
            self.ops += [Guarded.of(op, either) for op in body if isinstance(op, Touch)]
        elif over is not None and not test.split:
            self._ask_again(test, over, middle - 1)

    def _side(self, body: ast.Block, cond: ast.Node, value: Expr, holds: bool) -> None:
        """The steps of one side of a condition."""
        only, guards = self.only, self.guards
        if self.taking.decides(cond):
            self.only = self.taking.within(only, cond, holds)
        elif self._is_guard(cond, value) or self._is_open(value):
            self.guards = (*guards, (value, holds))
        self.block(body)
        self.only, self.guards = only, guards

    def _is_open(self, cond: Expr) -> bool:
        """Whether data decides a condition, or which element of a fragment it is."""
        return not cond.known or any(loop.var in cond.variables() for loop in self.program.applied)

    def _is_guard(self, cond: ast.Node, value: Expr) -> bool:
        """Whether a condition may part the threads of a path, and it is not known how."""
        return self._parts_threads(value) and not self.taking.decides(cond)

    def _parts_threads(self, cond: Expr) -> bool:
        """Whether a condition may hold for some threads of a path only."""
        return not cond.variables().isdisjoint(self.program.placed.values())

    def _ask_again(self, test: Branch, over: Jump, at: int) -> None:
        """Each side is of its own threads: those that go the one way do not keep the others from the other."""
        other = Branch(test.span, apply("!", test.expr), test.loops)
        other.role, other.top, other.only, other.guards = over.role, over.top, over.only, over.guards
        self.ops[at], other.target, test.target = other, over.target, at

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
            if isinstance(init.value, ast.Call):
                self.stmt(init.value)
            else:
                self.reads(init.value)
            symbol = self.model.uses.get(init.name)
            if symbol in self.exprs.changing and symbol is not None:
                value = self.exprs.widths.given(symbol, self.exprs.of(init.value), init.value)
                self.emit(Set(init.span, self.exprs.slot(symbol), value, self.loops))

    def buffer_decl(self, node: ast.BufferDecl) -> None:
        for one in node.names:
            symbol = self.model.uses.get(one.name)
            whole = self.buffers.whole(symbol, one) if symbol is not None and one.fill is not None else None
            if whole is not None:
                self.emit(Touch(one.span, (), (whole,), self.loops))

    def error(self, node: ast.Node) -> None:
        self.emit(Fail(node.span, "it cannot be read"))


def _is_of_each(op: Op) -> bool:
    """Whether each thread may do it, or leave it, for itself."""
    return isinstance(op, _QUIET) or (isinstance(op, Branch) and not op.split)


def _is_plain_access(op: Op) -> bool:
    """An access that is over at its statement and leaves nothing behind."""
    return isinstance(op, Touch) or (
        isinstance(op, Copy) and not op.asynchronous and op.event is None and op.handle < 0 and not op.together
    )


_CONTROL: dict[type, Handler] = {
    ast.Block: Lowering.block,
    ast.Parallel: Lowering.parallel,
    ast.With: lambda lowering, node: lowering.block(node.body),
    ast.Foreach: lambda lowering, node: lowering.nests.foreach(node),
    ast.If: Lowering.branch,
    ast.While: lambda lowering, node: lowering.nests.loop_while(node),
    ast.InThreads: Lowering.region,
    ast.Jump: lambda lowering, node: lowering.nests.jump(node),
    ast.EventDecl: Lowering.event_decl,
    ast.ScalarDecl: Lowering.scalar_decl,
    ast.BufferDecl: Lowering.buffer_decl,
    ast.ErrorStmt: Lowering.error,
}
