"""Checks of multiplies, their stores, scales and fragments (reference, 6.1 to 6.8; rows X03 to X17).

Only what is provable is reported.
"""

from __future__ import annotations

from collections.abc import Iterable

from croqc.sema import mma_rows
from croqc.sema import rulenames_device as rules
from croqc.sema.builder import Builder
from croqc.sema.describe import describe
from croqc.sema.intervals import bounds
from croqc.sema.mma_rows import Wanted
from croqc.sema.model import Level, MmaInfo, OperandKind, Symbol, Unit, View, ViewKind
from croqc.sema.nesting import Around
from croqc.sema.roots import base_name
from croqc.sema.symbolic import Int
from croqc.sema.types import Bounded, Data, Fragment, FragRole, Scalar, Storage, Unknown
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind
from croqc.targets.table import MmaRow


def _symbol(builder: Builder, node: ast.Node) -> Symbol | None:
    name = base_name(node)
    return builder.uses.get(name) if name is not None else None


def check_accumulator(builder: Builder, node: ast.Mma) -> bool:
    """Whether the first operand can be accumulated into (X08, X09); silent where it is not understood."""
    type_, symbol = builder.type_of(node.acc), _symbol(builder, node.acc)
    name = symbol.name if symbol is not None else ""
    if isinstance(type_, Unknown):
        return False
    if not isinstance(type_, Fragment):
        builder.report(rules.ACCUMULATOR_USE, node.acc.span, name=name, reason="not-accumulator")
        return False
    if type_.role is FragRole.OPERAND:
        builder.report(rules.ACCUMULATOR_USE, node.acc.span, name=name, reason="load")
        return False
    if type_.array:
        builder.report(rules.FRAGMENT_ARRAY, node.acc.span, name=name, count=type_.array[0])
        return False
    return True


def report_missing(builder: Builder, node: ast.Mma, wanted: Wanted, around: Around) -> None:
    """X04 where another target has the warpgroup multiply, else X03 with the nearest shapes."""
    target = builder.context.target
    shape = {"a": wanted.a, "b": wanted.b, "acc": wanted.acc, "m": wanted.m, "n": wanted.n, "k": wanted.k}
    needs = mma_rows.offering(wanted)
    if needs:
        builder.report(rules.WARPGROUP_MULTIPLY, node.span, (), **shape, target=target.name, needs=needs)
        return
    unit = _unit_around(builder, around)
    near = mma_rows.nearest(target, wanted, unit and unit.value)
    others = () if near else mma_rows.accumulators(target, wanted)
    told = {"target": target.name, "sparse": wanted.sparse, "nearest": near, "accumulators": others}
    builder.report(rules.NO_MULTIPLY, node.span, (), **shape, **told)


def check_multiply(builder: Builder, node: ast.Mma, info: MmaInfo, row: MmaRow, around: Around) -> None:
    _check_unit(builder, node, info, around)
    _check_operands(builder, node, info)
    if info.unit is Unit.GROUP4 and not row.major_free and (node.layout_a, node.layout_b) != ("row", "row"):
        layout = f"{node.layout_a}.{node.layout_b}"
        builder.report(rules.OPERAND_LAYOUT, node.span, type=info.elem_a, layout=layout)
    if node.form == "sp":
        _check_sparse(builder, node, info)
    if node.form == "scale":
        _check_scale(builder, node.extra, info)


def _unit_around(builder: Builder, around: Around) -> Unit | None:
    """The unit that the levels around a statement name; None for neither warps nor warpgroups."""
    levels = [level for axis in around.axes if (level := builder.levels.get(axis)) in (Level.GROUP4, Level.GROUP)]
    if not levels:
        return None
    return Unit.GROUP if Level.GROUP in levels else Unit.GROUP4


def _check_unit(builder: Builder, node: ast.Mma, info: MmaInfo, around: Around) -> None:
    """Warp shapes need warps, warpgroup shapes warpgroups, where the program names units at all (X05)."""
    has = _unit_around(builder, around)
    if has is not None and has is not info.unit:
        shape = f"{info.m}x{info.n}x{info.k}"
        builder.report(rules.MULTIPLY_UNIT, node.span, shape=shape, needs=info.unit.value, has=has.value)


def _check_operands(builder: Builder, node: ast.Mma, info: MmaInfo) -> None:
    for which, operand, kind in (("a", node.a, info.a), ("b", node.b, info.b)):
        if info.unit is Unit.GROUP and kind is OperandKind.SHARED:
            builder.report(rules.SHARED_WARP_OPERAND, operand.span, operand=which)
        if info.unit is Unit.GROUP4 and which == "b" and kind is OperandKind.REGISTER:
            builder.report(rules.REGISTER_OPERAND, operand.span, operand=which, reason="b")


def _check_sparse(builder: Builder, node: ast.Mma, info: MmaInfo) -> None:
    if info.k % 4:
        builder.report(rules.SPARSE_MULTIPLY, node.span, reason="k")
    for meta in node.extra[:1]:
        type_ = builder.type_of(meta)
        if info.unit is Unit.GROUP4 and isinstance(type_, Data) and type_.storage is Storage.SHARED:
            builder.report(rules.SPARSE_MULTIPLY, meta.span, reason="metadata")
    if node.schedule is not None:
        builder.report(rules.SPARSE_MULTIPLY, node.schedule.span, reason="schedule")


