"""Integer expressions of a path as small trees over numbered variables, and as closures. Must not know the language.

Truth values are 0 and 1. What is not known at analysis time raises `UndecidedError` when it is evaluated, never before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

from croqc.text.span import NOWHERE, Span

Env = list[Any]
Value = Callable[[Env], Any]


class UndecidedError(Exception):
    """A value depends on run-time data, differs between the threads of a path (`threads`), or is written with more
    levels than are followed (`deep`)."""

    def __init__(self, span: Span = NOWHERE, threads: bool = False, deep: bool = False) -> None:
        self.span = span
        self.threads = threads
        self.deep = deep

    def at(self, span: Span) -> UndecidedError:
        """The same at the place that a reader looks for; what is too deep stays where it is."""
        return self if self.deep else UndecidedError(span, self.threads)


class _Raises:
    """Stands for a value in an environment that nobody knows; any use raises."""

    __slots__ = ("threads",)

    def __init__(self, threads: bool) -> None:
        self.threads = threads

    def _use(self, *_: object) -> NoReturn:
        raise UndecidedError(threads=self.threads)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _use
    __mod__ = __rmod__ = __neg__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _use
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __index__ = _use
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __abs__ = __divmod__ = __rdivmod__ = _use
    __hash__ = object.__hash__


DATA: Final = _Raises(threads=False)
VARIES: Final = _Raises(threads=True)


FLOOR: Final = 1
DEEP: Final = 1


class Expr:
    """`op` is "k" (the constant `value`), "v" (the variable numbered `value`), "?" (not known, `span` says where; with
    too many levels if `value` is `DEEP`), "cut" (to as many bits as `value` says, of a signed integer if that is
    negative) or an operator on `args`; a division or remainder whose `value` is `FLOOR` rounds down."""

    __slots__ = ("_code", "_variables", "args", "op", "size", "span", "value")

    def __init__(self, op: str, args: tuple[Expr, ...] = (), value: int = 0, span: Span = NOWHERE) -> None:
        self.op = op
        self.args = args
        self.value = value
        self.span = span
        self.size: int = 1 + sum([arg.size for arg in args])  # nodes, what is shared counted each time
        self._code: Value | None = None
        self._variables: frozenset[int] | None = None

    def walk(self) -> Iterator[Expr]:
        stack = [self]
        while stack:
            here = stack.pop()
            yield here
            stack.extend(here.args)

    def variables(self) -> frozenset[int]:
        if self._variables is None:
            self._variables = frozenset(each.value for each in self.walk() if each.op == "v")
        return self._variables

    def code(self) -> Value:
        """A function from the environment to the value; made once."""
        if self._code is None:
            self._code = _closure(self)
        return self._code

    @property
    def const(self) -> int | None:
        return self.value if self.op == "k" else None

    @property
    def known(self) -> bool:
        return all(each.op != "?" for each in self.walk())


def const(value: int) -> Expr:
    return Expr("k", (), value)


def var(slot: int) -> Expr:
    return Expr("v", (), slot)


def unknown(span: Span, deep: bool = False) -> Expr:
    return Expr("?", (), DEEP if deep else 0, span)


def apply(op: str, *args: Expr) -> Expr:
    """The operation, folded where all operands are constant or nothing is added."""
    if all(arg.op == "k" for arg in args):
        try:
            return const(closure(Expr(op, args))([]))
        except (UndecidedError, ZeroDivisionError):
            return Expr(op, args)
    if op in ("+", "-") and args[1].const == 0:
        return args[0]
    if op == "+" and args[0].const == 0:
        return args[1]
    return Expr(op, args)


def cut(value: Expr, bits: int) -> Expr:
    """What an integer of so many bits holds of a value; `bits` of a signed one are negative."""
    if value.op == "k":
        return const(_cut(value.value, bits))
    return value if value.op == "cut" and value.value == bits else Expr("cut", (value,), bits)


def _cut(value: int, bits: int) -> int:
    if bits > 0:
        return value & ((1 << bits) - 1)
    half = 1 << (-bits - 1)
    return ((value + half) & (2 * half - 1)) - half


def floored(op: str, a: Expr, b: Expr) -> Expr:
    """A division or remainder of the symbolic normal form, which rounds down; other operations as they are."""
    if op not in ("/", "%"):
        return apply(op, a, b)
    found = Expr(op, (a, b), FLOOR)
    if a.op == b.op == "k" and b.value:
        return const(closure(found)([]))
    return found


def _quotient(a: int, b: int) -> int:
    """Division of the language rounds towards zero."""
    if b == 0:
        raise UndecidedError
    return a // b if (a >= 0) == (b > 0) else -(-a // b)


def _remainder(a: int, b: int) -> int:
    return a - _quotient(a, b) * b


def _floor(a: int, b: int) -> int:
    if b == 0:
        raise UndecidedError
    return a // b


def _modulo(a: int, b: int) -> int:
    return a - _floor(a, b) * b


def _ceiling(a: int, b: int) -> int:
    if b == 0:
        raise UndecidedError
    return -(-a // b)


_BINARY: Final[dict[str, Callable[[int, int], int]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _quotient,
    "%": _remainder,
    "//": _floor,
    "%%": _modulo,
    "cdiv": _ceiling,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
}
_FLOORED: Final = {"/": "//", "%": "%%"}
COMPARE: Final = frozenset(("==", "!=", "<", "<=", ">", ">="))


def closure(expr: Expr) -> Value:
    """A function from the environment to the value."""
    return expr.code()


def _closure(expr: Expr) -> Value:
    op, args = expr.op, expr.args
    if op == "k":
        value = expr.value
        return lambda env: value
    if op == "v":
        slot = expr.value
        return lambda env: env[slot]
    if op == "?":
        return _raiser(expr.span, expr.value == DEEP)
    parts = [arg.code() for arg in args]
    if op in _BINARY:
        return _binary(_FLOORED.get(op, op) if expr.value == FLOOR else op, args, parts)
    if op == "cut":
        return _cutting(parts[0], expr.value)
    return _logic(op, parts)


def _cutting(value: Value, bits: int) -> Value:
    return lambda env: _cut(value(env) + 0, bits)


def _raiser(span: Span, deep: bool) -> Value:
    def fail(_: Env) -> int:
        raise UndecidedError(span, deep=deep)

    return fail


def _binary(op: str, args: tuple[Expr, ...], parts: list[Value]) -> Value:
    left, right = parts
    by = args[1].const
    if by is not None and by > 0:
        found = _of_variable(op, args[0].value, by) if args[0].op == "v" else _by_constant(op, left, by)
        if found is not None:
            return found
    if op == "+":
        return lambda env: left(env) + right(env)
    if op == "<":
        return lambda env: int(left(env) < right(env))
    if op == "*":
        return lambda env: left(env) * right(env)
    if op == "==":
        return lambda env: int(left(env) == right(env))
    combine = _BINARY[op]
    return lambda env: combine(left(env), right(env))


def _by_constant(op: str, left: Value, by: int) -> Value | None:
    """Operations with a positive constant on the right, which are most of those on indices."""
    match op:
        case "%":
            return lambda env: _remainder(value, by) if (value := left(env)) < 0 else value % by
        case "/":
            return lambda env: _quotient(value, by) if (value := left(env)) < 0 else value // by
        case "%%":
            return lambda env: left(env) % by
        case "cdiv":
            return lambda env: -(-left(env) // by)
        case "+":
            return lambda env: left(env) + by
        case "*":
            return lambda env: left(env) * by
    return None


def _of_variable(op: str, slot: int, by: int) -> Value | None:
    """The same of a variable."""
    match op:
        case "%":
            return lambda env: _remainder(value, by) if (value := env[slot]) < 0 else value % by
        case "/":
            return lambda env: _quotient(value, by) if (value := env[slot]) < 0 else value // by
        case "%%":
            return lambda env: env[slot] % by
        case "cdiv":
            return lambda env: -(-env[slot] // by)
        case "+":
            return lambda env: env[slot] + by
        case "*":
            return lambda env: env[slot] * by
        case "<":
            return lambda env: int(env[slot] < by)
        case "==":
            return lambda env: int(env[slot] == by)
    return None


def _logic(op: str, parts: list[Value]) -> Value:
    if op == "&&":
        return lambda env: 1 if parts[0](env) and parts[1](env) else 0
    if op == "||":
        return lambda env: 1 if parts[0](env) or parts[1](env) else 0
    if op == "!":
        return lambda env: 0 if parts[0](env) else 1
    if op == "neg":
        return lambda env: -parts[0](env)
    if op == "~":
        return lambda env: ~parts[0](env)
    return lambda env: parts[1](env) if parts[0](env) else parts[2](env)
