"""What may follow at a place of a function, by the parser's own tables: for completion. Must not build a tree.

The tokens in front of the place are run through the state stack alone; where one fits nowhere the stack is mended as
the parser would, so that a mistake further up changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from croqc.syntax.context import typed_tokens
from croqc.syntax.lalr import accepts
from croqc.syntax.recovery import DEEP, HORIZON, Mark, Repair, Stream, find_repair
from croqc.syntax.tables import Tables, tables
from croqc.syntax.terminals import HEADS
from croqc.syntax.tokens import FunctionText, Token
from croqc.text.record import record, replace

_MOST_REPAIRS: Final = 40


@record
class Acceptable:
    """The terminals that fit at the place, and the tokens in front of it, each with its terminal."""

    terminals: frozenset[str]
    before: tuple[Token, ...]


def acceptable_at(source: FunctionText, place: int) -> Acceptable:
    """What fits behind the tokens that end at or before `place` (relative to the function). Never raises."""
    tokens = [_copy(token) for token in source.tokens if token.end <= place and token.start < token.end]
    typed, _ = typed_tokens(replace(source, tokens=tuple(tokens)))
    states = _run(tables(), Stream(list(typed), place))
    known = tables()
    fits = frozenset(name for name in known.actions[states[-1]] if accepts(known, states, [name]))
    return Acceptable(fits, tuple(typed))


def terminal_at(source: FunctionText, place: int, token: Token) -> str:
    """The terminal that a token would have behind those that end at or before `place`."""
    tokens = [_copy(known) for known in source.tokens if known.end <= place and known.start < known.end]
    typed, _ = typed_tokens(replace(source, tokens=(*tokens, _copy(token))))
    return typed[-1].type


def _copy(token: Token) -> Token:
    """A token of its own, since the context rules write into it."""
    return Token(token.kind, token.text, token.start, token.end, token.macro, token.line_first, token.spaced)


def _run(known: Tables, stream: Stream) -> list[int]:
    """The states behind the last token in front of the stream's end."""
    states, at, repairs = [known.start], 0, 0
    mark: Mark | None = None
    while at < len(stream.tokens) - 1:
        token = stream[at]
        if token.line_first:
            mark = Mark(at, tuple(states)) if len(states) < DEEP else None
        if accepts(known, states, [token.type]):
            _shift(known, states, token.type)
            at += 1
            mark = None if token.type in ("_SEMI", "_LBRACE", "_RBRACE") else mark
            continue
        repair = find_repair(known, stream, at, states, mark) if repairs < _MOST_REPAIRS else None
        repairs += 1
        if repair is None or not _helps(stream, at, repair):
            at += 1  # nothing mends it: the token is passed over
            continue
        if mark is not None and repair.at == mark.index and repair.at < at:
            states = list(mark.states)
        stream.apply(repair)
        at, mark = repair.at, None
    return states


def _helps(stream: Stream, at: int, repair: Repair) -> bool:
    """A repair close to the place could count the end of the text for what it makes possible."""
    return repair.at + repair.delete < len(stream.tokens) - 1 and (
        at + HORIZON < len(stream.tokens) or repair.cost <= 3
    )


def _shift(known: Tables, states: list[int], terminal: str) -> None:
    """Reduce and shift, on the states alone, a terminal that fits."""
    while True:
        action = known.actions[states[-1]][terminal]
        if action >= 0:
            states.append(action)
            return
        rule = known.rules[~action]
        if rule.size:
            del states[-rule.size :]
        states.append(known.gotos[states[-1]][rule.origin])


def head_of(before: Sequence[Token]) -> tuple[str, ...]:
    """The words of the operation that the last tokens spell, head first: `dma`, `copy`, `swiz` of `dma.copy.swiz<64>`.

    Empty where they spell none.
    """
    words: list[str] = []
    depth = 0
    for token in reversed(before):
        if token.type in ("_RANGLE", "_RPAR"):
            depth += 1
        elif token.type in ("_LANGLE", "_ARGPAR"):
            depth -= 1
        elif depth == 0 and token.type in ("MOD", "ANY"):
            words.append(token.text.lstrip("."))
        elif depth == 0:
            return (token.text, *reversed(words)) if token.type in HEADS else ()
    return ()
