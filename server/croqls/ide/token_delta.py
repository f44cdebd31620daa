"""The difference of two lists of semantic tokens (LSP `semanticTokens/full/delta`). Must not make tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Replaced:
    """`delete` numbers from `start` on give way to `data`."""

    start: int
    delete: int
    data: tuple[int, ...]


def difference(old: Sequence[int], new: Sequence[int]) -> Replaced | None:
    """One replaced stretch that makes `new` of `old`; None if they are equal."""
    if old == new:
        return None
    limit = min(len(old), len(new))
    start = next((at for at in range(limit) if old[at] != new[at]), limit)
    tail = next((at for at in range(limit - start) if old[-1 - at] != new[-1 - at]), limit - start)
    return Replaced(start, len(old) - start - tail, tuple(new[start : len(new) - tail]))
