"""How a reader writes a slot: "full[1][3]" of an array of several dimensions. Must not know what has slots."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod


def subscripts(slot: int | None, shape: Sequence[int]) -> str:
    """ "[5]", of the sixth slot of a `[2][4]` "[1][1]"; empty for what has no slots. Slots are numbered row by row."""
    if slot is None:
        return ""
    if len(shape) < 2:
        return f"[{slot}]"
    rest = [prod(shape[at + 1 :]) for at in range(len(shape))]
    return "".join(f"[{slot // by % extent}]" for by, extent in zip(rest, shape, strict=True))
