"""Symbolic integers in a small normal form: sums of products over atoms. Must not know the language.

An atom is a symbol or an opaque part: a division, a remainder or a product too large to expand. `Int`s are
immutable and hashable; equal normal forms are equal values. Division and remainder round down, as the extents of
the language are positive (reference, 3.2); `truncated` is for what may be negative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import gcd
from typing import Final

from croqc.sema.integers import quotient, remainder
from croqc.text.record import record

_MAX_TERMS = 48  # a product that would have more stays an opaque part
_TOO_LARGE = 1 << 64
_NO_NAMES: frozenset[str] = frozenset()


@record(eq=False)
class Part:
    """An opaque atom: `op` is "/" (floor), "cdiv", "%", "*", or "quot" and "rem", which round towards zero.

    `size` counts the atoms inside and itself.

    `key` spells the whole part, so that comparing and hashing need not descend.
    """

    op: str
    a: Int
    b: Int
    size: int
    key: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


PARTS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "/": operator.floordiv,
    "cdiv": lambda a, b: -(-a // b),
    "%": operator.mod,
    "*": operator.mul,
    "quot": quotient,
    "rem": remainder,
}
"""What each part means of numbers."""
_TRUNCATED: Final = {"/": "quot", "%": "rem"}
_SPELLED: Final = {"quot": "/", "rem": "%"}  # as a person writes them

Atom = str | Part
Monomial = tuple[Atom, ...]  # sorted by `_key`, an atom repeated for each power


def _key(atom: Atom) -> str:
    return atom if isinstance(atom, str) else atom.key


def _monomial_key(monomial: Monomial) -> tuple[int, list[str]]:
    return -len(monomial), [_key(atom) for atom in monomial]


@record
class Int:
    """A symbolic integer: `terms` maps monomials to non-zero coefficients, in a fixed order.

    A symbol is a string; what follows a `'` in it only keeps equal names apart and is not printed.
    """

    terms: tuple[tuple[Monomial, int], ...]

    @staticmethod
    @lru_cache(maxsize=4096)
    def of(value: int | str) -> Int:
        """A constant or a symbol."""
        if isinstance(value, str):
            return Int((((value,), 1),))
        return Int((((), int(value)),)) if value else Int(())

    @property
    def const(self) -> int | None:
        """The value, if it is constant."""
        if not self.terms:
            return 0
        monomial, factor = self.terms[0]
        return factor if not monomial else None

    @property
    def size(self) -> int:
        """How many atoms it is written with, those inside parts too; callers that build chains bound it.

        A number beyond 64 bits counts as too large to write.
        """
        total = 0
        for monomial, factor in self.terms:
            if not -_TOO_LARGE < factor < _TOO_LARGE:
                return _TOO_LARGE
            for atom in monomial:
                total += 1 if isinstance(atom, str) else atom.size
        return total

    def atoms(self) -> Iterator[Atom]:
        for monomial, _ in self.terms:
            yield from monomial

    def names(self) -> frozenset[str]:
        """All symbols, those inside parts too."""
        if not self.terms:
            return _NO_NAMES
        found: set[str] = set()
        for monomial, _ in self.terms:
            for atom in monomial:
                if isinstance(atom, str):
                    found.add(atom)
                else:
                    found |= atom.a.names() | atom.b.names()
        return frozenset(found)

    # --- arithmetic ---------------------------------------------------------------------------

    def __add__(self, other: Int) -> Int:
        if not other.terms:
            return self
        if not self.terms:
            return other
        sums = dict(self.terms)
        for monomial, factor in other.terms:
            sums[monomial] = sums.get(monomial, 0) + factor
        return _from_dict(sums)

    def __neg__(self) -> Int:
        return Int(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __sub__(self, other: Int) -> Int:
        if not other.terms:
            return self
        sums = dict(self.terms)
        for monomial, factor in other.terms:
            sums[monomial] = sums.get(monomial, 0) - factor
        return _from_dict(sums)

    def __mul__(self, other: Int) -> Int:
        if len(self.terms) * len(other.terms) > _MAX_TERMS:
            first, second = sorted((self, other), key=_text)
            return _part("*", first, second)
        sums: dict[Monomial, int] = {}
        for left, p in self.terms:
            for right, q in other.terms:
                joined = tuple(sorted(left + right, key=_key)) if left and right else left + right
                sums[joined] = sums.get(joined, 0) + p * q
        return _from_dict(sums)

    def floordiv(self, other: Int) -> Int:
        """`self / other`, rounded down. Division by zero stays opaque."""
        whole, rest = _split(self, other)
        if other.const == 0 or rest.terms:
            a, b = self.const, other.const
            if a is not None and b:
                return Int.of(a // b)
            return whole + _nested_div(rest, other)
        return whole

    def cdiv(self, other: Int) -> Int:
        """`(self + other - 1) / other`, rounded down (3.2)."""
        a, b = self.const, other.const
        if a is not None and b:
            return Int.of(-(-a // b))
        whole, rest = _split(self, other)
        return whole if not rest.terms and b != 0 else whole + _part("cdiv", rest, other)

    def mod(self, other: Int) -> Int:
        """The remainder of `floordiv`."""
        a, b = self.const, other.const
        if a is not None and b:
            return Int.of(a % b)
        _, rest = _split(self, other)
        if b == 0:
            return _part("%", self, other)
        if b is not None:
            rest = _from_dict({monomial: factor % b for monomial, factor in rest.terms})
        return rest if not rest.terms else _part("%", rest, other)

    def truncated(self, op: str, other: Int) -> Int:
        """The quotient ("/") or remainder ("%") of a division towards zero, whatever the signs are."""
        a, b = self.const, other.const
        if a is not None and b:
            return Int.of(quotient(a, b) if op == "/" else remainder(a, b))
        whole, rest = _split(self, other)
        if b != 0 and not rest.terms:
            return whole if op == "/" else rest
        return _part(_TRUNCATED[op], self, other)

    # --- values -------------------------------------------------------------------------------

    def evaluate(self, env: Mapping[str, int]) -> int | None:
        """The value under `env`; None if a symbol is missing or a divisor is 0."""
        total = 0
        for monomial, factor in self.terms:
            for atom in monomial:
                value = env.get(atom) if isinstance(atom, str) else _evaluate_part(atom, env)
                if value is None:
                    return None
                factor *= value
            total += factor
        return total

    def substitute(self, env: Mapping[str, Int]) -> Int:
        """The same with symbols replaced."""
        if not self.names() & env.keys():
            return self
        total = Int.of(0)
        for monomial, factor in self.terms:
            term = Int.of(factor)
            for atom in monomial:
                if isinstance(atom, str):
                    term = term * env.get(atom, Int.of(atom))
                else:
                    term = term * _apply(atom.op, atom.a.substitute(env), atom.b.substitute(env))
            total = total + term
        return total

    def opened(self, of: Callable[[Part], Int | None]) -> Int:
        """The same with the outermost parts replaced for which `of` has a value."""
        total = Int.of(0)
        for monomial, factor in self.terms:
            term = Int.of(factor)
            for atom in monomial:
                if isinstance(atom, str):
                    term = term * Int.of(atom)
                else:
                    own = of(atom)
                    term = term * (_apply(atom.op, atom.a.opened(of), atom.b.opened(of)) if own is None else own)
            total = total + term
        return total

    def __str__(self) -> str:
        """As a person would write it: `M*K + 2*N - 1`, `cdiv(K, 64)`."""
        return _text(self, shown=True)

    def __repr__(self) -> str:
        return f"Int({_text(self)})"


def _from_dict(sums: Mapping[Monomial, int]) -> Int:
    kept = [item for item in sums.items() if item[1]]
    if len(kept) > 1:
        kept.sort(key=lambda item: _monomial_key(item[0]))
    return Int(tuple(kept))


def _part(op: str, a: Int, b: Int) -> Int:
    key = f"~{op}({_text(a)},{_text(b)})"
    return Int((((Part(op, a, b, 1 + a.size + b.size, key),), 1),))


def _apply(op: str, a: Int, b: Int) -> Int:
    if op == "*":
        return a * b
    if op in _SPELLED:
        return a.truncated(_SPELLED[op], b)
    return a.floordiv(b) if op == "/" else a.cdiv(b) if op == "cdiv" else a.mod(b)


def _nested_div(rest: Int, by: Int) -> Int:
    """`(a / b) / c` is `a / (b * c)` for positive constants."""
    if len(rest.terms) == 1 and by.const and by.const > 0:
        monomial, factor = rest.terms[0]
        atom = monomial[0] if len(monomial) == 1 else ""
        if factor == 1 and isinstance(atom, Part) and atom.op == "/" and (atom.b.const or 0) > 0:
            return atom.a.floordiv(atom.b * by)
    return _part("/", rest, by)


def _split(value: Int, by: Int) -> tuple[Int, Int]:
    """`value` as `whole * by + rest`, taking out every term that the monomial `by` divides."""
    if len(by.terms) != 1:
        return (Int.of(1), Int.of(0)) if value == by and by.terms else (Int.of(0), value)
    monomial, factor = by.terms[0]
    whole: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for candidate, amount in value.terms:
        left = _without(candidate, monomial)
        if left is None or amount % factor:
            rest[candidate] = amount
        else:
            whole[left] = amount // factor
    return _from_dict(whole), _from_dict(rest)


def _without(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    left = list(monomial)
    for atom in divisor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def _evaluate_part(part: Part, env: Mapping[str, int]) -> int | None:
    a, b = part.a.evaluate(env), part.b.evaluate(env)
    if a is None or b is None:
        return None
    return None if b == 0 and part.op != "*" else PARTS[part.op](a, b)


# --- text ----------------------------------------------------------------------------------------


def _atom_text(atom: Atom, shown: bool) -> str:
    if isinstance(atom, str):
        return atom.partition("'")[0] if shown else atom
    a, b = _text(atom.a, shown), _text(atom.b, shown)
    if atom.op == "cdiv":
        return f"cdiv({a}, {b})"
    a, b = (f"({side})" if len(value.terms) > 1 else side for side, value in ((a, atom.a), (b, atom.b)))
    if any(sign in b for sign in ("/", "%", "*", " quot ", " rem ")):
        b = b if b.startswith("(") else f"({b})"
    return f"{a} {_SPELLED.get(atom.op, atom.op) if shown else atom.op} {b}"


def _monomial_text(monomial: Monomial, shown: bool) -> str:
    """A quotient among several factors needs parentheses."""
    texts = [_atom_text(atom, shown) for atom in monomial]
    if len(texts) > 1:
        texts = [f"({text})" if " " in text and not text.startswith("cdiv(") else text for text in texts]
    return "*".join(texts)


def _text(value: Int, shown: bool = False) -> str:
    if not value.terms:
        return "0"
    parts: list[str] = []
    for monomial, factor in value.terms:
        text, size = _monomial_text(monomial, shown), abs(factor)
        if size != 1 and " " in text and len(monomial) == 1 and not text.startswith("cdiv("):
            text = f"({text})"
        body = str(size) if not monomial else text if size == 1 else f"{size}*{text}"
        sign = "-" if factor < 0 else "+"
        parts.append(f" {sign} {body}" if parts else f"-{body}" if factor < 0 else body)
    return "".join(parts)


# --- questions -----------------------------------------------------------------------------------


def same(a: Int, b: Int) -> bool | None:
    """True if equal, False if provably different, None if that is not known (3.3)."""
    gap = a - b
    if (value := gap.const) is not None:
        return value == 0
    constant = dict(gap.terms).get((), 0)
    common = gcd(*(factor for monomial, factor in gap.terms if monomial))
    return False if constant % common else None


def is_multiple(a: Int, n: int | Int) -> bool | None:
    """Whether `n` divides `a`, None if that is not known."""
    by = n if isinstance(n, Int) else Int.of(n)
    if by.const == 0:
        return None
    rest = a.mod(by)
    if (value := rest.const) is not None:
        return value == 0
    if (size := by.const) is not None:
        part = rest.terms[0][0][0]
        inner = part.a if isinstance(part, Part) else rest
        common = gcd(abs(size), *(factor for monomial, factor in inner.terms if monomial))
        if dict(inner.terms).get((), 0) % common:
            return False
    return None
