"""The known word that a mistyped one was meant to be. Must not know any word itself."""

from __future__ import annotations

from collections.abc import Iterable


def _likeness(one: str, other: str) -> float:
    from difflib import SequenceMatcher  # here, since only a mistake needs it

    return SequenceMatcher(None, one, other).ratio()


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, upper and lower case taken alike; None if none is like it.

    Of equally near ones that whose case is nearer, then the first in alphabetical order.
    """
    folded = word.lower()
    best: tuple[float, float, str] | None = None
    for candidate in sorted(set(known)):
        alike = _likeness(candidate.lower(), folded)
        if alike >= 0.6 and (best is None or (alike, _likeness(candidate, word)) > best[:2]):
            best = (alike, _likeness(candidate, word), candidate)
    return best[2] if best else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a mistyped word: the nearest known one, else all of them (up to sixteen), else nothing."""
    names = sorted(set(known))
    best = nearest(word, names)
    if best is not None:
        return f"did you mean '{best}'?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 16 else ""
