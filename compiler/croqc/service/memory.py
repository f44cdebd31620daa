"""How often Python looks for circles of dead objects. Must not be asked by a library's user: it holds for a process.

Trees, models and runs are many small objects that live to the end of a command and are seldom part of a circle. By
default Python goes through the young ones each time 700 have come up, which takes half of the time of a long verdict.
"""

from __future__ import annotations

import gc

_YOUNG = 100_000  # objects that come up between two looks
_MIDDLE = _OLD = 30


def collect_seldom() -> None:
    """For the rest of this process."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)


def keep_loaded() -> None:
    """What there is by now, modules mostly, lives to the end of this process: Python never goes through it again."""
    gc.freeze()


def collect_young() -> None:
    """What came up since the last time, while nobody waits: later it would take ten times as long in the middle of an
    answer."""
    gc.collect(1)
