"""`textDocument/publishDiagnostics`: push what `check` says of a document. Must not decide when.

The first list of a version carries the flow verdicts of the version before, moved with the edits; the second, sent when
the verdict process has answered, its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from lsprotocol import types as lsp

from croqc.rules.internal_error import RULE as INTERNAL_ERROR
from croqc.service.memory import settle
from croqc.text.diagnostics import Diagnostic
from croqls.ide.macro_links import with_definitions
from croqls.ide.snapshot import Snapshot
from croqls.lsp.convert import diagnostic
from croqls.lsp.documents import key_of
from croqls.lsp.flow_process import NO_PROCESS, job_of
from croqls.lsp.refresh import refresh_shown
from croqls.lsp.server import CroqtileServer
from croqls.workers.flow_orders import Answer

_LOG = logging.getLogger(__name__)


def publish(server: CroqtileServer, snapshot: Snapshot) -> None:
    """Push the diagnostics of one version, and ask for its verdicts: before, where a core is free for the process that
    finds them, else behind, as it would take half of the loop's.

    A client that pulls asks after each edit by itself.
    """
    early = server.flow.is_ready and server.spare_core.is_there
    if early:
        _ask_for_verdicts(server, snapshot)
    if not server.pull:
        with server.spare_core.watched():
            push(server, snapshot)
    else:
        server.reading.begin(snapshot)
    if not early:
        _ask_for_verdicts(server, snapshot)


def _ask_for_verdicts(server: CroqtileServer, snapshot: Snapshot) -> None:
    if not snapshot.limited:
        server.flow.submit(job_of(snapshot))


def publish_verdicts(server: CroqtileServer, answer: Answer) -> None:
    """Push the diagnostics again, with the verdicts of the version.

    An answer that came too late is dropped, and a failed one: that no verdict was found does not make a kernel clean.
    """
    if answer.failed:
        _tell_once(server, answer)
        return
    snapshot = server.documents.judge(answer.key, answer.version, answer.found, answer.doubted)
    if snapshot is not None:
        push(server, snapshot)
        settle()


def _tell_once(server: CroqtileServer, answer: Answer) -> None:
    """A message for each document and failure, however often it comes; one for all where no process can be started."""
    about = "" if answer.failed.startswith(NO_PROCESS) else answer.key
    if (about, answer.failed) not in server.failures:
        server.failures.add((about, answer.failed))
        name = answer.key.rpartition("/")[2]
        text = f"no verdict on the credit flow of {name}: {answer.failed}; the next edit tries again"
        text = text if about else answer.failed
        server.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text))


def push_read(server: CroqtileServer, snapshot: Snapshot, glanced: bool) -> None:
    """Push what is known of a version that was read beside the loop; who was given a glance at it asks again."""
    push(server, snapshot)
    settle()
    if glanced:
        refresh_shown(server)


def push_again(server: CroqtileServer, uri: str) -> None:
    """Push what is known of a document anew: something beside its text has changed."""
    snapshot = server.documents.get(uri)
    if snapshot is not None:
        push(server, snapshot)


def retract(server: CroqtileServer, uri: str) -> None:
    """Clear the list of an address that was closed."""
    if not server.pull:
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=[]))


def listed(server: CroqtileServer, snapshot: Snapshot, uri: str) -> list[lsp.Diagnostic]:
    """What is known of a version by now, under one address of the document, with the marks of its last run."""
    report = server.documents.report(snapshot)
    _log_failures(server, snapshot.uri, report.diagnostics)
    encoding = server.documents.encoding
    found = [diagnostic(snapshot.source, item, uri, encoding) for item in with_definitions(report)]
    ran, marks = server.hangs.get(key_of(snapshot.uri), (None, []))
    return found + (marks if ran == snapshot.text else [])


def push(server: CroqtileServer, snapshot: Snapshot) -> None:
    """Tell the client: it is sent the lists, once the version is read, or told to ask for them."""
    if server.pull:
        ask_to_pull(server)
        return
    if server.reading.begin(snapshot):
        return
    for uri in server.documents.spellings(snapshot):
        server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(
                uri=uri,
                version=server.documents.version_of(uri, snapshot),
                diagnostics=listed(server, snapshot, uri),
            )
        )


def ask_to_pull(server: CroqtileServer) -> None:
    """`workspace/diagnostic/refresh`, where the client knows it."""
    workspace = server.client_capabilities.workspace
    if workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
        server.workspace_diagnostic_refresh(None)


def _log_failures(server: CroqtileServer, uri: str, found: Iterable[Diagnostic]) -> None:
    """What failed inside the tools, into the log: once a document and message, not at every keystroke."""
    for item in found:
        if item.code == INTERNAL_ERROR.name and (uri, item.message) not in server.failures:
            server.failures.add((uri, item.message))
            _LOG.error("%s: %s", uri, item.message)
