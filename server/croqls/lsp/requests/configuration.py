"""`workspace/didChangeConfiguration`, `didChangeWorkspaceFolders`, `didChangeWatchedFiles`: follow settings live."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lsprotocol import types as lsp

from croqls.lsp.documents import Documents, key_of, path_of
from croqls.lsp.publish import ask_to_pull, publish
from croqls.lsp.questions import answered
from croqls.lsp.refresh import refresh_hints
from croqls.lsp.requests.document_diagnostic import follow
from croqls.lsp.requests.entry import Entry
from croqls.lsp.server import CroqtileServer
from croqls.lsp.settings import SECTION, read_settings

NO_FOLDERS: Final[Mapping[str, object]] = MappingProxyType({})


def take_settings(server: CroqtileServer, section: object, folders: Mapping[str, object] = NO_FOLDERS) -> None:
    """Take up the editor's settings, those of single folders by address; name what is wrong with them, once each."""
    documents = server.documents
    shown = _hints(documents)
    documents.editor, warnings = read_settings(section)
    server.pull_wanted = documents.editor.pull
    read = {key_of(uri): read_settings(own) for uri, own in folders.items()}
    documents.folders = {key: own for key, (own, _) in read.items()}
    if _hints(documents) != shown:
        refresh_hints(server)
    wrong = dict.fromkeys((*warnings, *(one for _, more in read.values() for one in more)))
    for text in wrong:
        if text not in server.complaints:
            server.window_show_message(lsp.ShowMessageParams(type=lsp.MessageType.Warning, message=text))
    server.complaints = frozenset(wrong)


def _hints(documents: Documents) -> object:
    return documents.editor.hints, {key: own.hints for key, own in documents.folders.items()}


async def pull_settings(server: CroqtileServer) -> None:
    """Ask the client for its settings, where it can be asked: of the workspace, and of each of its folders. Of a
    workspace that has none those count that came with `initialize`."""
    workspace = server.client_capabilities.workspace
    if not (workspace and workspace.configuration):
        return
    folders = [folder.uri for folder in server.workspace.folders.values()]
    items = [lsp.ConfigurationItem(section=SECTION, scope_uri=uri) for uri in (None, *folders)]
    answer = await answered(server.workspace_configuration_async(lsp.ConfigurationParams(items=items)))
    if answer:
        own = {uri: found for uri, found in zip(folders, answer[1:], strict=False) if found is not None}
        take_settings(server, server.options if answer[0] is None else answer[0], own)
        await follow(server, server.pull_wanted)
        refresh(server)


def refresh(server: CroqtileServer) -> None:
    """Check every open document again under the settings as they are now."""
    before = {snapshot.uri: snapshot for snapshot in server.documents.all()}
    server.tell_of_projects(server.documents.resettle())
    for snapshot in server.documents.all():
        if before.get(snapshot.uri) is not snapshot:
            publish(server, snapshot)
    if server.pull:
        ask_to_pull(server)


async def did_change_configuration(server: CroqtileServer, params: lsp.DidChangeConfigurationParams) -> None:
    workspace = server.client_capabilities.workspace
    if workspace and workspace.configuration:
        await pull_settings(server)
        return
    pushed = params.settings
    if isinstance(pushed, dict):
        take_settings(server, pushed.get(SECTION, pushed))
        await follow(server, server.pull_wanted)
        refresh(server)


async def did_change_workspace_folders(server: CroqtileServer, _: lsp.DidChangeWorkspaceFoldersParams) -> None:
    await pull_settings(server)


def did_change_watched_files(server: CroqtileServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    changed = tuple(
        f"{path_of(change.uri)}:" for change in params.changes
    )  # what is said of a file begins with its path
    server.project_complaints = {text for text in server.project_complaints if not text.startswith(changed)}
    refresh(server)


ENTRIES = (
    Entry(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, did_change_configuration),
    Entry(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, did_change_watched_files),
    Entry(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, did_change_workspace_folders),
)
