"""What one thread of a level does for all: element stores, atomics, prints, calls (reference, 4.3, 4.6).

A statement at a level runs once for each instance of the level: its first thread does it, between two barriers of the
unit, so that nobody reads too early or too late. Inside a level of threads each does its own. Must not move tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.scalars import convert, elem_of, value
from croqc.pipe.build.tiles import element, guarded, inside, tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, Op, Read, Space, Var, subtract, whole
from croqc.pipe.tiles import handed_on
from croqc.sema.model import THREADS, Unit
from croqc.sema.types import Bounded, Data, Future
from croqc.syntax import ast
from croqc.text.span import Span

_THREAD = Var("threadIdx.x")


def once(c: Context, built: Built, span: Span) -> Built:
    """Statements for one thread of the level that they stand at."""
    if c.per_thread or c.unit is Unit.THREAD or c.kernel is None or c.kernel.threads == 1:
        return built
    rank = Op("%", (_THREAD, Lit(THREADS[c.unit]))) if c.unit in THREADS else _THREAD
    first = Op("==", (rank, ZERO if c.unit in THREADS else Lit(c.first)), "bool")
    return [ir.Sync(span, c.unit), ir.If(span, first, tuple(built)), ir.Sync(span, c.unit)]


def thread_of(c: Context) -> tuple[Expr, Expr]:
    """The number of a thread in the unit at hand, and how many there are."""
    if c.unit in THREADS:
        return Op("%", (_THREAD, Lit(THREADS[c.unit]))), Lit(THREADS[c.unit])
    return subtract(_THREAD, Lit(c.first)), Lit(c.threads)


def call(c: Context, node: ast.CallStmt) -> Built:
    each = node.call
    if each.kind == "atomic":
        return once(c, _atomic(c, node), node.span)
    args = arguments(c, each)
    made = ir.Call(node.span, callee(c, each), args)
    if not c.per_thread and _is_shared(made):
        return [ir.Sync(node.span, c.unit), made, ir.Sync(node.span, c.unit)]
    return once(c, [made], node.span)


def _atomic(c: Context, node: ast.CallStmt) -> Built:
    made = atomic(c, node.call)
    return guarded(Read(made.tile, made.index), [made], node.span)


def atomic(c: Context, node: ast.Call, old: str = "") -> ir.Atomic:
    """`__atomic_OP(element, value…)`; `old` names what was there before."""
    target = node.args[0]
    if not isinstance(target, ast.Chain):
        raise LoweringError("an atomic works on an element of data: write 't.at(i)'", target.span)
    place = element(c, target)
    values = tuple(convert(value(c, arg), place.elem) for arg in node.args[1:])
    word = node.callee.removeprefix("__atomic_")
    return ir.Atomic(node.span, place.tile, place.index, values[0], word, values[1:], old)


def called(c: Context, node: ast.Call, elem: str = "") -> Expr:
    """What a device function or an atomic gives; `elem`: the function's type, where a declaration says it."""
    if node.kind == "atomic":
        return _old_value(c, node)
    found = Fn(callee(c, node), arguments(c, node), elem or elem_of(c, node), foreign=True)
    if not c.per_thread and _is_shared(ir.Call(node.span, found.name, found.args)):
        c.ahead.append(ir.Sync(node.span, c.unit))
        c.behind.append(ir.Sync(node.span, c.unit))
    return found


def _is_shared(made: ir.Stmt) -> bool:
    """Whether all threads of a level make a call together: it gets shared data and none of a thread's own (4.3)."""
    spaces = {tensor.space for tensor in handed_on(made)}
    return Space.SHARED in spaces and Space.LOCAL not in spaces


def _old_value(c: Context, node: ast.Call) -> Expr:
    """What an atomic found, as a value: the atomic stands in front of the statement at hand."""
    if not (c.per_thread or c.unit is Unit.THREAD or c.kernel is None or c.kernel.threads == 1):
        reason = "one thread of this level makes the atomic, and the others do not know its old value"
        raise LoweringError(f"{reason}: use it inside a level of threads", node.span)
    name = c.names.fresh("old")
    made = atomic(c, node, name)
    if inside(made.tile, made.index) is not None:
        raise LoweringError("an element that may not exist has no old value: ask first whether it does", node.span)
    c.ahead.append(made)
    return Var(name, made.tile.tensor.elem)


# --- device functions --------------------------------------------------------------------------


def callee(c: Context, node: ast.Call) -> str:
    """The function as C++ calls it, template arguments included."""
    if not node.targs:
        return node.callee
    return f"{node.callee}<{', '.join(_template_argument(c, arg) for arg in node.targs)}>"


def _template_argument(c: Context, node: ast.Expr) -> str:
    if isinstance(node, ast.Name) and node not in c.model.uses:
        return node.id
    known = c.model.values.get(node)
    if known is None or known.const is None:
        raise LoweringError("a template argument is a number or a name of C++: write its value", node.span)
    return str(known.const)


def arguments(c: Context, node: ast.Call) -> tuple[Expr, ...]:
    """Scalars by value; data by a pointer to its first element."""
    return tuple(_argument(c, arg) for arg in node.args)


def _argument(c: Context, node: ast.Expr) -> Expr:
    if isinstance(node, ast.AddressOf) and isinstance(node.operand, ast.Chain) and not _is_data(c, node.operand):
        place = element(c, node.operand)
        if inside(place.tile, place.index) is not None:
            raise LoweringError("this element may not exist: ask first whether it does", node.span)
        return Fn("&", (place,), "u64", foreign=True)
    if isinstance(node, ast.AddressOf) and _is_data(c, node.operand):
        node = node.operand
    if not _is_data(c, node):
        return value(c, node)
    data = tile(c, node)
    if data != whole(data.tensor, data.slot) and any(limit is not None for limit in data.valid):
        raise LoweringError(
            "a device function does not know where data ends: pass a whole tile, or elements of it", node.span
        )
    return Fn("&", (Read(data, (ZERO,) * len(data.shape)),), "u64", foreign=True)


def _is_data(c: Context, node: ast.Node) -> bool:
    return isinstance(c.model.types.get(node), Data | Future)


# --- print -------------------------------------------------------------------------------------

_FORMATS = {"s64": "%lld", "u64": "%llu", "u32": "%u", "f64": "%f"}


def printed(c: Context, node: ast.Print) -> Built:
    if node.static:
        return []
    text, args = "", []
    for part in node.args:
        if isinstance(part, ast.Str):
            text += part.value.replace("%", "%%")
            continue
        shown = value(c, part)
        form, shown = _shown(shown)
        text += f"{{{form}}}" if isinstance(c.model.types.get(part), Bounded) else form
        args.append(shown)
    text += "\n" if node.word == "println" else ""
    return once(c, [ir.Print(node.span, text, tuple(args))], node.span)


def _shown(shown: Expr) -> tuple[str, Expr]:
    """The format of a value and the value as printf takes it."""
    if shown.elem == "bool":
        return "%b", shown
    if shown.elem in _FORMATS:
        return _FORMATS[shown.elem], shown
    if shown.elem[0] in "su" or shown.elem == "int":
        return "%d", convert(shown, "s32")
    return "%f", convert(convert(shown, "f32"), "f64")


EFFECTS: dict[type, Callable[[Context, Any], Built]] = {ast.Print: printed}
VALUES: dict[type, Callable[[Context, Any], Expr]] = {ast.Call: called}
