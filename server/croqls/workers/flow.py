"""The process that finds credit-flow verdicts and tells of them, so that the server's loop never waits for them.

It is sent texts and answers plain values; it keeps the last report of each document, so that only what changed is
analysed again. It ends when the server does. Must not write to standard output, which belongs to the protocol.
"""

from __future__ import annotations

from multiprocessing.connection import Connection

from croqc.flow.analysis import TYPING_BUDGET
from croqc.rules import internal_error
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_flow
from croqc.service.memory import collect_young
from croqls.ide.snapshot import Snapshot
from croqls.workers.begin import begin
from croqls.workers.flow_orders import Answer, Job, Question, Reply

_KEPT = 32  # documents


Reports = dict[str, tuple[Job, FileReport]]


def serve(connection: Connection) -> None:
    """Serve jobs until the other end closes."""
    begin()
    reports: Reports = {}
    while True:
        try:
            order: Job | Question = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_reply(order, reports) if isinstance(order, Question) else _answer(order, reports))
        if not connection.poll():
            collect_young()


def _answer(job: Job, reports: Reports) -> Answer:
    try:
        report = _report(job, reports)
    except Exception as error:  # one document's failure must not take the others' verdicts away
        return Answer(job.key, job.version, (), internal_error.described(error))
    return Answer(job.key, job.version, report.flow_found or ())


def _reply(question: Question, reports: Reports) -> Reply:
    job = question.job
    try:
        snapshot = Snapshot(question.uri, job.version, job.text, job.path, job.below)
        found = question.request(snapshot.reported(_report(job, reports)))
    except Exception as error:  # as above
        return Reply(question.number, None, internal_error.described(error))
    return Reply(question.number, found)


def _report(job: Job, reports: Reports) -> FileReport:
    """All that is to be said of a text: known, or made from what is known of the version before."""
    last, before = reports.pop(job.key, (None, None))
    if (
        before is not None
        and last is not None
        and (last.text, last.path, last.below) == (job.text, job.path, job.below)
    ):
        report = before
    else:
        report = with_flow(check_text(job.text, below=job.below, path=job.path, previous=before), TYPING_BUDGET, before)
    reports[job.key] = (job, report)
    while len(reports) > _KEPT:
        reports.pop(next(iter(reports)))
    return report
