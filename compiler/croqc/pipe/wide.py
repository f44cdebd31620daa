"""Integer expressions that may pass 2^31, in 64 bits: sizes are s32, products of them need not be. Must not print."""

from __future__ import annotations

from croqc.pipe.exprs import Cast, Expr, Fn, Lit, Op, Var
from croqc.sema.launch_limits import LARGEST

_WIDE = ("s64", "u64")
_GROWING = ("+", "-", "*")


def is_small(extent: Expr) -> bool:
    """Whether an extent, and so every index below it, certainly fits 32 bits: a size, or a part of one."""
    match extent:
        case Lit(value=value):
            return value <= LARGEST
        case Var(elem=elem):
            return elem not in _WIDE
        case Op(op="/" | "%", args=(left, _)) | Fn(name="cdiv", args=(left, _)):
            return is_small(left)
        case Fn(name="__min", args=args):
            return any(is_small(arg) for arg in args)
        case Cast(elem=elem):
            return elem not in _WIDE
    return False


def widened(expr: Expr) -> Expr:
    """The expression with every sum and product in it computed in 64 bits; itself where it has none."""
    match expr:
        case Op(op=op, args=(left, right)) if op in _GROWING:
            a, b = widened(left), widened(right)
            return Op(op, (a if a.elem in _WIDE or b.elem in _WIDE else Cast(a, "s64"), b), "s64")
        case Op(op="/" | "%" as op, args=(left, right)):
            return _of(expr, Op(op, (widened(left), widened(right)), "s64"))
        case Fn(name="cdiv" | "__min" | "__max" as name, args=(left, right)):
            a, b = widened(left), widened(right)
            if a.elem in _WIDE or b.elem in _WIDE:  # of one type, as C's overloads want it
                return Fn(name, (_wide(a), _wide(b)), "s64")
    return expr


def _of(old: Expr, new: Op) -> Expr:
    return new if any(arg.elem in _WIDE for arg in new.args) else old


def _wide(expr: Expr) -> Expr:
    if isinstance(expr, Lit):
        return Lit(expr.value, "s64")
    return expr if expr.elem in _WIDE else Cast(expr, "s64")
