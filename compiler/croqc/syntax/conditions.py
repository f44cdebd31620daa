"""Evaluates the expressions of `#if` and `#elif` (reference, 1.2.8). Must not keep conditional state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, NoReturn

from croqc.syntax.reports import preprocessing
from croqc.syntax.tokens import Macro
from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.record import record

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n]+|\\[ \t]*(?:\r\n?|\n)|//[^\r\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>[0-9]\w*)"
    r"|(?P<op><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&^|?:()])|(?P<bad>[\s\S])",
    re.ASCII,
)
_NUMBER = re.compile(r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<bin>[01]+)|(?P<oct>0[0-7]*)|(?P<dec>[1-9][0-9]*))[uUlL]*")
_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"))
_PRECEDENCE = {op: level for level, ops in enumerate((*_LEVELS, ("*", "/", "%"))) for op in ops}
_DEEPEST = 60  # nested parentheses and `?:`; far beyond real conditions, within Python's stack
_MOST_TOKENS = 10_000


@record
class Condition:
    """The value of a condition. `unknown` is the name because of which it is undecided, or None."""

    value: bool
    unknown: str | None = None
    findings: tuple[Diagnostic, ...] = ()


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _MalformedError(Exception):
    """Carries the place of the first character that does not fit; never leaves this module."""

    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


def undecided(name: str, macros: Mapping[str, Macro]) -> str | None:
    """The name if a test whether it is defined must be left to the C++ compiler, else None."""
    return name if name.startswith("__") and name not in macros else None


def evaluate(text: str, start: int, end: int, macros: Mapping[str, Macro], host: bool) -> Condition:
    """The condition written at `[start, end)`. In host text, a name beginning with `__` that is followed by
    `(` is taken as a test of the C++ compiler (`__has_include(...)`): undecided, 0."""
    evaluator = _Evaluator(macros, host)
    try:
        evaluator.read(text, start, end)
        value = evaluator.condition()
    except _MalformedError as problem:
        hint = "integers, macros, 'defined' and C operators only"
        finding = preprocessing("malformed #if expression", problem.start, problem.end, hint)
        return Condition(False, None, (finding,))
    return Condition(value != 0, evaluator.unknown if host else None, tuple(evaluator.findings))


def _split(text: str, start: int, end: int) -> Iterator[_Token]:
    for found in _TOKEN.finditer(text, start, end):
        if found.lastgroup != "blank":
            yield _Token(str(found.lastgroup), found[0], found.start(), found.end())


def _signed(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


class _Evaluator:
    """A precedence climber over the expanded tokens. `live` is false where a value is not used."""

    def __init__(self, macros: Mapping[str, Macro], host: bool) -> None:
        self.macros = macros
        self.host = host
        self.tokens: list[_Token] = []
        self.at = 0
        self.live = True
        self.depth = 0
        self.unknown: str | None = None
        self.findings: list[Diagnostic] = []

    def read(self, text: str, start: int, end: int) -> None:
        """Resolve `defined`, then expand object-like macros; produced tokens stand at the use."""
        source = list(_split(text, start, end))
        index = 0
        while index < len(source):
            token = source[index]
            index += 1
            if token.text == "defined":
                index = self._defined(source, index)
            else:
                self._expand(token, frozenset())
        self.tokens.append(_Token("end", "", end, end))

    def _defined(self, source: list[_Token], index: int) -> int:
        opened = index < len(source) and source[index].text == "("
        name = index + opened
        behind = name + 1 + opened
        word = source[index - 1]
        if name >= len(source) or source[name].kind != "word":
            place = source[name] if name < len(source) else word
            raise _MalformedError(place.start, place.end)
        if opened and (behind > len(source) or source[behind - 1].text != ")"):
            place = source[behind - 1] if behind <= len(source) else source[-1]
            raise _MalformedError(place.start, place.end)
        known = source[name].text in self.macros
        # The name travels along, so that only an evaluated test can leave the condition undecided.
        kind = "number" if known else "absent"
        self.tokens.append(_Token(kind, "1" if known else source[name].text, word.start, source[behind - 1].end))
        return behind

    def _expand(self, token: _Token, active: frozenset[str]) -> None:
        macro = self.macros.get(token.text) if token.kind == "word" else None
        if macro is None or macro.params is not None or macro.name in active:
            self.tokens.append(token)
        elif len(self.tokens) > _MOST_TOKENS or len(active) > _DEEPEST:
            raise _MalformedError(token.start, token.end)
        else:
            body = macro.body or "1"
            for part in _split(body, 0, len(body)):
                self._expand(_Token(part.kind, part.text, token.start, token.end), active | {macro.name})

    def condition(self) -> int:
        value = self._ternary()
        self._expect("end")
        return value

    def _ternary(self) -> int:
        self.depth += 1
        if self.depth > _DEEPEST:
            self._fail()
        value = self._binary(0)
        if self.tokens[self.at].text == "?":
            self.at += 1
            first = self._guarded(value != 0, self._ternary)
            self._expect(":")
            second = self._guarded(value == 0, self._ternary)
            value = first if value else second
        self.depth -= 1
        return value

    def _binary(self, lowest: int) -> int:
        left = self._unary()
        while (level := _PRECEDENCE.get(self.tokens[self.at].text, -1)) >= lowest:
            token = self.tokens[self.at]
            self.at += 1
            if token.text == "&&":
                right = self._guarded(left != 0, partial(self._binary, level + 1))
                left = int(left != 0 and right != 0)
            elif token.text == "||":
                right = self._guarded(left == 0, partial(self._binary, level + 1))
                left = int(left != 0 or right != 0)
            else:
                left = _signed(self._apply(token, left, self._binary(level + 1)))
        return left

    def _guarded(self, used: bool, part: Callable[[], int]) -> int:
        before = self.live
        self.live = before and used
        value = part()
        self.live = before
        return value

    def _apply(self, token: _Token, left: int, right: int) -> int:
        if token.text in ("/", "%"):
            if right == 0:
                if self.live:
                    self.findings.append(
                        preprocessing(
                            "division by zero in #if", token.start, token.end, "it counts as 0", Severity.WARNING
                        )
                    )
                return 0
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if token.text == "/" else left - quotient * right
        return _OPERATIONS[token.text](left, right)

    def _unary(self) -> int:
        operators = []
        while self.tokens[self.at].text in ("!", "~", "-", "+"):
            operators.append(self.tokens[self.at].text)
            self.at += 1
        value = self._primary()
        for operator in reversed(operators):
            if operator == "!":
                value = int(value == 0)
            elif operator != "+":
                value = _signed(-value if operator == "-" else ~value)
        return value

    def _primary(self) -> int:
        token = self.tokens[self.at]
        self.at += 1
        if token.text == "(":
            value = self._ternary()
            self._expect(")")
            return value
        if token.kind == "number":
            return _integer(token)
        if token.kind == "absent":
            return self._left_over(token.text if token.text.startswith("__") else None)
        if token.kind == "word":
            if self.host and token.text.startswith("__") and self.tokens[self.at].text == "(":
                self._skip_parentheses()
            return self._left_over(token.text)
        self.at -= 1
        self._fail()

    def _left_over(self, name: str | None) -> int:
        if self.live and self.unknown is None:
            self.unknown = name
        return 0

    def _skip_parentheses(self) -> None:
        depth = 0
        while self.tokens[self.at].kind != "end":
            depth += {"(": 1, ")": -1}.get(self.tokens[self.at].text, 0)
            self.at += 1
            if depth == 0:
                return

    def _expect(self, what: str) -> None:
        token = self.tokens[self.at]
        if what not in (token.text, token.kind):
            self._fail()
        self.at += 1

    def _fail(self) -> NoReturn:
        token = self.tokens[self.at]
        raise _MalformedError(token.start, token.end)


def _integer(token: _Token) -> int:
    found = _NUMBER.match(token.text)
    if found is None or found.end() != len(token.text):
        wrong = found.end() if found else 0
        raise _MalformedError(min(token.start + wrong, token.end - 1), token.end)
    base = {"hex": 16, "bin": 2, "oct": 8, "dec": 10}
    name, digits = next((name, digits) for name, digits in found.groupdict().items() if digits is not None)
    significant = digits.lstrip("0") or "0"
    if len(significant) > 64:
        raise _MalformedError(token.start, token.end)
    return _signed(int(significant, base[name]))


def _shift(left: int, count: int) -> int:
    """C leaves counts outside 0..63 open; they give 0 here."""
    return left << count if 0 <= count < 64 else 0


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "*": lambda a, b: a * b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "<<": _shift,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
    "|": lambda a, b: a | b,
}
