"""Multiplies, resolved against the target's tables (reference, chapter 6). Fills `multiplies`, `loads`,
`ends_at_statement` and the types of accumulators.

Needs types, views and levels. Checks that concern one statement alone stand in `mma_checks`.
"""

from __future__ import annotations

from croqc.sema import mma_checks, mma_rows
from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.mma_rows import Wanted
from croqc.sema.model import MmaInfo, OperandKind, Symbol, Unit
from croqc.sema.nesting import Around, statements
from croqc.sema.roots import base_name
from croqc.sema.symbolic import Int
from croqc.sema.types import Data, Fragment, FragRole, Storage
from croqc.syntax import ast
from croqc.text.record import record, replace

_UNITS = {"group": Unit.GROUP, "group-4": Unit.GROUP4}


def resolve_multiplies(builder: Builder) -> None:
    """Fill the tables of all multiplies and loads; findings X01 to X17 but X15."""
    stage = _Multiplies(builder)
    found = tuple(statements(builder.function.body))
    for node, around in found:
        if isinstance(node, ast.Mma):
            stage.multiply(node, around)
    for node, _ in found:
        if isinstance(node, ast.MmaLoad):
            builder.loads[node] = stage.kind_of_load(node)
    stage.settle_types()
    commits = any(isinstance(node, ast.MmaCommit) for node, _ in found)
    builder.ends_at_statement = not commits and not any(
        isinstance(node, ast.MmaLoad) and stage.is_tile_alias(node) for node, _ in found
    )
    mma_checks.check_statements(builder, found, stage.accumulators())


@record
class Tile:
    """One operand: element type and static extents as stored, and where it is read."""

    elem: str
    rows: int
    columns: int
    kind: OperandKind | None  # None: a loaded shared tile, whose place the unit decides
    symbol: Symbol | None