def _check_scale(builder: Builder, scales: tuple[ast.Expr, ...], info: MmaInfo) -> None:
    if len(scales) != 2:
        return
    rows, factor = scales
    if info.unit is not Unit.GROUP4:
        builder.report(rules.MULTIPLY_SCALE, rows.span, reason="unit", found=info.instruction)
    type_ = builder.type_of(rows)
    if isinstance(type_, Data):
        extents = [extent.const for extent in type_.shape]
        wrong = len(extents) != 2 or (None not in extents and 1 not in extents)
        if wrong or type_.elem != "f32":
            builder.report(rules.MULTIPLY_SCALE, rows.span, reason="shape", found=describe(type_))
    single = builder.type_of(factor)
    if isinstance(single, Data) or (isinstance(single, Fragment) and single.shape is not None):
        builder.report(rules.MULTIPLY_SCALE, factor.span, reason="scalar", found=describe(single))


# --- statements beside the multiply ---------------------------------------------------------------


def check_statements(
    builder: Builder, found: Iterable[tuple[ast.Node, Around]], accumulators: frozenset[Symbol]
) -> None:
    """Fills, loads, stores, scales and reductions, in source order."""
    multiplied: set[Symbol] = set()
    for node, _ in found:
        match node:
            case ast.Mma():
                multiplied |= {symbol} if (symbol := _symbol(builder, node.acc)) is not None else set()
            case ast.MmaFill():
                _check_fill(builder, node, accumulators)
            case ast.MmaLoad():
                _check_load(builder, node)
            case ast.MmaStore():
                _check_store(builder, node)
            case ast.MmaScale():
                _check_scale_statement(builder, node, multiplied)
            case ast.FragOp(op="reduce_max" | "reduce_sum", dim=dim) if dim is not None and dim != 1:
                builder.report(rules.FRAGMENT_REDUCE, node.span, dim=dim)


def _check_fill(builder: Builder, node: ast.MmaFill, accumulators: frozenset[Symbol]) -> None:
    symbol = _symbol(builder, node.acc)
    if symbol is None or not isinstance(symbol.type, Fragment):
        return
    if symbol.type.role is FragRole.OPERAND:
        builder.report(rules.ACCUMULATOR_USE, node.acc.span, name=symbol.name, reason="operand")
        return
    value = builder.type_of(node.value)
    if not isinstance(value, Scalar | Bounded | Unknown):
        builder.report(rules.ACCUMULATOR_USE, node.value.span, name=symbol.name, reason="fill")
    unused = node.declares and symbol not in accumulators and symbol.type.role is FragRole.ACCUMULATOR
    if unused and not _may_have_shape(builder, symbol):
        elem = symbol.type.elem or "f32"
        builder.report(rules.ACCUMULATOR_USE, node.acc.span, name=symbol.name, elem=elem, reason="unused")


def _may_have_shape(builder: Builder, symbol: Symbol) -> bool:
    """Whether something else than a multiply may give an accumulator its shape: an assignment of a whole tile, a
    function. Where a part of the text is not understood, that may."""
    body = builder.function.body
    if any(nodes_of_kind(body, ast.ErrorStmt)) or any(nodes_of_kind(body, ast.Missing)):
        return True
    whole = (part.target for part in nodes_of_kind(body, ast.AssignPart) if part.op == "=")
    given = (arg for call in nodes_of_kind(body, ast.Call) for arg in call.args)
    return any(isinstance(one, ast.Name) and builder.uses.get(one) is symbol for one in (*whole, *given))


def _check_load(builder: Builder, node: ast.MmaLoad) -> None:
    """A tile that is proved to reach past its buffer (X13)."""
    view = builder.views.get(node.source)
    op = view.ops[-1] if view is not None and view.ops else None
    if view is None or op is None or op.kind is not ViewKind.SUBSPAN or op.step or len(op.at) != len(op.shape):
        return
    outer = view.ops[-2].shape if len(view.ops) > 1 else _base_shape(view)
    for dim, (extent, tile, at) in enumerate(zip(outer, op.shape, op.at, strict=False)):
        size, step, value = extent.const, tile.const, builder.values.get(at)
        if size is None or not step or size % step == 0 or value is None:
            continue
        _, last = bounds(value, builder.intervals)
        if last is not None and last >= size // step:
            builder.report(rules.LOAD_TILE, node.source.span, tile=step, extent=size, dim=dim, buffer=view.base.name)
            return


def _base_shape(view: View) -> tuple[Int, ...]:
    base = view.base.type
    return base.shape if isinstance(base, Data) else ()


def _check_store(builder: Builder, node: ast.MmaStore) -> None:
    """A destination smaller than the accumulator is written in part (X14)."""
    acc, dest = builder.type_of(node.acc), builder.views.get(node.dest)
    symbol = _symbol(builder, node.acc)
    if isinstance(acc, Fragment) and acc.array:
        builder.report(rules.FRAGMENT_ARRAY, node.acc.span, name=symbol.name if symbol else "", count=acc.array[0])
        return
    if node.form == "mask" or not isinstance(acc, Fragment) or acc.shape is None or dest is None:
        return
    tile = [extent.const for extent in acc.shape]
    room = [extent.const for extent in dest.data.shape]
    if len(tile) == 2 and len(room) < 2:
        builder.report(rules.MULTIPLY_OPERAND, node.dest.span, operand="", reason="store", rank=len(room))
    if len(tile) != 2 or len(room) != 2 or None in tile:
        return
    if node.form == "transp":
        tile.reverse()
    if any(have is not None and want is not None and have < want for have, want in zip(room, tile, strict=True)):
        rows, columns = room
        builder.report(rules.MASKED_STORE, node.dest.span, rows=rows, columns=columns, tile=f"{tile[0]}x{tile[1]}")


def _check_scale_statement(builder: Builder, node: ast.MmaScale, multiplied: set[Symbol]) -> None:
    symbol = _symbol(builder, node.acc)
    if symbol is None or not isinstance(symbol.type, Fragment):
        return
    if symbol not in multiplied:
        builder.report(rules.MULTIPLY_SCALE, node.span, reason="first", found=symbol.name)
