"""Repairs after a token that fits nowhere: insert, delete or replace one, or give up to the end of a statement.

A repair is an edit of the token stream; the parser goes on, or starts over, with the edited one. Candidates
are tried on a copy of the state stack and judged by how far the parse gets behind them. Must not write
messages (see `messages`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from croqc.syntax.lalr import END, accepted
from croqc.syntax.tables import Tables
from croqc.syntax.terminals import BODY_FOLLOWS, ENDS_OPERAND, STARTERS, STRUCTURE_TAIL, WORDS
from croqc.syntax.tokens import Kind, Token
from croqc.text.record import record

HORIZON: Final = 12  # tokens behind the error that judge a repair
DEEP: Final = 500  # entries of a stack that is not copied any more for each token or line

# What may be missing, with the cost that decides between equally good repairs.
_SINGLE: Final = (
    ("_RPAR", 2), ("_RBRACK", 2), ("_RANGLE", 2), ("_BAR_CLOSE", 2), ("ARROW", 2), ("_LPAR", 3), ("IN", 3),
    ("BY", 3), ("_COMMA", 4), ("_COLON", 4), ("EQ", 4), ("NAME", 4), ("_LBRACK", 5), ("_LBRACE", 5),
    ("_RBRACE", 5), ("MULOP", 9), ("EQUATE", 5), ("QNAME", 4), ("MOD", 6), ("INT", 6), ("LEVEL", 5),
    ("STORAGE", 7), ("STRING", 6), ("ELEM", 6), ("WHILE", 9),
)  # fmt: skip
_SEQUENCES: Final[tuple[tuple[str, ...], ...]] = (
    ("MISSING", "_RPAR"), ("MISSING", "_RBRACK"), ("_LPAR", "MISSING", "_RPAR"), ("_RPAR", "_RPAR"), ("EQ", "MISSING"),
    ("MISSING", "_RBRACE"), ("_RBRACK", "_RPAR"), ("ARROW", "MISSING"), ("MOD", "MISSING"), ("IN", "MISSING"),
    ("BY", "MISSING"), ("_COMMA", "MISSING"),
)  # fmt: skip
_ENDINGS: Final[tuple[tuple[str, ...], ...]] = (
    ("MISSING", "_SEMI"), ("_RPAR", "_SEMI"), ("_RBRACK", "_SEMI"), ("EQ", "MISSING", "_SEMI"),
    ("MISSING", "_RPAR", "_SEMI"), ("ARROW", "MISSING", "_SEMI"), ("_RPAR", "_RPAR", "_SEMI"),
    ("MISSING", "ARROW", "MISSING", "_SEMI"), ("_LPAR", "MISSING", "_RPAR", "_SEMI"), ("_RBRACE", "_SEMI"),
    ("_RPAR", "ARROW", "MISSING", "_SEMI"), ("MISSING", "_RPAR", "ARROW", "MISSING", "_SEMI"),
    ("NAME", "_SEMI"), ("_COMMA", "MISSING", "_SEMI"), ("MISSING", "_RPAR", "_RPAR", "_SEMI"),
    ("MISSING", "_RBRACK", "_RPAR", "_SEMI"),
)  # fmt: skip
_CHEAP: Final = frozenset({"_SEMI", "MISSING", "_RPAR", "_RBRACK", "_RBRACE", "_RANGLE", "_BAR_CLOSE", "ARROW", "NAME"})
_BRACES: Final = frozenset({"_LBRACE", "_RBRACE"})
_OPENED: Final = {
    "_LPAR": "_RPAR",
    "_LBRACK": "_RBRACK",
    "_COUNT_OPEN": "_COUNT_CLOSE",
    "_LBRACE": "_RBRACE",
    "_LANGLE": "_RANGLE",
}


@record
class Repair:
    """Put terminals `insert` in front of token `at` after taking `delete` tokens away; `rename` gives that
    token another terminal. `cost` orders repairs that get equally far."""

    at: int
    insert: tuple[str, ...] = ()
    delete: int = 0
    rename: str = ""
    cost: int = 0


class Stream:
    """The tokens of a function with their terminals, edited as the parser recovers. `hidden`: comments that read as the
    second half of a division, `// 2;`, by where the code in front of each ends."""

    def __init__(self, tokens: list[Token], end: int, hidden: Mapping[int, int] | None = None) -> None:
        self.hidden = hidden or {}
        last = Token(Kind.OP, "", end, end, line_first=True)
        last.type = END
        self.tokens = [*tokens, last]
        self.virtual: set[int] = set()  # ids of tokens that recovery made

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    def made(self, index: int) -> bool:
        return id(self.tokens[index]) in self.virtual

    def make(self, terminal: str, start: int, end: int, text: str = "") -> Token:
        token = Token(Kind.WORD, text, start, end)
        token.type = terminal
        self.virtual.add(id(token))
        return token

    def apply(self, repair: Repair) -> None:
        at = repair.at
        if repair.rename:
            old = self.tokens[at]
            token = Token(old.kind, old.text, old.start, old.end, old.macro, old.line_first, old.spaced)
            token.type = repair.rename
            self.tokens[at] = token
        place = self.tokens[at - 1].end if at else 0
        made = [self.make(terminal, place, place, _TEXTS.get(terminal, "")) for terminal in repair.insert]
        self.tokens[at : at + repair.delete] = made

    def replace_range(self, first: int, last: int, terminal: str) -> None:
        """One token in place of `first` to `last` (not included)."""
        tokens = self.tokens[first:last]
        start = tokens[0].start if tokens else self.tokens[first].start
        end = tokens[-1].end if tokens else start
        self.tokens[first:last] = [self.make(terminal, start, end)]


_TEXTS: Final = {"MULOP": "*", "ARROW": "=>", "EQ": "=", "MOD": ".", "INT": "0", "STRING": '""', "ELEM": "f32"}


def find_repair(tables: Tables, stream: Stream, at: int, states: Sequence[int], mark: Mark | None) -> Repair | None:
    """The repair that gets furthest, the cheapest of those; None if none helps.

    `states` is the stack in front of token `at`, `mark` the last line's beginning inside the statement.
    """
    terminals = [token.type for token in stream.tokens[at : at + HORIZON]]
    best: Repair | None = None
    reach = 0
    for repair in sorted(_local(stream, at), key=lambda repair: repair.cost):
        ahead = terminals[repair.delete :]
        if repair.rename:
            ahead = [repair.rename, *ahead[1:]]
        count = accepted(tables, states, [*repair.insert, *ahead]) - len(repair.insert)
        if count >= min(_least(repair, terminals[0] in _BRACES), len(ahead)) and count + repair.delete > reach:
            best, reach = repair, count + repair.delete
    if mark is not None and (best is None or best.cost > 1):
        back = at - mark.index
        terminals = [token.type for token in stream.tokens[mark.index : at + HORIZON]]
        for insert in (("_SEMI",), ("MISSING",), *_ENDINGS):
            repair = Repair(mark.index, insert, cost=1 + len(insert))
            count = accepted(tables, mark.states, [*insert, *terminals]) - len(insert) - back
            if count > reach or (count == reach > 0 and best is not None and repair.cost < best.cost):
                best, reach = repair, count
    return best


def _least(repair: Repair, brace: bool) -> int:
    """How many tokens must fit behind a repair: the more it changes, the more."""
    if repair.delete:
        return 8 if brace else 4
    if len(repair.insert) == 1:
        return 1 if repair.insert[0] in _CHEAP else 3
    return 2


@record
class Mark:
    """The state stack in front of the first token of a line."""

    index: int
    states: tuple[int, ...]


def _local(stream: Stream, at: int) -> Iterator[Repair]:
    token = stream[at]
    before = stream[at - 1] if at else None
    due = before is None or before.type not in ENDS_OPERAND
    fresh = token.line_first or token.type in ("_RBRACE", END)
    yield Repair(at, ("_SEMI",), cost=0 if fresh and not due else 3)
    yield Repair(at, ("MISSING",), cost=1 if due else 6)
    for terminal, cost in _SINGLE:
        yield Repair(at, (terminal,), cost=cost)
    for sequence in (*_SEQUENCES, *(_ENDINGS if fresh else ())):
        yield Repair(at, sequence, cost=10 + len(sequence))
    if token.text in WORDS and token.kind is Kind.WORD and token.type not in STRUCTURE_TAIL and not token.line_first:
        yield Repair(at, rename="NAME", cost=1)
    if token.type != END and not stream.made(at):
        doubled = before is not None and before.text == token.text
        yield Repair(at, delete=1, cost=0 if doubled else 5)


def closers(insert: Sequence[str]) -> list[str]:
    """The closing brackets that inserted opening ones will ask for."""
    return [_OPENED[terminal] for terminal in insert if terminal in _OPENED and _OPENED[terminal] not in insert]


def resynchronise(stream: Stream, at: int) -> int:
    """The index of the token to go on with: behind the next `;`, at the `}` that closes the body, at a block,
    or at a line that begins a statement."""
    depth, index = 0, at
    while True:
        token = stream[index]
        if token.type == END:
            return index
        if depth == 0:
            if token.type == "_SEMI":
                return index + 1
            if token.type == "_RBRACE" or (index > at and _begins_line(stream, index)):
                return index
            if token.type == "_LBRACE" and index and stream[index - 1].type in BODY_FOLLOWS:
                return index
        depth += (token.text == "{") - (token.text == "}")
        index += 1


def _begins_line(stream: Stream, index: int) -> bool:
    token = stream[index]
    if not token.line_first:
        return False
    if token.type in STARTERS or token.type in ("ENGINE", "MMA", "CALL"):
        return True
    return token.type == "NAME" and stream[index + 1].type in ("EQ", "ASSIGNOP")


def resynchronise_parameter(stream: Stream, at: int) -> int | None:
    """The index of the `,` or `)` that ends a parameter; None if the list does not go on."""
    depth, index = 0, at
    while (token := stream[index]).type != END:
        if depth <= 0 and token.text in (",", ")"):
            return index
        if token.text in ("{", "}", ";"):
            return None
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        index += 1
    return None
