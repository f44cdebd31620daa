"""Misspelt words of the language at the start of a statement: `forech k in 4`, `triger e;`, `shard f16 [4] x;`.

Looked for only in a function that does not parse: two operands never stand side by side, so that a name in front of
another word is a word of the language that was mistyped, or lacks what stands before it. Must not touch good text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croqc.syntax.keywords import ELEMENT_TYPES, SCALAR_TYPES, STORAGE
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.near import likeness, nearest
from croqc.text.record import record

_CODE: Final = "syntax-error"
_TYPES: Final = frozenset({*ELEMENT_TYPES, *SCALAR_TYPES})
_BEFORE_WORDS: Final = frozenset(
    {"foreach", "parallel", "with", "wait", "trigger", "swap", "rotate", "return", "call", "event", "mutable",
     "mdspan", "ituple", *STORAGE, *_TYPES}
)  # fmt: skip
_BEFORE_BRACES: Final = frozenset({"foreach", "parallel", "with", "apply"})
_BEFORE_DOTS: Final = frozenset({"sync", "inthreads", "parallel", "dma", "tma", "mma", "trigger", "frag"})
_BEFORE_CONDITIONS: Final = frozenset({"if", "while", "inthreads", "foreach"})
_BEFORE_LISTS: Final = frozenset({*_BEFORE_BRACES, ",", "=", "in", "by", "("})  # a brace behind them opens no body
_FOLLOW_WORDS: Final = frozenset({"NAME", "ELEM", "SCALAR", "EVENT", "STREAM"})
_ENDS: Final = frozenset({";", "{", "}", "else"})
_ALIKE: Final = 0.75
_OPENERS: Final = tuple(sorted((_BEFORE_WORDS | _BEFORE_BRACES | _BEFORE_DOTS | _BEFORE_CONDITIONS) - _TYPES))
_JOINERS: Final = {"foreach": "in", "with": "in", "parallel": "by"}


@record
class Respelling:
    """Token `index` was meant as `word`."""

    index: int
    word: str
    finding: Diagnostic


def respell(tokens: Sequence[Token], typed: Sequence[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens of a function with mistyped words set right, and what is said of those. `typed` are the same tokens
    with their terminals, some of them merged."""
    found = {typed[item.index].start: item for item in _respellings(typed)}
    changed = [
        Token(old.kind, found[old.start].word, old.start, old.end, None, old.line_first, old.spaced)
        if old.start in found and old.macro is None
        else old
        for old in tokens
    ]
    return changed, [item.finding for item in found.values()]


def _respellings(tokens: Sequence[Token]) -> Iterator[Respelling]:
    head, listed = "", False  # the word that began the statement; whether the last brace is of a list of names
    for index in range(1, len(tokens) - 2):
        token, before = tokens[index], tokens[index - 1]
        if token.text == "{":
            listed = before.text in _BEFORE_LISTS
        elif before.text in _ENDS and (before.text == ";" or not listed):
            head = token.text
            word = _beginning(tokens, index) if token.kind is Kind.WORD and token.type == "NAME" else None
            if word is not None:
                head = word
                yield Respelling(index, word, _unknown(token, word))
        elif head in _JOINERS and _joins(tokens, index):
            word, head = _JOINERS[head], ""
            yield Respelling(index, word, _no_joiner(token, word))
        elif before.type in ("STORAGE", "MUTABLE") and token.type == "NAME" and _names_type(tokens, index):
            word = _meant(token.text, _TYPES)
            if word is not None:
                yield Respelling(index, word, _unknown(token, word))


def _names_type(tokens: Sequence[Token], index: int) -> bool:
    """Whether the name at `index` stands where a type does: a shape or a name follows."""
    after = tokens[index + 1]
    return after.type == "NAME" or (after.text == "[" and _behind_bracket(tokens, index + 1) == "NAME")


def _beginning(tokens: Sequence[Token], index: int) -> str | None:
    """The word that a name at the start of a statement was meant to be."""
    token, after = tokens[index], tokens[index + 1]
    if token.macro is not None or after.line_first or token.text == after.text:
        return None
    if token.text == "for":
        return "foreach" if after.kind is Kind.WORD or after.text == "{" else None
    if after.kind is Kind.WORD and after.type in _FOLLOW_WORDS:
        word = _meant(token.text, _BEFORE_WORDS)
        return word if word not in _TYPES or after.type == "NAME" else None
    if after.text == "{":
        return _meant(token.text, _BEFORE_BRACES)
    if after.kind is Kind.DOTTED and after.type == "UNKNOWN":
        return _meant(token.text, _BEFORE_DOTS)
    if after.text == "(" and _opens_body(tokens, index + 1):
        return _meant(token.text, _BEFORE_CONDITIONS)
    if after.text == "[" and _names_type(tokens, index):
        return _meant(token.text, _TYPES)
    return None


def _meant(text: str, words: frozenset[str]) -> str | None:
    word = nearest(text, words)
    return word if word is not None and likeness(word, text.lower()) >= _ALIKE else None


def _is_certain(text: str, word: str) -> bool:
    """Whether no other word that opens a statement is as like: a type or a loop of C could mean several things."""
    alike = [one for one in _OPENERS if likeness(one, text.lower()) >= _ALIKE]
    return alike == [word]


def _closing(tokens: Sequence[Token], index: int) -> int:
    """The index of the bracket that closes the one at `index`; the last token's if none does."""
    depth = 0
    for at in range(index, len(tokens) - 1):
        text = tokens[at].text
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth <= 0 or text in (";", "{", "}"):
            return at
    return len(tokens) - 1


def _opens_body(tokens: Sequence[Token], index: int) -> bool:
    """Whether a body follows the parenthesis at `index`."""
    return tokens[min(_closing(tokens, index) + 1, len(tokens) - 1)].text == "{"


def _behind_bracket(tokens: Sequence[Token], index: int) -> str:
    return tokens[min(_closing(tokens, index) + 1, len(tokens) - 1)].type


def _joins(tokens: Sequence[Token], index: int) -> bool:
    """Whether a name stands between a loop's name and its extent, where `in` or `by` is due."""
    token, before, after = tokens[index], tokens[index - 1], tokens[index + 1]
    if token.type != "NAME" or token.line_first or after.line_first or token.macro is not None:
        return False
    named = (before.type == "NAME" and before.text != token.text) or before.text == "}"
    return named and (after.type in ("INT", "NAME") or after.text in ("[", "{"))


def _no_joiner(token: Token, word: str) -> Diagnostic:
    fix = Fix(f"Write '{word}'", (Edit(token.span, word),), safe=False)
    message = f"expected '{word}' before '{token.text}'"
    return Diagnostic(_CODE, Severity.ERROR, message, token.span, f"did you mean '{word}'?", (), (fix,))


def _unknown(token: Token, word: str) -> Diagnostic:
    fix = Fix(f"Write '{word}'", (Edit(token.span, word),), safe=_is_certain(token.text, word))
    hint = f"did you mean '{word}'?"
    message = f"unknown {'type' if word in _TYPES else 'word'} '{token.text}'"
    if token.text == "for":
        message, hint = "there is no 'for'", "use 'foreach'"
    return Diagnostic(_CODE, Severity.ERROR, message, token.span, hint, (), (fix,))
