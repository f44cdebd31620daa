"""A queue of jobs for one card: in order, one at a time, each of which can be cancelled. Must not know programs."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import TracebackType

from croqc.engines.gpu.faults import Kind, Trouble
from croqc.engines.gpu.parent import RUN_TIMEOUT, Parent
from croqc.engines.gpu.protocol import Answer, Job


class Ticket:
    """A job in the queue. `cancel` takes it out, or kills the child that runs it."""

    def __init__(self, job: Job, timeout: float) -> None:
        self.job, self.timeout = job, timeout
        self._cancelled = threading.Event()
        self._done = threading.Event()
        self._outcome: Answer | Trouble = Trouble(Kind.CANCELLED, "the run was cancelled")

    def cancel(self) -> None:
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    def result(self, timeout: float | None = None) -> Answer | Trouble:
        """Waits for the outcome. Raises TimeoutError where there is none yet."""
        if not self._done.wait(timeout):
            raise TimeoutError("the job is still in the queue")
        return self._outcome

    def _finish(self, outcome: Answer | Trouble | None = None) -> None:
        if outcome is not None:
            self._outcome = outcome
        self._done.set()


class JobQueue:
    """Runs jobs on a thread of its own, with one parent. Use it in a `with`: what is left is cancelled at its end."""

    def __init__(self, parent: Callable[[], Parent]) -> None:
        self._parent = parent
        self._waiting: queue.SimpleQueue[Ticket | None] = queue.SimpleQueue()
        self._tickets: list[Ticket] = []
        self._thread = threading.Thread(target=self._work, name="gpu-jobs", daemon=True)
        self._thread.start()

    def __enter__(self) -> JobQueue:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for ticket in self._tickets:
            ticket.cancel()
        self._waiting.put(None)
        self._thread.join()

    def submit(self, job: Job, timeout: float = RUN_TIMEOUT) -> Ticket:
        """Puts a job at the end of the queue."""
        ticket = Ticket(job, timeout)
        self._tickets = [each for each in self._tickets if not each._done.is_set()] + [ticket]
        self._waiting.put(ticket)
        return ticket

    def _work(self) -> None:
        with self._parent() as parent:
            while (ticket := self._waiting.get()) is not None:
                if ticket.cancelled:
                    ticket._finish()
                    continue
                ticket._finish(parent.run(ticket.job, ticket.timeout, lambda each=ticket: each.cancelled))  # type: ignore[misc]
