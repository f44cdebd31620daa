"""How often Python looks for circles of dead objects. Must not be asked by a library's user: it holds for a process.

Trees, models and runs are many small objects that live to the end of a command and are seldom part of a circle. By
default Python goes through the young ones each time 700 have come up, which takes half of the time of a long verdict.
"""

from __future__ import annotations

import gc

_YOUNG = 100_000  # objects that come up between two looks
_MIDDLE = _OLD = 30
_MOST = 2_000_000  # more than the longest text comes to that is read while a person types
_SOME, _MANY = 10_000, 50_000  # a look at so many takes one millisecond, and some


def collect_seldom() -> None:
    """For the rest of this process."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)


def collect_when_settled() -> None:
    """For the rest of this process, where nothing may stand still for long: see `settle`."""
    gc.set_threshold(_MOST, _MIDDLE, _OLD)


def settle() -> None:
    """What came up since the last time is looked through, if that is soon done. Much of it is what a long text came to:
    reading makes no circles, and to find none among it would take half a second, so Python never goes through it."""
    young = gc.get_count()[0]
    if young > _MANY:
        gc.freeze()
    elif young > _SOME:
        gc.collect(1)


def keep_loaded() -> None:
    """What there is by now, modules mostly, lives to the end of this process: Python never goes through it again."""
    gc.freeze()


def collect_young() -> None:
    """What came up since the last time, while nobody waits: later it would take ten times as long in the middle of an
    answer."""
    gc.collect(1)
