"""The process that finds credit-flow verdicts, so that the server's loop never waits for them.

It is sent texts and answers plain values; it keeps the last report of each document, so that only what changed is
analysed again. It ends when the server does. Must not write to standard output, which belongs to the protocol.
"""

from __future__ import annotations

from multiprocessing.connection import Connection

from croqc.flow.analysis import TYPING_BUDGET
from croqc.service.check import FileReport, check_text
from croqc.service.flow_check import with_flow
from croqc.service.settings import Settings
from croqc.text.diagnostics import Diagnostic
from croqc.text.record import record

_KEPT = 32  # documents


@record
class Job:
    """One version of a document to analyse."""

    key: str
    version: int
    text: str
    path: str
    below: Settings


@record
class Answer:
    """The flow findings of a version, absolute; `failed` tells why there are none."""

    key: str
    version: int
    found: tuple[Diagnostic, ...]
    failed: str = ""


def work(connection: Connection) -> None:
    """Serve jobs until the other end closes."""
    reports: dict[str, FileReport] = {}
    while True:
        try:
            job: Job = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(_answer(job, reports))


def _answer(job: Job, reports: dict[str, FileReport]) -> Answer:
    try:
        before = reports.pop(job.key, None)
        report = with_flow(check_text(job.text, below=job.below, path=job.path, previous=before), TYPING_BUDGET, before)
    except Exception as error:  # one document's failure must not take the others' verdicts away
        return Answer(job.key, job.version, (), f"{type(error).__name__}: {error}")
    reports[job.key] = report
    while len(reports) > _KEPT:
        reports.pop(next(iter(reports)))
    return Answer(job.key, job.version, report.flow_found or ())
