"""Buffers of a kernel as stages with slots, and references to them as operands. Must not know statements.

Slots are the elements of an array of buffers, or equal bands of rows of one buffer (`subspan(R, C).at(s, 0)`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd, prod

from croqc.flow.exprs import Expr
from croqc.flow.lower_exprs import Exprs, defined_at
from croqc.flow.lower_parts import Parts, covers, is_multiple
from croqc.flow.lower_shapes import TILES
from croqc.flow.lower_views import MOST_CHOICES, Choice, Reference, Views
from croqc.flow.named import Changes
from croqc.flow.program import Program, Stage
from croqc.flow.regions import Extent, Operand
from croqc.sema.model import CopyInfo, Model, Symbol, SymbolKind, View, ViewKind
from croqc.sema.types import Data, Future, Storage, Type
from croqc.syntax import ast
from croqc.syntax.visit import children

_MOST_BANDS = 1 << 16


class Buffers:
    def __init__(self, model: Model, nodes: Sequence[ast.Node], program: Program, exprs: Exprs) -> None:
        self.model = model
        self.program = program
        self.exprs = exprs
        self.stages: dict[Symbol, Stage] = {}
        self.handles: dict[Symbol, int] = {}
        self.nodes = exprs.nodes
        self.changes = Changes(model, nodes)
        self.views = Views(model)
        self.parts = Parts(exprs)
        shared = [symbol for symbol in model.symbols if _is_stage(symbol) and symbol.decl in self.nodes]
        bands = self._bands(nodes, set(shared))
        for symbol in shared:
            self._enter(symbol, bands.get(symbol, []))

    # --- stages -----------------------------------------------------------------------------------

    def _bands(self, nodes: Sequence[ast.Node], shared: set[Symbol]) -> dict[Symbol, list[tuple[int, bool]]]:
        """For each buffer the rows that references take, and whether they begin at a place that moves. That of a rank
        does not: each block of the cluster has its own, and together they take the buffer once."""
        found: dict[Symbol, list[tuple[int, bool]]] = {}
        for node in nodes:
            view = self.model.views.get(node)
            for reference in () if view is None else self.views.each(view):
                if reference.root not in shared or not reference.ops:
                    continue
                rows, low = self._first_rows(reference)
                if rows is not None:
                    moves = low is None or not low.known or not low.variables() <= self.program.ranks
                    found.setdefault(reference.root, []).append((rows, moves))
        return found

    def _first_rows(self, reference: Reference) -> tuple[int | None, Expr | None]:
        """How many rows a reference takes of its buffer, None where that is not said, and from which one on."""
        first = reference.ops[0]
        if first.kind is ViewKind.SPAN_AS:
            data = reference.root.type
            part = self.parts.part(reference, data.shape) if isinstance(data, Data) and not data.array else ()
            return (part[0].length.const, part[0].low) if part and part[0].length is not None else (None, None)
        if first.kind not in TILES or not first.shape or first.strides:
            return None, None
        return first.shape[0].const, self.parts.low(first, 0)

    def _enter(self, symbol: Symbol, bands: list[tuple[int, bool]]) -> None:
        data = symbol.type
        assert isinstance(data, Data)
        extent = data.shape[0].const if data.shape else None
        slots, rows = prod(data.array), None
        if not data.array and extent and any(moves for _, moves in bands):
            band = gcd(extent, *(size for size, _ in bands))
            if 1 <= extent // band <= _MOST_BANDS:
                slots, rows = extent // band, band
        info = next((one for one in self.model.buffers if one.symbol is symbol), None)
        size = None if info is None else info.bytes // max(slots, 1)
        stage = Stage(symbol, self.program.stage_slots, slots, rows, size, symbol.name_span)
        stage.written = symbol in self.model.mentioned
        self.program.stage_slots += slots
        self.program.stages.append(stage)
        self.stages[symbol] = stage

    # --- references -------------------------------------------------------------------------------

    def trace(self, view: View) -> Reference | None:
        """The root behind named views; None for what has no storage of its own, or is one of several."""
        found = self.views.behind(view)
        return found if isinstance(found, Reference) else None

    def operand(self, node: ast.Node, view: View | None = None) -> Operand | None:
        """The stage or handle that a reference means; None where it means neither.

        A part of shared memory that cannot be traced is not passed over: who comes to it cannot be followed further.
        """
        found = view if view is not None else self.model.views.get(node)
        return None if found is None else self._operand(node, found, [MOST_CHOICES])

    def target(self, node: ast.Node) -> Operand | None:
        """What an assignment writes: an element, or a buffer as a whole, whose name is no reference there."""
        symbol = self.model.uses.get(node) if isinstance(node, ast.Name) else None
        if symbol is None or node in self.model.views:
            return self.operand(node)
        return self.whole(symbol, node)

    def selected(self, node: ast.Select) -> Operand | None:
        """What a `select` stands for where it is written."""
        views = tuple(self.model.views.get(option) for option in node.options)
        return self._choice(node, Choice(node, views), [MOST_CHOICES])

    def _choice(self, node: ast.Node, choice: Choice, left: list[int]) -> Operand | None:
        """`left`: how many options may still be looked at, counted down."""
        options: list[Operand | None] = []
        for view in choice.options:
            left[0] -= 1
            if view is None:
                options.append(_lost(node, "which buffer this names is not understood"))
            elif left[0] < 0:
                options.append(_lost(node, "this names one of too many buffers"))
            else:
                options.append(self._operand(node, view, left))
        known = [one for one in options if one is not None]
        if not known:
            return None
        operand = Operand(node.span, known[0].name)
        operand.options, operand.choice = tuple(options), self.exprs.of(choice.node.index)
        return operand

    def _operand(self, node: ast.Node, view: View, left: list[int]) -> Operand | None:
        reference = self.views.behind(view)
        for value in () if reference is None else reference.named:
            changed = self.changes.since(value, node.span)
            if changed is not None:
                return _lost(node, f"'{changed.name}' changes between the naming of this part and its use")
        if isinstance(reference, Choice):
            return self._choice(node, reference, left)
        if reference is None:
            return _lost(node, "which buffer this names is not understood") if _is_shared(view.data) else None
        operand = Operand(node.span, reference.root.name)
        stage = self.stages.get(reference.root)
        if isinstance(reference.root.type, Future):
            if not self.is_handle(reference.root):
                return None
            operand.handle = self.handle(reference.root)
            operand.whole = not reference.ops and reference.element is None
            operand.part = self.parts.part(reference, ())
        elif stage is not None:
            self._place(operand, stage, reference)
        elif _is_shared(reference.root.type):
            return _lost(node, "this shared memory is declared outside the kernel")
        else:
            return None
        return operand.ready()

    def outlet(self, info: CopyInfo) -> tuple[tuple[Extent, Expr], ...]:
        """The part of a tensor in global memory that a copy writes, with the tensor's extents; empty if not known."""
        reference = self.trace(info.dest) if info.dest_storage is Storage.GLOBAL else None
        if reference is None or not isinstance(reference.root.type, Data) or reference.root.type.array:
            return ()
        shape = reference.root.type.shape
        limits = [self.exprs.of_int(extent) for extent in shape]
        part = self.parts.part(reference, shape)
        known = [limit for limit in limits if limit is not None]
        return tuple(zip(part, known, strict=True)) if len(part) == len(known) == len(shape) else ()

    def is_even(self, info: CopyInfo) -> bool:
        """Whether a copy fills its destination and empties its source, element by element."""
        box = [size.const for size in info.box]
        sides = [[size.const for size in view.data.shape] for view in (info.source, info.dest)]
        return None not in box and all(side == box for side in sides)

    def is_short(self, info: CopyInfo) -> bool:
        """Whether a copy has fewer elements than its destination."""
        box, dest = ([size.const for size in sizes] for sizes in (info.box, info.dest.data.shape))
        known = [[size for size in sizes if size is not None] for sizes in (box, dest)]
        return None not in (*box, *dest) and prod(known[0]) < prod(known[1])

    def is_handle(self, symbol: Symbol) -> bool:
        """Whether a future belongs to the kernel; those of the host are complete when it starts."""
        return isinstance(symbol.type, Future) and symbol.decl in self.nodes

    def handle(self, symbol: Symbol) -> int:
        number = self.handles.setdefault(symbol, len(self.handles))
        self.program.handles[number] = symbol.name
        return number

    def whole(self, symbol: Symbol, node: ast.Node) -> Operand | None:
        """All of a buffer."""
        stage = self.stages.get(symbol)
        if stage is None:
            return None
        operand = Operand(node.span, symbol.name)
        operand.stage, operand.whole = stage, True
        return operand.ready()

    def _place(self, operand: Operand, stage: Stage, reference: Reference) -> None:
        data = stage.symbol.type
        assert isinstance(data, Data)
        operand.stage = stage
        places = reference.slots or (reference.ops[0].at if reference.ops else ())
        if places:
            operand.where = defined_at(self.model, places[0])
        if data.array and len(reference.slots) == len(data.array):
            operand.index = self.parts.row_major(reference.slots, data.array)
        operand.part = part = self.parts.part(reference, data.shape)
        operand.laid = None if part else self.parts.laid(reference, data.shape)
        full = covers(part, data.shape)
        operand.whole = full and (not data.array or operand.index is not None)
        if stage.rows is not None and part and part[0].low is not None:
            length = part[0].length.const if part[0].length is not None else None
            if length is not None and part[0].low.op != "?":
                operand.rows = (part[0].low, length)
                aligned = length % stage.rows == 0 and is_multiple(part[0].low, stage.rows)
                operand.whole = aligned and covers(part[1:], data.shape[1:])
        elif stage.rows is not None and not full:
            operand.whole = False

    def reads_in(self, node: ast.Node) -> Iterator[Operand]:
        """Every reference to a stage or a handle's data in an expression, or a statement without its bodies."""
        stack: list[ast.Node] = [node]
        while stack:
            here = stack.pop()
            if isinstance(here, ast.Chain):
                stack += [arg for suffix in here.suffixes for arg in _arguments(suffix)]
                shape_only = any(isinstance(suffix, ast.Member) and suffix.name == "span" for suffix in here.suffixes)
                if here in self.model.views:
                    found = self.operand(here)
                    if found is not None:
                        yield found
                elif not shape_only and not isinstance(here.base, ast.Name):
                    stack.append(here.base)
                continue
            if isinstance(here, ast.Name) and here in self.model.views:
                found = self.operand(here)
                if found is not None:
                    yield found
            elif isinstance(here, ast.Count | ast.BoundOf):
                continue
            else:
                stack += _below(here)


def _lost(node: ast.Node, reason: str) -> Operand:
    """A reference that cannot be followed: whoever comes to it is not analysed."""
    operand = Operand(node.span, "")
    operand.lost = reason
    return operand


def _is_shared(type_: Type) -> bool:
    return isinstance(type_, Data) and type_.storage is Storage.SHARED


def _below(node: ast.Node) -> list[ast.Node]:
    return [child for child in children(node) if not isinstance(child, ast.Block)]


def _arguments(suffix: ast.Suffix) -> tuple[ast.Expr, ...]:
    match suffix:
        case ast.Index(args=args) | ast.Member(args=args):
            return args
        case ast.Pick(arg=arg):
            return (arg,)
    return ()


def _is_stage(symbol: Symbol) -> bool:
    return (
        symbol.kind in (SymbolKind.BUFFER, SymbolKind.ANONYMOUS)
        and isinstance(symbol.type, Data)
        and symbol.type.storage is Storage.SHARED
    )
