"""Whether a core is free beside the loop's, judged by how the loop's own work goes, which waits for nothing but a core.

Must not know what the work is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, thread_time

_FEW, _MANY = 4, 64  # stretches of work
_PARDON = 16  # of them in a row, behind which one that waits is a hitch: something else ran for a moment
_HITCH = 0.001  # seconds that a system takes now and then
_PART = 8  # of its time that work may wait, for caches that are shared


class SpareCore:
    """It is there once some stretches of work in a row did not wait. Each time that it turns out to be gone again,
    twice as many have to show it: where there is none, trying to use it shall cost one stretch in many. Where there has
    been one for long, all that is forgotten."""

    def __init__(self) -> None:
        self._smooth, self._needed = 0, _FEW
        self._row = 0  # stretches that did not wait since it is there

    @property
    def is_there(self) -> bool:
        return self._smooth >= self._needed

    @contextmanager
    def watched(self) -> Iterator[None]:
        """A stretch of work, on one thread."""
        began, used = perf_counter(), thread_time()
        yield
        self.note(perf_counter() - began, thread_time() - used)

    def note(self, seconds: float, used: float) -> None:
        """A stretch took so many seconds, and as many of them of a processor. A short one tells nothing."""
        if seconds < _HITCH:
            return
        if seconds - used <= _HITCH + used / _PART:
            self._row += self.is_there
            self._smooth += 1
            if self._row >= 2 * _MANY:
                self._needed = _FEW
            return
        pardoned = self._row >= _PARDON
        self._row = 0
        if pardoned:
            return
        if self.is_there:
            self._needed = min(2 * self._needed, _MANY)
        self._smooth = 0
