"""The terminals of the grammar: which word or sign is which, and what messages call them. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from croqc.syntax.keywords import (
    ATOMICS,
    BUILTIN_ALIGN,
    BUILTIN_MATH,
    ELEMENT_TYPES,
    MEMBERS,
    NAMED_BARRIERS,
    SCALAR_TYPES,
    STORAGE,
)


def _words(row: str) -> tuple[str, ...]:
    return tuple(row.split())


# Words whose terminal is the word itself in capitals.
_OWN: Final = _words(
    "parallel by with in where foreach inthreads if else while return auto void stream mdspan ituple"
    " event frag mutable mma after select wait trigger sync cooperative call assert cdiv volatile"
    " goto inf nullptr"
)
_SHARED: Final = {
    "JUMP": "break continue yield",
    "SOFT": "block group thread cluster device term copy apply reduce_max reduce_sum all_reduce_sum",
    "STORAGE": " ".join(STORAGE),
    "SCALAR": " ".join(sorted(SCALAR_TYPES)),
    "ELEM": " ".join(ELEMENT_TYPES),
    "ENGINE": "dma tma",
    "ROTATE": "swap rotate",
    "HINT": "unroll vectorize",
    "PRINT": "print println",
    "TRUTH": "true false",
    "CPP": "__cpp__",
    "ASM": "asm __asm__",
    "TO": "__to",
    "MATH": " ".join((*BUILTIN_MATH, *BUILTIN_ALIGN)),
    "ATOMIC": " ".join(ATOMICS),
    "BARRIER": " ".join(NAMED_BARRIERS),
    "RESERVED": "barrier fence",
}

# Reserved words; SOFT and RESERVED are not terminals of the grammar: `context` decides about the former.
WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {word: word.upper() for word in _OWN}
    | {word: terminal for terminal, words in _SHARED.items() for word in words.split()}
)

OPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        ";": "_SEMI", ",": "_COMMA", ":": "_COLON", "?": "QUESTION", "??": "UNBOUNDED", "=": "EQ", "=>": "ARROW",
        "<->": "EQUATE", "||": "OROR", "&&": "ANDAND", "==": "EQOP", "!=": "EQOP", "<": "RELOP", "<=": "RELOP",
        ">": "RELOP", ">=": "RELOP", "<<": "SHIFTOP", ">>": "SHIFTOP", "+": "PLUS", "-": "MINUS", "*": "MULOP",
        "/": "MULOP", "%": "MULOP", "#+": "EXTADD", "#-": "EXTADD", "#*": "EXTMUL", "#/": "EXTMUL",
        "#%": "EXTMUL", "!": "NOT", "&": "AMP", "^": "BITOP", "|": "BITOP", "#": "HASH", "~": "TILDE",
        "++": "INC", "--": "INC", "+=": "ASSIGNOP", "-=": "ASSIGNOP", "*=": "ASSIGNOP", "/=": "ASSIGNOP",
        "%=": "ASSIGNOP", "::": "QUALIFY", ".": "UNKNOWN",
    }
)  # fmt: skip

_FIELDS: Final = ("span", "data", "mdata", "zfill")
DOTTED: Final[Mapping[str, str]] = MappingProxyType(
    {f".{word}": "METHOD" for word in MEMBERS}
    | {f".{word}": "FIELD" for word in _FIELDS}
    | {".sqz": "SQZ", ".map": "MAP", ".remap": "MAP"}
)

# Words whose dotted parts belong to them: `dma.copy.async`, `sync.shared`, `frag.f32`, `setreg.inc`.
HEADS: Final = frozenset({"ENGINE", "MMA", "PARALLEL", "INTHREADS", "SYNC", "TRIGGER", "FRAG", "SETREG"})
# Terminals after which `<` opens a bracket (2.7 item 1); a source never begins with `<`.
ANGLE_AFTER: Final = frozenset(
    {"MOD", "MAP", "MDSPAN", "ITUPLE", "EVENT", "TO", "PARALLEL", "WAIT", "LEVEL", "STAGE", "QNAME", "INTRINSIC"}
)
# Terminals that can end an operand; behind them `-`, `|`, `#` are infix.
ENDS_OPERAND: Final = frozenset(
    _words("NAME INT REAL STRING TRUTH INF NULLPTR FIELD INC _RPAR _RBRACK _RBRACE _BAR_CLOSE MISSING UNKNOWN")
)
# Terminals behind which a word begins a statement.
BODY_FOLLOWS: Final = (ENDS_OPERAND - {"UNKNOWN"}) | {"_SEMI", "_LBRACE", "ELSE", "LEVEL", "HINT", "DO", "FOR"}
# Words that go on with a header or a statement that another word began.
STRUCTURE_TAIL: Final = frozenset({"BY", "IN", "WHERE", "ELSE", "AFTER", "INFIXCDIV"})
# Words that can only begin a statement, never stand inside one.
STARTERS: Final = frozenset(
    _words(
        "PARALLEL WITH FOREACH INTHREADS IF WHILE RETURN JUMP WAIT TRIGGER SYNC ROTATE PRINT ASSERT CPP"
        " ASM EVENT MUTABLE APPLY FRAGOP FOR DO SETREG LAUNCH ATTR FRAG ITUPLE"
    )
)

_SIGNS: Final = {
    "_SEMI": ";", "_COMMA": ",", "_COLON": ":", "_LPAR": "(", "_RPAR": ")", "_LBRACK": "[", "_RBRACK": "]",
    "_LBRACE": "{", "_RBRACE": "}", "_LANGLE": "<", "_RANGLE": ">", "_BAR_CLOSE": "|", "_BAR_OPEN": "|",
    "_COUNT_OPEN": "[", "_COUNT_CLOSE": "]",
    "EQ": "=", "ARROW": "=>", "IN": "in", "BY": "by", "EQUATE": "<->", "WHILE": "while", "AFTER": "after",
}  # fmt: skip
_KINDS: Final = {
    "NAME": "a name", "MISSING": "an expression", "MOD": "an operation", "INT": "a number", "LEVEL": "a level",
    "STORAGE": "a storage word", "ELEM": "an element type", "STRING": "a string", "QNAME": "a function name",
}  # fmt: skip


def spelled(terminal: str) -> str:
    """What a message calls a terminal: a sign in quotes, a kind of word with its article."""
    if terminal in _SIGNS:
        return f"'{_SIGNS[terminal]}'"
    return _KINDS.get(terminal, f"'{terminal.strip('_').lower()}'")


def sign_of(terminal: str) -> str:
    """The text that a fix inserts for a terminal; empty for what only the author knows."""
    return _SIGNS.get(terminal, "")
