"""Symbolic integers as expressions of the IR. Must not read the tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from croqc.pipe.errors import LoweringError
from croqc.pipe.exprs import ZERO, Expr, Fn, Lit, Var, add, divide, integer, modulo, multiply, product, subtract, wider
from croqc.sema.symbolic import Int, Part
from croqc.text.span import NOWHERE


def is_unknown(atom: str) -> bool:
    """Whether an atom stands for a value that analysis does not know, and so names nothing."""
    return atom.startswith("?")


def of_int(value: Int, atoms: Mapping[str, Expr]) -> Expr:
    """The expression of a symbolic integer; `atoms` says what its symbols are called, else by their own names.

    Raises LoweringError, without a place, for a value that has no name.
    """
    constant = value.const
    if constant is not None:
        return Lit(constant)
    result: Expr = ZERO
    for monomial, factor in value.terms:
        term = product(tuple(_atom(atom, atoms) for atom in monomial))
        scaled = multiply(term, Lit(abs(factor)))
        result = add(result, scaled) if factor > 0 else subtract(result, scaled)
    return result


def _atom(atom: str | Part, atoms: Mapping[str, Expr]) -> Expr:
    if isinstance(atom, str):
        if atom not in atoms and is_unknown(atom):
            raise LoweringError("an extent that is used here is not known: name it in front, as a variable", NOWHERE)
        return atoms.get(atom, Var(atom.partition("'")[0]))
    if atom.op not in ("*", "quot", "rem") and any(factor < 0 for _, factor in atom.a.terms):
        return _rounded_down(atom, atoms)
    a, b = of_int(atom.a, atoms), of_int(atom.b, atoms)
    return _OPERATIONS[atom.op](a, b)


def _rounded_down(part: Part, atoms: Mapping[str, Expr]) -> Expr:
    """A division whose dividend may be negative: symbolic integers round it down, "/" of the IR towards zero."""
    top = part.a + part.b - Int.of(1) if part.op == "cdiv" else part.a
    by, least = part.b.const, dict(top.terms).get((), 0)
    if part.op != "%" and by and by > 0 and not any(factor < 0 for monomial, factor in top.terms if monomial):
        turns = max(-(least // by), 0)  # so many times the divisor, and no dividend is negative
        return subtract(divide(of_int(top + Int.of(turns * by), atoms), Lit(by)), Lit(turns))
    a, b = of_int(top, atoms), of_int(part.b, atoms)
    rest = modulo(add(modulo(a, b), b), b)
    return rest if part.op == "%" else divide(subtract(a, rest), b)


def ceiling(a: Expr, b: Expr) -> Expr:
    """`cdiv(a, b)`, folded where both are known."""
    left, right = integer(a), integer(b)
    if left is not None and right:
        return Lit(-(-left // right))
    return a if right == 1 else Fn("cdiv", (a, b), wider(a.elem, b.elem))


_OPERATIONS: Final[Mapping[str, Callable[[Expr, Expr], Expr]]] = {
    "/": divide,
    "%": modulo,
    "*": multiply,
    "cdiv": ceiling,
    "quot": divide,
    "rem": modulo,
}
