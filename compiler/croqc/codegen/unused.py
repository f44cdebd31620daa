"""Which headers generated text needs, of those that every unit might. Looks at words, keeps what it does not know."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_WORD: Final = re.compile(r"\b[A-Za-z_]\w*")
_COMMENT: Final = re.compile(r"//.*")
_DECLARED: Final = re.compile(r"^struct (?:alignas\(\d+\) )?(\w+)|^__device__ [^(]*?(\w+)\(", re.MULTILINE)


def words(text: str) -> Iterable[str]:
    """The identifiers of a line, those of comments left out."""
    return _WORD.findall(_COMMENT.sub("", text))


def uses(lines: Iterable[str], header: str) -> bool:
    """Whether some lines name what a header of ours declares."""
    declared = {name for found in _DECLARED.findall(header) for name in found if name}
    return any(not declared.isdisjoint(words(line)) for line in lines)
