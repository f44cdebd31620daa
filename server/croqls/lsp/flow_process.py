"""Keeps the verdict process: one job at a time, the newest version of a document wins, a crash restarts it.

Questions go before verdicts, and are answered in the middle of those of a long file: a person waits for them. Nobody
waits for ever: a question has its time, and a process that stands still is replaced.

Must not analyse (see `croqls.workers.flow`) or publish.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from croqc.text.record import replace
from croqls.ide.snapshot import Snapshot
from croqls.lsp.child import Child, NoProcessError
from croqls.lsp.documents import key_of
from croqls.workers.flow_orders import Answer, Job, Question, Reply, Request
from croqls.workers.long_work import verdicts

_LOG = logging.getLogger(__name__)
_DIED = "the credit-flow process died"
LATE = "the credit flow is still being worked out; ask again in a moment"
_PATIENCE = 10.0  # seconds for a question; a process that starts on a busy machine takes some
NO_PROCESS = "no verdicts on credit flow: "  # of whichever document
_DEATHS = 2  # of the process at one text; one alone may have had another reason


def job_of(snapshot: Snapshot) -> Job:
    """A document's text and settings, as the process is sent them."""
    return Job(key_of(snapshot.uri), snapshot.version, snapshot.text, snapshot.path, snapshot.below)


class FlowProcess:
    """`submit` jobs from the loop; `on_answer` is called on the loop. The process starts with the first job."""

    def __init__(self) -> None:
        self.on_answer: Callable[[Answer], None] = lambda _: None
        self._waiting: dict[str, Job] = {}
        self._newest: dict[str, Job] = {}  # of each open document
        self._questions: dict[int, Question] = {}
        self._replies: dict[int, asyncio.Future[Reply]] = {}
        self._asked = 0
        self._running: Job | None = None
        self._asking: Question | None = None  # also while a job is under way
        self._child: Child | None = None
        self._guard: asyncio.Task[None] | None = None  # while it works
        self._deaths: dict[str, tuple[Job, int]] = {}

    @property
    def is_ready(self) -> bool:
        """Whether the process is there, and would begin at once."""
        return self._child is not None and self._running is None

    def submit(self, job: Job) -> None:
        """Analyse a version when the process is free; an older one of the same document that waits is dropped."""
        self._waiting.pop(job.key, None)
        self._waiting[job.key] = self._newest[job.key] = job
        self._next()

    async def ask(self, snapshot: Snapshot, place: int, request: Request) -> Reply:
        """What a request says of a version, which needs the flow of the function at a place; that it is late, after
        some seconds. The question is dropped when who asked no longer waits."""
        self._asked += 1
        number = self._asked
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._questions[number] = Question(number, job_of(snapshot), snapshot.uri, place, request)
        self._replies[number] = future
        self._next()
        try:
            return await asyncio.wait_for(future, _PATIENCE)
        except TimeoutError:
            return Reply(number, None, LATE, late=True)
        finally:
            self._questions.pop(number, None)
            self._replies.pop(number, None)

    def forget(self, key: str) -> None:
        """Drop what waits for a document that was closed."""
        self._waiting.pop(key, None)
        self._newest.pop(key, None)
        self._deaths.pop(key, None)

    def stop(self) -> None:
        """End the process."""
        self._rest()
        if self._child is not None:
            self._child.kill()
        self._child = None

    def _next(self) -> None:
        if self._child is not None and not self._child.process.is_alive():
            self._lost()  # without a word yet
            return
        while (order := self._picked()) is not None:
            if self._deaths_at(_text_of(order)) >= _DEATHS:
                self._give_up(order, _DIED)
                continue
            if self._child is None:
                try:
                    self._start()
                except NoProcessError as error:
                    self._give_up(order, f"{NO_PROCESS}{error}")
                    continue
            assert self._child is not None
            try:
                self._child.send(order)
            except Exception as error:  # of pickling: a request that is no function of a module
                self._give_up(order, f"the credit-flow process cannot be asked: {error}")
                continue
            if isinstance(order, Question):
                self._asking = order
            else:
                self._running = order
            if self._guard is None:
                self._guard = asyncio.create_task(self._replace(self._child))
        if self._asking is None and self._running is None:
            self._rest()

    def _rest(self) -> None:
        """Nothing is done while nobody asks."""
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None

    async def _replace(self, child: Child) -> None:
        """Once the process stands still, give what it was given to another one: that is no fault of the text."""
        await child.until_stopped()
        _LOG.warning("the credit-flow process was stopped from outside; another one takes its place")
        asking, running = self._asking, self._running
        self._asking = self._running = self._guard = None
        self.stop()
        if asking is not None and asking.number in self._replies:
            self._ask_first(asking)
        if running is not None:
            self._wait_again(running)
        self._next()

    def _ask_first(self, question: Question) -> None:
        self._questions = {question.number: question, **self._questions}

    def _wait_again(self, job: Job) -> None:
        """Unless its document was closed, or has a newer version."""
        if self._newest.get(job.key) is job:
            self._waiting[job.key] = job

    def _picked(self) -> Job | Question | None:
        """What the process is to be given now: one question at a time, jobs when it has nothing else."""
        if self._asking is not None:
            return None
        if self._questions:
            return self._questions.pop(next(iter(self._questions)))
        if self._running is not None or not self._waiting:
            return None
        return self._waiting.pop(next(reversed(self._waiting)))

    def _start(self) -> None:
        self._child = Child(verdicts, "croqls-flow", self._take)

    def _take(self, answer: Answer | Reply | None) -> None:
        if answer is None:
            self._lost()
            return
        if isinstance(answer, Reply):
            self._asking = None
            self._give(answer)
            self._next()
            return
        order, self._running = self._running, None
        if not self._is_outdated(order):
            if answer.failed:
                _LOG.warning("credit flow of %s: %s", answer.key, answer.failed)
            self.on_answer(answer)
        self._next()

    def _give(self, reply: Reply) -> None:
        if reply.failed:
            _LOG.warning("question: %s", reply.failed)
        future = self._replies.get(reply.number)
        if future is not None and not future.done():
            future.set_result(reply)

    def _lost(self) -> None:
        """The process died: give up what it worked at and go on with the rest.

        Of a question in the middle of a job nobody knows which of the two it was: the question is asked alone, and the
        job waits again. A text that it died at twice is not given to it again until it changes.
        """
        asking, running = self._asking, self._running
        self._asking = self._running = None
        self.stop()
        if asking is not None and running is not None:
            self._ask_first(asking)
            self._wait_again(running)
        elif (order := asking or running) is not None:
            text = _text_of(order)
            self._deaths[text.key] = text, self._deaths_at(text) + 1
            self._give_up(order, _DIED)
        self._next()

    def _deaths_at(self, text: Job) -> int:
        last, count = self._deaths.get(text.key, (None, 0))
        return count if last == text else 0

    def _give_up(self, order: Job | Question, reason: str) -> None:
        if isinstance(order, Question):
            self._give(Reply(order.number, None, reason))
        else:
            _LOG.warning("%s at version %s of %s", reason, order.version, order.key)
            self.on_answer(Answer(order.key, order.version, (), reason))

    def _is_outdated(self, order: Job | None) -> bool:
        """Whether a version's number means something else by now: the document was closed, or the number came again."""
        if order is None:
            return False
        newest = self._newest.get(order.key)
        return newest is None or (newest is not order and newest.version == order.version)


def _text_of(order: Job | Question) -> Job:
    """What the process is given to analyse, whichever version asks for it."""
    return replace(order.job if isinstance(order, Question) else order, version=0)
