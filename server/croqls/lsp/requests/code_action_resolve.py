"""`codeAction/resolve`: the edit of an action that was offered without it, of the text that it was offered for.

Made in a process of its own, since it takes many times what a keystroke may. Must not decide what is offered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from croqls.ide.carry import difference
from croqls.ide.snapshot import Snapshot
from croqls.lsp.asking import RequestFailedError, data_of
from croqls.lsp.orders import order_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import is_present
from croqls.lsp.workspace_edit import workspace_edit

if TYPE_CHECKING:
    from croqls.lsp.server import CroqtileServer

_CHANGED = "the document was changed since this was offered, so nothing was done; ask for it again"


def resolves_edits(server: CroqtileServer) -> bool:
    """Whether the client takes the edit of an action later, and keeps until then what belongs to it (LSP 3.17)."""
    document = server.client_capabilities.text_document
    known = document.code_action if document else None
    late = known.resolve_support if known else None
    return bool(known and known.data_support and late and "edit" in (late.properties or ()))


def due(server: CroqtileServer, snapshot: Snapshot, uri: str, to: str) -> dict[str, Any]:
    """What an action keeps of the migration to a dialect that it stands for."""
    return {"uri": uri, "version": server.documents.version_of(uri, snapshot), "to": to}


async def code_action_resolve(server: CroqtileServer, action: lsp.CodeAction) -> lsp.CodeAction:
    """An action that has its edit comes back as it is. Raises RequestFailedError where the text is another one."""
    if action.edit is not None or action.data is None:
        return action
    uri, version, to = _read(action.data)
    snapshot = server.documents.get(uri)
    if snapshot is None or server.documents.version_of(uri, snapshot) != version:
        raise RequestFailedError(_CHANGED)
    moved = await data_of(server, server.tools, order_of(snapshot, "migrate", {"to": to}), {})
    if not is_present(server, snapshot):
        raise RequestFailedError(_CHANGED)
    if moved["text"] == snapshot.text:
        raise RequestFailedError(f"there is nothing to move to the {to} dialect")
    action.edit = workspace_edit(server, snapshot, uri, [difference(snapshot.text, moved["text"])])
    return action


def _read(data: object) -> tuple[str, int, str]:
    """Raises JsonRpcInvalidParams for what no action of ours keeps."""
    from croqc.service.migrate import DIRECTIONS  # here: rewrites are not needed at the start

    given = data if isinstance(data, Mapping) else {}
    uri, version, to = (given.get(name) for name in ("uri", "version", "to"))
    if isinstance(uri, str) and isinstance(version, int) and isinstance(to, str) and to in DIRECTIONS:
        return uri, version, to
    raise JsonRpcInvalidParams("'data' is not that of an action of this server")


ENTRIES = (Entry(lsp.CODE_ACTION_RESOLVE, code_action_resolve),)
