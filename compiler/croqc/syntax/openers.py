"""The word of the language that a mistyped one at the start of a statement was meant to be, by what stands around it:
`whle (c) y = 1;` has a condition and a body, `prnt(x);` neither. Must not change tokens or word messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from croqc.syntax.joined import WITH_OPERATION, follows_operation, opening_with
from croqc.syntax.keywords import ELEMENT_TYPES, OLD_DOTTED, OPERATIONS, SCALAR_TYPES, STORAGE
from croqc.syntax.terminals import BODY_FOLLOWS
from croqc.syntax.tokens import Kind, Token
from croqc.text.near import is_certain, likeness, nearest
from croqc.text.record import record

TYPES: Final = frozenset({*ELEMENT_TYPES, *SCALAR_TYPES})
ENDS: Final = frozenset({";", "{", "}", "else"})
_JOINED_OPERATIONS: Final = opening_with("dma", "tma", "mma")
_BEFORE_WORDS: Final = frozenset(
    {"foreach", "parallel", "with", "wait", "trigger", "swap", "rotate", "return", "call", "event", "mutable",
     "mdspan", "ituple", *STORAGE, *TYPES, *opening_with("parallel", "trigger"), *_JOINED_OPERATIONS}
)  # fmt: skip
_JOINED_STATEMENTS: Final = frozenset({*opening_with("sync"), "mmacommit"})
_BEFORE_BRACES: Final = frozenset({"foreach", "parallel", "with", "apply", *opening_with("parallel")})
_BEFORE_DOTS: Final = frozenset({"sync", "inthreads", "parallel", "dma", "tma", "mma", "trigger", "frag"})
_BEFORE_CONDITIONS: Final = frozenset({"if", "while", "inthreads", "foreach", *opening_with("inthreads")})
_BEFORE_ARGUMENTS: Final = frozenset({"print", "println", "assert", "swap", "rotate", "__cpp__"})
_JUMPS: Final = frozenset({"break", "continue", "yield", "return"})
_ELSE: Final = frozenset({"else"})
_ELSE_IF: Final = frozenset({"elif", "elsif", "elseif"})
_FOLLOW_WORDS: Final = frozenset({"NAME", "ELEM", "SCALAR", "EVENT", "STREAM"})
_BEGIN: Final = frozenset({"IF", "FOREACH", "WHILE", "INTHREADS", "PARALLEL", "WAIT", "TRIGGER", "SYNC", "CALL"})
_ALIKE: Final = 0.75
_SIMILAR: Final = 0.6
_SHORTEST: Final = 4  # characters of a jump's word: a name may stand alone by mistake, too

ENGINES: Final[Mapping[str, frozenset[str]]] = {
    word: frozenset({*OPERATIONS.get(word, ()), *(old for old, heads in OLD_DOTTED.items() if word in heads)})
    for word in _BEFORE_DOTS
}


@record
class Meant:
    """The word that was meant, and whether no other can be."""

    word: str
    certain: bool


def begins(tokens: Sequence[Token], index: int, listed: bool) -> bool:
    """Whether a statement begins at `index`; `listed`: the last brace is of a list of names."""
    before = tokens[index - 1]
    if before.text in ENDS:
        return before.text == ";" or not listed
    return before.type in BODY_FOLLOWS and (tokens[index].line_first or _ends_condition(tokens, index - 1))


def _ends_condition(tokens: Sequence[Token], index: int) -> bool:
    """Whether the token at `index` closes the condition of an `if`, `while` or `inthreads`."""
    depth, at = 0, index
    while at > 0 and tokens[index].text == ")":
        text = tokens[at].text
        depth += (text == ")") - (text == "(")
        if not depth or text in (";", "{", "}"):
            break
        at -= 1
    head = tokens[at - 1] if at else None
    return head is not None and (head.type in ("IF", "WHILE", "INTHREADS") or head.text == ".async")


def beginning(tokens: Sequence[Token], index: int) -> Meant | None:
    """The word that a name at the start of a statement was meant to be; None if it may be what it says."""
    token, after, before = tokens[index], tokens[index + 1], tokens[index - 1]
    if token.macro is not None or after.line_first or token.text == after.text:
        return None
    if token.text == "for":
        return Meant("foreach", False) if after.kind is Kind.WORD or after.text == "{" else None
    behind_body = before.text in (";", "}")
    if after.kind is Kind.DOTTED:
        return (
            operation(tokens, index)
            or engine(tokens, index)
            or (meant(token.text, _BEFORE_DOTS) if after.type == "UNKNOWN" else None)
        )
    if after.text == "(":
        return _before_parenthesis(tokens, index, behind_body)
    if after.text == "[":
        return meant(token.text, TYPES) if names_type(tokens, index) else None
    if after.text == "{":
        return meant(token.text, _BEFORE_BRACES | (_ELSE if behind_body else frozenset()))
    if after.text == ";":
        return meant(token.text, _JUMPS | _JOINED_STATEMENTS) if len(token.text) >= _SHORTEST else None
    if after.kind in (Kind.INT, Kind.REAL):
        return meant(token.text, frozenset({"return"}))
    if after.kind is Kind.WORD and after.type in _BEGIN:
        return meant(token.text, _ELSE) if behind_body else None
    if after.kind is Kind.WORD and after.type in _FOLLOW_WORDS:
        found = meant(token.text, _BEFORE_WORDS | (_ELSE if behind_body else frozenset()))
        return None if found is not None and found.word in TYPES and after.type != "NAME" else found
    return None


def _before_parenthesis(tokens: Sequence[Token], index: int, behind_body: bool) -> Meant | None:
    """`iff (c) …` has a body behind its condition, `prnt(x);` has none."""
    token, follows = tokens[index], tokens[min(closing(tokens, index + 1) + 1, len(tokens) - 1)]
    if follows.text == ";":  # `printf` is told with its arguments
        return None if token.text.endswith("printf") else meant(token.text, _BEFORE_ARGUMENTS)
    if follows.text != "{" and follows.kind is not Kind.WORD:
        return None
    if token.text.lower() in _ELSE_IF:
        return Meant("else if", behind_body)
    words = _BEFORE_CONDITIONS if follows.text == "{" else _BEFORE_CONDITIONS - {"foreach"}
    return meant(token.text, words | _BEFORE_ARGUMENTS) if follows.line_first else meant(token.text, words)


def engine(tokens: Sequence[Token], index: int) -> Meant | None:
    """The word that a name was meant to be in front of an operation: `mmi` of `mmi.store`, `dms` of `x = dms.copy`."""
    token, operation = tokens[index], tokens[index + 1].text.removeprefix(".")
    words = frozenset(word for word, known in ENGINES.items() if operation in known)
    if token.macro is not None or tokens[index + 1].type != "UNKNOWN" or not words:
        return None
    word = nearest(token.text, words)
    if word is None or abs(len(word) - len(token.text)) > 1:
        return None
    return Meant(word, all(likeness(one, token.text.lower()) < _SIMILAR for one in words - {word}))


def operation(tokens: Sequence[Token], index: int) -> Meant | None:
    """An operation that lost its dot, in front of an operand or a modifier: `x = dmacopy a => b;`, `mmafill.f32`."""
    token, after = tokens[index], tokens[index + 1]
    behind = after.kind in (Kind.WORD, Kind.INT, Kind.REAL) or follows_operation(after.text)
    exact = token.text in _JOINED_OPERATIONS and token.macro is None and behind
    return Meant(WITH_OPERATION[token.text], True) if exact else None


def meant(text: str, words: Iterable[str]) -> Meant | None:
    """The one of some words that a text is very like."""
    known = frozenset(words)
    word = nearest(text, known)
    if word is None or likeness(word, text.lower()) < _ALIKE:
        return None
    if text in WITH_OPERATION and text in known:
        return Meant(WITH_OPERATION[text], True)
    digits = word != text.lower() and any(letter.isdigit() for letter in word)  # another width is another type
    return Meant(WITH_OPERATION.get(word, word), is_certain(text, word, known) and not digits)


def names_type(tokens: Sequence[Token], index: int) -> bool:
    """Whether the name at `index` stands where a type does: a shape or a name follows."""
    after = tokens[index + 1]
    behind = tokens[min(closing(tokens, index + 1) + 1, len(tokens) - 1)]
    return after.type == "NAME" or (after.text == "[" and behind.type == "NAME")


def closing(tokens: Sequence[Token], index: int) -> int:
    """The index of the bracket that closes the one at `index`; the last token's if none does."""
    depth = 0
    for at in range(index, len(tokens) - 1):
        text = tokens[at].text
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth <= 0 or text in (";", "{", "}"):
            return at
    return len(tokens) - 1