class _Multiplies:
    def __init__(self, builder: Builder) -> None:
        self.b = builder
        self.loads: dict[Symbol, list[ast.MmaLoad]] = {}
        for node, _ in statements(builder.function.body):
            if isinstance(node, ast.MmaLoad) and (symbol := self.symbol(node.target)) is not None:
                self.loads.setdefault(symbol, []).append(node)
        self.tile_users: dict[Symbol, set[Unit]] = {}
        self.operands: set[Symbol] = set()
        self.multiplied: dict[Symbol, Wanted] = {}
        self.tried: set[Symbol] = set()

    def symbol(self, node: ast.Node) -> Symbol | None:
        name = base_name(node)
        return self.b.uses.get(name) if name is not None else None

    def accumulators(self) -> frozenset[Symbol]:
        """Every symbol that some multiply accumulates into, resolved or not."""
        return frozenset(self.tried)

    # --- one multiply -----------------------------------------------------------------------------

    def multiply(self, node: ast.Mma, around: Around) -> None:
        acc = self.symbol(node.acc)
        if acc is not None:
            self.tried.add(acc)
        self.operands |= {symbol for symbol in map(self.symbol, (node.a, node.b)) if symbol is not None}
        usable = mma_checks.check_accumulator(self.b, node)
        a, b = self.tile("a", node.a), self.tile("b", node.b)
        if a is None or b is None or not usable:
            return
        wanted = self.wanted(node, a, b)
        if wanted is None:
            return
        found = mma_rows.find(self.b.context.target, wanted)
        if found is None:
            mma_checks.report_missing(self.b, node, wanted, around)
            return
        unit = _UNITS[found.row.unit]
        for tile in (a, b):
            if tile.symbol is not None:
                self.tile_users.setdefault(tile.symbol, set()).add(unit)
        info = MmaInfo(
            m=wanted.m,
            n=wanted.n,
            k=wanted.k,
            k_step=found.k_step,
            instruction=found.row.instruction,
            unit=unit,
            elem_a=wanted.a,
            elem_b=wanted.b,
            elem_acc=wanted.acc,
            a=_place(a, unit),
            b=_place(b, unit),
            split=found.row.split,
        )
        self.b.multiplies[node] = info
        if acc is not None:
            self.multiplied.setdefault(acc, wanted)
        mma_checks.check_multiply(self.b, node, info, found.row, around)

    def tile(self, which: str, node: ast.Expr) -> Tile | None:
        """An operand; None where it is not understood or was reported."""
        type_ = self.b.type_of(node)
        symbol = self.symbol(node) if isinstance(type_, Fragment) else None
        if isinstance(type_, Fragment) and type_.array:
            self.b.report(rules.FRAGMENT_ARRAY, node.span, name=symbol.name if symbol else "", count=type_.array[0])
            return None
        if symbol in self.multiplied:  # an accumulator has the shape of the multiplies into it
            made = self.multiplied[symbol]
            return Tile(mma_rows.operand_type(made.acc), made.m, made.n, OperandKind.REGISTER, symbol)
        if not isinstance(type_, Fragment | Data) or type_.elem is None or type_.shape is None:
            return None
        if len(type_.shape) != 2:
            self.b.report(rules.MULTIPLY_OPERAND, node.span, operand=which, reason="rank", rank=len(type_.shape))
            return None
        rows, columns = (extent.const for extent in type_.shape)
        if rows is None or columns is None:
            self.b.report(rules.MULTIPLY_OPERAND, node.span, operand=which, reason="static", rank=2)
            return None
        if isinstance(type_, Data) and type_.storage is not Storage.SHARED:
            where = Storage.LOCAL if type_.storage is Storage.LOCAL else Storage.GLOBAL
            self.b.report(rules.MULTIPLY_OPERAND, node.span, operand=which, reason=where.value, rank=2)
            return None
        kind = self._stored(type_, symbol)
        return Tile(mma_rows.operand_type(type_.elem), rows, columns, kind, symbol)

    def _stored(self, type_: Fragment | Data, symbol: Symbol | None) -> OperandKind | None:
        if isinstance(type_, Data):
            return OperandKind.SHARED
        loads = self.loads.get(symbol, []) if symbol is not None else []
        return None if loads and all(self._may_alias(load) for load in loads) else OperandKind.REGISTER

    def _may_alias(self, load: ast.MmaLoad) -> bool:
        """Whether the load names a shared tile that a warpgroup can read in place (6.4)."""
        view = self.b.views.get(load.source)
        forced = load.frag or load.op == "loadR"
        return not forced and view is not None and view.data.storage is Storage.SHARED

    def wanted(self, node: ast.Mma, a: Tile, b: Tile) -> Wanted | None:
        """The logical multiply (table of 6.2); None after a finding."""
        m, a_depth = (a.rows, a.columns) if node.layout_a == "row" else (a.columns, a.rows)
        n, b_depth = (b.rows, b.columns) if node.layout_b == "row" else (b.columns, b.rows)
        sparse = node.form == "sp"
        if b_depth != a_depth * (2 if sparse else 1):
            self.b.report(rules.MULTIPLY_DEPTH, node.span, a=a_depth, b=b_depth, sparse=sparse)
            return None
        acc_type = self.b.type_of(node.acc)
        written = acc_type.elem if isinstance(acc_type, Fragment) else None
        acc = written or mma_rows.inferred_accumulator(a.elem, b.elem)
        if acc is None:
            name = base_name(node.acc)
            self.b.report(
                rules.ACCUMULATOR_TYPE, node.acc.span, name=name.id if name else "", operands=f"{a.elem}, {b.elem}"
            )
            return None
        return Wanted(a.elem, b.elem, acc, m, n, b_depth, sparse)

    # --- loads and accumulator types --------------------------------------------------------------

    def kind_of_load(self, node: ast.MmaLoad) -> OperandKind:
        """An alias of the shared view where a warpgroup multiplies it, else registers."""
        symbol = self.symbol(node.target)
        units = self.tile_users.get(symbol, set()) if symbol is not None else set()
        return OperandKind.SHARED if self._may_alias(node) and Unit.GROUP4 in units else OperandKind.REGISTER

    def is_tile_alias(self, node: ast.MmaLoad) -> bool:
        """A load of a shared A or B tile: the mark of the course's dialect (credit-flow, section 3)."""
        return self._may_alias(node) and self.symbol(node.target) in self.operands

    def settle_types(self) -> None:
        """Give each accumulator the type and shape of its first multiply, at all its uses."""
        for symbol, wanted in self.multiplied.items():
            if isinstance(symbol.type, Fragment) and symbol.type.role is FragRole.ACCUMULATOR:
                shape = symbol.type.shape or (Int.of(wanted.m), Int.of(wanted.n))
                symbol.type = replace(symbol.type, elem=symbol.type.elem or wanted.acc, shape=shape)
        for name, symbol in self.b.uses.items():
            if symbol in self.multiplied and isinstance(self.b.types.get(name), Fragment):
                self.b.types[name] = symbol.type


def _place(tile: Tile, unit: Unit) -> OperandKind:
    if tile.kind is not None:
        return tile.kind
    return OperandKind.SHARED if unit is Unit.GROUP4 else OperandKind.REGISTER
