"""Whether a blank stands between two neighbours on one line (house style of `croq fmt`).

One blank around infix signs and behind commas; none inside brackets, in front of dotted words, or between a
name and its brackets. Must not look at the text, only at the two terminals.
"""

from __future__ import annotations

from functools import cache
from typing import Final

_OPENING: Final = frozenset(
    {"_LPAR", "_LBRACK", "_LBRACE", "_DERIVE", "_ARGPAR", "_COUNT_OPEN", "_LANGLE", "_BAR_OPEN", "ATTR"}
)
_CLOSING: Final = frozenset(
    {"_COUNT_CLOSE", "_RPAR", "_RBRACK", "_RBRACE", "_RANGLE", "_BAR_CLOSE", "_COMMA", "POSTFIX"}
)
_INFIX: Final = frozenset(
    {
        "EQ",
        "ARROW",
        "EQUATE",
        "OROR",
        "ANDAND",
        "EQOP",
        "RELOP",
        "SHIFTOP",
        "PLUS",
        "MINUS",
        "MULOP",
        "EXTADD",
        "EXTMUL",
        "AMP",
        "BITOP",
        "ASSIGNOP",
        "_COLON",
        "INFIXCDIV",
    }
)
# Words in front of a parenthesis that is no argument list.
_APART: Final = frozenset(
    {
        "IF",
        "WHILE",
        "INTHREADS",
        "RETURN",
        "WAIT",
        "TRIGGER",
        "AFTER",
        "BY",
        "IN",
        "WHERE",
        "WITH",
        "FOREACH",
        "ELSE",
        "_COMMA",
        "_SEMI",
        "QUESTION",
    }
)
# Behind these an opening bracket belongs to them.
_BASES: Final = frozenset({"NAME", "FIELD", "METHOD", "MAP", "SQZ", "_RPAR", "_RBRACK", "QNAME"})
_LOOSE: Final = frozenset({"QUALIFY", "UNKNOWN", "OPAQUE"})


@cache
def blank_between(before: str, after: str, dotted: bool, empty_body: bool) -> bool | None:
    """True for one blank between two terminals, False for none, None where the author decides.

    `dotted`: the second one's text begins with a dot. `empty_body`: it is the `;` that stands for a whole body.
    """
    if after == "_SEMI":
        return empty_body
    if before in _LOOSE or after in _LOOSE or (before == after == "_LBRACK"):
        return None
    if "BODY_OPEN" in (before, after) or "BODY_CLOSE" in (before, after):
        return not (before == "BODY_OPEN" and after == "BODY_CLOSE")
    if _clings(before, after):
        return False
    if before in _INFIX or after in _INFIX:
        return True
    if "HASH" in (before, after):  # `p#q` and `p # q`: both are in use
        return None
    if after in _OPENING and after != "ATTR":
        return _before_bracket(before, after)
    return not dotted


def _clings(before: str, after: str) -> bool:
    return (
        before in _OPENING
        or after in _CLOSING
        or before == "PREFIX"
        or after == "BY_REF"
        or "TIGHT_COLON" in (before, after)
        or (before == "POSTFIX" and after == "_LPAR")
    )


def _before_bracket(before: str, bracket: str) -> bool | None:
    if bracket in ("_LANGLE", "_ARGPAR", "_COUNT_OPEN"):
        return False
    if bracket == "_LPAR":
        return None if before in ("MOD", "_RANGLE", "SETREG") else before in _APART
    if bracket in ("_LBRACE", "_DERIVE"):  # `best{-1}`, `t {(1), 2}`: both are in use
        return None if before in ("NAME", "_RBRACK") else True
    if bracket == "_LBRACK":
        return before not in _BASES
    return True


_SIGNS: Final = frozenset("+-*/%=!<>&|^~?:#.")


def would_join(left: str, right: str) -> bool:
    """Whether two texts without a blank between could read as other tokens than these two."""
    last, first = left[-1], right[0]
    wordy = (last.isalnum() or last in '_"') and (first.isalnum() or first in '_"')
    number = left[0].isdigit() and first == "."
    return wordy or number or (last in _SIGNS and first in _SIGNS)
