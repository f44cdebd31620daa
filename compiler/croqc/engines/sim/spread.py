"""Blocks over several processes, where a launch is long enough to pay for it. Must not change a result.

Blocks do not see each other, and the schedule of each depends on the seed and its coordinates alone. So workers are
forked with the memory as it was at the launch, each runs its share, and what each has written is put together in the
order of the workers. A block that hangs or breaks off is run again here, where it does the same and is reported.
Where processes cannot be forked, or the kernel uses atomics, everything runs here.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from mmap import mmap
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from croqc.engines.sim.machine.dtypes import Array
from croqc.engines.sim.machine.memory import Buffer
from croqc.engines.sim.state import RunState, note

WORTH_STEPS = 60_000
"""A launch with fewer steps left after its first block stays in one process."""


@dataclass(slots=True)
class Share:
    """One worker: which groups it runs, where its memory comes back, and what it reported."""

    groups: list[int]
    memory: list[mmap]
    pid: int = 0
    pipe: Connection[Any, Any] | None = None
    steps: int = 0
    prints: dict[int, list[str]] = field(default_factory=dict)
    done: set[int] = field(default_factory=set)


def default_workers() -> int:
    """The processors this process may use; 1 where forking is not safe."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def run_groups(
    run: RunState, count: int, run_group: Callable[[int], None], buffers: Sequence[Buffer], independent: bool
) -> None:
    """Runs groups 0 to `count` - 1. Raises what `run_group` raises."""
    before, done = run.budget.used, 0
    workers = min(run.workers, count - 1)
    if count:
        run_group(0)
        done = 1
        _tell(run, 1, count)
    rest = (run.budget.used - before) * (count - 1)
    if independent and workers > 1 and rest > WORTH_STEPS:
        _run_apart(run, count, run_group, buffers, workers)
        return
    for index in range(done, count):
        run_group(index)
        _tell(run, index + 1, count)


def _tell(run: RunState, done: int, count: int) -> None:
    if run.progress is not None:
        run.progress(done, count)


def _run_apart(
    run: RunState, count: int, run_group: Callable[[int], None], buffers: Sequence[Buffer], workers: int
) -> None:
    shares = [
        Share(list(range(1 + number, count, workers)), [mmap(-1, max(len(buffer.raw), 1)) for buffer in buffers])
        for number in range(workers)
    ]
    try:
        for share in shares:
            _start(share, run, run_group, buffers)
        _listen(run, shares, count)
    finally:
        _end(shares)
    failed = sorted(set(range(1, count)) - {index for share in shares for index in share.done})
    _merge(buffers, shares)
    run.budget.used += sum(share.steps for share in shares)
    for index in range(1, count):
        run.prints.extend(line for share in shares for line in share.prints.get(index, ()))
    run.budget.spend(0)
    for index in failed:
        run_group(index)


def _start(share: Share, run: RunState, run_group: Callable[[int], None], buffers: Sequence[Buffer]) -> None:
    receive, send = Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        share.pid = os.fork()
    if share.pid:
        send.close()
        share.pipe = receive
        return
    try:
        receive.close()
        _work(share, send, run, run_group, buffers)
    finally:
        os._exit(0)


def _work(
    share: Share, send: Connection[Any, Any], run: RunState, run_group: Callable[[int], None], buffers: Sequence[Buffer]
) -> None:
    """In the worker: runs the share up to the first group that fails, then gives the memory back."""
    run.progress, before = None, run.budget.used
    done, prints = [], {}
    for index in share.groups:
        run.prints.clear()
        used = run.budget.used
        try:
            run_group(index)
        except Exception:
            run.budget.used = used
            break
        done.append(index)
        prints[index] = list(run.prints)
        send.send(index)
    for memory, buffer in zip(share.memory, buffers, strict=True):
        memory[: len(buffer.raw)] = buffer.raw.tobytes()
    send.send((run.budget.used - before, prints, done, run.notes))


def _listen(run: RunState, shares: Sequence[Share], count: int) -> None:
    """Hears of finished groups until every worker has given its report or has died."""
    finished = 1
    for share, message in _messages(shares):
        if isinstance(message, int):
            finished += 1
            _tell(run, finished, count)
        else:
            steps, prints, done, notes = message
            share.steps, share.prints, share.done = steps, prints, set(done)
            for text in notes:
                note(run, text)


def _messages(shares: Sequence[Share]) -> Iterator[tuple[Share, Any]]:
    open_pipes = {share.pipe: share for share in shares if share.pipe is not None}
    while open_pipes:
        for ready in wait(list(open_pipes)):
            assert isinstance(ready, Connection)
            share = open_pipes[ready]
            try:
                message = ready.recv()
            except EOFError:
                del open_pipes[ready]
                continue
            yield share, message


def _end(shares: Sequence[Share]) -> None:
    """No worker outlives the launch."""
    for share in shares:
        if share.pid:
            os.kill(share.pid, signal.SIGKILL)
            os.waitpid(share.pid, 0)
        if share.pipe is not None:
            share.pipe.close()


def _merge(buffers: Sequence[Buffer], shares: Sequence[Share]) -> None:
    """Takes over the bytes that a worker has changed."""
    for number, buffer in enumerate(buffers):
        start = buffer.raw.copy()
        for share in shares:
            if share.done:
                end: Array = np.frombuffer(share.memory[number], np.uint8, len(start))
                changed = end != start
                buffer.raw[changed] = end[changed]
