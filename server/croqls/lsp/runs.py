"""Keeps the runs of kernels: one at a time, in a process that can be killed, with what came of the last ones.

Must not know requests or how things are shown.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from croqc.service.history import KEPT, History, Kept, kept_part
from croqc.service.machine import NO_DRIVER, has_driver
from croqls.ide.run_lenses import Ran, Which, around, likeness, macros_of
from croqls.ide.snapshot import Snapshot
from croqls.lsp.documents import key_of
from croqls.lsp.reading import read
from croqls.lsp.worker_process import WorkerProcess
from croqls.workers.orders import News, Order, Outcome

GOOD = ("verified", "consistent")
_DOCUMENTS = 100  # whose last runs are known


@dataclass(eq=False)
class Run:
    """A run under way or ended. `state` is "running", "done", "refused", "failed" or "cancelled"; the rest is as in
    `Outcome`."""

    id: int
    snapshot: Snapshot
    order: Order
    state: str = "running"
    message: str = ""
    no_card: bool = False
    data: Any = None
    task: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """A run of the history: its number, 0 for one of an earlier server; when it ended (UTC, ISO 8601); of its entry in
    `croq run --json` what is kept; what was run, as in `Ran`, empty where it is not known."""

    id: int
    at: str
    run: Mapping[str, Any]
    likeness: str


class Runs:
    """`start` and `cancel` are called on the loop."""

    def __init__(self, worker: WorkerProcess, kept: History) -> None:
        self.worker, self._kept = worker, kept
        self.current: Run | None = None
        self._count = 0
        self._writing: threading.Thread | None = None
        self._past: dict[str, deque[Past]] = {}
        self._last: dict[str, dict[Which, tuple[Run, Ran]]] = {}  # by document and function

    def start(self, snapshot: Snapshot, order: Order, follow: Callable[[Run], Any]) -> tuple[Run, bool]:
        """A new run, which `follow` makes with `perform`; or the one that is under way, and False."""
        if self.current is not None:
            return self.current, False
        self._count += 1
        self.current = run = Run(self._count, snapshot, order)
        run.task = asyncio.create_task(follow(run))
        return run, True

    async def perform(self, run: Run, on_news: Callable[[News], None]) -> None:
        """Runs to the end; cancelling this ends the run. Its result stands before the history is read or written."""
        outcome = await self._outcome(run.order, on_news)
        run.data, run.message, run.no_card = outcome.data, outcome.refused or outcome.failed, outcome.no_card
        run.state = "refused" if outcome.refused else "failed" if outcome.failed else "done"
        if run.state == "done":
            key = key_of(run.snapshot.uri)
            await read(run.snapshot)
            alike = self._remember(run, key)
            self._keep(run, key, alike, await self._known(run.snapshot.uri))

    async def _outcome(self, order: Order, on_news: Callable[[News], None]) -> Outcome:
        """For want of a driver no process is started: its start takes seconds."""
        if (order.task, order.options.get("engine")) == ("run", "gpu") and not await asyncio.to_thread(has_driver):
            return Outcome(refused=NO_DRIVER, no_card=True)
        return await self.worker.ask(order, on_news)

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

    def ran(self, uri: str) -> dict[Which, Ran]:
        """What came of the last run of each function of a document; by an earlier server, once it was recalled."""
        key = key_of(uri)
        here = {function: ran for function, (_, ran) in self._last.get(key, {}).items()}
        return {**_ran_before(self._past.get(key, ())), **here}

    async def recall(self, uri: str) -> None:
        """Reads what is kept of a document, for `ran`."""
        await self._known(uri)

    async def before(self, uri: str, function: str | None, overload: int | None) -> list[Past]:
        """The newest run in the history of a document, or of some functions of it; empty where there is none."""
        known = [past for past in await self._known(uri) if _is_meant(_which(past.run), function, overload)]
        return [past for past in known if past.at == known[-1].at]

    def last(self, uri: str, function: str | None, overload: int | None) -> Run | None:
        """The last run of a document, or of some functions of it, that came to an end."""
        known = self._last.get(key_of(uri), {})
        runs = [run for which, (run, _) in known.items() if _is_meant(which, function, overload)]
        return max(runs, key=lambda run: run.id, default=None)

    async def history(self, uri: str, function: str | None) -> list[Past]:
        """The runs of a document, or of one function of it, oldest first."""
        return [past for past in await self._known(uri) if function in (None, past.run["function"])]

    async def _known(self, uri: str) -> deque[Past]:
        """The history of a document, read beside the loop when it is first needed. Others than files have none."""
        key = key_of(uri)
        if key not in self._past:
            kept = await asyncio.to_thread(self._read, key) if key.startswith("file:") else []
            self._past.setdefault(key, deque((Past(0, one.at, one.run, one.likeness) for one in kept), maxlen=KEPT))
        self._past[key] = found = self._past.pop(key)
        while len(self._past) > _DOCUMENTS:
            self._past.pop(next(iter(self._past)))
        return found

    def _read(self, key: str) -> list[Kept]:
        """Behind the writes before: what was dropped from memory may be on its way."""
        if (writing := self._writing) is not None:
            writing.join()
        return self._kept.read(key)

    def _keep(self, run: Run, key: str, alike: Mapping[Which, str], known: deque[Past]) -> None:
        at = datetime.now(UTC).isoformat(timespec="milliseconds")  # which tells runs apart
        ended = [Kept(at, kept_part(entry), alike.get(_which(entry), "")) for entry in entries(run.data)]
        known.extend(Past(run.id, at, one.run, one.likeness) for one in ended)
        if key.startswith("file:"):
            self._write(key, ended)

    def _write(self, key: str, ended: list[Kept]) -> None:
        """Beside the loop, and one write behind the other."""
        before = self._writing

        def write() -> None:
            if before is not None:
                before.join()
            self._kept.add(key, ended)

        self._writing = threading.Thread(target=write, daemon=True)
        self._writing.start()

    def written(self, seconds: float) -> None:
        """Waits until what has ended is kept, so many seconds at most."""
        if self._writing is not None:
            self._writing.join(seconds)

    def _remember(self, run: Run, key: str) -> dict[Which, str]:
        """The likeness of each function that was run as it stands."""
        mine = self._last.pop(key, {})
        self._last[key] = mine
        while len(self._last) > _DOCUMENTS:
            self._last.pop(next(iter(self._last)))
        report = run.snapshot.report
        found, outside = entries(run.data), around(report)
        macros = macros_of(run.order.options.get("defines") or {}, found)
        ended = {_which(one) for one in found}
        for function in report.functions:
            which = function.name, report.overloads[function.base]
            if which in ended:
                own = tuple(one for one in found if _which(one) == which)
                mine[which] = run, Ran(likeness(report, function, outside), own, macros)
        return {function: ran.likeness for function, (of, ran) in mine.items() if of is run and not ran.macros}


def entries(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The single runs in a result of `croq run` or `croq verify`; a profile has none."""
    if "runs" in data:
        return list(data["runs"])
    return [one for item in data.get("verified", ()) for one in (item["sim"], item["gpu"]) if one is not None]


def _which(entry: Mapping[str, Any]) -> Which:
    return entry["function"], entry["overload"]


def _is_meant(which: Which, function: str | None, overload: int | None) -> bool:
    """Whether a function is one of those of a name, or the one of them that has a number."""
    return function in (None, which[0]) and overload in (None, which[1])


def _ran_before(known: Iterable[Past]) -> dict[Which, Ran]:
    """The newest runs of each function, where it is known what was run."""
    newest: dict[Which, list[Past]] = {}
    for past in known:
        own = newest.setdefault(_which(past.run), [])
        if own and own[0].at != past.at:
            own.clear()
        own.append(past)
    return {
        name: Ran(own[0].likeness, tuple(past.run for past in own)) for name, own in newest.items() if own[0].likeness
    }


def last_good(known: list[Past]) -> Past | None:
    return next((past for past in reversed(known) if past.run["verdict"] in GOOD), None)
