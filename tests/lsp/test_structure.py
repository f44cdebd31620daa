"""Folding, selection ranges, document links and workspace symbols over real stdio."""

from __future__ import annotations

from lsprotocol import types as lsp
from pytest_lsp import LanguageClient

from tests.lsp.conftest import Editor

KERNEL = """// croq: allow unused-event
#include "tools/é.h"
#include "missing.h"
__co__ void scale(global s32 [8] x) {
  shared s32 [4] names_s;
  parallel p by 8 : thread {
    /* 😀 */ x.at(p) = p + 1;
  }
}
"""


async def test_folding(client: LanguageClient) -> None:
    editor = Editor(client, "f.co", KERNEL)
    found = await client.text_document_folding_range_async(lsp.FoldingRangeParams(editor.document))
    assert found is not None
    kinds = [(one.start_line, one.end_line, one.kind) for one in found]
    assert kinds == [(1, 2, lsp.FoldingRangeKind.Imports), (3, 7, None), (5, 6, None)]


async def test_selection_ranges_one_chain_a_place(client: LanguageClient) -> None:
    editor = Editor(client, "s.co", KERNEL)
    places = [editor.position("p + 1"), lsp.Position(0, 0)]
    found = await client.text_document_selection_range_async(lsp.SelectionRangeParams(editor.document, places))
    assert found is not None
    first, second = found
    assert first.range == lsp.Range(editor.position("p + 1"), editor.position("p + 1", 1))
    assert first.parent is not None
    assert first.parent.range == lsp.Range(editor.position("p + 1"), editor.position("p + 1", 5))
    assert second.parent is not None
    assert second.parent.range == lsp.Range(lsp.Position(0, 0), lsp.Position(9, 0))


async def test_links_lead_to_pages_and_to_files_that_exist(client: LanguageClient) -> None:
    (client.folder / "tools").mkdir()
    target = client.folder / "tools" / "é.h"
    target.write_text("", encoding="utf-8")
    editor = Editor(client, "l.co", KERNEL)
    found = await client.text_document_document_link_async(lsp.DocumentLinkParams(editor.document))
    assert found is not None
    page, included = found
    assert page.range == lsp.Range(editor.position("unused-event"), editor.position("unused-event", 12))
    assert page.target is not None
    assert page.target.endswith("/unused-event.md")
    assert included.range == lsp.Range(editor.position("tools/"), editor.position("tools/", 9))
    assert included.target == target.as_uri()


async def test_workspace_symbols_of_files_and_of_open_documents(client: LanguageClient) -> None:
    (client.folder / "a b (é) #1 %41 +").mkdir()
    on_disk = client.folder / "a b (é) #1 %41 +" / "k 1.co"
    on_disk.write_text(KERNEL.replace("scale", "other"), encoding="utf-8")
    (client.folder / ".hidden").mkdir()
    (client.folder / ".hidden" / "no.co").write_text(KERNEL, encoding="utf-8")
    (client.folder / "open.co").write_text(KERNEL.replace("scale", "saved"), encoding="utf-8")
    (client.folder / "bad.co").write_bytes(b"\xff\xfe\0")
    Editor(client, "open.co", KERNEL)
    found = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("ns"))
    assert found is not None
    assert {(one.name, one.container_name, one.location.uri) for one in found} == {
        ("names_s", "scale", (client.folder / "open.co").as_uri()),
        ("names_s", "other", on_disk.as_uri()),
    }
    kernels = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("e"))
    assert kernels is not None
    assert {one.name for one in kernels if one.kind == lsp.SymbolKind.Function} == {"scale", "other"}


async def test_a_changed_file_is_read_again(client: LanguageClient) -> None:
    path = client.folder / "c.co"
    path.write_text("__co__ void first() {}\n", encoding="utf-8")
    assert [one.name for one in await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("")) or []] == ["first"]
    path.write_text("__co__ void second() {}\n", encoding="utf-8")
    assert [one.name for one in await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("")) or []] == ["second"]
