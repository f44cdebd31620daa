"""`initialize`, `initialized`, `shutdown`: take the encoding, read the settings, watch project files, end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from lsprotocol import types as lsp

from croqc.text.source import Encoding
from croqls.lsp.questions import answered
from croqls.lsp.requests.configuration import pull_settings, take_settings
from croqls.lsp.requests.document_diagnostic import offer
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer
from croqls.lsp.threads import Threads


def initialize(server: CroqtileServer, params: lsp.InitializeParams) -> None:
    """Options are the settings, for clients that cannot be asked, and two of the client's own: `hoverImages`, images in
    hovers are shown; `ownPatterns`, it has whole patterns of the current dialect itself.

    `trusted: false` here is not overruled by settings, which a workspace may bring along.
    """
    options = params.initialization_options
    if isinstance(options, Mapping):
        server.documents.pictures = options.get("hoverImages") is True
        server.trusted_at_start = options.get("trusted", True) is True
        server.documents.own_patterns = options.get("ownPatterns") is True
        options = {key: value for key, value in options.items() if key not in ("hoverImages", "ownPatterns")}
    server.options = options
    if options is not None:
        take_settings(server, options)
    if server.pull_wanted:
        offer(server)


async def initialized(server: CroqtileServer, _: lsp.InitializedParams) -> None:
    asyncio.get_running_loop().set_default_executor(Threads())
    server.documents.encoding = Encoding(server.workspace.position_encoding)
    workspace = server.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace else None
    if watched and watched.dynamic_registration:
        watchers = [lsp.FileSystemWatcher(glob_pattern="**/croq.toml")]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
        registration = lsp.Registration(
            id="croq.toml", method=lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, register_options=options
        )
        await answered(server.client_register_capability_async(lsp.RegistrationParams(registrations=[registration])))
    await pull_settings(server)


def shutdown(server: CroqtileServer, _: None) -> None:
    server.stop_processes()


ENTRIES = (
    Entry(lsp.SHUTDOWN, shutdown),
    Entry(lsp.INITIALIZE, initialize),
    Entry(lsp.INITIALIZED, initialized),
)
