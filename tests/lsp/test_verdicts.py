"""Credit-flow verdicts while one types: they come second, stay while one types elsewhere, and go when mended."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from croqc.text.diagnostics import Diagnostic, Severity
from croqc.text.span import Span
from croqls.lsp import publish as publishing
from croqls.lsp.publish import publish, publish_verdicts
from croqls.lsp.serve import make_server
from croqls.workers.flow_orders import Answer
from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.lsp.conftest import Editor
from tests.rules.breaking import break_rule

BROKEN = PIPELINE.replace(BOOTSTRAP, "")


async def test_the_deadlock_is_marked_at_the_wait_with_its_story(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", BROKEN)
    found = next(item for item in await editor.until("credit-deadlock") if item.code == "credit-deadlock")
    assert found.severity == lsp.DiagnosticSeverity.Error
    assert found.range.start.line == editor.position("wait empty[stage]").line
    assert found.related_information
    assert all(item.location.uri == editor.uri for item in found.related_information)


async def test_an_edit_elsewhere_never_makes_it_disappear(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", BROKEN)
    await editor.until("credit-deadlock")
    start = editor.version
    for _ in range(5):
        editor.replace("// One producer", "// A producer")
        editor.replace("// A producer", "// One producer")
    await editor.until("credit-deadlock")
    for item in client.published:
        if item.version is not None and item.version > start:
            assert "credit-deadlock" in [entry.code for entry in item.diagnostics], item.version


async def test_the_bootstrap_mends_it(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", BROKEN)
    await editor.until("credit-deadlock")
    line = "        mc = mma.fill.f16 0.0f;\n"
    editor.replace(line, line + BOOTSTRAP)
    for _ in range(500):
        lists = [item for item in client.published if item.version == editor.version]
        if len(lists) >= 2:
            break
        await asyncio.sleep(0.02)
    assert "credit-deadlock" not in [item.code for item in lists[-1].diagnostics]


def test_a_failed_answer_leaves_the_verdicts_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    server = make_server()
    pushed: list[lsp.PublishDiagnosticsParams] = []
    monkeypatch.setattr(server, "text_document_publish_diagnostics", pushed.append)
    snapshot, _ = server.documents.open("file:///k.co", 1, BROKEN)
    known = (Diagnostic("credit-deadlock", Severity.ERROR, "it hangs", Span(0, 2)),)
    publish_verdicts(server, Answer("file:///k.co", 1, known))
    publish_verdicts(server, Answer("file:///k.co", 1, (), "the credit-flow process died"))
    assert server.documents.verdicts(snapshot) == known
    assert ["credit-deadlock" in [item.code for item in each.diagnostics] for each in pushed] == [True]


def test_objects_are_looked_through_behind_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not while the first list of an edit is waited for; nor does the verdict process begin before that is out."""
    server = make_server()
    done: list[str] = []
    monkeypatch.setattr(server, "text_document_publish_diagnostics", lambda _: done.append("list"))
    monkeypatch.setattr(server.flow, "submit", lambda _: done.append("verdicts"))
    monkeypatch.setattr(publishing, "settle", lambda: done.append("settle"))
    snapshot, _ = server.documents.open("file:///k.co", 1, PIPELINE)
    publish(server, snapshot)
    publish_verdicts(server, Answer("file:///k.co", 1, ()))
    assert done == ["list", "verdicts", "list", "settle"]


def test_a_rule_that_fails_is_logged_once_and_the_rest_is_published(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server = make_server()
    pushed: list[lsp.PublishDiagnosticsParams] = []
    monkeypatch.setattr(server, "text_document_publish_diagnostics", pushed.append)
    monkeypatch.setattr(server.flow, "submit", lambda _: None)
    break_rule(monkeypatch, "lossy-conversion")
    text = "__co__ void f(f32 [8] x, f16 [8] y) {\n  y.at(0) = x.at(0) * 2.0f;\n  y.at(1) = z;\n}\n"
    for version in (1, 2):
        snapshot, _ = server.documents.open("file:///k.co", version, text)
        publish(server, snapshot)
    assert [[item.code for item in each.diagnostics] for each in pushed] == [["internal-error", "undeclared-name"]] * 2
    logged = [record.getMessage() for record in caplog.records]
    assert [text.partition(" (")[0] for text in logged] == ["file:///k.co: rule 'lossy-conversion' failed here"]
