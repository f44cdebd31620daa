"""What is answered where the verdict process is late: what is known without it, or that it is late."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from croqls.lsp.asking import RequestFailedError
from croqls.lsp.requests.call_hierarchy import incoming_calls, outgoing_calls, prepare
from croqls.lsp.requests.document_highlight import document_highlight
from croqls.lsp.serve import make_server
from croqls.lsp.server import CroqtileServer
from croqls.workers.flow_orders import Reply

URI = "file:///c.co"
TEXT = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
LATE = "the credit flow is still being worked out; ask again in a moment"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[CroqtileServer]:
    """One whose verdict process never answers in time."""
    server = make_server()
    monkeypatch.setattr(type(server), "client_capabilities", lsp.ClientCapabilities())

    async def late(*_: object) -> Reply:
        await asyncio.sleep(0)
        return Reply(1, None, LATE, late=True)

    monkeypatch.setattr(server.flow, "ask", late)
    server.documents.open(URI, 1, TEXT)
    yield server
    server.stop_processes()


def at(words: str, behind: int = 0) -> lsp.Position:
    before = TEXT[: TEXT.index(words) + behind].split("\n")
    return lsp.Position(len(before) - 1, len(before[-1]))


async def test_a_wait_lights_the_triggers_of_its_event(server: CroqtileServer) -> None:
    document = lsp.TextDocumentIdentifier(URI)
    for words, others, kinds in (
        ("wait full[", "trigger full[", [lsp.DocumentHighlightKind.Read, lsp.DocumentHighlightKind.Write]),
        ("trigger full[", "wait full[", [lsp.DocumentHighlightKind.Write, lsp.DocumentHighlightKind.Read]),
    ):
        found = await document_highlight(server, lsp.DocumentHighlightParams(document, at(words)))
        lit = {(one.range.start.line, one.range.start.character): one.kind for one in found}
        places = [(place.line, place.character) for place in (at(words), at(others))]
        assert [lit.get(place) for place in places] == kinds
        assert len(lit) == 1 + TEXT.count(others)
        assert all("full[" in TEXT.split("\n")[line] for line, _ in lit)


async def test_a_copy_lights_itself(server: CroqtileServer) -> None:
    params = lsp.DocumentHighlightParams(lsp.TextDocumentIdentifier(URI), at("dma.copy lhs"))
    (found,) = await document_highlight(server, params)
    assert (found.range.start, found.kind) == (at("dma.copy lhs"), lsp.DocumentHighlightKind.Write)


async def test_the_call_hierarchy_of_an_event_says_that_it_is_late(server: CroqtileServer) -> None:
    """An empty answer would say that nobody gives or takes its credits."""
    (item,) = prepare(server, lsp.CallHierarchyPrepareParams(lsp.TextDocumentIdentifier(URI), at("full[")))
    for asked in (
        incoming_calls(server, lsp.CallHierarchyIncomingCallsParams(item)),
        outgoing_calls(server, lsp.CallHierarchyOutgoingCallsParams(item)),
    ):
        with pytest.raises(RequestFailedError) as failed:
            await asked
        assert failed.value.message == LATE
