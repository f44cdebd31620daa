"""Credit-flow verdicts while one types: they come second, stay while one types elsewhere, and go when mended."""

from __future__ import annotations

import asyncio

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.cli.seeds import BOOTSTRAP, PIPELINE
from tests.lsp.conftest import Editor

BROKEN = PIPELINE.replace(BOOTSTRAP, "")


async def codes(editor: Editor, wanted: str) -> list[lsp.Diagnostic]:
    """The newest list of the present version once it holds a code."""
    for _ in range(500):
        lists = [item for item in editor.client.published if item.version == editor.version]
        if lists and wanted in [item.code for item in lists[-1].diagnostics]:
            return list(lists[-1].diagnostics)
        await asyncio.sleep(0.02)
    raise AssertionError(f"no {wanted} in version {editor.version}")


async def test_the_deadlock_is_marked_at_the_wait_with_its_story(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", BROKEN)
    found = next(item for item in await codes(editor, "credit-deadlock") if item.code == "credit-deadlock")
    assert found.severity == lsp.DiagnosticSeverity.Error
    assert found.range.start.line == editor.position("wait empty[stage]").line
    assert found.related_information
    assert all(item.location.uri == editor.uri for item in found.related_information)


async def test_an_edit_elsewhere_never_makes_it_disappear(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", BROKEN)
    await codes(editor, "credit-deadlock")
    start = editor.version
    for _ in range(5):
        editor.replace("// One producer", "// A producer")
        editor.replace("// A producer", "// One producer")
    await codes(editor, "credit-deadlock")
    for item in client.published:
        if item.version is not None and item.version > start:
            assert "credit-deadlock" in [entry.code for entry in item.diagnostics], item.version


async def test_the_bootstrap_mends_it(client: LanguageClient) -> None:
    editor = Editor(client, "k.co", BROKEN)
    await codes(editor, "credit-deadlock")
    line = "        mc = mma.fill.f16 0.0f;\n"
    editor.replace(line, line + BOOTSTRAP)
    for _ in range(500):
        lists = [item for item in client.published if item.version == editor.version]
        if len(lists) >= 2:
            break
        await asyncio.sleep(0.02)
    assert "credit-deadlock" not in [item.code for item in lists[-1].diagnostics]
