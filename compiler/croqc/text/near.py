"""The known word that a mistyped one was meant to be. Must not know any word itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_ALIKE: Final = 0.6  # of 1
_MUCH: Final = 0.75
_SHORT: Final = 3  # characters of a word in which each letter counts
_LONGEST: Final = 100  # characters


def likeness(one: str, other: str) -> float:
    """How alike two words are, from 0 to 1."""
    from difflib import SequenceMatcher  # here, since only a mistake needs it

    return SequenceMatcher(None, one, other).ratio()


def is_slip(one: str, other: str) -> bool:
    """Whether two words differ by one slip of the keyboard: a letter too many, too few, another one, or two letters
    exchanged. In words of up to three letters another letter makes another word."""
    start, limit = 0, min(len(one), len(other))
    while start < limit and one[start] == other[start]:
        start += 1
    tail = 0
    while tail < limit - start and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    left, right = one[start : len(one) - tail], other[start : len(other) - tail]
    if len(left) == len(right) == 1:
        return limit > _SHORT
    return len(left) + len(right) == 1 or (len(left) == 2 and left == right[::-1])


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, upper and lower case taken alike; None if none is like it.

    One that is a slip away comes before all others; of equally near ones that whose case is nearer, then the first in
    alphabetical order. Nothing is like a very long word: comparing takes the square of the length.
    """
    if len(word) > _LONGEST:
        return None
    from difflib import SequenceMatcher  # here, since only a mistake needs it

    typed = word.lower()
    matcher = SequenceMatcher(None, "", typed)
    best: tuple[bool, float, float, str] | None = None
    for candidate in sorted(set(known)):
        written = candidate.lower()
        slip = len(typed) > 1 and (written == typed or is_slip(written, typed))
        if best is not None and best[0] and not slip:
            continue
        matcher.set_seq1(written)
        least = best[1] if best is not None and best[0] == slip else 0.0 if slip else _ALIKE
        if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:  # upper bounds, cheap to get
            continue
        alike = matcher.ratio()
        if alike >= least and (best is None or (slip, alike, likeness(candidate, word)) > best[:3]):
            best = (slip, alike, likeness(candidate, word), candidate)
    return best[3] if best else None


def is_certain(word: str, meant: str, known: Iterable[str]) -> bool:
    """Whether `meant`, the nearest of the known words, is the only one that can be meant: the only one a slip away, or
    where none is, the only one that is much alike. Three letters or more behind a whole word are a word of their own:
    the `async` of `inthreadsasync`."""
    typed, others = word.lower(), {one.lower() for one in known} - {meant.lower()}
    if meant.lower() == typed or is_slip(meant.lower(), typed):
        return not any(one == typed or is_slip(one, typed) for one in others)
    if typed.startswith(meant.lower()) and len(typed) - len(meant) >= _SHORT:
        return False
    return likeness(meant.lower(), typed) >= _MUCH and all(likeness(one, typed) < _MUCH for one in others)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a mistyped word: the nearest known one, else all of them (up to sixteen), else nothing."""
    names = sorted(set(known))
    best = nearest(word, names)
    if best is not None:
        return f"did you mean '{best}'?"
    return f"known: {', '.join(names)}" if 0 < len(names) <= 16 else ""
