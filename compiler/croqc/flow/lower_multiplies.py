"""Multiplies of a kernel as steps: operands, accumulators, and what ends their reading. Must not know control."""

from __future__ import annotations

from collections.abc import Iterable

from croqc.flow.exprs import const, var
from croqc.flow.lower import Lowering
from croqc.flow.ops_control import Fail
from croqc.flow.ops_data import Touch
from croqc.flow.ops_multiplies import Accumulator, Commit, Multiply, Name
from croqc.flow.program import Loop
from croqc.flow.regions import Operand
from croqc.sema.model import OperandKind, SymbolKind
from croqc.sema.types import Fragment
from croqc.syntax import ast
from croqc.syntax.visit import walk


def _accumulator(lowering: Lowering, node: ast.Expr) -> Accumulator | None:
    symbol = lowering.symbol_of(node)
    if symbol is None or not isinstance(symbol.type, Fragment):
        return None
    number = lowering.fragments.setdefault(symbol, len(lowering.fragments))
    suffixes = node.suffixes if isinstance(node, ast.Chain) else ()
    index = [arg for suffix in suffixes if isinstance(suffix, ast.Index) for arg in suffix.args]
    return Accumulator(number, tuple(lowering.exprs.of(arg) for arg in index))


def _operand(lowering: Lowering, node: ast.Expr) -> Iterable[Operand]:
    """What a multiply reads from shared memory: a view, or the tile that a name stands for."""
    symbol = lowering.symbol_of(node)
    if symbol is not None and symbol.kind is SymbolKind.FRAGMENT:
        if any(
            kind is OperandKind.SHARED and lowering.symbol_of(load.target) is symbol
            for load, kind in lowering.model.loads.items()
        ):
            operand = Operand(node.span, symbol.name)
            operand.alias = lowering.fragments.setdefault(symbol, len(lowering.fragments))
            return (operand,)
        return ()
    return tuple(lowering.buffers.reads_in(node))


def multiply(lowering: Lowering, node: ast.Mma) -> None:
    accumulator = _accumulator(lowering, node.acc)
    if accumulator is None:
        lowering.emit(Fail(node.span, "this multiply is not understood"))
        return
    operands = [operand for part in (node.a, node.b, *node.extra) for operand in _operand(lowering, part)]
    ends = lowering.model.ends_at_statement or node.form == "scale"
    op = Multiply(node.span, accumulator, operands, ends, lowering.loops)
    target = lowering.model.uses.get(node.target) if node.target is not None else None
    if target is not None:
        op.handle = lowering.buffers.handle(target)
        op.ends = False
    if operands or target is not None:
        lowering.emit(op)


def load(lowering: Lowering, node: ast.MmaLoad) -> None:
    operand = lowering.buffers.operand(node.source)
    if operand is None:
        return
    symbol = lowering.symbol_of(node.target)
    if lowering.model.loads.get(node) is OperandKind.SHARED and symbol is not None:
        alias = lowering.fragments.setdefault(symbol, len(lowering.fragments))
        lowering.emit(Name(node.span, alias, operand, lowering.loops))
    else:
        lowering.emit(Touch(node.span, (operand,), (), lowering.loops))


def store(lowering: Lowering, node: ast.MmaStore) -> None:
    dest = lowering.buffers.operand(node.dest)
    if dest is not None and node.form == "mask":
        dest = dest.some()
    op = Touch(node.span, (), () if dest is None else (dest,), lowering.loops)
    op.closes = accumulators(lowering, node.acc)
    lowering.emit(op)


def accumulators(lowering: Lowering, *nodes: ast.Node) -> tuple[Accumulator, ...]:
    """Every fragment that an expression names."""
    found = []
    stack = list(nodes)
    while stack:
        here = stack.pop()
        accumulator = _accumulator(lowering, here) if isinstance(here, ast.Chain | ast.Name) else None
        if accumulator is not None:
            found.append(accumulator)
        elif isinstance(here, ast.Chain):
            stack += [arg for suffix in here.suffixes for arg in getattr(suffix, "args", ())]
        else:
            stack += [inner for inner in walk(here) if inner is not here and isinstance(inner, ast.Chain | ast.Name)]
    return tuple(found)


def scale(lowering: Lowering, node: ast.MmaScale) -> None:
    reads = [operand for part in (node.scale_a, node.scale_b) for operand in lowering.buffers.reads_in(part)]
    op = Touch(node.span, reads, (), lowering.loops)
    op.closes = accumulators(lowering, node.acc)
    lowering.emit(op)


def commit(lowering: Lowering, node: ast.MmaCommit) -> None:
    if not node.keep:
        lowering.emit(Commit(node.span, lowering.loops))
    else:
        lowering.emit(Fail(node.span, "a wait that leaves multiplies running"))


def apply_block(lowering: Lowering, node: ast.Apply) -> None:
    op = Touch(node.frag.span, (), (), lowering.loops)
    op.closes = accumulators(lowering, node.frag)
    lowering.emit(op)
    atoms, fragment = lowering.exprs.atoms, lowering.model.types.get(node.frag)
    before = dict(atoms)
    for name, extent in zip(node.names, fragment.shape or () if isinstance(fragment, Fragment) else (), strict=False):
        symbol, high = lowering.model.uses.get(name), lowering.exprs.of_int(extent)
        if symbol is not None and high is not None:
            number = lowering.exprs.new(name.id)
            loop = Loop(name.id, number, number, const(0), high, const(1), name.span, lowering.loops)
            lowering.program.applied.append(loop)
            atoms[symbol.atom] = var(number)
    lowering.block(node.body)
    atoms.clear()
    atoms.update(before)


def fragment_op(lowering: Lowering, node: ast.FragOp) -> None:
    reads = [operand for arg in node.args for operand in lowering.buffers.reads_in(arg)]
    op = Touch(node.span, reads, (), lowering.loops)
    op.closes = accumulators(lowering, *node.args)
    if reads or op.closes:
        lowering.emit(op)
