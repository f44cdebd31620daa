"""Reserved words that someone took as names: `in = b * 128 + t;`, `f32 [N] by`, `foreach with in 4`.

Looked for only in a function that does not parse. A word that is declared so is a plain name wherever it stands between
operators; the function is read as if it were none of ours. Must not touch good text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from croqc.syntax.keywords import ELEMENT_TYPES, KEYWORDS, MEMBERS, SCALAR_TYPES, SOFT, Group
from croqc.syntax.tokens import Kind, Token
from croqc.text.diagnostics import Diagnostic, Fix, Severity
from croqc.text.edits import Edit
from croqc.text.record import record

IS_RESERVED: Final = "is a reserved word and cannot be used as a name"
_CODE: Final = "syntax-error"
_TYPES: Final = frozenset({*ELEMENT_TYPES, *SCALAR_TYPES, "auto"})
_OPENERS: Final = frozenset({"parallel", "foreach", "with"})
_INFIX: Final = frozenset({"by", "in", "after", "where"})  # behind an operand they are what they are
_ALONE: Final = frozenset({"return", "break", "continue", "yield"})
_DOTTED: Final = frozenset({"parallel", "inthreads", "dma", "tma", "mma", "frag", "sync", "trigger"})
_ENDS_DECLARATION: Final = frozenset({",", ")", ";", "["})
# What stands behind an operand and never behind a keyword that opens something.
_FOLLOWS: Final = frozenset(
    {"=", "+=", "-=", "*=", "/=", "%=", "++", "--", ")", "]", "}", ",", ";", ":", "?", "+", "-", "*", "/", "%", "#"}
    | {"<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^", "<<", ">>"}
)


@record
class _Taken:
    """A reserved word that was taken as a name: the first token that is the name, and the places of all."""

    first: Token
    uses: tuple[int, ...]


def without_reserved(tokens: Sequence[Token]) -> tuple[list[Token], list[Diagnostic]]:
    """The tokens of a function with the reserved words that it declares as names made plain names, and one finding a
    word, where it is declared."""
    changed, found = list(tokens), []
    for taken in _taken(tokens):
        found.append(_told(tokens, taken))
        for index in taken.uses:
            old = tokens[index]
            changed[index] = Token(Kind.NAME, old.text, old.start, old.end, old.macro, old.line_first, old.spaced)
    return changed, found


def _taken(tokens: Sequence[Token]) -> Iterator[_Taken]:
    texts = [token.text for token in tokens]
    declared: dict[str, None] = {}
    for index, token in enumerate(tokens):
        if token.kind is Kind.WORD and _is_reserved(token.text) and _declares(texts, index):
            declared[token.text] = None
    for word in declared:
        uses = tuple(
            index
            for index, token in enumerate(tokens)
            if token.text == word and token.kind is Kind.WORD and (_declares(texts, index) or _uses(tokens, index))
        )
        yield _Taken(tokens[uses[0]], uses)


def _is_reserved(text: str) -> bool:
    found = KEYWORDS.get(text)
    return found is not None and text not in SOFT and found.group is not Group.LITERAL


def _declares(texts: Sequence[str], index: int) -> bool:
    before, after = _at(texts, index - 1), _at(texts, index + 1)
    if after == "=" and before in (";", "{", "}", ")"):  # `in = 3;`
        return True
    if after in ("by", "in") and (before in _OPENERS or before == ","):
        return True
    if before in ("{", ",") and after in (",", "}") and _braced(texts, index):
        return True
    if before == "[" and after in (",", "]") and _at(texts, index - 2) in _TYPES:  # `f32 [in] x`
        return True
    if before == "]" and after == "[" and texts[index] in _INFIX:
        return False
    typed = before in _TYPES and _at(texts, index - 2) not in ("<", ".")
    return (typed or before in ("]", "&")) and (after in _ENDS_DECLARATION or (after == "=" and typed))


def _braced(texts: Sequence[str], index: int) -> bool:
    """Whether a word stands in the names of `{a, b} in` or `{a, b} by`."""
    first = last = index
    while _at(texts, first) == "," or _at(texts, first).isidentifier():
        first -= 1
    while _at(texts, last) not in ("}", ";", ""):
        last += 1
    return _at(texts, first) == "{" and _at(texts, last + 1) in ("by", "in")


def _uses(tokens: Sequence[Token], index: int) -> bool:
    """Whether a word stands where an operand is due, and as none of the statements and storages that it is else."""
    texts = [token.text for token in tokens[max(index - 2, 0) : index + 2]]
    while len(texts) < 4:
        texts.append("")
    earlier, before, word, after = texts
    operand = before in ("]", ")", "}") or (tokens[index - 1].kind in (Kind.WORD, Kind.INT) and before not in KEYWORDS)
    member = after[:1] == "." and (word not in _DOTTED or after[1:] in MEMBERS)
    if not (after in _FOLLOWS or member) or before == "=>" or (word in _INFIX and operand):
        return False
    if word in _ALONE and after == ";" and before in (";", "{", "}", ")"):
        return False
    return not (word in _TYPES and before == "(" and after == ")" and not earlier.lstrip(".").isidentifier())


def _at(texts: Sequence[str], index: int) -> str:
    return texts[index] if 0 <= index < len(texts) else ""


def _told(tokens: Sequence[Token], taken: _Taken) -> Diagnostic:
    name = other_name(taken.first.text)
    places = [tokens[index] for index in taken.uses]
    if any(token.macro is not None for token in places) or any(token.text == name for token in tokens):
        return reserved(taken.first)
    edits = tuple(Edit(token.span, name) for token in places)
    return reserved(taken.first, (Fix(f"Rename it to '{name}'", edits, safe=False),))


def other_name(word: str) -> str:
    return f"{word}_"


def reserved(token: Token, fixes: tuple[Fix, ...] = ()) -> Diagnostic:
    """What is said of a reserved word that stands as a name."""
    message = f"'{token.text}' {IS_RESERVED}"
    hint = f"take another one, such as '{other_name(token.text)}'"
    return Diagnostic(_CODE, Severity.ERROR, message, token.span, hint, fixes=fixes)


def once(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Without what is said again of a reserved word."""
    told: set[str] = set()
    kept = []
    for finding in findings:
        again = finding.message in told
        if IS_RESERVED in finding.message:
            told.add(finding.message)
        if not again:
            kept.append(finding)
    return kept
