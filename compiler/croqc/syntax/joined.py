"""Words that lost the dot between them: `inthreadsasync`, `.copyasync`. Must not change tokens or word messages.

A mistyped word is compared with them, too: else the nearest to `inthreadsasync` would be `inthreads`, which is another
statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from croqc.syntax.keywords import ELEMENT_TYPES, MMA_SUFFIXES, MODIFIERS, OPERATIONS
from croqc.text.near import is_certain, is_slip, nearest

WITH_OPERATION: Final[Mapping[str, str]] = MappingProxyType(
    {f"{head}{word}": f"{head}.{word}" for head, words in OPERATIONS.items() for word in words}
)
"""A word with the operation behind it, joined, and how it is written."""
_SUFFIXES: Final = frozenset({*MODIFIERS, *(word for words in MMA_SUFFIXES.values() for word in words), *ELEMENT_TYPES})
_ATTRIBUTES: Final = frozenset({*_SUFFIXES, *OPERATIONS["mma"]})


def follows_operation(text: str) -> bool:
    """Whether a dotted word may stand behind an operation, such as the `.async` of `dma.copy.async`."""
    return text.removeprefix(".") in _ATTRIBUTES


def opening_with(*heads: str) -> frozenset[str]:
    """The joined words that begin with one of some words."""
    return frozenset(word for word, written in WITH_OPERATION.items() if written.partition(".")[0] in heads)


def dotted(word: str, known: Iterable[str]) -> tuple[str, bool] | None:
    """What a word behind a dot was meant to be, one of `known` or one of them with a modifier behind it, and whether
    nothing else can be meant."""
    plain = frozenset(known)
    best = nearest(word, plain)
    if best is not None and is_slip(best, word):
        return best, is_certain(word, best, plain)
    joined = {f"{one}{suffix}": f"{one}.{suffix}" for one in plain for suffix in _SUFFIXES - {one}}
    alike = [one for one in sorted(joined) if one == word or is_slip(one, word)]
    if word in joined or len(alike) == 1:
        return joined[word if word in joined else alike[0]], word in joined
    return (best, is_certain(word, best, plain)) if best is not None else None
