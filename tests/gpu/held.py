"""The card's lock for parts of a visit whose processes run beside each other, or take no lock. Must not start any."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from croqc.engines.gpu.lock import CardLock
from croqc.engines.gpu.parent import Parent


@contextmanager
def held(card: Parent, what: str) -> Iterator[None]:
    """The lock that a parent takes for a run of its own, for all of them at once; none where it takes none.

    Inside, the parent itself must not run anything: it would wait for this lock. Raises OSError where the lock's file
    cannot be made.
    """
    card.close()  # its memory and its context are in nobody's way
    if card.lock is None:
        yield
        return
    with CardLock(card.lock, f"croq: {what}"):
        yield
