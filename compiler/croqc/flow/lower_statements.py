"""Statements of a kernel as steps: assignments, calls, barriers, islands; the table of all. Must not know control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from croqc.flow.exprs import apply, var
from croqc.flow.islands import Effect, effect_of, is_waiting, reaches_out
from croqc.flow.lower import Lowering
from croqc.flow.lower_copies import any_future, copy, rotate, take
from croqc.flow.lower_events import trigger, wait
from croqc.flow.lower_multiplies import (
    accumulators,
    apply_block,
    commit,
    fragment_op,
    load,
    multiply,
    scale,
    store,
)
from croqc.flow.ops_control import Bar, Fail, Meet, Set
from croqc.flow.ops_data import Touch
from croqc.flow.ops_multiplies import Commit
from croqc.flow.regions import each_of
from croqc.sema.foreign_writes import foreign_parameters
from croqc.sema.island_text import island_text
from croqc.sema.model import Context, Symbol, SymbolKind
from croqc.sema.register_hint import register_hint
from croqc.sema.types import Data, Future
from croqc.syntax import ast
from croqc.syntax.visit import nodes_of_kind


def _assign(lowering: Lowering, node: ast.Assign) -> None:
    for part in node.parts:
        _assign_part(lowering, part)


def _assign_part(lowering: Lowering, part: ast.AssignPart) -> None:
    model, buffers = lowering.model, lowering.buffers
    if isinstance(part.value, ast.Call):
        _call(lowering, part.value)
    symbol = model.uses.get(part.target) if isinstance(part.target, ast.Name) else None
    if symbol is not None and isinstance(symbol.type, Future):
        take(lowering, part, symbol)
        return
    moves = not (symbol is not None and isinstance(model.types.get(part.value), Data) and _is_view(symbol))
    reads = list(buffers.reads_in(part.value)) if moves and not isinstance(part.value, ast.Call) else []
    target = None if symbol is not None and _is_view(symbol) else buffers.target(part.target)
    if target is not None and part.op != "=":
        reads.append(target)
    closes = accumulators(lowering, part.value, part.target)
    if reads or target is not None or closes:
        op = Touch(part.span, reads, () if target is None else (target,), lowering.loops)
        op.closes = closes
        lowering.emit(op)
    if symbol is not None and symbol in lowering.exprs.changing:
        _set(lowering, part, symbol)


def _is_view(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.VARIABLE and isinstance(symbol.type, Data)


def _set(lowering: Lowering, part: ast.AssignPart, symbol: Symbol) -> None:
    slot = lowering.exprs.slot(symbol)
    widths, value = lowering.exprs.widths, lowering.exprs.of(part.value)
    if part.op == "=":
        value = widths.given(symbol, value, part.value)
    else:
        value = widths.moved(symbol, apply(part.op[0], var(slot), value))
    lowering.emit(Set(part.span, slot, value, lowering.loops))


def _is_in_sight(callee: str, context: Context) -> bool:
    """Whether all that a function does is known: of the toolchain, the name of what waits says so."""
    return callee.rpartition("::")[2] in context.in_sight or callee.startswith(("__", "croq::", "choreo::", "std::"))


def _call_stmt(lowering: Lowering, node: ast.CallStmt) -> None:
    _call(lowering, node.call)


def _call(lowering: Lowering, call: ast.Call) -> None:
    if call.kind == "barrier":
        if len(call.args) == 2:
            number, count = (lowering.exprs.of(arg) for arg in call.args)
            lowering.emit(Bar(call.span, number, count, call.callee == "__bar_sync", lowering.loops))
        return
    context, name = lowering.model.context, call.callee.rpartition("::")[2]
    names = (each for arg in (*call.args, *(call.targs or ())) for each in nodes_of_kind(arg, ast.Name))
    foreign = {each.id for each in names if each not in lowering.model.uses}
    if is_waiting(call.callee) or not context.waiting_functions.isdisjoint({name, *foreign}):
        lowering.emit(Fail(call.span, f"'{call.callee}' may wait for other threads, or end this one"))
        return
    if _gives_sizes_away(lowering, call, f"'{call.callee}'"):
        return
    others = len(lowering.paths) > 1 or lowering.events
    if call.kind == "call" and others and not _is_in_sight(call.callee, context):
        lowering.note(call.span, call.callee)
    if call.kind == "atomic":
        _atomic(lowering, call)
        return
    operands = [operand for arg in call.args for operand in lowering.buffers.reads_in(arg)]
    if not operands:
        return
    for operand in each_of(operands):
        if operand.stage is not None:
            operand.stage.written = True
    lowering.emit(Touch(call.span, operands, (), lowering.loops))
    handed = [found for arg in call.args if _is_handed(lowering, arg) for found in lowering.buffers.reads_in(arg)]
    if handed:
        op = Touch(call.span, (), handed, lowering.loops)
        op.maybe = f"whether '{call.callee}' writes what it is given is not known"
        lowering.emit(op)


def _gives_sizes_away(lowering: Lowering, node: ast.Call | ast.Cpp | ast.Asm, by: str) -> bool:
    """Whether what may write a parameter of the kernel ends the analysis here: sizes are the same everywhere."""
    for symbol in foreign_parameters(lowering.model, node):
        lowering.emit(Fail(node.span, f"{by} may give '{symbol.name}' another value; hand on a variable of its own"))
        return True
    return False


def _atomic(lowering: Lowering, call: ast.Call) -> None:
    """Its first argument is the element that it changes; what says which element, and the values, are read (4.6)."""
    changed = call.args[0]
    target = lowering.buffers.operand(changed)
    found = [operand for arg in call.args for operand in lowering.buffers.reads_in(arg)]
    reads = [each for each in found if target is None or each.span != target.span]
    if reads:
        lowering.emit(Touch(call.span, reads, (), lowering.loops))
    if target is not None:
        op = Touch(call.span, (), (target,), lowering.loops)
        op.atomic = True
        lowering.emit(op)


def _is_handed(lowering: Lowering, arg: ast.Node) -> bool:
    """Whether a function gets the place of the data; of an element it gets the value."""
    view = lowering.model.views.get(arg)
    return view is not None and view.element is None


def _reading(lowering: Lowering, node: ast.Node) -> None:
    lowering.reads(node)


# --- barriers and islands --------------------------------------------------------------------------


def _sync(lowering: Lowering, node: ast.Sync) -> None:
    whole = node.kind == "shared" or (node.kind == "barrier" and node.level == "block")
    if whole and len(lowering.paths) > 1:
        lowering.emit(Meet(node.span, lowering.loops))


def _island(lowering: Lowering, node: ast.Cpp | ast.Asm) -> None:
    context = lowering.model.context
    if _gives_sizes_away(lowering, node, "'asm'" if isinstance(node, ast.Asm) else "this C++"):
        return
    if isinstance(node, ast.Cpp) and register_hint(node.text.value) is None and reaches_out(node.text.value):
        lowering.emit(Fail(node.span, "this C++ is no whole statement, and changes what stands around it"))
        return
    text = island_text(context, node) if isinstance(node, ast.Cpp) else node.template.value
    match effect_of(text, context.waiting_functions):
        case Effect.CONTROL:
            lowering.emit(Fail(node.span, "foreign code"))
        case Effect.COMMIT:
            lowering.emit(Commit(node.span, lowering.loops))
        case Effect.NOTHING:
            lowering.note(node.span)


STATEMENTS: Final[dict[type, Callable[[Lowering, Any], None]]] = {
    ast.Wait: wait,
    ast.Trigger: trigger,
    ast.Copy: copy,
    ast.Rotate: rotate,
    ast.AnyFuture: any_future,
    ast.Mma: multiply,
    ast.MmaLoad: load,
    ast.MmaStore: store,
    ast.MmaScale: scale,
    ast.MmaCommit: commit,
    ast.Apply: apply_block,
    ast.FragOp: fragment_op,
    ast.Assign: _assign,
    ast.Call: _call,
    ast.CallStmt: _call_stmt,
    ast.Print: _reading,
    ast.Sync: _sync,
    ast.Cpp: _island,
    ast.Asm: _island,
}
