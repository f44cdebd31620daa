"""How values and types of the IR are spelled in C++. Must not print statements."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, isinf, isnan

from croqc.codegen.units import number_of
from croqc.pipe.exprs import ATOM, BINDING, UNARY, Cast, Expr, Fn, Held, Lit, Op, Read, Var
from croqc.pipe.ir_control import Print
from croqc.sema.elements import ELEMENTS
from croqc.sema.model import Unit
from croqc.text.span import NOWHERE, Span

_FUNCTIONS = {
    "__exp": "expf", "__exp2f": "exp2f", "__log": "logf", "__log1p": "log1pf", "__expm1": "expm1f", "__sqrt": "sqrtf",
    "__sin": "sinf", "__cos": "cosf", "__tan": "tanf", "__asin": "asinf", "__acos": "acosf", "__atan": "atanf",
    "__atan2": "atan2f", "__sinh": "sinhf", "__cosh": "coshf", "__tanh": "tanhf", "__pow": "powf",
    "__ceil": "ceilf", "__floor": "floorf", "__round": "roundf", "__fabs": "fabsf", "__isfinite": "isfinite",
    "__min": "min", "__max": "max", "cdiv": "cdiv", "__fmaf": "fmaf",
}  # fmt: skip
OWN_MATHS = {"__gelu": "gelu", "__sigmoid": "sigmoid", "__softplus": "softplus", "__sign": "sign"}
"""Functions that a header of ours has (`include/croq/maths`)."""
_SINGLE = frozenset({"f16", "bf16", "f8_e4m3", "f8_e5m2"})  # floats that are computed in f32

_FLOATS = frozenset({"f32", "tf32", "f64", *_SINGLE})
_OF_THREAD = {"warpgroup": f"({number_of(Unit.GROUP4)})", "warp": f"({number_of(Unit.GROUP)})"}
_OF_INTEGERS = {  # functions of numbers that integers have exactly
    "__ceil": "{}", "__floor": "{}", "__round": "{}", "__fabs": "abs({})", "__isfinite": "true",
}  # fmt: skip

Element = Callable[[Read | Held], str]


class UnsupportedTypeError(Exception):
    """An element type or function that C++ code is not generated for yet. `span`: the statement, where it is known."""

    def __init__(self, message: str, span: Span = NOWHERE) -> None:
        super().__init__(message)
        self.message = message
        self.span = span


def type_word(elem: str) -> str:
    """The C++ type of an element. Raises UnsupportedTypeError."""
    if elem in ("s32", "int"):
        return "int"
    if elem in ("f32", "tf32"):
        return "float"
    if elem == "f64":
        return "double"
    if elem == "bool" or elem in _SINGLE or (elem in ELEMENTS and elem[0] in "su" and ELEMENTS[elem].bits >= 8):
        return elem
    raise UnsupportedTypeError(f"the type {elem} is not lowered to CUDA yet: use a wider one, such as f8_e4m3 or s8")


_ESCAPES = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def quoted(text: str) -> str:
    """A string literal of C++; what is not printable ASCII as octal bytes of UTF-8."""
    found = ""
    for char in text:
        if char in _ESCAPES:
            found += _ESCAPES[char]
        else:
            plain = char.isascii() and char.isprintable()
            found += char if plain else "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogatepass"))
    return f'"{found}"'


_BOOL = re.compile(r"%(%|[a-z]+)")


def printf(stmt: Print, spelled: Callable[[Expr], str]) -> str:
    """The call of C's printf that prints a statement."""
    args = [spelled(arg) for arg in stmt.args]
    forms = [found.group(1) for found in _BOOL.finditer(stmt.text) if found.group(1) != "%"]
    shown = [f'({arg}) ? "true" : "false"' if form == "b" else arg for arg, form in zip(args, forms, strict=True)]
    text = _BOOL.sub(lambda found: "%s" if found.group(1) == "b" else found.group(0), stmt.text)
    return f"printf({', '.join([quoted(text), *shown])});"


def spell(expr: Expr, element: Element, binding: int = 0) -> str:
    """An expression; parentheses only where `binding`, how tightly its surroundings bind, asks for them."""
    text, own = _spelled(expr, element)
    return f"({text})" if own < binding else text


