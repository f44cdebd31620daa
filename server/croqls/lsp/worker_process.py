"""Long work in a process of its own: one order at a time, cancelled by ending the process. Must not know tasks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from croqls.lsp.child import Child, NoProcessError
from croqls.workers.long_work import long_work
from croqls.workers.orders import News, Order, Outcome

_LOG = logging.getLogger(__name__)
DIED = "the process that worked at it died; try again"
_STOPPED = "the process that worked at it was stopped; try again"


class WorkerProcess:
    """Starts with the first order. `grace`: seconds that work which nobody waits for any more may go on, so that the
    process is there for the next order."""

    def __init__(self, name: str, grace: float) -> None:
        self._name, self._grace = name, grace
        self._child: Child | None = None
        self._turn: asyncio.Lock | None = None  # made on the loop
        self._end: asyncio.Future[Outcome] | None = None
        self._on_news: Callable[[News], None] = lambda _: None

    async def ask(self, order: Order, on_news: Callable[[News], None] = lambda _: None) -> Outcome:
        """The outcome; who cancels this ends the work."""
        if self._turn is None:
            self._turn = asyncio.Lock()
        await self._turn.acquire()
        task = asyncio.create_task(self._serve(order, on_news, self._turn))
        try:
            outcome = await asyncio.shield(task)
        except asyncio.CancelledError:
            self._on_news = lambda _: None
            asyncio.get_running_loop().call_later(self._grace, self._abandon, task)
            raise
        if outcome.failed:
            _LOG.warning("%s: %s", order.task, outcome.failed)
        return outcome

    def stop(self, reason: str = DIED) -> None:
        """End the process; an order that it works at has failed for this reason."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()
        self._settle(Outcome(failed=reason))

    async def _serve(self, order: Order, on_news: Callable[[News], None], turn: asyncio.Lock) -> Outcome:
        try:
            if self._child is None or not self._child.process.is_alive():
                self.stop()  # one that is gone without a word yet
                try:
                    self._child = Child(long_work, self._name, self._take)
                except NoProcessError as error:
                    return Outcome(refused=str(error))
            self._end = asyncio.get_running_loop().create_future()
            self._on_news = on_news
            self._child.send(order)
            guard = asyncio.create_task(self._guard(self._child))
            try:
                return await self._end
            finally:
                guard.cancel()
        finally:
            turn.release()

    async def _guard(self, child: Child) -> None:
        """The next order starts another process in the place of one that stands still."""
        await child.until_stopped()
        self.stop(_STOPPED)

    def _take(self, message: News | Outcome | None) -> None:
        if isinstance(message, News):
            self._on_news(message)
        elif message is None:
            self.stop()
        else:
            self._settle(message)

    def _settle(self, outcome: Outcome) -> None:
        if self._end is not None and not self._end.done():
            self._end.set_result(outcome)

    def _abandon(self, task: asyncio.Task[Any]) -> None:
        if not task.done():
            self.stop()
