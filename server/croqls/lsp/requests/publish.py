"""`textDocument/publishDiagnostics`: push what `check` says of a document. Must not decide when.

The first list of a version carries the flow verdicts of the version before, moved with the edits; the second, sent when
the verdict process has answered, its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from lsprotocol import types as lsp

from croqc.rules.internal_error import RULE as INTERNAL_ERROR
from croqc.text.diagnostics import Diagnostic
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import diagnostic
from croqls.lsp.documents import key_of
from croqls.lsp.flow_process import job_of
from croqls.lsp.server import CroqtileServer
from croqls.workers.flow import Answer

_LOG = logging.getLogger(__name__)


def publish(server: CroqtileServer, snapshot: Snapshot) -> None:
    """Ask for the verdicts of one version, and push its diagnostics while they are found."""
    server.flow.submit(job_of(snapshot))
    _push(server, snapshot)


def publish_verdicts(server: CroqtileServer, answer: Answer) -> None:
    """Push the diagnostics again, with the verdicts of the version.

    An answer that came too late is dropped, and a failed one: that no verdict was found does not make a kernel clean.
    """
    if answer.failed:
        return
    snapshot = server.documents.judge(answer.key, answer.version, answer.found)
    if snapshot is not None:
        _push(server, snapshot)


def retract(server: CroqtileServer, uri: str) -> None:
    """Clear the list of a document that was closed."""
    server.flow.forget(key_of(uri))
    server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=[]))


def _push(server: CroqtileServer, snapshot: Snapshot) -> None:
    encoding = server.documents.encoding
    report = server.documents.report(snapshot)
    _log_failures(server, snapshot.uri, report.diagnostics)
    for uri in server.documents.spellings(snapshot):
        items = [diagnostic(snapshot.source, item, uri, encoding) for item in report.diagnostics]
        server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri=uri, version=snapshot.version, diagnostics=items)
        )


def _log_failures(server: CroqtileServer, uri: str, found: Iterable[Diagnostic]) -> None:
    """What failed inside the tools, into the log: once a document and message, not at every keystroke."""
    for item in found:
        if item.code == INTERNAL_ERROR.name and (uri, item.message) not in server.failures:
            server.failures.add((uri, item.message))
            _LOG.error("%s: %s", uri, item.message)
