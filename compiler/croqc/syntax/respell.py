"""Misspelt words of the language: `forech k in 4`, `triger e;`, `shard f16 [4] x;`, `a and b`, `unsigned int n`.

Looked for only in a function that does not parse: two operands never stand side by side, so that a name in front of
another word is a word of the language that was mistyped, or lacks what stands before it. Must not touch good text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croqc.syntax.openers import TYPES, Meant, beginning, begins, engine, meant, names_type, operation
from croqc.syntax.terminals import ENDS_OPERAND
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.near import is_slip
from croqc.text.record import record
from croqc.text.span import Span

_CODE: Final = "syntax-error"
_BEFORE_LISTS: Final = frozenset({"foreach", "parallel", "with", "apply", ",", "=", "in", "by", "("})  # no body behind
_JOINERS: Final = {"foreach": "in", "with": "in", "parallel": "by"}
_SIGNS: Final = {"and": "&&", "or": "||"}
_OPERANDS: Final = frozenset({Kind.WORD, Kind.INT, Kind.REAL})
_OPENINGS: Final = frozenset({"(", ",", "=", "&&", "||", "?", ":", "and", "or"})
_C_WORDS: Final = frozenset({"unsigned", "signed", "short", "long", "int", "char"})
_KINDS: Final = {"&&": Kind.OP, "||": Kind.OP, "!": Kind.OP}


@record
class Respelling:
    """The text of `span` was meant as `words`."""

    span: Span
    words: tuple[str, ...]
    finding: Diagnostic


def respell(tokens: Sequence[Token], typed: Sequence[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens of a function with mistyped words set right, and what is said of those. `typed` are the same tokens
    with their terminals, some of them merged."""
    found = {item.span.start: item for item in _respellings(typed)}
    changed: list[Token] = []
    end = -1
    for old in tokens:
        item = found.get(old.start) if old.macro is None else None
        if item is not None:
            end = item.span.end
            changed += _made(old, item)
        elif old.start >= end:
            changed.append(old)
    return changed, [item.finding for item in found.values()]


def _made(old: Token, item: Respelling) -> list[Token]:
    """The tokens that stand for a respelling; those behind the first have no width, so that each has its own place."""
    first, *rest = item.words
    made = [Token(_KINDS.get(first, Kind.WORD), first, old.start, item.span.end, None, old.line_first, old.spaced)]
    kinds = [Kind.DOTTED if word.startswith(".") else Kind.WORD for word in rest]
    end = item.span.end
    return made + [Token(kind, word, end, end, None, False, True) for kind, word in zip(kinds, rest, strict=True)]


def _respellings(tokens: Sequence[Token]) -> Iterator[Respelling]:
    head, listed = "", False  # the word that began the statement; whether the last brace is of a list of names
    behind = 0  # the tokens before it belong to a respelling
    for index in range(1, len(tokens) - 2):
        token, before = tokens[index], tokens[index - 1]
        if token.text == "{":
            listed = before.text in _BEFORE_LISTS
        if index < behind:
            continue
        opens = begins(tokens, index, listed)
        head = token.text if opens else head
        count = _type_of_c(tokens, index) if opens or before.type == "MUTABLE" else 0
        if count:
            behind = index + count
            yield _c_type(tokens[index:behind])
        elif token.type in ("IN", "BY") and (joiner := _other_joiner(tokens, index)):
            yield _no_joiner(token, joiner, safe=True)
        elif token.type == "NAME":
            item = _of_name(tokens, index, head, opens)
            if item is not None:
                head = item.words[0] if opens else "" if item.words[0] in _JOINERS.values() else head
                yield item


def _of_name(tokens: Sequence[Token], index: int, head: str, opens: bool) -> Respelling | None:
    """What the name at `index` was meant to be."""
    token, before = tokens[index], tokens[index - 1]
    if token.kind is not Kind.WORD:
        return None
    sign = _sign(tokens, index)
    if sign is not None:
        return sign
    found = beginning(tokens, index) if opens else None
    if found is None and (opens or before.text == "="):
        found = operation(tokens, index) or engine(tokens, index)
    if found is not None:
        return _unknown(token, found)
    if not opens and head in _JOINERS and _joins(tokens, index):
        return _no_joiner(token, _JOINERS[head])
    if before.type in ("STORAGE", "MUTABLE") and names_type(tokens, index):
        kind = meant(token.text, TYPES)
        return _unknown(token, kind) if kind is not None else None
    return _after(tokens, index)


