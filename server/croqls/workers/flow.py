"""The process that finds credit-flow verdicts and tells of them, so that the server's loop never waits for them.

It is sent texts and answers plain values; it keeps the last report of each document, so that only what changed is
analysed again. Fixes of what is no finding of the flow are tried by those who show them; those that guess a word also
here, for the flow behind them. It ends when the server does.
Must not write to standard output, which belongs to the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from multiprocessing.connection import Connection

from croqc.flow.analysis import TYPING_BUDGET
from croqc.rules import internal_error
from croqc.sema.model import Analysis
from croqc.service.check import FileReport, FunctionFlow, check_glance, check_text
from croqc.service.flow_check import with_verdicts
from croqc.service.judged_fixes import doubted
from croqc.service.memory import collect_young
from croqc.service.safe_trials import with_tried_fixes
from croqc.text.record import record, replace
from croqc.text.span import Span
from croqls.ide.snapshot import Snapshot
from croqls.workers.begin import begin
from croqls.workers.flow_orders import Answer, Job, Question, Reply

_KEPT = 32  # documents


Flows = Mapping[Analysis, FunctionFlow]


@record
class Known:
    """The text of a document that was asked about last, its report, and the flows of functions found so far; and the
    last glance at a newer text, whose function need not be read again."""

    job: Job
    report: FileReport
    flows: Flows
    glance: FileReport | None = None

    @property
    def newest(self) -> FileReport:
        return self.glance or self.report

    def is_of(self, job: Job) -> bool:
        """Whether this is what a job asks for, of whichever version."""
        return replace(self.job, version=job.version) == job

    @property
    def judged(self) -> FileReport:
        return replace(self.report, flows=self.flows)


class Desk:
    """What is known of each document."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, Known] = {}

    def serve(self, order: Job | Question) -> None:
        """Answers an order."""
        self._connection.send(self.reply(order) if isinstance(order, Question) else self.answer(order))

    def answer(self, job: Job) -> Answer:
        """The verdicts on a version."""
        try:
            report = self.judged(job)
            unsure = doubted(with_tried_fixes(report)) if _guesses(report) else ()
        except Exception as error:  # one document's failure must not take the others' verdicts away
            return Answer(job.key, job.version, (), internal_error.described(error))
        return Answer(job.key, job.version, report.flow_found or (), doubted=unsure)

    def reply(self, question: Question) -> Reply:
        """What a request says, which needs the flow of one function."""
        job = question.job
        try:
            snapshot = Snapshot(question.uri, job.version, job.text, job.path, job.below)
            found = question.request(snapshot.reported(self.at(job, question.place)))
        except Exception as error:  # as above
            return Reply(question.number, None, internal_error.described(error))
        return Reply(question.number, found)

    def judged(self, job: Job) -> FileReport:
        """All that is to be said of a text: known, or made from what is known of the version before. Questions that
        come meanwhile are answered: a long file has hundreds of functions, and a person waits."""
        known = self._checked(job)
        if known.report.flows is not None:
            return known.report
        report = with_verdicts(known.report, TYPING_BUDGET, known.judged, between=self._hear)
        self._keep(Known(job, report, report.flows or {}))
        return report

    def at(self, job: Job, place: int) -> FileReport:
        """The same with the flow of the function at a place alone."""
        known, here = self._known.get(job.key), Span(place, place)
        if known is None or known.job.below != job.below:
            known = self._checked(job)
        if known.is_of(job):
            if known.report.flows is not None:
                return known.report
        else:  # all of a long text would take seconds, which it may be in the middle of
            known = replace(known, glance=check_glance(job.text, here, known.newest))
        seen = known.report if known.is_of(job) else known.newest
        report = with_verdicts(seen, TYPING_BUDGET, known.judged, wanted=lambda function: function.spans(here))
        self._keep(replace(known, flows={**known.flows, **(report.flows or {})}))
        return report

    def _checked(self, job: Job) -> Known:
        known = self._known.get(job.key)
        if known is None:
            known = Known(job, check_text(job.text, below=job.below, path=job.path), {})
        elif not known.is_of(job):
            report = check_text(job.text, below=job.below, path=job.path, previous=known.newest, between=self._hear)
            known = Known(job, report, self._known[job.key].flows)
        return self._keep(known)

    def _keep(self, known: Known) -> Known:
        self._known.pop(known.job.key, None)
        self._known[known.job.key] = known
        while len(self._known) > _KEPT:
            self._known.pop(next(iter(self._known)))
        return known

    def _hear(self) -> None:
        """While a job is under way nothing but questions comes."""
        while self._connection.poll():
            self.serve(self._connection.recv())


def _guesses(report: FileReport) -> bool:
    """Whether some fix is to be judged, which takes a verdict."""
    return any(fix.guess and fix.safe for item in report.found for fix in item.fixes)


def serve(connection: Connection) -> None:
    """Serve jobs and questions until the other end closes."""
    begin()
    desk = Desk(connection)
    try:
        while True:
            desk.serve(connection.recv())
            if not connection.poll():
                collect_young()
    except (EOFError, OSError):
        return
