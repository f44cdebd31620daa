"""What one thread of a level does for all: element stores, atomics, prints, calls (reference, 4.3, 4.6).

A statement at a level runs once for each instance of the level: its first thread does it, between two barriers of the
unit, so that nobody reads too early or too late. Inside a level of threads each does its own. Must not move tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croqc.pipe import ir
from croqc.pipe.build.context import Built, Context
from croqc.pipe.build.scalars import convert, value
from croqc.pipe.build.tiles import element, guarded, tile
from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, Op, Read, Space, Var, whole
from croqc.sema.model import THREADS, Unit
from croqc.sema.types import Bounded, Data, Future
from croqc.syntax import ast
from croqc.text.span import Span

_ATOMIC_NARROW = ("f16", "bf16")


def once(c: Context, built: Built, span: Span) -> Built:
    """Statements for one thread of the level that they stand at."""
    if c.per_thread or c.unit is Unit.THREAD or c.kernel.threads == 1:
        return built
    rank: Expr = Var("threadIdx.x")
    if c.unit in THREADS:
        rank = Op("%", (rank, Lit(THREADS[c.unit])))
    first = Op("==", (rank, ZERO), "bool")
    return [ir.Sync(span, c.unit), ir.If(span, first, tuple(built)), ir.Sync(span, c.unit)]


def call(c: Context, node: ast.CallStmt) -> Built:
    each = node.call
    if each.kind == "atomic":
        return once(c, _atomic(c, node), node.span)
    return once(c, [ir.Call(node.span, callee(c, each), arguments(c, each))], node.span)


def _atomic(c: Context, node: ast.CallStmt) -> Built:
    target = node.call.args[0]
    if not isinstance(target, ast.Chain):
        raise LoweringError("an atomic works on an element of data: write 't.at(i)'", target.span)
    place = element(c, target)
    if place.elem in _ATOMIC_NARROW:
        raise LoweringError(
            f"'{node.call.callee}' of {place.elem} is not lowered to CUDA yet: keep the element in f32", node.span
        )
    values = tuple(convert(value(c, arg), place.elem) for arg in node.call.args[1:])
    word = node.call.callee.removeprefix("__atomic_")
    return guarded(place, [ir.Atomic(node.span, place.tile, place.index, values[0], word, values[1:])], node.span)


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
    if not isinstance(c.model.types.get(node), Data | Future):
        return value(c, node)
    data = tile(c, node)
    if data.tensor.space is Space.SHARED:
        raise LoweringError(
            "a device function takes no shared data yet: pass elements of it, or a local or global copy", node.span
        )
    if data != whole(data.tensor, data.slot) and any(limit is not None for limit in data.valid):
        raise LoweringError(
            "a device function does not know where data ends: pass a whole tile, or elements of it", node.span
        )
    return Fn("&", (Read(data, (ZERO,) * len(data.shape)),), "u64", foreign=True)


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
        return "%d", convert(shown, "s32")
    if shown.elem in _FORMATS:
        return _FORMATS[shown.elem], shown
    if shown.elem[0] in "su" or shown.elem == "int":
        return "%d", convert(shown, "s32")
    return "%f", convert(convert(shown, "f32"), "f64")


EFFECTS: dict[type, Callable[[Context, Any], Built]] = {ast.Print: printed}
