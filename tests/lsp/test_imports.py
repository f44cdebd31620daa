"""What the server loads before it serves: not what has processes of its own, nor what the first list does not need;
and those load nothing of the server."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from croqls.ide.snapshot import Snapshot
from croqls.lsp.asking import RequestFailedError
from croqls.lsp.requests import call_hierarchy
from croqls.lsp.requests.document_highlight import document_highlight
from croqls.lsp.requests.hover import text_document_hover
from croqls.lsp.serve import make_server
from croqls.workers.flow_orders import Reply, Request

NOT_AT_START = {
    *("numpy", "ml_dtypes", "lark", "rich", "sqlite3"),
    *("croqc.pipe", "croqc.codegen", "croqc.engines", "croqc.refactor", "croqc.flow.verifier", "croqc.service.migrate"),
}
CODE = "import sys; from croqls.lsp.serve import make_server; make_server(); print(*sys.modules)"


def test_the_server_starts_without_verifier_compiler_and_engines() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "croqc.flow" in loaded
    assert loaded & NOT_AT_START == set()


# --- the verdict process ---------------------------------------------------------------------------

ASKED = "import pickle, sys; from croqls.workers import flow; pickle.load(sys.stdin.buffer); print(*sys.modules)"


async def test_questions_load_nothing_of_the_server_into_the_verdict_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind, as it is sent: hover, highlights, both ways of the call hierarchy."""
    server = make_server()
    monkeypatch.setattr(type(server), "client_capabilities", lsp.ClientCapabilities())
    asked: list[Request] = []

    async def ask(_: Snapshot, place: int, request: Request) -> Reply:
        asked.append(request)
        return Reply(1, None, f"nothing at {place}")

    monkeypatch.setattr(server.flow, "ask", ask)
    text = Path("examples/pipeline_course.co").read_text(encoding="utf-8")
    server.documents.open("file:///k.co", 1, text)
    before = text[: text.index("wait full")].split("\n")
    document, place = lsp.TextDocumentIdentifier("file:///k.co"), lsp.Position(len(before) - 1, len(before[-1]))
    await text_document_hover(server, lsp.HoverParams(document, place))
    await document_highlight(server, lsp.DocumentHighlightParams(document, place))
    (item,) = call_hierarchy.prepare(server, lsp.CallHierarchyPrepareParams(document, place))
    for calls in (
        call_hierarchy.incoming_calls(server, lsp.CallHierarchyIncomingCallsParams(item)),
        call_hierarchy.outgoing_calls(server, lsp.CallHierarchyOutgoingCallsParams(item)),
    ):
        with pytest.raises(RequestFailedError, match="nothing at"):
            await calls
    assert len(asked) == 4
    sent = bytes(ForkingPickler.dumps(asked))
    done = subprocess.run([sys.executable, "-c", ASKED], input=sent, capture_output=True, check=True)
    loaded = done.stdout.decode().split()
    assert "croqls.ide.call_hierarchy" in loaded
    assert [name for name in loaded if name.startswith(("croqls.lsp", "pygls", "lsprotocol"))] == []
