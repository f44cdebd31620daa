"""The known word that a mistyped one was meant to be. Must not know any word itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_ALIKE: Final = 0.6  # of 1
_LONGEST: Final = 100  # characters


def likeness(one: str, other: str) -> float:
    """How alike two words are, from 0 to 1."""
    from difflib import SequenceMatcher  # here, since only a mistake needs it

    return SequenceMatcher(None, one, other).ratio()


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, upper and lower case taken alike; None if none is like it.

    Of equally near ones that whose case is nearer, then the first in alphabetical order. Nothing is like a
    very long word: comparing takes the square of the length.
    """
    if len(word) > _LONGEST:
        return None
    from difflib import SequenceMatcher  # here, since only a mistake needs it

    matcher = SequenceMatcher(None, "", word.lower())
    best: tuple[float, float, str] | None = None
    for candidate in sorted(set(known)):
        matcher.set_seq1(candidate.lower())
        least = best[0] if best else _ALIKE
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:  # upper bounds, cheap to get
            continue
        alike = matcher.ratio()
        if alike >= least and (best is None or (alike, likeness(candidate, word)) > best[:2]):
            best = (alike, likeness(candidate, word), candidate)
    return best[2] if best else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a mistyped word: the nearest known one, else all of them (up to sixteen), else nothing."""
    names = sorted(set(known))
    best = nearest(word, names)
    if best is not None:
        return f"did you mean '{best}'?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 16 else ""
