"""The known word that a mistyped one was meant to be. Must not know any word itself."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, upper and lower case taken alike; None if none is like it.

    Of equally near ones the first in alphabetical order.
    """
    by_folded: dict[str, str] = {}
    for candidate in sorted(known, reverse=True):
        by_folded[candidate.lower()] = candidate
    folded = word.lower()
    found = get_close_matches(folded, by_folded, n=len(by_folded) + 1, cutoff=0.6)
    best = max(sorted(found), key=lambda name: SequenceMatcher(None, name, folded).ratio(), default=None)
    return None if best is None else by_folded[best]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a mistyped word: the nearest known one, else all of them (up to sixteen), else nothing."""
    names = sorted(set(known))
    best = nearest(word, names)
    if best is not None:
        return f"did you mean '{best}'?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 16 else ""