def _spelled(expr: Expr, element: Element) -> tuple[str, int]:
    match expr:
        case Lit():
            return _literal(expr)
        case Var(name=name):
            return name, ATOM
        case Read() | Held():
            return element(expr), ATOM
        case Cast(value=value, elem=elem):
            return _cast(spell(value, element), value.elem, elem), ATOM
        case Fn():
            return _function(expr, element), ATOM
        case Op(op=op, elem=elem) if elem in _SINGLE and op not in ("?:", "!"):
            args = tuple(Cast(arg, "f32") for arg in expr.args)
            return _cast(spell(Op(op, args, "f32"), element), "f32", elem), ATOM
        case Op():
            return _operator(expr, element)
    raise AssertionError(f"no spelling for {type(expr).__name__}")


def _operator(expr: Op, element: Element) -> tuple[str, int]:
    if len(expr.args) == 1:
        operand = spell(expr.args[0], element, UNARY)
        return expr.op + (f"({operand})" if operand.startswith(expr.op) else operand), UNARY  # `--x` is another thing
    if expr.op == "?:":
        test, then, other = (spell(arg, element, 2) for arg in expr.args)
        return f"{test} ? {then} : {other}", 1
    own = BINDING[expr.op]
    if own == 7 or own == 8:  # comparisons of narrow floats are those of their values
        args = [Cast(arg, "f32") if arg.elem in _SINGLE else arg for arg in expr.args]
    else:
        args = list(expr.args)
    clear = BINDING["+"] if expr.op in ("&", "|", "^", "<<", ">>") else own
    left, right = spell(args[0], element, max(own, clear)), spell(args[1], element, max(own, clear) + 1)
    return f"{left} {expr.op} {right}", own


_SUFFIXES = {"u32": "u", "s64": "ll", "u64": "ull"}  # narrow ones are converted where they stand alone


def _literal(expr: Lit) -> tuple[str, int]:
    value = expr.value
    if isinstance(value, bool):
        return ("true" if value else "false"), ATOM
    if isinstance(value, int):
        return f"{value}{_SUFFIXES.get(expr.elem, '')}", ATOM if value >= 0 else UNARY
    if isnan(value) or isinf(value):
        bits = "0x7fffffff" if isnan(value) else "0x7f800000" if value == inf else "0xff800000"
        text = f"__int_as_float({bits})"
        return text if expr.elem in ("f32", "tf32") else f"{type_word(expr.elem)}({text})", ATOM
    text = repr(float(value))
    if expr.elem == "f64":
        return text, ATOM
    if expr.elem in _SINGLE:
        return f"{expr.elem}({text}f)", ATOM
    return f"{text}f", ATOM if value >= 0 else UNARY


def _cast(text: str, have: str, want: str) -> str:
    if have in _SINGLE and want not in ("f32", "tf32", *_SINGLE):
        text = f"float({text})"
    if want in _SINGLE and have not in ("f32", "tf32"):
        text = f"float({text})"
    return f"{type_word(want)}({text})"


def _function(expr: Fn, element: Element) -> str:
    args = [spell(arg, element) for arg in expr.args]
    if expr.name in _OF_THREAD:
        return _OF_THREAD[expr.name]
    if expr.foreign:
        return f"{expr.name}({', '.join(args)})"
    if expr.elem not in _FLOATS and expr.name in _OF_INTEGERS:
        return _OF_INTEGERS[expr.name].format(args[0])
    if expr.name in ("__rsqrt", "__frcp_rn"):
        one, root = ("1.0", "sqrt") if expr.elem == "f64" else ("1.0f", "sqrtf")
        value = f"float({args[0]})" if expr.args[0].elem in _SINGLE else args[0]
        below = f"{root}({value})" if expr.name == "__rsqrt" else f"({value})"
        return f"{type_word(expr.elem)}({one} / {below})"
    word = OWN_MATHS.get(expr.name) or _FUNCTIONS.get(expr.name)
    if word is None:
        raise UnsupportedTypeError(f"{expr.name} is not lowered to CUDA yet: 'call' a device function that computes it")
    if expr.elem in _SINGLE:
        plain = ", ".join(f"float({arg})" for arg in args)
        return f"{expr.elem}({word}({plain}))"
    if expr.elem == "f64" and word.endswith("f"):
        word = word[:-1]
    return f"{word}({', '.join(args)})"
