"""The rows of the catalogue (reference, chapter 8), and which of them no rule serves yet. Must not hold rules.

A meta test holds the rules against this: every row is served by a rule, or stands in LATER with a reason.
"""

from __future__ import annotations

from typing import Final


def _rows(letter: str, last: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number:02}" for number in range(1, last + 1))


CATALOGUE: Final = (
    *_rows("T", 18),
    *_rows("S", 20),
    *_rows("V", 18),
    *_rows("M", 6),
    *_rows("P", 13),
    *_rows("L", 23),
    *_rows("D", 19),
    *_rows("F", 10),
    *_rows("X", 17),
    *_rows("Q", 15),
)

LATER: Final[dict[str, str]] = {
    "D07": "every target has asynchronous copies",
    "D16": "told by the lowering, which divides a copy among threads",
    "D17": "a copy is divided among the threads that run it (5.3), so none is missing",
    "D19": "both sides may be tiles (5.1)",
    "Q08": "the paths of a kernel are counted whole or not at all, so no event is without a known participant",
}
