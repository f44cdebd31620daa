"""What each real editor says at `initialize`, and then all that a first session does, in the forms that it knows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.conftest import CLIENTS, CONFIG, Editor, recorded
from tests.lsp.test_first_light import BROKEN, KERNEL

# What an editor did not say that it knows must not be sent to it.
pytestmark = pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning")

# Which unit of columns the server answers with: the first that the editor offers, UTF-16 where it offers none.
ENCODINGS = {"ale": "utf-16", "emacs": "utf-16", "kate": "utf-16", "neovim": "utf-8", "vscode": "utf-16"}
FORMATS = {"ale": "plaintext", "emacs": "plaintext", "kate": "markdown", "neovim": "markdown", "vscode": "markdown"}


@pytest_lsp.fixture(config=CONFIG, params=sorted(path.stem for path in CLIENTS.glob("*.json")))
async def session(request: object, lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    lsp_client.editor = request.param  # type: ignore[attr-defined]
    lsp_client.folder = tmp_path
    params = recorded(lsp_client.editor, tmp_path)
    lsp_client.sent_options = params.initialization_options
    lsp_client.initialized = await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


def test_every_record_is_of_a_known_editor() -> None:
    assert sorted(path.stem for path in CLIENTS.glob("*.json")) == sorted(ENCODINGS) == sorted(FORMATS)
    for path in CLIENTS.glob("*.json"):
        assert "/tmp" not in path.read_text(encoding="utf-8")


async def test_a_first_session(session: LanguageClient) -> None:
    editor = Editor(session, "k 1.co", BROKEN)
    assert editor.encoding == ENCODINGS[session.editor]
    found = [item for item in await editor.diagnostics() if item.severity == lsp.DiagnosticSeverity.Error]
    place = lsp.Range(editor.position("srk"), editor.position("srk", 3))
    assert [(item.code, item.range) for item in found] == [("undeclared-name", place)]
    await apply_the_fix(editor, found[0])
    assert editor.text == KERNEL
    assert [item for item in await editor.diagnostics() if item.severity == lsp.DiagnosticSeverity.Error] == []
    await hovers(editor)
    await completes(editor)
    await outlines(editor)
    await renames(editor)
    await colours(editor)


async def apply_the_fix(editor: Editor, finding: lsp.Diagnostic) -> None:
    """Through `codeAction`, and `codeAction/resolve` where the edit is not there yet."""
    context = lsp.CodeActionContext(diagnostics=[finding], only=[lsp.CodeActionKind.QuickFix])
    asked = lsp.CodeActionParams(editor.document, finding.range, context)
    actions = await editor.client.text_document_code_action_async(asked)
    (action,) = [one for one in actions or [] if isinstance(one, lsp.CodeAction) and "src" in one.title]
    if action.edit is None:
        action = await editor.client.code_action_resolve_async(action)
    (edit,) = edits_of(editor, action.edit)
    assert (edit.range, edit.new_text) == (finding.range, "src")
    editor.replace("srk", "src")


def edits_of(editor: Editor, edit: lsp.WorkspaceEdit | None) -> list[Any]:
    """The edits of the one document, in the form that the client knows."""
    assert edit is not None
    workspace = editor.client.capabilities.workspace
    known = workspace.workspace_edit if workspace else None
    if known and known.document_changes:
        (change,) = edit.document_changes or []
        assert isinstance(change, lsp.TextDocumentEdit)
        assert change.text_document.uri == editor.uri
        return list(change.edits)
    assert edit.document_changes is None
    assert list(edit.changes or {}) == [editor.uri]
    return list((edit.changes or {})[editor.uri])


async def hovers(editor: Editor) -> None:
    place = editor.position("tile_s[2]", 1)
    hover = await editor.client.text_document_hover_async(lsp.HoverParams(editor.document, place))
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert hover.contents.kind.value == FORMATS[editor.client.editor]
    assert "2 slots of 2,048 bytes" in hover.contents.value
    assert ("```" in hover.contents.value) is (hover.contents.kind == lsp.MarkupKind.Markdown)


async def completes(editor: Editor) -> None:
    place = editor.position("dma.copy tile_s", 4)
    items = await editor.client.text_document_completion_async(lsp.CompletionParams(editor.document, place))
    assert isinstance(items, list)
    (copy,) = [item for item in items if item.label == "copy"]
    resolved = await editor.client.completion_item_resolve_async(copy)
    completion = editor.client.capabilities.text_document.completion  # Kate completes and says nothing of it
    known = completion.completion_item.documentation_format if completion else None
    if known:
        assert isinstance(resolved.documentation, lsp.MarkupContent)
        assert resolved.documentation.kind in known
    else:
        assert isinstance(resolved.documentation, str)
        assert "`" not in resolved.documentation
    # A place outside of functions, where whole patterns are offered: with place-holders only to who knows them.
    start = lsp.CompletionParams(editor.document, lsp.Position(2, 0))
    patterns = [item for item in await editor.client.text_document_completion_async(start) if "1p1c" in item.label]
    formats = {item.insert_text_format for item in patterns}
    knows = bool(completion and completion.completion_item.snippet_support)
    assert formats <= {lsp.InsertTextFormat.Snippet if knows else lsp.InsertTextFormat.PlainText}
    own = (editor.client.sent_options or {}).get("ownPatterns", False)
    assert bool(patterns) is not own


async def outlines(editor: Editor) -> None:
    symbols = await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(editor.document))
    assert symbols is not None
    names = ["TILE", "scale", "src", "out", "full", "empty", "tile_s"]
    if editor.client.editor == "ale":  # shows no trees
        assert [(item.name, item.container_name) for item in symbols] == [
            (name, "scale" if number > 1 else None) for number, name in enumerate(names)
        ]
    else:
        assert [item.name for item in symbols] == names[:2]
        assert [child.name for child in symbols[1].children] == names[2:]


async def renames(editor: Editor) -> None:
    wanted = lsp.RenameParams(editor.document, editor.position("src.subspan"), "source")
    edits = edits_of(editor, await editor.client.text_document_rename_async(wanted))
    places = [editor.position("src, global"), editor.position("src.subspan")]
    assert sorted((edit.range.start.line, edit.range.start.character) for edit in edits) == [
        (place.line, place.character) for place in places
    ]
    assert {edit.new_text for edit in edits} == {"source"}


async def colours(editor: Editor) -> None:
    """Asked for by who knows them; the others get an answer all the same."""
    answer = await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(editor.document))
    assert answer is not None
    legend = editor.client.initialized.capabilities.semantic_tokens_provider.legend.token_types
    line = column = 0
    seen = {}
    for down, right, length, kind, _ in zip(*[iter(answer.data)] * 5, strict=True):
        line, column = line + down, right if down else column + right
        seen[line, column] = (length, legend[kind])
    place = editor.position("src.subspan")
    assert seen[place.line, place.character] == (3, "parameter")
