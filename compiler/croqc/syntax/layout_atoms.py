"""The pieces of a function's text that the formatter never changes: tokens, macro uses, comments, directives.

Between two atoms stand blanks, line ends or a spliced line, nothing else. Must not decide about blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croqc.syntax.context import typed_tokens
from croqc.syntax.terminals import ENDS_OPERAND
from croqc.syntax.tree import ParsedFunction
from croqc.text.record import record
from croqc.text.span import Span


class Atom:
    """`first` and `last` are the terminals that it shows to its left and right: two for a macro use.

    Terminals of our own: COMMENT, DIRECTIVE, DEAD, OPAQUE (a macro that leaves nothing), PREFIX and POSTFIX
    (signs that cling to one operand), BY_REF, TIGHT_COLON, BODY_OPEN and BODY_CLOSE. A plain class with slots, as
    `Token`: a long file has hundreds of thousands.
    """

    __slots__ = ("end", "first", "last", "start", "text")

    def __init__(self, start: int, end: int, text: str, first: str, last: str) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.first = first
        self.last = last


_PREFIXES: Final = frozenset({"MINUS", "NEG", "NOT", "TILDE", "HASH", "AMP", "INC", "PLUS"})
# Terminals that have another role somewhere, or tell which one another has.
_TELLING: Final = _PREFIXES | {"QUESTION", "_LANGLE", "_ARGPAR", "_RANGLE", "_RPAR", "_SEMI", "_COLON"}
_SILENT: Final = frozenset({"DEAD", "DIRECTIVE", "COMMENT", "OPAQUE"})  # pieces that are no token


@record
class Braces:
    """Offsets of the braces of bodies: where they open, and behind where they close."""

    opens: frozenset[int]
    closes: frozenset[int]


def atoms_of(function: ParsedFunction, braces: Braces, ranges: Sequence[Span]) -> list[Atom]:
    """The atoms in file order, `__co__` first. `ranges` are the loop ranges, whose colons are tight."""
    roles = _Roles(braces, ranges)
    atoms = _merged(function)
    for atom in atoms:
        if atom.last not in _SILENT:
            roles.settle(atom)
    return [Atom(0, 6, "__co__", "CO", "CO"), *atoms]


class _Roles:
    """Replaces terminals by the roles that matter for blanks; to be asked for the atoms in order."""

    def __init__(self, braces: Braces, ranges: Sequence[Span]) -> None:
        self._braces = braces
        self._ranges = ranges
        self._last = "CO"
        self._header = True  # before the function's body
        self._questions = 0  # `?` that wait for their `:`
        self._brackets = 0  # open `<…>` and `.swizzle(…)`

    def settle(self, atom: Atom) -> None:
        role = self._role(atom)
        if role is not None:
            atom.first = atom.last = role
        self._last = atom.last

    def _role(self, atom: Atom) -> str | None:
        terminal = atom.first
        if terminal == "_LBRACE" and atom.start in self._braces.opens:
            self._header = False
            return "BODY_OPEN"
        if atom.end in self._braces.closes:
            return "BODY_CLOSE"
        if terminal not in _TELLING or terminal != atom.last:
            return None
        if terminal == "AMP" and self._header:
            return "BY_REF"
        if terminal in _PREFIXES:
            return _sign(terminal, self._last)
        self._count(terminal)
        return self._colon(atom.start) if terminal == "_COLON" else None

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


def _merged(function: ParsedFunction) -> list[Atom]:
    """Overlapping pieces as one: all tokens of a macro use, a directive inside a dead branch."""
    pieces = list(_pieces(function))
    pieces.sort(key=_order)
    found: list[Atom] = []
    current, end = None, 0
    for piece in pieces:
        if current is None or piece.start >= end:
            found.append(piece)
            current, end = piece, piece.end
            continue
        end = current.end = max(end, piece.end)
        current.text = function.source.text[current.start : end]
        if current.last not in _SILENT and piece.last not in _SILENT:
            current.last = piece.last
        if current.first == "OPAQUE":
            current.first = piece.first
    return found


def _order(piece: Atom) -> int:
    """By start, the longer one first."""
    return (piece.start << 32) - piece.end


def _pieces(function: ParsedFunction) -> Iterator[Atom]:
    source = function.source
    text = source.text
    for span in source.dead:
        yield Atom(span.start, span.end, text[span.start : span.end], "DEAD", "DEAD")
    for token in source.directives:
        yield Atom(token.start, token.end, text[token.start : token.end], "DIRECTIVE", "DIRECTIVE")
    for token in source.comments:
        yield Atom(token.start, token.end, token.text, "COMMENT", "COMMENT")
    for token in function.typed or typed_tokens(source)[0]:
        yield Atom(token.start, token.end, text[token.start : token.end], token.type, token.type)
    for span, _ in source.macro_uses:
        yield Atom(span.start, span.end, text[span.start : span.end], "OPAQUE", "OPAQUE")
