"""What work costs the processor, told so that others on the machine matter little. Must not know what the work is."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def effort(work: Callable[[], object], times: int = 7) -> float:
    """Processor time of a call, seconds: the least of so many, while nobody collects the whole process.

    What `work` needs before it is made outside of it.
    """
    spent = []
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            start = time.process_time()
            work()
            spent.append(time.process_time() - start)
    finally:
        if collects:
            gc.enable()
    return min(spent)
