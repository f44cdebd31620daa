"""The extents of what has slots, as a reader counts them. Must not know runs."""

from __future__ import annotations

from croqc.flow.program import Event, Stage


def shape_of(ring: Event | Stage) -> tuple[int, ...]:
    """The extents of its array; none for slots that are packed in one buffer."""
    return tuple(getattr(ring.symbol.type, "array", ()))