def _sign(tokens: Sequence[Token], index: int) -> Respelling | None:
    """`a and b`, `a or b`, `not (a)`: operators that are signs here."""
    token, before, after = tokens[index], tokens[index - 1], tokens[index + 1]
    word = token.text.lower()
    starts = after.kind in _OPERANDS or after.text in ("(", "!", "#", "-")
    if token.macro is not None or not starts:
        return None
    if word in _SIGNS and before.type in ENDS_OPERAND:
        return _no_word(token, _SIGNS[word], True)
    if word == "not" and before.text in _OPENINGS:
        return _no_word(token, "!", after.text == "(", after.start)
    return None


def _after(tokens: Sequence[Token], index: int) -> Respelling | None:
    """`trigger e afteer f;`: a name between two others, with an event or a destination before it."""
    token, before, after = tokens[index], tokens[index - 1], tokens[index + 1]
    fits = before.type in ("NAME", "_RPAR", "_RBRACK", "STORAGE") and after.type == "NAME" and token.macro is None
    return _unknown(token, Meant("after", True)) if fits and is_slip("after", token.text.lower()) else None


def _type_of_c(tokens: Sequence[Token], index: int) -> int:
    """How many words of C name a type from `index` on, in front of a name; 0 for one word alone."""
    count = 0
    while tokens[min(index + count, len(tokens) - 1)].text in _C_WORDS and tokens[index + count].macro is None:
        count += 1
    named = tokens[min(index + count, len(tokens) - 1)].type == "NAME"
    only_int = all(token.text == "int" for token in tokens[index : index + count])
    return count if named and count > 1 and not only_int else 0


def _c_type(run: Sequence[Token]) -> Respelling:
    texts = [token.text for token in run]
    width = 8 if "char" in texts else 16 if "short" in texts else 64 if "long" in texts else 32
    word = f"{'u' if 'unsigned' in texts else 's'}{width}"
    span = Span(run[0].start, run[-1].end)
    fix = Fix(f"Write '{word}'", (Edit(span, word),), guess=True)
    message = f"unknown type '{' '.join(texts)}'"
    found = Diagnostic(_CODE, Severity.ERROR, message, span, f"did you mean '{word}'?", (), (fix,))
    return Respelling(span, (word,), found)


def _joins(tokens: Sequence[Token], index: int) -> bool:
    """Whether a name stands between a loop's name and its extent, where `in` or `by` is due."""
    token, before, after = tokens[index], tokens[index - 1], tokens[index + 1]
    if token.type != "NAME" or token.line_first or after.line_first or token.macro is not None:
        return False
    named = (before.type == "NAME" and before.text != token.text) or before.text == "}"
    return named and (after.type in ("INT", "NAME") or after.text in ("[", "{"))


def _other_joiner(tokens: Sequence[Token], index: int) -> str:
    """`by` for the `in` of `parallel r in M`, `in` for the `by` of `foreach k by n`; empty for a right one."""
    if tokens[index].macro is not None or not (tokens[index - 1].type == "NAME" or tokens[index - 1].text == "}"):
        return ""
    for before in reversed(tokens[:index]):
        if before.text in _JOINERS and before.type != "NAME":
            return _JOINERS[before.text] if tokens[index].text != _JOINERS[before.text] else ""
        if before.text == ";" or before.text == "apply":
            return ""
    return ""


def _no_joiner(token: Token, word: str, safe: bool = False) -> Respelling:
    fix = Fix(f"Write '{word}'", (Edit(token.span, word),), safe, guess=True)
    message = f"expected '{word}' before '{token.text}'"
    found = Diagnostic(_CODE, Severity.ERROR, message, token.span, f"did you mean '{word}'?", (), (fix,))
    return Respelling(token.span, (word,), found)


def _no_word(token: Token, sign: str, safe: bool, end: int = 0) -> Respelling:
    fix = Fix(f"Write '{sign}'", (Edit(Span(token.start, end or token.end), sign),), safe=safe)
    message = f"there is no '{token.text}'"
    found = Diagnostic(_CODE, Severity.ERROR, message, token.span, f"use '{sign}'", (), (fix,))
    return Respelling(token.span, (sign,), found)


def _unknown(token: Token, found: Meant) -> Respelling:
    word = found.word
    fix = Fix(f"Write '{word}'", (Edit(token.span, word),), safe=found.certain, guess=True)
    hint = f"did you mean '{word}'?"
    message = f"unknown {'type' if word in TYPES else 'word'} '{token.text}'"
    if token.text == "for":
        message, hint = "there is no 'for'", "use 'foreach'"
    said = Diagnostic(_CODE, Severity.ERROR, message, token.span, hint, (), (fix,))
    return Respelling(token.span, tuple(word.replace(".", " .").split()), said)
