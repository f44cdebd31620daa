"""`textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`.

Who gives and takes credits comes from the verdict process; where it is late, the request fails and says so. An item
carries what it takes to find it again.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from lsprotocol import types as lsp

from croqc.text.source import Encoding
from croqc.text.span import Span
from croqls.ide.call_hierarchy import (
    Calls,
    Find,
    HierarchyItem,
    HierarchyKind,
    calls_of,
    hierarchy_at,
    incoming,
    outgoing,
)
from croqls.ide.snapshot import Snapshot
from croqls.lsp.asking import RequestFailedError
from croqls.lsp.convert import offset_of, range_of
from croqls.lsp.requests.entry import Entry
from croqls.lsp.requests.place import is_present, place_of
from croqls.lsp.server import CroqtileServer

_KINDS = {
    HierarchyKind.FUNCTION: lsp.SymbolKind.Function,
    HierarchyKind.DEVICE: lsp.SymbolKind.Function,
    HierarchyKind.EVENT: lsp.SymbolKind.Event,
    HierarchyKind.PATH: lsp.SymbolKind.Namespace,
}
_FLOW = (HierarchyKind.EVENT, HierarchyKind.PATH)


def prepare(server: CroqtileServer, params: lsp.CallHierarchyPrepareParams) -> list[lsp.CallHierarchyItem]:
    place = place_of(server, params)
    if place is None:
        return []
    return [
        _item(place.snapshot, params.text_document.uri, item, server.documents.encoding)
        for item in hierarchy_at(*place)
    ]


async def incoming_calls(
    server: CroqtileServer, params: lsp.CallHierarchyIncomingCallsParams
) -> list[lsp.CallHierarchyIncomingCall]:
    """Raises RequestFailedError."""
    found = await _found(server, params.item, incoming)
    return [lsp.CallHierarchyIncomingCall(from_=item, from_ranges=ranges) for item, ranges in found]


async def outgoing_calls(
    server: CroqtileServer, params: lsp.CallHierarchyOutgoingCallsParams
) -> list[lsp.CallHierarchyOutgoingCall]:
    """Raises RequestFailedError."""
    found = await _found(server, params.item, outgoing)
    return [lsp.CallHierarchyOutgoingCall(to=item, from_ranges=ranges) for item, ranges in found]


async def _found(
    server: CroqtileServer, item: lsp.CallHierarchyItem, find: Find
) -> list[tuple[lsp.CallHierarchyItem, list[lsp.Range]]]:
    snapshot = server.documents.get(item.uri)
    known = _known(server, snapshot, item) if snapshot is not None else None
    if snapshot is None or known is None:
        return []
    if known.kind in _FLOW:
        reply = await server.flow.ask(snapshot, known.span.start, partial(calls_of, find, known))
        if reply.failed:  # nobody gives or takes a credit, an empty answer would say
            raise RequestFailedError(reply.failed)
        calls: tuple[Calls, ...] = reply.answer
    else:
        calls = find(snapshot, known)
    if not is_present(server, snapshot):
        return []
    source, encoding = snapshot.source, server.documents.encoding
    return [
        (_item(snapshot, item.uri, one.item, encoding), [range_of(source, span, encoding) for span in one.places])
        for one in calls
    ]


def _item(snapshot: Snapshot, uri: str, item: HierarchyItem, encoding: Encoding) -> lsp.CallHierarchyItem:
    return lsp.CallHierarchyItem(
        name=item.name,
        kind=_KINDS[item.kind],
        uri=uri,
        range=range_of(snapshot.source, item.span, encoding),
        selection_range=range_of(snapshot.source, item.name_span, encoding),
        detail=item.detail,
        data={"kind": item.kind.value, "owner": item.owner},
    )


def _known(server: CroqtileServer, snapshot: Snapshot, item: lsp.CallHierarchyItem) -> HierarchyItem | None:
    """The item that a client sends back; None for one that is not ours."""
    data: Any = item.data
    kind = next((one for one in HierarchyKind if isinstance(data, dict) and one.value == data.get("kind")), None)
    if kind is None:
        return None

    def span(place: lsp.Range) -> Span:
        encoding = server.documents.encoding
        start = offset_of(snapshot.source, place.start, encoding)
        return Span(start, max(start, offset_of(snapshot.source, place.end, encoding)))

    owner = str(data.get("owner", ""))
    return HierarchyItem(kind, item.name, item.detail or "", span(item.range), span(item.selection_range), owner)


ENTRIES = (
    Entry(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, prepare),
    Entry(lsp.CALL_HIERARCHY_INCOMING_CALLS, incoming_calls),
    Entry(lsp.CALL_HIERARCHY_OUTGOING_CALLS, outgoing_calls),
)
