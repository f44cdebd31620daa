"""Keeps the runs of kernels: one at a time, in a process that can be killed, with what came of the last ones.

Must not know requests or how things are shown.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import key_of
from croqls.lsp.worker_process import WorkerProcess
from croqls.workers.orders import News, Order, Outcome

KEPT = 100  # runs of a document
GOOD = ("verified", "consistent")


@dataclass(eq=False)
class Run:
    """A run under way or ended. `state` is "running", "done", "refused", "failed" or "cancelled"."""

    id: int
    snapshot: Snapshot
    order: Order
    state: str = "running"
    message: str = ""
    data: Any = None
    task: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """A run of the history: its number, when it ended (UTC, ISO 8601), its entry as in `croq run --json`."""

    id: int
    at: str
    run: Mapping[str, Any]


class Runs:
    """`start` and `cancel` are called on the loop."""

    def __init__(self, worker: WorkerProcess) -> None:
        self.worker = worker
        self.current: Run | None = None
        self._count = 0
        self._past: dict[str, deque[Past]] = {}

    def start(self, snapshot: Snapshot, order: Order, follow: Callable[[Run], Any]) -> tuple[Run, bool]:
        """A new run, which `follow` makes with `perform`; or the one that is under way, and False."""
        if self.current is not None:
            return self.current, False
        self._count += 1
        self.current = run = Run(self._count, snapshot, order)
        run.task = asyncio.create_task(follow(run))
        return run, True

    async def perform(self, run: Run, on_news: Callable[[News], None]) -> None:
        """Runs to the end; cancelling this ends the run."""
        self._ended(run, await self.worker.ask(run.order, on_news))

    def over(self, run: Run) -> None:
        """The next run may start. One that came to no end of its own was cancelled."""
        if run.state == "running":
            run.state, run.message = "cancelled", "the run was cancelled"
        if self.current is run:
            self.current = None

    def cancel(self, number: int | None) -> bool:
        """Ends the run under way, if it is the one that is meant."""
        run = self.current
        if run is None or run.task is None or number not in (None, run.id):
            return False
        run.task.cancel()
        return True

    def history(self, uri: str, function: str | None) -> list[Past]:
        """The runs of a document, or of one function of it, oldest first."""
        known = self._past.get(key_of(uri), ())
        return [past for past in known if function in (None, past.run["function"])]

    def _ended(self, run: Run, outcome: Outcome) -> None:
        run.data, run.message = outcome.data, outcome.refused or outcome.failed
        run.state = "refused" if outcome.refused else "failed" if outcome.failed else "done"
        if run.state == "done":
            known = self._past.setdefault(key_of(run.snapshot.uri), deque(maxlen=KEPT))
            at = datetime.now(UTC).isoformat(timespec="seconds")
            known.extend(Past(run.id, at, entry) for entry in entries(run.data))


def entries(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The single runs in a result of `croq run` or `croq verify`; a profile has none."""
    if "runs" in data:
        return list(data["runs"])
    return [one for item in data.get("verified", ()) for one in (item["sim"], item["gpu"]) if one is not None]


def last_good(known: list[Past]) -> Past | None:
    return next((past for past in reversed(known) if past.run["verdict"] in GOOD), None)
