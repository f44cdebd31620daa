"""The pieces of a function's text that the formatter never changes: tokens, macro uses, comments, directives.

Between two atoms stand blanks, line ends or a spliced line, nothing else. Must not decide about blanks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from croqc.syntax.context import typed_tokens
from croqc.syntax.terminals import ENDS_OPERAND
from croqc.syntax.tokens import FunctionText
from croqc.text.span import Span


@dataclass(frozen=True, slots=True)
class Atom:
    """`first` and `last` are the terminals that it shows to its left and right: two for a macro use.

    Terminals of our own: COMMENT, DIRECTIVE, DEAD, OPAQUE (a macro that leaves nothing), PREFIX and POSTFIX
    (signs that cling to one operand), BY_REF, TIGHT_COLON, BODY_OPEN and BODY_CLOSE.
    """

    span: Span
    text: str
    first: str
    last: str


_PREFIXES: Final = frozenset({"MINUS", "NOT", "TILDE", "HASH", "AMP", "INC", "PLUS"})
_SILENT: Final = frozenset({"DEAD", "DIRECTIVE", "COMMENT", "OPAQUE"})  # pieces that are no token


@dataclass(frozen=True, slots=True)
class Braces:
    """Offsets of the braces of bodies: where they open, and behind where they close."""

    opens: frozenset[int]
    closes: frozenset[int]


def atoms_of(source: FunctionText, braces: Braces, ranges: tuple[Span, ...]) -> list[Atom]:
    """The atoms in file order, `__co__` first. `ranges` are the loop ranges, whose colons are tight."""
    atoms = [Atom(Span(0, 6), "__co__", "CO", "CO")]
    last, header, questions = "CO", True, 0
    for atom in _merged(source):
        first = atom.first
        if atom.span.start in braces.opens:
            atom, header = replace(atom, first="BODY_OPEN", last="BODY_OPEN"), False
        elif atom.span.end in braces.closes:
            atom = replace(atom, first="BODY_CLOSE", last="BODY_CLOSE")
        elif first == "AMP" and header:
            atom = replace(atom, first="BY_REF", last="BY_REF")
        elif first in _PREFIXES and atom.first == atom.last:
            role = _sign(first, last)
            atom = replace(atom, first=role, last=role)
        elif first == "_COLON" and not questions and any(item.contains(atom.span.start) for item in ranges):
            atom = replace(atom, first="TIGHT_COLON", last="TIGHT_COLON")
        questions = _open_questions(questions, first, header)
        atoms.append(atom)
        if atom.last not in _SILENT:
            last = atom.last
    return atoms


def _open_questions(count: int, terminal: str, header: bool) -> int:
    if terminal == "QUESTION" and not header:
        return count + 1
    if terminal == "_COLON" and count:
        return count - 1
    return 0 if terminal == "_SEMI" else count


def _sign(terminal: str, before: str) -> str:
    """What a sign is behind a terminal: PREFIX, POSTFIX, or its own terminal for an infix one."""
    operand = before in ENDS_OPERAND or before == "POSTFIX"
    if terminal == "INC":
        return "POSTFIX" if operand else "PREFIX"
    if terminal == "NOT":
        return "POSTFIX" if before == "PRINT" else "PREFIX"
    return terminal if operand else "PREFIX"


def _merged(source: FunctionText) -> Iterator[Atom]:
    """Overlapping pieces as one: all tokens of a macro use, a directive inside a dead branch."""
    pieces = sorted(_pieces(source), key=lambda item: (item.span.start, -item.span.end))
    current: Atom | None = None
    for piece in pieces:
        if current is None or piece.span.start >= current.span.end:
            if current is not None:
                yield current
            current = piece
        else:
            end = max(current.span.end, piece.span.end)
            span = Span(current.span.start, end)
            text = source.text[span.start : span.end]
            last = current.last if current.last in _SILENT or piece.last in _SILENT else piece.last
            first = piece.first if current.first == "OPAQUE" else current.first
            current = Atom(span, text, first, last)
    if current is not None:
        yield current


def _pieces(source: FunctionText) -> Iterator[Atom]:
    for span in source.dead:
        yield Atom(span, source.text[span.start : span.end], "DEAD", "DEAD")
    for token in source.directives:
        yield Atom(token.span, source.text[token.start : token.end], "DIRECTIVE", "DIRECTIVE")
    for token in source.comments:
        yield Atom(token.span, token.text, "COMMENT", "COMMENT")
    for token in typed_tokens(source)[0]:
        yield Atom(token.span, source.text[token.start : token.end], token.type, token.type)
    for span, _ in source.macro_uses:
        yield Atom(span, source.text[span.start : span.end], "OPAQUE", "OPAQUE")
