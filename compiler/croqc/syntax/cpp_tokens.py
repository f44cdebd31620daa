"""The pieces of C++ text that tell words from what looks like them: comments, literals, numbers. Must not parse it.

One pattern for all who search C++: a quote opens a character only where no number (`1'000`) or word goes on.
"""

from __future__ import annotations

import re
from typing import Final

COMMENT: Final = r"//[^\n]*|/\*.*?\*/"
SILENT: Final = (
    rf"{COMMENT}|(?:u8|[uUL])?R\"(?P<ends>[^()\\\s]*)\(.*?\)(?P=ends)\"" r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
)
"""Comments, strings and characters; with re.DOTALL, and with `NUMBER` and words beside it."""
NUMBER: Final = r"\.?\d(?:[\w.]|'\w)*"
WORD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)

_PIECE: Final = re.compile(rf"(?P<silent>{SILENT})|{NUMBER}|{WORD.pattern}", re.DOTALL | re.ASCII)


def uncommented(text: str) -> str:
    """The text with a space for each comment; what asm says stands in strings, and stays."""
    return _PIECE.sub(lambda found: " " if (found["silent"] or "").startswith(("//", "/*")) else found[0], text)


def blanked(text: str) -> str:
    """The text with spaces in place of comments, strings and characters: what is left stands where it stood."""
    return _PIECE.sub(lambda found: " " * len(found[0]) if found["silent"] is not None else found[0], text)


def silenced(text: str) -> str:
    """The text with a space for each comment, string and character."""
    return _PIECE.sub(lambda found: " " if found["silent"] is not None else found[0], text)
