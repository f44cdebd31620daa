"""`textDocument/diagnostic`, offered only where the setting `croqtile.diagnostics` is `pull`: then nothing is pushed.

Not in the table of requests: a client that sees the capability asks, whatever is pushed beside it.
"""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from croqls.lsp.publish import ask_to_pull, listed, publish
from croqls.lsp.questions import answered
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer

_ID = "pull diagnostics"
_OPTIONS = lsp.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=False, identifier="croq")


def text_document_diagnostic(
    server: CroqtileServer, params: lsp.DocumentDiagnosticParams
) -> lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport:
    """What is known by now. When the verdicts of a version are found the client is told to ask again."""
    uri = params.text_document.uri
    snapshot = server.documents.get(uri)
    items = [] if snapshot is None else listed(server, snapshot, uri)
    last, known = server.pulled.get(uri, ("", None))
    if known == items and last == params.previous_result_id:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id=last)
    server.pulls += 1
    server.pulled[uri] = str(server.pulls), items
    return lsp.RelatedFullDocumentDiagnosticReport(items=items, result_id=str(server.pulls))


ENTRY = Entry(lsp.TEXT_DOCUMENT_DIAGNOSTIC, text_document_diagnostic, _OPTIONS)


def offer(server: CroqtileServer) -> None:
    """For a client that asks from the start on: before `initialize` is answered."""
    server.feature(ENTRY.method, ENTRY.options)(partial(ENTRY.handler, server))
    server.pull = server.pull_offered = True


async def follow(server: CroqtileServer, wanted: bool) -> None:
    """Change over while the client runs, where it knows how; else it goes on as it began, and a message says so."""
    if wanted == server.pull:
        return
    document = server.client_capabilities.text_document
    able = bool(document and document.diagnostic and document.diagnostic.dynamic_registration)
    if server.pull_offered or not able:
        text = "'croqtile.diagnostics' changes with the next start; pull needs a client that asks for diagnostics"
        server.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text))
        return
    server.pull = wanted
    if wanted:
        await _register(server)
    else:
        gone = lsp.Unregistration(id=_ID, method=ENTRY.method)
        await answered(server.client_unregister_capability_async(lsp.UnregistrationParams(unregisterations=[gone])))
        for snapshot in server.documents.all():
            publish(server, snapshot)


async def _register(server: CroqtileServer) -> None:
    """Lists that were pushed are taken back first: no finding stands there twice."""
    for snapshot in server.documents.all():
        for uri in server.documents.spellings(snapshot):
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=[]))
    if ENTRY.method not in server.protocol.fm.features:
        server.feature(ENTRY.method, ENTRY.options)(partial(ENTRY.handler, server))
    options = lsp.DiagnosticRegistrationOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier="croq"
    )
    registration = lsp.Registration(id=_ID, method=ENTRY.method, register_options=options)
    await answered(server.client_register_capability_async(lsp.RegistrationParams(registrations=[registration])))
    ask_to_pull(server)
