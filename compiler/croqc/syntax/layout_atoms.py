"""The pieces of a function's text that the formatter never changes: tokens, macro uses, comments, directives.

Between two atoms stand blanks, line ends or a spliced line, nothing else. Must not decide about blanks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from croqc.syntax.context import typed_tokens
from croqc.syntax.terminals import ENDS_OPERAND
from croqc.syntax.tokens import FunctionText
from croqc.text.record import record, replace
from croqc.text.span import Span


@record
class Atom:
    """`first` and `last` are the terminals that it shows to its left and right: two for a macro use.

    Terminals of our own: COMMENT, DIRECTIVE, DEAD, OPAQUE (a macro that leaves nothing), PREFIX and POSTFIX
    (signs that cling to one operand), BY_REF, TIGHT_COLON, BODY_OPEN and BODY_CLOSE.
    """

    span: Span
    text: str
    first: str
    last: str


_PREFIXES: Final = frozenset({"MINUS", "NEG", "NOT", "TILDE", "HASH", "AMP", "INC", "PLUS"})
_SILENT: Final = frozenset({"DEAD", "DIRECTIVE", "COMMENT", "OPAQUE"})  # pieces that are no token


@record
class Braces:
    """Offsets of the braces of bodies: where they open, and behind where they close."""

    opens: frozenset[int]
    closes: frozenset[int]


def atoms_of(source: FunctionText, braces: Braces, ranges: tuple[Span, ...]) -> list[Atom]:
    """The atoms in file order, `__co__` first. `ranges` are the loop ranges, whose colons are tight."""
    roles = _Roles(braces, ranges)
    atoms = [Atom(Span(0, 6), "__co__", "CO", "CO")]
    atoms.extend(map(roles.settle, _merged(source)))
    return atoms


class _Roles:
    """Replaces terminals by the roles that matter for blanks; to be asked for the atoms in order."""

    def __init__(self, braces: Braces, ranges: tuple[Span, ...]) -> None:
        self._braces = braces
        self._ranges = ranges
        self._last = "CO"
        self._header = True  # before the function's body
        self._questions = 0  # `?` that wait for their `:`
        self._brackets = 0  # open `<…>` and `.swizzle(…)`

    def settle(self, atom: Atom) -> Atom:
        if atom.last in _SILENT:
            return atom
        role = self._role(atom)
        if role is not None:
            atom = replace(atom, first=role, last=role)
        self._last = atom.last
        return atom

    def _role(self, atom: Atom) -> str | None:
        terminal = atom.first
        if atom.span.start in self._braces.opens:
            self._header = False
            return "BODY_OPEN"
        if atom.span.end in self._braces.closes:
            return "BODY_CLOSE"
        if terminal != atom.last:
            return None
        if terminal == "AMP" and self._header:
            return "BY_REF"
        if terminal in _PREFIXES:
            return _sign(terminal, self._last)
        self._count(terminal)
        return self._colon(atom.span.start) if terminal == "_COLON" else None

    def _count(self, terminal: str) -> None:
        if terminal == "QUESTION" and not self._header:
            self._questions += 1
        elif terminal in ("_LANGLE", "_ARGPAR"):
            self._brackets += 1
        elif terminal == "_RANGLE" or (terminal == "_RPAR" and self._last == "INT" and self._brackets):
            self._brackets -= 1
        elif terminal == "_SEMI":
            self._questions = self._brackets = 0

    def _colon(self, start: int) -> str | None:
        if self._questions:
            self._questions -= 1
            return None
        tight = self._brackets > 0 or any(item.contains(start) for item in self._ranges)
        return "TIGHT_COLON" if tight else None


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
